// Runs made by hand: a bouncing ball in closed form, and what can be wrong or missing in it.

const POSE = ['x', 'y', 'z', 'qw', 'qx', 'qy', 'qz'];

export function ball({ frames = 801, end = 2, e = 0.8, name = 'ball', title = 'Bouncing ball', bodyName = 'ball', contactName = 'ball-floor' } = {}) {
  const g = 9.81, time = [], y = [], v = [], fn = [], slip = [], rows = [];
  let t0 = 0, y0 = 1, v0 = 0;
  for (let i = 0; i < frames; i++) {
    const t = frames > 1 ? end * i / (frames - 1) : 0;
    let fly = t - t0, h = y0 + v0 * fly - g * fly * fly / 2, hit = 0;
    if (h < 0) {
      const touch = t0 + (v0 + Math.sqrt(v0 * v0 + 2 * g * y0)) / g, speed = g * (touch - t0) - v0;
      rows.push({ point: 0, start: touch, end: touch + end / frames, impulse_normal: (1 + e) * speed, peak_force: (1 + e) * speed * frames / end, approach_speed: speed, separation_speed: e * speed, restitution: e, restitution_achieved: e, loss_normal: (1 - e * e) * speed * speed / 2, stick_time: end / frames });
      [t0, y0, v0, hit] = [touch, 0, e * speed, (1 + e) * speed * frames / end];
      fly = t - t0;
      h = Math.max(0, v0 * fly - g * fly * fly / 2);
    }
    time.push(t);
    y.push(h + 0.05);
    v.push(v0 - g * fly);
    fn.push(hit);
    slip.push(hit ? 1 : 0);
  }
  const zero = time.map(() => 0), pose = [zero, y, zero, time.map(() => 1), zero, zero, zero], lost = time.map((t) => rows.filter((r) => r.start <= t).reduce((s, r) => s + r.loss_normal, 0));
  return {
    name, title, time, status: 'done', summary: { status: 'done', steps: frames - 1, wall_s: 0.01, solver: { solves: 3 } },
    verdict: [{ key: 'end', level: 'good', title: 'End', value: null, unit: '1', limit: null, sentence: 'The run reached its end.' },
      { key: 'energy', level: 'good', title: 'Energy balance', value: 1e-4, unit: '1', limit: 0.05, sentence: '0.01 % is unaccounted for.' }],
    tables: {
      bodies: POSE.map((k, i) => [`${bodyName}.${k}`, i < 3 ? 'm' : '1', pose[i]]),
      joints: [['fall.q', 'm', y.map((h) => h - 0.05)], ['fall.u', 'm/s', v]],
      contacts: [[`${contactName}.gap`, 'm', y.map((h) => h - 0.05)], [`${contactName}.fn`, 'N', fn], [`${contactName}.ft`, 'N', zero], [`${contactName}.mode`, '1', slip],
        [`${contactName}.at_x`, 'm', zero], [`${contactName}.at_y`, 'm', zero], [`${contactName}.force_x`, 'N', zero], [`${contactName}.force_y`, 'N', fn], [`${contactName}.slip`, '1', slip]],
      energy: [['energy.kinetic', 'J', v.map((u) => u * u / 2)], ['energy.gravity', 'J', y.map((h) => g * (h - 0.05))], ['energy.impact', 'J', lost],
        ['energy.imbalance', 'J', time.map((_, i) => v[i] * v[i] / 2 + g * (y[i] - 0.05) - g + lost[i])]],
    },
    impacts: { points: [{ contact: 0, point: 0, name: contactName }], rows },
    plots: [{ title: 'Height', kind: 'time', columns: [['joints', 0]], unit: 'm' }, { title: 'Contact force', kind: 'time', columns: [['contacts', 1]], unit: 'N' },
      { title: 'Phase portrait', kind: 'xy', x: ['joints', 0], y: ['joints', 1] }, { title: 'Energy', kind: 'energy', columns: [['energy', 0], ['energy', 1], ['energy', 2]], residual: ['energy', 3] }],
    scene: {
      derived: false, gravity: [0, -g, 0], length: 1, bounds: { min: [-0.05, 0, 0], max: [0.05, 1.1, 0] },
      bodies: [{ name: 'ground', pose: null, com: [0, 0, 0], mass: 0, shapes: [{ kind: 'plane', at: [0, 0, 0], from_model: true }] },
        { name: bodyName, pose: [0, 1, 2, 3, 4, 5, 6], com: [0, 0, 0], mass: 1, shapes: [{ kind: 'sphere', radius: 0.05, at: [0, 0, 0], from_model: true }] }],
      joints: [{ name: 'fall', kind: 'free', first: { body: 0, at: [0, 0.05, 0] }, second: { body: 1, at: [0, 0, 0] }, axis: null, clearance: 0, radius: 0, length: 0, width: 0, limits: null, loop: false, columns: { q: [0], u: [1], a: [] } }],
      surfaces: [], forces: [], drives: [],
      contacts: [{ name: contactName, kind: 'sphere-plane', first: { body: 1, at: [0, 0, 0] }, second: { body: 0, at: [0, 0, 0] }, joint: null, surfaces: null, clearance: 0, restitution: e, tangential_restitution: 0, friction: 0, points: 1, point0: 0, modes: null,
        columns: { gap: 0, fn: 1, ft: 2, mode: 3, at: [4, 5], force: [6, 7], slip: 8 } }],
    },
  };
}

