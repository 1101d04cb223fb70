// What the model does not draw: toothed wheels and racks in mesh, from its gear and rack constraints; tables and slopes that
// bodies and feet stay on.
import { Poses, place } from './poses.js';

const FEWEST = 8, MOST = 80, USUAL = 18;          // teeth that can be drawn; of a wheel given by its radius
const CROWD = 800;                                // teeth of a wheel or a rack beyond which none are drawn: they would melt into a line
const TURN = 2 * Math.PI, PARALLEL = 0.999;

// Shapes by body: {kind: 'wheel', radius, teeth, phase, depth, rim, at, rotate}, {kind: 'box'} for each tooth of a rack,
// {kind: 'patch', min, max, at, rotate} of a plane.
export function madeUp(run) {
  const { constraints = [], joints = [] } = run.scene, shapes = new Map(), poses = new Poses(run).set(run.t0);
  const given = (body) => shapes.get(body) ?? [], give = (body, shape) => {
    if (!shapes.has(body)) shapes.set(body, []);
    shapes.get(body).push(shape);
  };
  for (const { kind, terms } of constraints) {
    if (terms?.length !== 2) continue;
    const [a, b] = terms.map((term) => joints[term.joint]);
    if (kind === 'gear') meshGears(a, b, terms.map((t) => t.factor), poses, give);
    if (kind === 'rack') meshRack(run, a, b, Math.abs(terms[0].factor / terms[1].factor), poses, give, given);
  }
  if (!run.isPlanar) givePatches(run, give);
  return shapes;
}

// The part of each plane that is used, once for all that stays on it.
function givePatches(run, give) {
  const { constraints = [], joints = [] } = run.scene, patches = new Map();
  for (const { first, second } of [...constraints.filter((c) => c.kind === 'inplane'), ...joints.filter((j) => j.kind === 'planar')]) {
    if (!first || !second) continue;
    const { min, max } = travelOf(run, first, second), key = JSON.stringify(first), patch = patches.get(key);
    if (patch) [patch.min, patch.max] = [patch.min.map((v, k) => Math.min(v, min[k])), patch.max.map((v, k) => Math.max(v, max[k]))];
    else patches.set(key, { kind: 'patch', body: first.body, at: first.at, rotate: first.rotate, min, max });
  }
  for (const patch of patches.values()) give(patch.body, patch);
}

// How far a point moves in the axes of a frame, over the run: {min, max}, kept with the point once all rows are there.
export function travelOf(run, first, second) {
  if (second.travel) return second.travel;
  const all = new Poses(run), { times } = all.axis, step = Math.max(1, Math.ceil(times.length / 300)), box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  for (let i = 0; i < times.length; i += step) {
    all.set(times[i]);
    const d = sub(all.point(second.body, second.at ?? [0, 0, 0]), all.point(first.body, first.at ?? [0, 0, 0]));
    frame(all, first).forEach((axis, k) => {
      const s = dot(d, axis);
      box.min[k] = Math.min(box.min[k], s);
      box.max[k] = Math.max(box.max[k], s);
    });
  }
  if (all.axis.isLoaded) second.travel = box;
  return box;
}

