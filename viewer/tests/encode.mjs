// Writes pages in the format of FORMAT.md from plain arrays, for runs that no model gives: no contact, one frame, a
// failed end, hostile names.
import { deflateSync } from 'node:zlib';
import { readFileSync, writeFileSync } from 'node:fs';

const WIDTH = { f32: 4, f64: 8, u32: 4 };

class Blob {
  constructor() {
    this.parts = [];
    this.size = 0;
  }

  column(name, unit, values, type = 'f32') {
    const n = values.length, width = WIDTH[type], raw = Buffer.alloc(n * width), planes = Buffer.alloc(n * width);
    values.forEach((v, i) => (type === 'f32' ? raw.writeFloatLE(v, 4 * i) : type === 'f64' ? raw.writeDoubleLE(v, 8 * i) : raw.writeUInt32LE(v, 4 * i)));
    for (let p = 0; p < width; p++) for (let i = 0; i < n; i++) planes[p * n + i] = raw[i * width + p];
    const finite = values.filter(Number.isFinite), at = this.size;
    this.parts.push(planes);
    this.size += planes.length;
    return { name, unit, min: finite.length ? Math.min(...finite) : null, max: finite.length ? Math.max(...finite) : null, type, blob: 0, at, count: n, first: Number.isFinite(values[0]) ? values[0] : null };
  }
}

// tables: {joints: [[name, unit, values], …]}; impacts: {points, rows: [{start, …}]} or null
function encodeRun(run, blob) {
  const time = blob.column('t', 's', run.time, 'f64');
  const tables = Object.entries(run.tables).map(([name, columns]) => ({ name, axis: 0, columns: columns.map(([n, unit, values]) => blob.column(n, unit, values)) }));
  const n = run.time.length, { impacts, touches, episodes, regimes } = run;
  return {
    name: 'run', file: 'run.h5', title: 'A run', source: '', space: 'planar', method: 'moreau', integrator: '', coordinates: 'joint', settings: [], parameters: [],
    version: '0.1.0', resumed_from: null, model: { name: 'model.yaml', text: 'title: A run\n' }, includes: [], options: {}, status: 'done', error: '',
    summary: null, verdict: [], plots: [], scene: null, ...run, time: undefined,
    t0: run.time[0], t1: run.time[n - 1],
    axes: [{ rows: run.recorded ?? n, kept: n, raw: !run.index, bound: run.index ? 1e-3 : 0, time, index: run.index ? blob.column('index', '1', run.index, 'u32') : null }],
    tables,
    touches: touches && encodeTouches(touches, blob),
    episodes: episodes && encodePairs(episodes, EPISODE, blob),
    regimes: regimes && encodePairs(regimes, REGIME, blob),
    impacts: impacts && { rows: impacts.rows.length, kept: impacts.rows.length, ...kinds(impacts.rows), brief: run.brief ?? 4 * (run.time[n - 1] - run.time[0]) / n, points: impacts.points,
      columns: IMPACT.map(([name, unit]) => blob.column(name, unit, impacts.rows.map((r) => r[name] ?? BLOW[name]?.(r) ?? 0), 'f64')) },
  };
}

const TOUCH = [['a', '1'], ['b', '1'], ['point', '1'], ['at_x', 'm'], ['at_y', 'm'], ['at_z', 'm'], ['normal_x', '1'], ['normal_y', '1'], ['normal_z', '1'], ['gap', 'm'], ['force_x', 'N'], ['force_y', 'N'], ['force_z', 'N'], ['slip', '1']];

// touches: {surfaces: [{name, body}], at: [[t, rows], …]}; a row has the names of TOUCH.
function encodeTouches({ surfaces, at }, blob) {
  const rows = at.flatMap(([, list]) => list), first = at.map((_, k) => at.slice(0, k).reduce((sum, [, list]) => sum + list.length, 0));
  return { rows: rows.length, kept: rows.length, surfaces, time: blob.column('t', 's', at.map(([t]) => t), 'f64'), first: blob.column('first', '1', first, 'u32'),
    columns: TOUCH.map(([name, unit]) => blob.column(name, unit, rows.map((row) => row[name] ?? 0), ['a', 'b', 'point'].includes(name) ? 'u32' : 'f32')) };
}

const EPISODE = [['pair', '1'], ['start', 's'], ['end', 's'], ['impacts', '1'], ['deepest', 'm'], ['peak_force', 'N'], ['impulse_normal', 'N*s'], ['impulse_tangential', 'N*s'], ['loss_normal', 'J'], ['loss_tangential', 'J'],
  ['stick_time', 's'], ['slip_time', 's']];
const REGIME = [['pair', '1'], ['regime', '1'], ['start', 's'], ['end', 's']];

// episodes, regimes: {pairs: [name], rows: [{pair, start, …}]}
const encodePairs = ({ pairs, rows }, columns, blob) => ({ rows: rows.length, kept: rows.length, pairs, columns: columns.map(([name, unit]) => blob.column(name, unit, rows.map((r) => r[name] ?? 0), 'f64')) });

const IMPACT = [['point', '1'], ['start', 's'], ['end', 's'], ['penetration', 'm'], ['penetration_bound', 'm'], ['deepest', 'm'], ['peak_force', 'N'], ['impulse_normal', 'N*s'],
  ['impulse_tangential', 'N*s'], ['approach_speed', 'm/s'], ['separation_speed', 'm/s'], ['restitution', '1'], ['restitution_achieved', '1'], ['loss_normal', 'J'],
  ['loss_tangential', 'J'], ['stick_time', 's'], ['slip_time', 's'], ['kind', '1'], ['strength', 'J']];

// Episodes are impacts unless a fixture says what else: 0 a touch, 1 lasting contact.
const BLOW = { kind: () => 2, strength: (r) => (r.kind ?? 2) === 2 ? r.impulse_normal * r.approach_speed : 0 };
const kinds = (rows) => Object.fromEntries(['touches', 'lasting', 'impacts'].map((name, k) => [name, rows.filter((r) => (r.kind ?? 2) === k).length]));

const escape = (json) => json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

export function writePage(path, runs, compare = []) {
  const blob = new Blob(), encoded = runs.map((run) => encodeRun(run, blob));
  const json = escape(JSON.stringify({ format: 1, tool: '0.1.0', made: '2026-01-01T00:00:00Z', runs: encoded, compare }));
  const words = `<script type="application/json" id="carom-run">${json}</script>`;
  const numbers = `<script type="text/plain" id="carom-blob-0">${deflateSync(Buffer.concat(blob.parts)).toString('base64')}</script>`;
  const page = readFileSync(new URL('../dist/index.html', import.meta.url), 'utf8');
  writeFileSync(path, page.replace('<!--carom-data-->', () => words).replace('<!--carom-blobs-->', () => numbers));
}