// The same with a ledger of pairs: an episode for each impact of the ball, one of a block that slides, then sticks, without impact.
export function pairs() {
  const run = ball(), floor = run.impacts.rows.map((r) => ({ pair: 0, start: r.start, end: r.end, impacts: 1, impulse_normal: r.impulse_normal, stick_time: r.end - r.start }));
  const pressed = floor.map((r) => ({ pair: 0, regime: 1, start: r.start, end: r.end })), apart = floor.map((r, k) => ({ pair: 0, regime: 0, start: k ? floor[k - 1].end : 0, end: r.start }));
  const inOrder = (rows) => rows.sort((a, b) => a.start - b.start);
  return { ...run, episodes: { pairs: ['ball-floor', 'block-floor'], rows: inOrder([...floor, { pair: 1, start: 0, end: 2, stick_time: 1.5, slip_time: 0.5, impulse_normal: 3 }]) },
    regimes: { pairs: ['ball-floor', 'block-floor'], rows: inOrder([...pressed, ...apart, { pair: 1, regime: 2, start: 0, end: 0.5 }, { pair: 1, regime: 1, start: 0.5, end: 2 }]) } };
}

// The row that carries the force of each impact: the first one after it.
export const arrivals = (run) => run.impacts.rows.map(({ start }) => run.time.find((t) => t >= start));

// The ball's contact and a bearing that rattles at times of its own, then lies still until the end: its resting contact has
// by far the largest impulse and is no blow.
export function twoContacts() {
  const run = ball(), other = ball({ e: 0.7 }), { time } = run, zero = time.map(() => 0), rest = 1.9;
  const round = (f) => time.map((t) => 0.001 * f(9 * t) * Math.min(1, 2 * t)), fn = other.tables.contacts[1][2].map((v, i) => (time[i] >= rest ? 9.81 : v)), slip = fn.map((v) => (v > 0 ? 2 : 0));
  const from = run.tables.contacts.length, rows = other.impacts.rows.filter((r) => r.start < rest).map((r) => ({ ...r, start: r.start + 1e-4, point: 1 }));
  rows.push({ point: 1, start: rest, end: 2, impulse_normal: 1e3, peak_force: 1e4, approach_speed: 0.2, separation_speed: -0.06, restitution: 0.7, restitution_achieved: -0.3, slip_time: 0.1, kind: 1 });
  run.tables.contacts.push(['pin.gap', 'm', fn.map((v) => (v > 0 ? 0 : 0.0005))], ['pin.fn', 'N', fn], ['pin.x', 'm', round(Math.cos)], ['pin.y', 'm', round(Math.sin)],
    ['pin.at_x', 'm', zero], ['pin.at_y', 'm', zero], ['pin.force_x', 'N', zero], ['pin.force_y', 'N', fn], ['pin.slip', '1', slip]);
  run.scene.contacts.push({ ...run.scene.contacts[0], name: 'pin', kind: 'bearing', joint: 0, clearance: 0.001, point0: 1,
    columns: { gap: from, fn: from + 1, x: from + 2, y: from + 3, at: [from + 4, from + 5], force: [from + 6, from + 7], slip: from + 8 } });
  run.impacts.points.push({ contact: 1, point: 0, name: 'pin' });
  run.impacts.rows = [...run.impacts.rows, ...rows].sort((a, b) => a.start - b.start);
  return run;
}