const sub = (u, v) => u.map((x, k) => x - v[k]), dot = (u, v) => u.reduce((sum, x, k) => sum + x * v[k], 0);
const frame = (poses, side) => [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((v) => poses.direction(side.body, place({ rotate: side.rotate }, v)));

// Where a direction stands in the wheel's own frame [rad].
const bearing = ([x, y], u) => Math.atan2(dot(u, y), dot(u, x));

function wheel(side, radius, teeth, phase, depth) {
  return { kind: 'wheel', radius, teeth, phase, depth, rim: 0.78 * radius, at: side.at, rotate: side.rotate };
}

// Pitch circles touch on the line of centres, in the ratio of the teeth; on that line a tooth of one stands in a gap of the
// other, and stays so as they turn.
function meshGears(a, b, [n1, n2], poses, give) {
  if (a?.kind !== 'revolute' || b?.kind !== 'revolute') return;
  const [p, q] = [a, b].map(({ second }) => poses.point(second.body, second.at ?? [0, 0, 0])), line = sub(q, p), distance = Math.hypot(...line);
  const [f, g] = [a, b].map(({ second }) => frame(poses, second));
  if (!(distance > 0) || !(n1 * n2 > 0) || Math.abs(dot(f[2], g[2])) < PARALLEL || Math.abs(dot(line, f[2])) > 0.3 * distance) return;
  const count = teethOf(n1, n2);
  if (Math.max(...count) > CROWD) return;
  const [r1, r2] = count.map((n) => distance * n / (count[0] + count[1])), depth = 0.3 * Math.min(r1, r2), sense = Math.sign(dot(f[2], g[2]));
  const off = -bearing(f, line);                     // the first tooth, past the line of centres, in the sense of the first wheel
  give(a.second.body, wheel(a.second, r1, count[0], 0, depth));
  const half = Math.PI / count[1], back = bearing(g, sub(p, q));
  give(b.second.body, wheel(b.second, r2, count[1], back - sense * off * r1 / r2 - half, depth));
}

// As many as the model says, or in that ratio as many as can be drawn.
function teethOf(n1, n2) {
  const [a, b] = [Math.abs(n1), Math.abs(n2)];
  if (Number.isInteger(a) && Number.isInteger(b) && Math.min(a, b) >= FEWEST && Math.max(a, b) <= MOST) return [a, b];
  const least = Math.max(FEWEST, Math.min(USUAL, MOST * Math.min(a, b) / Math.max(a, b)));
  return [a, b].map((n) => Math.max(FEWEST, Math.round(least * n / Math.min(a, b))));
}

// The rack's teeth stand where its line comes nearest to the pinion, over the stretch that passes it in the run.
function meshRack(run, pinion, rack, radius, poses, give, given) {
  const slide = rack?.columns?.q?.length ? run.column(['joints', rack.columns.q[0]]) : null;
  if (pinion?.kind !== 'revolute' || rack?.kind !== 'prismatic' || !rack.axis || !(radius > 0) || !slide || !Number.isFinite(slide.min)) return;
  const centre = poses.point(pinion.second.body, pinion.second.at ?? [0, 0, 0]), along = poses.direction(rack.first.body, rack.axis), f = frame(poses, pinion.second);
  const from = sub(poses.point(rack.first.body, rack.first.at ?? [0, 0, 0]), centre), aside = from.map((v, k) => v - along[k] * dot(from, along) - f[2][k] * dot(from, f[2])), size = Math.hypot(...aside);
  // Of a rack on the pinion's own line, the side on which it runs as the pinion turns.
  const down = size > 1e-6 * radius ? aside.map((v) => v / size) : cross(along, f[2]);
  const teeth = USUAL, pitch = TURN * radius / teeth, depth = 0.6 * radius, now = slide.at(run.t0);
  // Beside another wheel of the same body, where there is one.
  const other = given(pinion.second.body).find((shape) => shape.kind === 'wheel'), lift = other ? 0.6 * (other.depth + depth) : 0, foot = centre.map((v, k) => v + radius * down[k] + lift * f[2][k]);
  give(pinion.second.body, wheel({ at: place(pinion.second, [0, 0, lift]), rotate: pinion.second.rotate }, radius, teeth, bearing(f, down), depth));
  const second = rack.second, home = poses.point(second.body, second.at ?? [0, 0, 0]), own = frame(poses, second), local = (v) => own.map((axis) => dot(v, axis));
  const reach = [now - slide.max - radius, now - slide.min + radius].map((s) => Math.round(s / pitch)), [u, w] = [local(along), local(f[2])], rotate = rotationOf(u, local(down.map((v) => -v)), w);
  if (reach[1] - reach[0] > CROWD) return;
  for (let k = reach[0]; k < reach[1]; k++) {
    const at = local(sub(foot.map((v, i) => v + along[i] * (k + 0.5) * pitch + down[i] * 0.12 * pitch), home));
    give(second.body, { kind: 'box', size: [0.42 * pitch, 0.62 * pitch, depth], ...within(second, at, rotate) });
  }
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// A pose in a marker's frame as one in the body's axes.
function within(side, at, [w, x, y, z]) {
  const [a, b, c, d] = side.rotate ?? [1, 0, 0, 0];
  return { at: place(side, at), rotate: [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w] };
}

// The quaternion of a frame given by its axes.
function rotationOf(x, y, z) {
  if (dot(cross(x, y), z) < 0) z = z.map((v) => -v);
  const w = Math.sqrt(Math.max(0, 1 + x[0] + y[1] + z[2])) / 2;
  if (w > 1e-3) return [w, (y[2] - z[1]) / (4 * w), (z[0] - x[2]) / (4 * w), (x[1] - y[0]) / (4 * w)];
  const a = [x[0], y[1], z[2]].map((v) => Math.sqrt(Math.max(0, (1 + v) / 2))), k = a.indexOf(Math.max(...a)), m = [x, y, z];
  return [0, ...[0, 1, 2].map((i) => (i === k ? a[k] : (m[k][i] + m[i][k]) / (4 * a[k])))];
}

// Teeth as trapezia, from 0.85 of a module within the pitch circle to as much without; the first stands at `phase`.
export function wheelOutline({ radius, teeth, phase }) {
  const tall = 1.7 * radius / teeth, points = [];
  for (let k = 0; k < teeth; k++) for (const [s, r] of [[-0.34, -1], [-0.13, 1], [0.13, 1], [0.34, -1]]) {
    const angle = phase + (k + s) * TURN / teeth;
    points.push([(radius + r * tall) * Math.cos(angle), (radius + r * tall) * Math.sin(angle)]);
  }
  return points;
}
