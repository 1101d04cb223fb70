// What the scene makes up and how it is framed, without a browser.
import assert from 'node:assert/strict';
import { check } from './harness.mjs';
import { madeUp, travelOf } from '../src/scene/constraints.js';
import { bestSide, boxOf, cloudOf, slideSpring } from '../src/scene/cloud.js';
import { Poses, spread, turn } from '../src/scene/poses.js';
import { thinned } from '../src/plots/painter.js';
import { SHAPES, pointsOf, joinMeshes } from '../src/scene/shapes.js';
import { facet, triples } from '../src/scene/meshes.js';
import { cellOf, floorOf } from '../src/scene/floor.js';
import { SPATIAL_KINDS, PLANAR_KINDS, allShapes, flatShapes } from './fixtures.mjs';
import { withGaps } from '../src/plots/series.js';
import { stressColour } from '../src/scene/soft.js';
import { crossings } from '../src/plots/portraits.js';

const TURN = 2 * Math.PI, share = (x) => x - Math.floor(x);

// A run by hand: bodies with poses [x, y, z, w, i, j, k] at each of some times.
function runOf(times, poses, scene) {
  const axis = { times, isLoaded: true, locate: (t) => ({ i: Math.max(0, times.findLastIndex((s) => s <= t)), w: 0 }) };
  const column = (values) => ({ values, axis, count: values.length, min: Math.min(...values), max: Math.max(...values), at: (t) => values[axis.locate(t).i] });
  const bodies = poses.flatMap((rows) => [0, 1, 2, 3, 4, 5, 6].map((k) => column(rows.map((row) => row[k])))), joints = (scene.slides ?? []).map(column);
  return { t0: times[0], isPlanar: false, axis, column: ([table, k]) => (table === 'bodies' ? bodies : joints)[k],
    scene: { length: 1, joints: [], constraints: [], bodies: [{ name: 'ground', pose: null, shapes: [] }, ...poses.map((_, b) => ({ name: `b${b}`, pose: [0, 1, 2, 3, 4, 5, 6].map((k) => 7 * b + k), shapes: scene.shapes?.[b] ?? [] }))], ...scene } };
}
const turned = (x, y, q) => [x, y, 0, Math.cos(q / 2), 0, 0, Math.sin(q / 2)];
const hinge = (body, at) => ({ kind: 'revolute', first: { body: 0, at }, second: { body, at: [0, 0, 0] }, axis: [0, 0, 1], columns: { q: [] } });