// Continuous contact: blows whose force and penetration go round a loop.
export function pressed() {
  const run = ball({ frames: 8001 }), { time } = run, length = 0.02, gap = run.tables.contacts[0][2].map((v) => Math.max(v, 1e-6)), fn = time.map(() => 0);
  for (const row of run.impacts.rows) {
    row.end = row.start + length;
    row.peak_force = 100 * row.approach_speed;
    time.forEach((t, i) => {
      const phase = (t - row.start) / length;
      if (phase > 0 && phase < 1) [gap[i], fn[i]] = [-1e-4 * row.approach_speed * Math.sin(Math.PI * phase), row.peak_force * Math.sin(Math.PI * phase) * (1.2 - 0.4 * phase)];
    });
  }
  const { contacts } = run.tables;
  [contacts[0][2], contacts[1][2], contacts[7][2], contacts[8][2]] = [gap, fn, fn, fn.map((v) => (v > 0 ? 1 : 0))];
  run.scene.contacts[0].law = 'flores';
  run.plots.push({ title: 'Force over gap', kind: 'xy', x: ['contacts', 0], y: ['contacts', 1] });
  return run;
}

// A crank that goes round ten times beside the ball, and verdict lines of every level.
export function turning() {
  const run = ball(), { joints } = run.tables;
  joints.push(['crank.q', 'rad', run.time.map((t) => 10 * Math.PI * t)], ['crank.u', 'rad/s', run.time.map(() => 10 * Math.PI)], ['rocker.q', 'rad', run.time.map((t) => Math.sin(10 * Math.PI * t))],
    ['rocker.u', 'rad/s', run.time.map((t) => 10 * Math.PI * Math.cos(10 * Math.PI * t))]);
  const joint = (name, k) => ({ ...run.scene.joints[0], name, kind: 'revolute', columns: { q: [k], u: [k + 1], a: [] } });
  run.scene.joints.push(joint('crank', 2), joint('rocker', 4));
  run.scene.drives = [{ name: 'motor', joint: 1, coordinate: 0, columns: [] }];
  run.verdict.push({ ...run.verdict[1], key: 'penetration', level: 'warn', title: 'Penetration' }, { ...run.verdict[1], key: 'solver', level: 'bad', title: 'Contact problems', value: 0, limit: 1e-8 });
  return run;
}

// Impacts by the thousand in two bursts, some of them sticking, with eight quantities in one plot.
export function dense(n = 2000) {
  const run = ball({ frames: 4001 });
  run.impacts.rows = Array.from({ length: n }, (_, i) => {
    const start = 2 * (i < n / 2 ? 0.1 + 0.3 * i / n : 0.5 + 0.3 * i / n), speed = 1 + Math.sin(i * i);
    return { point: 0, start, end: start + 1e-4, impulse_normal: speed, peak_force: 1e4 * speed, approach_speed: speed, separation_speed: speed / 2, restitution: 0.5, restitution_achieved: 0.5,
      loss_normal: speed * speed / 4, stick_time: i < n / 2 ? 1e-4 : 0, slip_time: i < n / 2 ? 0 : 1e-4 };
  });
  run.tables.outputs = Array.from({ length: 8 }, (_, k) => [`output${k}`, '1', run.time.map((t) => Math.sin(3 * t + k))]);
  run.plots.unshift({ title: 'Outputs', kind: 'time', columns: run.tables.outputs.map((_, k) => ['outputs', k]), unit: '1' });
  return run;
}

