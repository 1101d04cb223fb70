// Points that the model's shapes pass through in a run: what the view has to hold, and from where it is seen best.
import { place } from './poses.js';
import { pointsOf, sizeOf } from './shapes.js';

const BUDGET = 20000, MOST = 200, LEAST = 12;     // points, and times that they are taken at
const SMALL = 0.08;           // of the model's way: free bodies that together are smaller are lost in a picture of all of it
const MOMENTS = 60;           // at which their size is taken

const dot = (a, b) => a.reduce((sum, v, k) => sum + v * b[k], 0);
const STAND = 0.12;           // of the model's length: how long a spring along a slide is drawn at the least
const ASIDE = 0.05;           // of it: how far off the middle a slide has to be to have a side away from it

// A slide's direction in the axes of the body that slides.
export function slideAxis({ axis, first, second }) {
  const r = first.rotate, inJoint = r ? place({ rotate: [r[0], -r[1], -r[2], -r[3]] }, axis) : axis;
  return place({ rotate: second.rotate }, inJoint);
}

// A spring along a slide, by its places on the axis: `from` a stand beyond all that the body gets to, on the side away from the
// rest of the model, to the body's `edge`. From one point of the joint to the other it would be gone where they meet.
export function slideSpring(run, joint) {
  const { axis, first, second, kind, columns } = joint, q = run.column(['joints', columns?.q?.[0]]), { bounds, length } = run.scene;
  if (kind !== 'prismatic' || !axis || !Number.isFinite(q?.min)) return null;
  const own = slideAxis(joint), home = second.at ?? [0, 0, 0], points = (run.scene.bodies[second.body].shapes ?? []).flatMap(pointsOf);
  const off = (p) => dot(own, p.slice(0, 3).map((v, k) => v - home[k]));
  const middle = bounds && first.body === 0 ? dot(axis, (first.at ?? [0, 0, 0]).map((v, k) => v + axis[k] * (q.min + q.max) / 2 - (bounds.min[k] + bounds.max[k]) / 2)) : 0;
  if (middle > ASIDE * length) {
    const edge = Math.max(0, ...points.map((p) => off(p) + p[3]));
    return { from: q.max + edge + STAND * length, edge };
  }
  const edge = Math.min(0, ...points.map((p) => off(p) - p[3]));
  return { from: q.min + edge - STAND * length, edge };
}

// Before the rows are there, the tool's word for it.
function cornersOf(bounds) {
  return bounds ? [...Array(8).keys()].map((k) => [0, 1, 2].map((n) => (k >> n & 1 ? bounds.max : bounds.min)[n]).concat(0)) : [];
}

// All that moves in a run, and what joints, strings and springs hold on to on the ground. Shapes of the ground may reach far
// beyond what moves: they do not count.
export function cloudOf(run, poses) {
  if (!poses.axis.isLoaded) return cornersOf(run.scene.bounds);
  const bodies = run.scene.bodies.map((body, b) => {
    if (b === 0) return [];
    const list = (body.shapes ?? []).flatMap(pointsOf);
    return list.length ? list : [[...(body.com ?? [0, 0, 0]), 0]];
  });
  const { times } = poses.axis, total = bodies.reduce((sum, list) => sum + list.length, 0), rows = times.length;
  const samples = Math.min(rows, MOST, Math.max(LEAST, Math.floor(BUDGET / Math.max(1, total)))), cloud = [], keep = poses.data.slice();
  const take = (b, [x, y, z, r = 0]) => {
    const p = poses.point(b, [x, y, z]);
    if (p.every(Number.isFinite)) cloud.push([...p, r]);
  };
  for (let s = 0; s < samples; s++) {
    poses.set(times[samples > 1 ? Math.round(s * (rows - 1) / (samples - 1)) : 0]);
    bodies.forEach((list, b) => list.forEach((p) => take(b, p)));
  }
  poses.data.set(keep);
  for (const joint of run.scene.joints ?? []) if (joint.first.body === 0 && joint.kind !== 'free') take(0, joint.first.at ?? [0, 0, 0]);
  for (const { first, second, kind } of [...(run.scene.constraints ?? []), ...(run.scene.forces ?? [])]) {
    for (const end of [first, second]) if (end?.body === 0 && kind !== 'inplane') take(0, end.at ?? [0, 0, 0]);
  }
  for (const { kind, joint: number } of run.scene.forces ?? []) {
    const joint = kind === 'along' ? run.scene.joints[number] : null, spring = joint?.first.body === 0 && slideSpring(run, joint);
    if (spring) take(0, (joint.first.at ?? [0, 0, 0]).map((v, k) => v + joint.axis[k] * spring.from));
  }
  return cloud;
}