export function geometryChecks() {
  check('wheels in mesh: radii, and a tooth in a gap at every angle', () => {
    const n = [12, 36], first = 0.3, centre = [0.06, 0.08], where = Math.atan2(...[...centre].reverse());
    const times = [0, 1, 2, 3, 4, 5, 6, 7], q = times.map((t) => [first + 0.11 * t, 1.1 - (0.11 * t) * n[0] / n[1]]);
    const run = runOf(times, [q.map(([a]) => turned(0, 0, a)), q.map(([, b]) => turned(...centre, b))],
      { joints: [hinge(1, [0, 0, 0]), hinge(2, [...centre, 0])], constraints: [{ kind: 'gear', terms: [{ joint: 0, factor: n[0] }, { joint: 1, factor: n[1] }] }] });
    const made = madeUp(run), [a, b] = [1, 2].map((body) => made.get(body)[0]);
    assert.deepEqual([a.teeth, b.teeth], n);
    assert.ok(Math.abs(a.radius + b.radius - 0.1) < 1e-15 && Math.abs(a.radius / b.radius - n[0] / n[1]) < 1e-15, 'pitch circles touch');
    for (const [q1, q2] of q) {
      // How far the line of centres is from a tooth of each, in pitches: together half a pitch, as the wheels turn against each other.
      const f1 = (where - a.phase - q1) / TURN * n[0], f2 = (where + Math.PI - b.phase - q2) / TURN * n[1];
      assert.ok(Math.abs(share(f1 + f2) - 0.5) < 1e-9, `${share(f1 + f2)}`);
    }
  });

  check('a rack: teeth where they pass the pinion, a pitch apart', () => {
    const r = 0.03, times = [0, 1, 2], slide = [0.05, 0, -0.05];
    const run = runOf(times, [slide.map((s) => turned(0, 0, s / r)), slide.map((s) => [s, -r, 0, 1, 0, 0, 0])], { slides: [slide],
      joints: [hinge(1, [0, 0, 0]), { kind: 'prismatic', first: { body: 0, at: [0, -r, 0] }, second: { body: 2, at: [0, 0, 0] }, axis: [1, 0, 0], columns: { q: [0] } }],
      constraints: [{ kind: 'rack', terms: [{ joint: 0, factor: r }, { joint: 1, factor: -1 }] }] });
    const made = madeUp(run), [wheel] = made.get(1), teeth = made.get(2), pitch = TURN * r / wheel.teeth;
    assert.equal(wheel.radius, r);
    assert.ok(teeth.length * pitch > 0.1 && teeth.every((t) => Math.abs(t.at[1]) < pitch), 'along the pitch line, as far as it passes');
    teeth.slice(1).forEach((t, k) => assert.ok(Math.abs(t.at[0] - teeth[k].at[0] - pitch) < 1e-12));
    // At each time a tooth of the pinion points at a gap of the rack.
    for (const s of slide) assert.ok(Math.abs(share((-Math.PI / 2 - wheel.phase - s / r) / TURN * wheel.teeth + (teeth[0].at[0] + s) / pitch) - 0.5) < 1e-9);
  });

  check('a spring along a slide stands beyond what slides, away from the rest, and is in the picture', () => {
    const q = [0, 0.2, -0.1], box = { kind: 'box', size: [0.1, 0.3, 0], at: [0, 0, 0] }, joint = { kind: 'prismatic', first: { body: 0, at: [0.5, 0, 0] }, second: { body: 1, at: [0, 0, 0] }, axis: [1, 0, 0], columns: { q: [0] } };
    const of = (bounds) => runOf([0, 1, 2], [q.map((s) => [0.5 + s, 0, 0, 1, 0, 0, 0])], { slides: [q], shapes: [[box]], joints: [joint], bounds, forces: [{ kind: 'along', joint: 0, first: null, second: null }] });
    const right = of({ min: [-1, 0, 0], max: [0.75, 0, 0] }), left = of({ min: [0.35, 0, 0], max: [2, 0, 0] });
    assert.deepEqual(slideSpring(right, joint), { from: 0.2 + 0.05 + 0.12, edge: 0.05 });
    assert.deepEqual(slideSpring(left, joint), { from: -0.1 - 0.05 - 0.12, edge: -0.05 });
    assert.equal(slideSpring(right, hinge(1, [0, 0, 0])), null);
    assert.ok(cloudOf(right, new Poses(right)).some(([x]) => Math.abs(x - 0.87) < 1e-12), 'the view holds the stand');
  });

  check('teeth beyond counting are left out, not drawn for ever', () => {
    const r = 1e-3, times = [0, 1], still = times.map(() => [0, 0, 0, 1, 0, 0, 0]), slide = [0, 1e4], wheels = [hinge(1, [0, 0, 0]), { ...hinge(2, [0, 0, 0]), second: { body: 2, at: [1, 0, 0] } }];
    const rack = madeUp(runOf(times, [still, still], { slides: [slide],
      joints: [wheels[0], { kind: 'prismatic', first: { body: 0, at: [0, -r, 0] }, second: { body: 2, at: [0, 0, 0] }, axis: [1, 0, 0], columns: { q: [0] } }],
      constraints: [{ kind: 'rack', terms: [{ joint: 0, factor: r }, { joint: 1, factor: -1 }] }] }));
    assert.ok(rack.get(1).length === 1 && !rack.has(2), 'a pinion, and its rack without teeth');
    const gear = (ratio) => madeUp(runOf(times, [still, still], { joints: wheels, constraints: [{ kind: 'gear', terms: [{ joint: 0, factor: 1 }, { joint: 1, factor: ratio }] }] }));
    assert.ok(gear(20).size === 2 && gear(1e6).size === 0);
  });

  check('slots and slopes reach as far as they are used', () => {
    const times = [0, 1, 2, 3], run = runOf(times, [[[0.2, 0, 0, 1, 0, 0, 0], [-0.1, 0.3, 0, 1, 0, 0, 0], [0.4, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]]], {});
    const north = { body: 0, at: [0, 0, 0], rotate: [Math.SQRT1_2, 0, 0, Math.SQRT1_2] }, { min, max } = travelOf(run, north, { body: 1, at: [0, 0.1, 0] });
    assert.ok(Math.abs(min[0] - 0.1) < 1e-12 && Math.abs(max[0] - 0.4) < 1e-12, 'its x axis is north');
    assert.ok(Math.abs(min[1] + 0.4) < 1e-12 && Math.abs(max[1] - 0.1) < 1e-12, 'its y axis is west');
  });

  check('the view: what moves, from where it spreads widest', () => {
    const flat = Array.from({ length: 60 }, (_, k) => [Math.cos(k), Math.sin(k), 0, 0]), upright = flat.map(([x, y]) => [x, 0, y, 0]), shaft = flat.map((_, k) => [0, k / 30 - 1, 0, 0.05]);
    assert.ok(bestSide(flat)[2] > 0.6, 'a flat one from above');
    assert.ok(-bestSide(upright)[1] > 0.85, 'one that stands across from the front');
    assert.ok(Math.abs(bestSide(shaft)[0]) > 0.6, 'a shaft from its side');
    const run = runOf([0, 1], [[[0, 0, 0, 1, 0, 0, 0], [2, 0, 0, 1, 0, 0, 0]]], { shapes: [[{ kind: 'sphere', radius: 0.5 }]] }), box = boxOf(cloudOf(run, new Poses(run)), 0.1, 1, false);
    assert.deepEqual([box.min, box.max], [[-0.5, -0.5, -0.5], [2.5, 0.5, 0.5]]);
  });

  // A shape of each kind with its mesh in metres.
  const meshed = () => {
    const { meshes } = allShapes().scene;
    return Object.entries(SPATIAL_KINDS).map(([kind, size]) => {
      const shape = { kind, at: [0, 0, 0], ...size, ...(Number.isInteger(size.mesh) ? { mesh: { ...meshes[size.mesh], number: size.mesh } } : {}) }, { vertices, triangles } = SHAPES[kind].mesh(shape, 48), scale = SHAPES[kind].scale?.(shape) ?? [1, 1, 1];
      return { kind, shape, triangles, vertices: triples(vertices).map((p) => p.map((v, k) => v * scale[k])) };
    });
  };
  const volume = ({ vertices, triangles }) => triples(triangles).map((t) => t.map((v) => vertices[v])).reduce((sum, [[a, b, c], [d, e, f], [g, h, i]]) => sum + (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6, 0);

  check('meshes of shapes are closed, face outwards and have the size that the shape says', () => {
    const { PI } = Math, length = Math.hypot(0.2, 0.05);
    const exact = { box: 0.2 * 0.14 * 0.1, sphere: 4 / 3 * PI * 0.1 ** 3, cylinder: PI * 0.08 ** 2 * 0.18, capsule: PI * 0.06 ** 2 * (0.12 + 0.08), cone: PI * 0.09 ** 2 * 0.2 / 3, ellipsoid: 4 / 3 * PI * 0.12 * 0.08 * 0.06,
      hull: 0.2 ** 3 - 8 * 0.06 ** 3 / 6, disc: PI * 0.1 ** 3 * 0.1, link: PI * 0.02 ** 2 * (length + 4 / 3 * 0.02) };
    for (const made of meshed().filter(({ kind }) => kind !== 'mesh')) {
      const edges = new Map();
      for (const [a, b, c] of triples(made.triangles)) for (const [i, k] of [[a, b], [b, c], [c, a]]) edges.set(`${i} ${k}`, (edges.get(`${i} ${k}`) ?? 0) + 1);
      for (const [edge, count] of edges) assert.ok(count === 1 && edges.get(edge.split(' ').reverse().join(' ')) === 1, `${made.kind}: edge ${edge} has one face on each side`);
      const size = volume(made);
      assert.ok(size > 0, `${made.kind} faces outwards`);
      // Facets of 48 to a turn (24 for a link) cut off at most 1 - cos²(π/48) of a section, three times in all.
      if (exact[made.kind]) assert.ok(size <= exact[made.kind] * (1 + 1e-12) && size > exact[made.kind] * (1 - 3 * Math.sin(PI / (made.kind === 'link' ? 24 : 48)) ** 2), `${made.kind}: ${size}, not ${exact[made.kind]}`);
    }
  });

  check('what a shape reaches holds its mesh, and no more', () => {
    for (const { kind, shape, vertices } of meshed()) {
      const stood = SHAPES[kind].pose ? null : shape, points = pointsOf(shape);
      if (!stood || kind === 'disc' || kind === 'polygon' || kind === 'curve') continue;       // thickness is for the eye
      for (let k = 0; k < 40; k++) {
        const u = [Math.cos(k) * Math.sin(2 * k), Math.sin(k) * Math.sin(2 * k), Math.cos(2 * k)], most = (list) => Math.max(...list.map((p) => p[0] * u[0] + p[1] * u[1] + p[2] * u[2] + (p[3] ?? 0)));
        const reach = most(points), own = most(vertices);
        assert.ok(reach > own * 0.92 - 1e-12 && reach < own * 1.9, `${kind}: ${reach} about ${own}`);
      }
    }
  });

  check('a superellipsoid lies on its surface, ridges included', () => {
    for (const [e1, e2] of [[0.3, 0.3], [1.7, 1], [1, 1], [0.1, 1.9], [0.2, 1]]) {
      const points = triples(SHAPES.superellipsoid.mesh({ exponents: [e1, e2] }, 16).vertices), power = (v, e) => Math.abs(v) ** (2 / e);
      for (const [x, y, z] of points) assert.ok(Math.abs((power(x, e2) + power(y, e2)) ** (e2 / e1) + power(z, e1) - 1) < 1e-9, `${e1} ${e2}: ${x} ${y} ${z}`);
      const corner = Math.max(...points.map((p) => Math.hypot(...p))), exact = Math.max(1, Math.hypot(Math.SQRT2 * 2 ** (-e2 / 2) * 2 ** (-e1 / 2), 2 ** (-e1 / 2)));
      assert.ok(corner > exact - 1e-9, `its corners are met: ${corner}, ${exact}`);
    }
  });

  check('edges are drawn along creases alone', () => {
    const box = facet(SHAPES.box.mesh()), ball = facet(SHAPES.sphere.mesh({}, 16), SHAPES.sphere.crease), drum = facet(SHAPES.cylinder.mesh({}, 16), SHAPES.cylinder.crease);
    assert.deepEqual([box.position.length / 3, box.lines.length / 6], [24, 12], 'a corner of a box has three normals, its faces no diagonals');
    assert.equal(ball.lines.length, 0);
    assert.equal(drum.lines.length / 6, 32, 'both rims of a cylinder');
    triples(ball.normal).forEach((n, k) => assert.ok(n.every((v, i) => Math.abs(v - ball.position[3 * k + i]) < 1e-6), 'normals of a ball point outwards'));
  });

  check('shapes name meshes of the scene, and one that is not there is left out', () => {
    const mesh = { vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] }, scene = { meshes: [mesh], bodies: [{ shapes: [{ kind: 'hull', mesh: 0 }, { kind: 'mesh', mesh: 7 }, { kind: 'hull', points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }, { kind: 'unheard-of', size: 3 }] }] };
    joinMeshes(scene);
    const [first, second, third] = scene.bodies[0].shapes;
    assert.deepEqual([scene.bodies[0].shapes.length, first.mesh.vertices, second.mesh.vertices, third.kind], [3, mesh.vertices, mesh.vertices, 'unheard-of']);
    assert.equal(SHAPES.hull.mesh(second).triangles.length, 12, 'four faces');
    assert.deepEqual(pointsOf(third), [], 'what is not known has no bounds');
  });

  check('every kind of the plane has an outline', () => {
    for (const [kind, size] of Object.entries(PLANAR_KINDS)) {
      const { meshes } = flatShapes().scene, outline = SHAPES[kind].outline({ kind, at: [0, 0, 0], ...size, mesh: meshes[size.mesh] }, 24), area = Math.abs(outline.reduce((sum, [x, y], k) => sum + x * outline[(k + 1) % outline.length][1] - y * outline[(k + 1) % outline.length][0], 0)) / 2;
      assert.ok(outline.length >= 4 && area > 1e-3, `${kind}: ${area}`);
      if (kind === 'hull') assert.equal(outline.length, 4, 'without the point within');
      if (kind === 'capsule') assert.ok(Math.abs(area - 0.1 * 0.15 - Math.PI * 0.05 ** 2) < 1e-4, 'lies along its axis');
    }
  });

  check('the floor: the plane of the model, or below all that moves', () => {
    const of = (shapes, min, max) => floorOf({ isPlanar: false, scene: { bodies: [{ shapes }] } }, { min, max });
    const own = of([{ kind: 'plane', at: [0, 0, 0.3] }], [0, 0, 0.3], [2, 1, 1]), tilted = of([{ kind: 'plane', rotate: [0.9, 0.435889894354067, 0, 0] }], [0, 0, -1], [2, 1, 1]);
    assert.deepEqual([own.at, own.isReal], [[1, 0.5, 0.3], true]);
    assert.ok(!own.isOpen && of([{ kind: 'plane' }], [0, 0, -1], [2, 1, 1]).isOpen, 'bodies below a floor are seen through it');
    assert.ok(!tilted.isReal && tilted.at[2] < -1 && tilted.at[2] > -1.2, 'a slope is no floor');
    assert.equal(of([], [0, 0, 0.01], [2, 1, 1]).at[2], 0, 'at zero height where the model comes near to it');
    assert.ok(of([], [0, 0, -0.01], [2, 1, 1]).at[2] < -0.05, 'what hangs does not lie on the floor');
    assert.deepEqual([0.1, 1, 3, 40].map((metres) => Number(cellOf(metres).toPrecision(3))), [0.01, 0.1, 0.2, 5], 'of round cells, by what the picture shows');
  });

  check('numbers that are not finite are gaps', () => {
    const whole = Float64Array.of(1, 2);
    assert.equal(withGaps(whole), whole);
    assert.deepEqual(withGaps(Float64Array.of(1, NaN, Infinity, 2)), [1, null, null, 2]);
  });

  check('a path of many samples in few, to a quarter of a pixel', () => {
    const wave = Array.from({ length: 40000 }, (_, i) => [i / 100, 50 * Math.sin(i / 7)]).flat(), few = thinned(wave), middle = wave.length / 2;
    wave[middle + 1] = 200;      // one spike
    wave[middle + 101] = NaN;    // one gap
    const spiked = thinned(wave);
    assert.ok(few.length < wave.length / 4 && few[0] === wave[0] && few.at(-1) === wave.at(-1));
    assert.ok(spiked.some((v, i) => i % 2 && v === 200) && spiked.some(Number.isNaN), 'peaks and gaps stay');
    // Whatever was left out lies between what was kept of its strip.
    for (let i = 0; i < wave.length; i += 2) {
      if (!Number.isFinite(wave[i + 1])) continue;
      const strip = Math.floor(wave[i] / 0.25), ys = [];
      for (let k = 0; k < spiked.length; k += 2) if (Math.floor(spiked[k] / 0.25) === strip) ys.push(spiked[k + 1]);
      assert.ok(Math.min(...ys.filter(Number.isFinite)) <= wave[i + 1] && Math.max(...ys.filter(Number.isFinite)) >= wave[i + 1]);
      i += 600;
    }
  });

  check('a section is passed in one sense', () => {
    const values = Float64Array.of(0.1, 3, 7, 6, 7.5, 12, 13), column = { values, axis: { times: Float64Array.of(0, 1, 2, 3, 4, 5, 6) } }, turn = 2 * Math.PI;
    const at = (i, level) => i + (level - values[i]) / (values[i + 1] - values[i]), near = (a, b) => a.length === b.length && a.every((x, k) => Math.abs(x - b[k]) < 1e-12);
    assert.ok(near(crossings(column, 0), [at(1, turn), at(3, turn), at(5, 2 * turn)]), 'back over it does not count');
    column.values = values.map((v) => -v);
    assert.ok(near(crossings(column, 0), [at(1, turn), at(3, turn), at(5, 2 * turn)]), 'the other way round');
  });

  check('between rows a body flies as it was thrown, and straight where rows were left out', () => {
    const g = 9.81, at = (t) => [2 * t, 3 * t - g * t * t / 2, 0, 1, 0, 0, 0], times = [0, 0.2, 0.5], run = runOf(times, [times.map(at)], {});
    run.byName = new Map([['b0.vx', { values: [2, 2, 2] }], ['b0.vy', { values: [3, 3 - 0.2 * g, -99] }], ['b0.vz', { values: [0, 0, 0] }]]);
    run.axis.locate = (t) => (t < 0.2 ? { i: 0, w: t / 0.2 } : { i: 1, w: (t - 0.2) / 0.3 });
    run.axis.isNext = () => true;
    const poses = new Poses(run), near = (t, y) => Math.abs(poses.set(t).point(1, [0, 0, 0])[1] - y) < 1e-12;
    assert.ok(near(0.13, at(0.13)[1]) && near(0.41, at(0.41)[1]), 'the velocity at the end, after an impact there, is not asked');
    assert.ok(poses.path(1, [0, 0, 0], 100).every(([x, y]) => Math.abs(y - (1.5 * x - g * x * x / 8)) < 1e-12), 'and so does its trace');
    run.axis.isNext = () => false;
    assert.ok(near(0.35, (at(0.2)[1] + at(0.5)[1]) / 2));
  });

  check('a beam bends by its modes, in pieces that meet', () => {
    const n = 8, x = Array.from({ length: n + 1 }, (_, k) => k / n), times = [0, 1], run = runOf(times, [times.map(() => turned(2, 1, Math.PI / 2))], {});
    run.scene.bodies[1].beam = { modes: 1, width: 0.02, x, shift: x.flatMap((v) => [0, v * v, 0]), turn: x.flatMap((v) => [0, 0, 2 * v]), second: x.map((v) => -4 * v ** 3 / 3) };
    run.byName = new Map([['b0.mode1', { values: [0, 0.3] }]]);
    const poses = new Poses(run), near = (a, b) => a.every((v, k) => Math.abs(v - b[k]) < 1e-12), end = (o, side) => turn(...poses.data.slice(o + 4, o + 8), side, 0, 0, [0, 0, 0]).map((v, k) => v + poses.data[o + k]);
    assert.ok(near(poses.set(0).point(1, [1, 0, 0]), [2, 2, 0]), 'straight at first');
    assert.ok(near(poses.set(1).point(1, [1, 0, 0]), [2 - 0.3, 2 - 0.5 * 0.09 * 4 / 3, 0]), 'across by the mode, shorter by the second order');
    assert.ok(near(poses.point(1, [1, 0.1, 0]), [1.7 - 0.1, 1.94 - 0.1 * 0.6, 0]), 'what is beside the axis turns with its section');
    for (let p = 1; p < n; p++) {
      const [before, here] = [p - 1, p].map((k) => 8 * (2 + k)), half = (o, k) => Math.hypot(...[0, 1].map((c) => poses.point(1, [(k + 1) / n, 0, 0])[c] - poses.point(1, [k / n, 0, 0])[c])) / 2;
      assert.ok(near(end(before, half(before, p - 1)), end(here, -half(here, p))), `pieces ${p - 1} and ${p}`);
    }
    poses.deflect = 2;
    assert.ok(near(poses.set(1).point(1, [1, 0, 0]), [2 - 0.6, 2 - 0.5 * 0.36 * 4 / 3, 0]), 'twice as large on request');
  });

  check('a solid deforms by its modes, and its stress is that of the true deflection', () => {
    const times = [0, 1], run = runOf(times, [times.map(() => turned(2, 1, Math.PI / 2))], {}), close = (a, b) => Math.abs(a - b) < 1e-12;
    run.scene.bodies[1].solid = { modes: 2, poisson: 0.25, vertices: [0, 0, 1, 0, 0, 1], triangles: [0, 1, 2], rim: [0, 1, 1, 2, 2, 0], shift: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], stress: [0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 50, 0, 0, 0, 0, 0, 50] };
    run.byName = new Map([['b0.mode1', { values: [0, 0.2] }], ['b0.mode2', { values: [0, 0.4] }]]);
    const poses = new Poses(run), sheet = poses.sheets[1];
    assert.deepEqual([...poses.set(0) && sheet.moved], [0, 0, 1, 0, 0, 1], 'as meshed at first');
    assert.deepEqual([...sheet.mises], [0, 0, 0]);
    poses.set(1);
    assert.ok([0, 0, 1.2, 0, 0, 1.4].every((v, k) => close(v, sheet.moved[k])), [...sheet.moved].join());
    const [x, t] = [20, 20], z = 0.25 * x;                      // σx and τ of the second vertex, σz in plane strain
    assert.ok(close(sheet.mises[1], Math.sqrt((x * x + z * z + (z - x) ** 2) / 2 + 3 * t * t)), `${sheet.mises[1]}`);
    assert.ok(close(sheet.mises[2], Math.sqrt(3) * 20));
    assert.ok(poses.point(1, [1, 0, 0]).every((v, k) => close(v, [2, 1 + 1.2, 0][k])), 'a point moves with the vertex next to it');
    poses.deflect = 10;
    poses.set(1);
    assert.ok(close(sheet.moved[2], 3) && close(sheet.mises[2], Math.sqrt(3) * 20), 'deflections larger, stresses as they are');
    assert.ok(close(poses.largestStress(10), Math.max(...sheet.mises)));
  });

  check('the stress of a beam is that of stretch and bending together', () => {
    const times = [0, 1], run = runOf(times, [times.map(() => turned(0, 0, 0))], {});
    run.scene.bodies[1].beam = { modes: 2, width: 0.1, x: [0, 1], shift: Array(12).fill(0), turn: Array(12).fill(0), second: [], stress: [7, 3, 0, 1, -5, 2, 0, 0, 0, 0, 0, 0] };
    run.byName = new Map([['b0.mode1', { values: [0, 1] }], ['b0.mode2', { values: [0, 1] }]]);
    const poses = new Poses(run);
    poses.deflect = 100;
    assert.equal(poses.set(1).beams[1].stressAt(0), 8 + 2 + 2);
    assert.equal(poses.largestStress(10), 12);
    assert.deepEqual(stressColour(0), stressColour(-1));
    assert.notDeepEqual(stressColour(0), stressColour(1));
    assert.deepEqual(stressColour(1), stressColour(7));
  });

  check('a trace keeps long flights between crowded rows', () => {
    const times = [0, ...Array.from({ length: 1000 }, (_, k) => 0.4 + k * 1e-6), 0.9, 1], rows = spread(times, 100);
    assert.ok(rows.length < 20 && [0, 1, 1000, 1001, 1002].every((row) => rows.includes(row)), rows.join());
  });
}