// Half a millisecond, with micrometres and kilonewtons, and every option of the compliant method.
export function brief() {
  const run = ball({ frames: 201, end: 2 }), shrink = 2.5e-4;
  run.time = run.time.map((t) => t * shrink);
  for (const row of run.impacts.rows) [row.start, row.end] = [row.start * shrink, row.end * shrink];
  const scaled = (column, by) => { column[2] = column[2].map((v) => v * by); };
  scaled(run.tables.joints[0], 2e-5);
  scaled(run.tables.contacts[1], 1e2);
  run.options = { method: { entry: 'locate', penetration_max: 1e-6, approach_min: 0, constraints: 'project', alpha: 10, beta: 10 },
    integrator: { type: 'adams', rtol: 1e-10, atol: 1e-10, step: 0, step_min: 0, step_max: 1e-5, order: 0 }, record: { every: 0, checkpoint: 0, compression: 0 }, novel: { some_key: 3 } };
  run.method = 'compliant';
  return run;
}

export function withoutContacts() {
  const run = ball({ frames: 40, end: 0.3 });
  delete run.tables.contacts;
  return { ...run, impacts: null, plots: run.plots.filter((p) => p.title !== 'Contact force'), scene: { ...run.scene, contacts: [] } };
}

export const oneFrame = () => ball({ frames: 1 });

export const failed = () => ({ ...ball({ end: 1 }), status: 'failed', error: 'model.yaml:12: the step became too small', verdict: [{ key: 'end', level: 'bad', title: 'End', value: 1, unit: 's', limit: null, sentence: 'The run failed before its end.' }] });

// Names that would do harm if ever taken for markup, in every place a name can come from.
export const HOSTILE = '<img src=x onerror="window.hurt=1">"\'&</script><script>window.hurt=1</script>';
export function hostile() {
  const run = ball({ name: HOSTILE, title: HOSTILE, bodyName: HOSTILE, contactName: HOSTILE });
  run.source = HOSTILE;
  run.error = HOSTILE;
  run.status = 'failed';
  run.model = { name: HOSTILE, text: `${HOSTILE}\n${HOSTILE}\n` };
  run.parameters = [[HOSTILE, HOSTILE]];
  run.settings = [[HOSTILE, HOSTILE]];
  run.verdict[0].sentence = HOSTILE;
  run.plots[0].title = HOSTILE;
  return run;
}

// Every fourth row kept away from impacts.
export function thinned() {
  const run = ball({ frames: 8001 }), near = (t) => run.impacts.rows.some((r) => Math.abs(r.start - t) < 0.01);
  const keep = run.time.map((t, i) => i).filter((i) => i % 16 === 0 || near(run.time[i]) || i === 8000), pick = (list) => keep.map((i) => list[i]);
  return { ...run, recorded: 8001, index: keep, time: pick(run.time), tables: Object.fromEntries(Object.entries(run.tables).map(([k, columns]) => [k, columns.map(([n, u, v]) => [n, u, pick(v)])])) };
}

export function pair() {
  const a = ball({ name: 'a' }), b = ball({ name: 'b', e: 0.7 }), both = Math.min(a.impacts.rows.length, b.impacts.rows.length);
  const compare = { run: 1, columns: [{ name: 'fall.q', unit: 'm', max: 0.2, at: 0.9, rms: 0.1, range: 1 }], window: 0.01, matched: [[0, 0]],
    only_first: a.impacts.rows.map((_, i) => i).slice(1), only_second: b.impacts.rows.map((_, i) => i).slice(1),
    impacts: { matched: 1, only_first: a.impacts.rows.length - 1, only_second: b.impacts.rows.length - 1, time: { max: 0, rms: 0 }, impulse: { max: 0.4, rms: 0.4 } },
    energy: [{ name: 'energy.impact', unit: 'J', first: 8, second: 9, difference: 1 }], cost: [{ name: 'steps', first: 800, second: 800 }] };
  return [[a, b], [compare], both];
}

// Two runs with a bearing each, at different places in it.
export function loosePair() {
  const [a, b] = ['a', 'b'].map((name) => ({ ...twoContacts(), name })), { contacts } = b.tables;
  b.tables.contacts = contacts.map(([name, unit, values]) => [name, unit, name === 'pin.x' ? values.map((v) => 0.5 * v) : values]);
  return [[a, b], [{ ...pair()[1][0], matched: [], only_first: [], only_second: [] }]];
}

// A planar run and a spatial one that ends earlier, without a body in common.
export function strangers() {
  const a = ball({ name: 'a' }), b = { ...many(3, 50), name: 'b' };
  return [[a, b], [{ run: 1, columns: [], window: 0.01, matched: [], only_first: [], only_second: [], impacts: { matched: 0, only_first: 0, only_second: 0, time: null, impulse: null }, energy: [], cost: [] }]];
}