// The body that the camera follows from the start: {body, radius about all that moves}, or null. It is the heaviest of bodies that are free,
// stay together, and go much further than they are large, over nothing but planes: a picture of their whole way would show dots.
export function travellerOf(run, poses, { min, max }) {
  const { bodies, joints = [] } = run.scene, { axis } = poses, way = Math.max(...max.map((v, k) => v - min[k]));
  const isHeld = joints.some((joint) => joint.first.body === 0 && joint.kind !== 'free'), hasGround = (bodies[0].shapes ?? []).some((shape) => pointsOf(shape).length);
  if (run.isPlanar || !axis.isLoaded || bodies.length < 2 || isHeld || hasGround) return null;
  const body = bodies.reduce((best, { mass }, b) => (b > 1 && mass > bodies[best].mass ? b : best), 1), keep = poses.data.slice(), { times } = axis, n = Math.min(MOMENTS, times.length);
  let radius = 0;
  for (let s = 0; s < n && 2 * radius < SMALL * way; s++) {
    const [x, y, z, r] = ballOf(poses.set(times[n > 1 ? Math.round(s * (times.length - 1) / (n - 1)) : 0])), p = poses.point(body, bodies[body].ball ?? [0, 0, 0]);
    radius = Math.max(radius, r + Math.hypot(p[0] - x, p[1] - y, p[2] - z));
  }
  poses.data.set(keep);
  return 2 * radius < SMALL * way && radius > 0 ? { body, radius } : null;
}

// How far the largest body reaches from end to end.
export const largestOf = (run) => Math.max(0, ...run.scene.bodies.slice(1).map((body) => sizeOf(body.shapes ?? [])));

// A ball [x, y, z, radius] about all bodies where they are now.
export function ballOf(poses) {
  const min = [Infinity, Infinity, Infinity], max = [-Infinity, -Infinity, -Infinity], balls = [];
  poses.bodies.forEach((body, b) => {
    body.ball ??= ownBall(body);
    if (!body.ball) return;
    const p = poses.point(b, body.ball), r = body.ball[3];
    balls.push([...p, r]);
    p.forEach((v, k) => [min[k], max[k]] = [Math.min(min[k], v - r), Math.max(max[k], v + r)]);
  });
  const middle = min.map((v, k) => (v + max[k]) / 2);
  return balls.length ? [...middle, balls.reduce((most, p) => Math.max(most, Math.hypot(p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]) + p[3]), 0)] : [0, 0, 0, 1];
}

// About a body's shapes, in its axes.
function ownBall({ shapes = [] }) {
  const points = shapes.flatMap(pointsOf);
  if (!points.length) return null;
  const middle = [0, 1, 2].map((k) => (Math.min(...points.map((p) => p[k])) + Math.max(...points.map((p) => p[k]))) / 2);
  return [...middle, Math.max(...points.map((p) => Math.hypot(p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]) + p[3]))];
}

// The box about a cloud. Neither a point nor a line fills a picture: no side is shorter than `least`.
export function boxOf(cloud, least, length, planar) {
  const min = [Infinity, Infinity, Infinity], max = [-Infinity, -Infinity, -Infinity];
  for (const p of cloud) for (let k = 0; k < 3; k++) {
    min[k] = Math.min(min[k], p[k] - p[3]);
    max[k] = Math.max(max[k], p[k] + p[3]);
  }
  for (let k = 0; k < 3; k++) {
    if (min[k] > max[k]) [min[k], max[k]] = [-length / 2, length / 2];
    const lacks = least - (max[k] - min[k]);
    if (lacks > 0 && (k < 2 || !planar)) [min[k], max[k]] = [min[k] - lacks / 2, max[k] + lacks / 2];
  }
  return { min, max };
}

const AROUND = [-75, -60, -45, -30, -15, 15, 30, 45, 60, 75], ABOVE = [12, 20, 30, 45, 60];
const USUAL = [32, 27], LEEWAY = [60, 45];        // degrees from the front and up, where an eye likes to stand

// The direction of the eye from which the cloud spreads widest, as little out of the usual as need be: a flat mechanism is
// seen nearly along its normal, a shaft from its side.
export function bestSide(cloud) {
  const stride = Math.max(1, Math.floor(cloud.length / 1500)), some = cloud.filter((_, k) => k % stride === 0), n = some.length || 1;
  const mean = [0, 1, 2].map((k) => some.reduce((sum, p) => sum + p[k], 0) / n);
  const cov = [0, 1, 2].map((i) => [0, 1, 2].map((k) => some.reduce((sum, p) => sum + (p[i] - mean[i]) * (p[k] - mean[k]) + (i === k ? p[3] * p[3] / 2 : 0), 0) / n));
  const along = (u, v) => u.reduce((sum, x, i) => sum + x * v.reduce((s, y, k) => s + y * cov[i][k], 0), 0);
  let best = null, most = -1;
  for (const a of AROUND) for (const e of ABOVE) {
    const [ca, sa, ce, se] = [Math.cos(a * Math.PI / 180), Math.sin(a * Math.PI / 180), Math.cos(e * Math.PI / 180), Math.sin(e * Math.PI / 180)];
    const right = [ca, sa, 0], up = [-sa * se, ca * se, ce], spread = along(right, right) * along(up, up) - along(right, up) ** 2;
    const score = Math.sqrt(Math.max(0, spread)) * Math.exp(-(((Math.abs(a) - USUAL[0]) / LEEWAY[0]) ** 2) - ((e - USUAL[1]) / LEEWAY[1]) ** 2) * (a > 0 ? 1.02 : 1);
    if (score > most) [best, most] = [[sa * ce, -ca * ce, se], score];
  }
  return best;
}