// n bodies that float and turn in space, for the frame rate.
export function many(n = 200, frames = 400) {
  const time = Array.from({ length: frames }, (_, i) => i * 0.01), bodies = [], shapes = [{ name: 'ground', pose: null, com: [0, 0, 0], mass: 0, shapes: [{ kind: 'plane', at: [0, 0, 0] }] }];
  for (let b = 0; b < n; b++) {
    const x0 = (b % 14) * 0.12, y0 = Math.floor(b / 14) * 0.12, phase = b * 0.7;
    const values = [time.map((t) => x0 + 0.03 * Math.sin((1 + 0.13 * b) * t + phase)), time.map((t) => y0 + 0.03 * Math.cos(t + phase)), time.map((t) => 0.1 + Math.abs(Math.sin(2 * t + phase))),
      time.map((t) => Math.cos(t + phase)), time.map((t) => Math.sin(t + phase)), time.map(() => 0), time.map(() => 0)];
    bodies.push(...POSE.map((k, i) => [`ball${b}.${k}`, i < 3 ? 'm' : '1', values[i]]));
    const kind = b % 3 === 0 ? { kind: 'box', size: [0.08, 0.08, 0.08] } : b % 3 === 1 ? { kind: 'sphere', radius: 0.05 } : { kind: 'cylinder', radius: 0.04, length: 0.09 };
    shapes.push({ name: `ball${b}`, pose: POSE.map((_, i) => 7 * b + i), com: [0, 0, 0], mass: 1, shapes: [{ ...kind, at: [0, 0, 0] }] });
  }
  return {
    name: 'many', title: `${n} bodies`, space: 'spatial', time, tables: { bodies, energy: [['energy.kinetic', 'J', time.map((t) => 1 + Math.sin(t))]] }, impacts: null,
    plots: [{ title: 'Heights', kind: 'time', columns: [['bodies', 2], ['bodies', 9]], unit: 'm' }],
    scene: { derived: false, gravity: [0, 0, -9.81], length: 1, bounds: { min: [0, 0, 0], max: [1.6, 1.8, 1.2] }, bodies: shapes, joints: [], surfaces: [], forces: [], drives: [], contacts: [] },
  };
}

// A spatial run of bodies given as {shapes, at(t): [x, y, z, w, i, j, k]}, on a level plane.
export function spatial(list, { frames = 200, end = 2, name = 'spatial', title = 'Bodies in space', bounds = { min: [-1, -1, 0], max: [1, 1, 1] }, length = 1, meshes = [], ground = [{ kind: 'plane', at: [0, 0, 0] }] } = {}) {
  const time = Array.from({ length: frames }, (_, i) => end * i / (frames - 1)), bodies = [];
  list.forEach(({ name: own, at }, b) => {
    const rows = time.map(at);
    bodies.push(...POSE.map((k, i) => [`${own ?? `body${b}`}.${k}`, i < 3 ? 'm' : '1', rows.map((row) => row[i])]));
  });
  return {
    name, title, space: 'spatial', time, tables: { bodies }, impacts: null, plots: [{ title: 'Heights', kind: 'time', columns: [['bodies', 2]], unit: 'm' }],
    scene: { derived: false, gravity: [0, 0, -9.81], length, bounds, meshes, joints: [], surfaces: [], forces: [], drives: [], contacts: [],
      bodies: [{ name: 'ground', pose: null, com: [0, 0, 0], mass: 0, shapes: ground },
        ...list.map(({ name: own, shapes }, b) => ({ name: own ?? `body${b}`, pose: POSE.map((_, i) => 7 * b + i), com: [0, 0, 0], mass: 1, shapes }))] },
  };
}

const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((v) => v * Math.sin(angle / 2))];

// A cube with its corners cut, as a hull without triangles; a saddle, as an open mesh.
const STONE = { vertices: [...Array(8).keys()].flatMap((k) => [0, 1, 2].flatMap((axis) => [0, 1, 2].map((n) => (k >> n & 1 ? 1 : -1) * (n === axis ? 0.04 : 0.1)))) };
function saddle(n) {
  const vertices = [], triangles = [], at = (i, k) => i * (n + 1) + k;
  for (let i = 0; i <= n; i++) for (let k = 0; k <= n; k++) vertices.push(0.2 * (i / n - 0.5), 0.2 * (k / n - 0.5), 0.8 * ((i / n - 0.5) ** 2 - (k / n - 0.5) ** 2) * 0.3);
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) triangles.push(at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k), at(i + 1, k + 1), at(i, k + 1));
  return { vertices, triangles };
}
const STAR = [...Array(10).keys()].map((k) => [(k % 2 ? 0.05 : 0.12) * Math.cos(k * Math.PI / 5), (k % 2 ? 0.05 : 0.12) * Math.sin(k * Math.PI / 5)]);
const CAM = [...Array(90).keys()].map((k) => k * Math.PI / 45).map((a) => [(0.08 + 0.03 * Math.cos(2 * a)) * Math.cos(a), (0.08 + 0.02 * Math.sin(a)) * Math.sin(a)]);

// One body of each kind of shape, by kind.
export const SPATIAL_KINDS = {
  box: { size: [0.2, 0.14, 0.1] }, sphere: { radius: 0.1 }, cylinder: { radius: 0.08, length: 0.18 }, capsule: { radius: 0.06, length: 0.12 }, cone: { radius: 0.09, length: 0.2 },
  ellipsoid: { radii: [0.12, 0.08, 0.06] }, superellipsoid: { radii: [0.1, 0.09, 0.08], exponents: [0.3, 0.3] }, hull: { mesh: 0 }, mesh: { mesh: 1 }, disc: { radius: 0.1 }, link: { from: [-0.1, 0, 0], to: [0.1, 0, 0.05], width: 0.04 },
  polygon: { points: STAR }, curve: { points: CAM },
};
export function allShapes() {
  const kinds = [...Object.entries(SPATIAL_KINDS), ['superellipsoid', { radii: [0.09, 0.09, 0.1], exponents: [1.7, 1] }], ['superellipsoid', { radii: [0.09, 0.09, 0.09], exponents: [0.2, 1] }]];
  const bodies = kinds.map(([kind, size], b) => ({ name: `${kind}${b}`, shapes: [{ kind, at: [0, 0, 0], ...size }],
    at: (t) => [0.32 * (b % 5) - 0.64, 0.32 * Math.floor(b / 5) - 0.32, 0.14 + 0.02 * Math.sin(3 * t + b), ...about([0.6, 0, 0.8], 1.5 * t + 0.4)] }));
  return spatial(bodies, { name: 'all-shapes', title: 'Every kind of shape', bounds: { min: [-0.8, -0.5, 0], max: [0.8, 0.5, 0.3] }, meshes: [STONE, saddle(12)], ground: [{ kind: 'plane', at: [0, 0, 0] }] });
}

const FLAT_STONE = { vertices: [-0.1, -0.05, 0, 0.1, -0.06, 0, 0.02, 0, 0, 0.06, 0.08, 0, -0.04, 0.07, 0] };
export const PLANAR_KINDS = { box: { size: [0.2, 0.14, 0.1] }, sphere: { radius: 0.1 }, disc: { radius: 0.09 }, capsule: { radius: 0.05, length: 0.15, rotate: about([0, 1, 0], Math.PI / 2) }, polygon: { points: STAR }, curve: { points: CAM }, hull: { mesh: 0 }, link: { from: [-0.1, 0, 0], to: [0.1, 0.03, 0], width: 0.04 } };
export function flatShapes() {
  const bodies = Object.entries(PLANAR_KINDS).map(([kind, size], b) => ({ name: kind, shapes: [{ kind, at: [0, 0, 0], ...size }], at: (t) => [0.3 * (b % 4), 0.3 * Math.floor(b / 4) + 0.2, 0, ...about([0, 0, 1], t + b)] }));
  return { ...spatial(bodies, { name: 'flat-shapes', title: 'Shapes in the plane', bounds: { min: [-0.2, 0, 0], max: [1.1, 0.7, 0] }, meshes: [FLAT_STONE] }), space: 'planar' };
}

// A ball that hangs above the floor.
export const lone = () => spatial([{ name: 'ball', shapes: [{ kind: 'sphere', radius: 0.1, at: [0, 0, 0] }], at: (t) => [0, 0, 0.4, ...about([0, 0, 1], t)] }], { bounds: { min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0.5] } });

// A small ball that is thrown far.
export const thrown = () => spatial([{ name: 'ball', shapes: [{ kind: 'sphere', radius: 0.03, at: [0, 0, 0] }], at: (t) => [10 * t, 0, 0.03 + 2 * t * (2 - t), ...about([0, 1, 0], t)] }], { bounds: { min: [0, 0, 0], max: [20, 0, 2] }, length: 20 });

// A ball over ground that has edges.
export const onSlab = () => spatial([{ name: 'ball', shapes: [{ kind: 'sphere', radius: 0.1, at: [0, 0, 0] }], at: (t) => [3 * t - 3, 0, 0.1, ...about([0, 1, 0], t)] }],
  { bounds: { min: [-3, -0.1, 0], max: [3, 0.1, 0.2] }, ground: [{ kind: 'box', size: [8, 2, 0.1], at: [0, 0, -0.05] }] });

// n balls that hop, for the frame rate of a crowd.
export function crowd(n = 1000, frames = 200) {
  const side = Math.ceil(Math.sqrt(n)), spread = (k) => (Math.abs(Math.sin(12.9898 * k)) * 43758.5453) % 1;
  const balls = Array.from({ length: n }, (_, b) => {
    const [x, y] = [b % side, Math.floor(b / side)].map((k) => 0.08 * (k - side / 2)), high = 0.2 + 0.6 * spread(b), rate = 2 + spread(b + 0.3);
    return { name: `ball${b}`, shapes: [{ kind: 'sphere', radius: 0.035, at: [0, 0, 0] }], at: (t) => [x, y, 0.035 + high * Math.abs(Math.sin(rate * t + 7 * spread(b + 0.6))), ...about([0.6, 0.8, 0], (3 + spread(b + 0.9)) * t)] };
  });
  return spatial(balls, { name: 'crowd', title: `${n} balls`, frames, end: 4, bounds: { min: [-0.04 * side, -0.04 * side, 0], max: [0.04 * side, 0.04 * side, 0.87] } });
}

// A box that slides on the floor with four points of contact, lifts off at 1 s, and has two left.
export function touched() {
  const run = spatial([{ name: 'box', shapes: [{ kind: 'box', size: [0.3, 0.2, 0.1], at: [0, 0, 0] }], at: (t) => [0.3 * t, 0, 0.05, 1, 0, 0, 0] }], { frames: 41, bounds: { min: [-0.15, -0.1, 0], max: [0.75, 0.1, 0.1] } });
  const corner = (t, k) => ({ a: 1, b: 0, point: k, at_x: 0.3 * t + (k & 1 ? 0.15 : -0.15), at_y: k & 2 ? 0.1 : -0.1, normal_z: 1, gap: 0, force_x: -0.3 * (k + 1), force_z: k + 1, slip: k === 3 ? 1 : 2 });
  run.touches = { surfaces: [{ name: 'floor', body: 0 }, { name: 'box', body: 1 }], at: run.time.map((t) => [t, t < 1 ? [0, 1, 2, 3].map((k) => corner(t, k)) : t < 1.5 ? [0, 1].map((k) => corner(t, k)) : []]) };
  run.scene.surfaces = [{ name: 'floor', kind: 'plane', body: 0 }, { name: 'box', kind: 'box', body: 1 }];
  return run;
}

// A crowd with three touches to a ball.
export function crowdTouched(n = 400) {
  const run = crowd(n, 20), rows = (t) => run.scene.bodies.slice(1).flatMap((_, b) => [0, 1, 2].map((k) => ({ a: b + 1, b: 0, point: k, at_x: 0.08 * (b % 20) - 0.8, at_y: 0.08 * Math.floor(b / 20) - 0.8, at_z: 0.1 * k, force_z: 1 + k + t, slip: k })));
  run.touches = { surfaces: [{ name: 'floor', body: 0 }, ...run.scene.bodies.slice(1).map((body, b) => ({ name: body.name, body: b + 1 }))], at: run.time.map((t) => [t, rows(t)]) };
  return run;
}
