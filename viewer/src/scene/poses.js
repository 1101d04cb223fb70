// Where every body is at a time: between two rows that follow each other positions go as the velocity of the first and the place of the
// second say, as in free flight; where rows were left out straight; turns go the short way round.

import { Beam } from './beams.js';
import { Sheet } from './sheets.js';

const BETWEEN = 16;          // places of a path from a row to the next, at most
const DENSE = 4000;          // rows closer than this part of the run: a straight line is all the eye can tell

export class Poses {
  constructor(run) {
    this.run = run;
    this.bodies = run.scene.bodies;
    this.columns = this.bodies.map((body) => body.pose?.map((k) => run.column(['bodies', k])));
    this.rates = this.bodies.map((body) => ['vx', 'vy', 'vz'].map((v) => run.byName?.get(`${body.name}.${v}`)));
    this.axis = this.columns.find(Boolean)?.[0]?.axis ?? run.axis;
    this.beams = this.bodies.map((body, b) => body.beam && new Beam(run, body, b));
    this.sheets = this.bodies.map((body) => body.solid && new Sheet(run, body));
    this.deflect = 1;                                         // how large deflections are drawn
    const pieces = this.beams.reduce((sum, beam) => sum + (beam?.pieces ?? 0), 0);
    this.data = new Float64Array(8 * (this.bodies.length + pieces));     // x y z 0, qx qy qz qw; of bodies, then of pieces of beams
    for (let b = 0; b < this.bodies.length + pieces; b++) this.data[8 * b + 7] = 1;
  }

  set(t) {
    const { i, w } = this.axis.locate(t), { data } = this, { times } = this.axis, time = times[i + 1] - times[i];
    const bends = w > 0 && time * DENSE > times.at(-1) - times[0] && this.axis.isNext?.(i);
    for (let b = 0; b < this.columns.length; b++) {
      const columns = this.columns[b];
      if (!columns) continue;
      read(columns, i, w, data, 8 * b);
      if (bends) bend(columns, this.rates[b], time, i, w, data, 8 * b);
    }
    this.setBeams(i, w);
    for (const sheet of this.sheets) sheet?.set(i, w, this.deflect);
    return this;
  }

  setBeams(i, w) {
    const { data } = this, out = [0, 0, 0];
    let o = 8 * this.bodies.length;
    this.beams.forEach((beam, b) => {
      if (!beam) return;
      beam.set(i, w, this.deflect);
      for (let p = 0; p < beam.pieces; p++, o += 8) {
        const { at, turn: [x, y, z, s] } = beam.piece(p), [X, Y, Z, S] = data.slice(8 * b + 4, 8 * b + 8);
        data.set(this.move(b, at, out), o);
        data.set([S * x + X * s + Y * z - Z * y, S * y + Y * s + Z * x - X * z, S * z + Z * s + X * y - Y * x, S * s - X * x - Y * y - Z * z], o + 4);
      }
    });
  }

  // A point of a body in the world, now; on a flexible one it moves with its section or the material.
  point(body, at, out = [0, 0, 0]) {
    return this.move(body, (this.beams[body] ?? this.sheets[body])?.point(at) ?? at, out);
  }

  // The largest stress of flexible bodies over the run, at as many rows as `most` evenly spaced ones [Pa].
  largestStress(most) {
    const keep = this.data.slice(), { times } = this.axis;
    let largest = 0;
    for (const row of spread(times, most)) {
      this.set(times[row]);
      for (const sheet of this.sheets) if (sheet) largest = sheet.mises.reduce((a, b) => Math.max(a, b), largest);
      for (const beam of this.beams) if (beam?.stress) largest = beam.x.reduce((a, _, p) => Math.max(a, beam.stressAt(p)), largest);
    }
    this.data.set(keep);
    return largest;
  }

  // The same of a place in the axes of the body.
  move(body, [x, y, z = 0], out) {
    const d = this.data, o = 8 * body;
    turn(d[o + 4], d[o + 5], d[o + 6], d[o + 7], x, y, z, out);
    out[0] += d[o];
    out[1] += d[o + 1];
    out[2] += d[o + 2];
    return out;
  }

  direction(body, [x, y, z = 0]) {
    const d = this.data, o = 8 * body + 4;
    return turn(d[o], d[o + 1], d[o + 2], d[o + 3], x, y, z, [0, 0, 0]);
  }

  // The way of a point over the whole run: [x, y, z, t] at rows as far apart in time as `most` evenly spaced ones.
  path(body, at, most) {
    const { times } = this.axis, keep = this.data.slice();
    const rows = spread(times, most), between = Math.max(1, Math.floor(most / rows.length)), list = [];
    rows.forEach((row, n) => {
      const [a, b] = [times[row], times[rows[n + 1] ?? row]], steps = b > a ? Math.min(BETWEEN, between) : 1;
      for (let k = 0; k < steps; k++) list.push([...this.set(a + k / steps * (b - a)).point(body, at), a + k / steps * (b - a)]);
    });
    this.data.set(keep);
    return list;
  }
}

// Rows at least a `most`-th of the time apart, and those before a longer wait: rows crowd together in impacts.
export function spread(times, most) {
  const step = (times.at(-1) - times[0]) / most, rows = [0];
  for (let i = 1; i < times.length; i++) {
    const last = times[rows.at(-1)];
    if (times[i] - last >= step || i + 1 === times.length || times[i + 1] - last >= step) rows.push(i);
  }
  return rows;
}

// p₀ + v₀ τ, and so much of τ² that the next row is met: exact under constant force. A velocity at the end may be that after an impact there,
// and is not asked.
function bend(columns, rates, time, i, w, out, o) {
  for (let k = 0; k < 3; k++) {
    const first = columns[k].values[i], p = first + w * (w * (columns[k].values[i + 1] - first) + (1 - w) * time * rates[k]?.values[i]);
    if (Number.isFinite(p)) out[o + k] = p;
  }
}

function read(columns, i, w, out, o) {
  const v = (k, row) => columns[k].values[row], next = w > 0 && i + 1 < columns[0].count;
  for (let k = 0; k < 3; k++) out[o + k] = next ? v(k, i) + w * (v(k, i + 1) - v(k, i)) : v(k, i);
  let qw = v(3, i), qx = v(4, i), qy = v(5, i), qz = v(6, i);
  if (next) {
    let pw = v(3, i + 1), px = v(4, i + 1), py = v(5, i + 1), pz = v(6, i + 1);
    if (qw * pw + qx * px + qy * py + qz * pz < 0) [pw, px, py, pz] = [-pw, -px, -py, -pz];
    [qw, qx, qy, qz] = [qw + w * (pw - qw), qx + w * (px - qx), qy + w * (py - qy), qz + w * (pz - qz)];
  }
  const n = Math.hypot(qw, qx, qy, qz) || 1;
  out[o + 4] = qx / n;
  out[o + 5] = qy / n;
  out[o + 6] = qz / n;
  out[o + 7] = qw / n;
}

// v turned by the quaternion (x, y, z, w)
export function turn(qx, qy, qz, qw, x, y, z, out) {
  const tx = 2 * (qy * z - qz * y), ty = 2 * (qz * x - qx * z), tz = 2 * (qx * y - qy * x);
  out[0] = x + qw * tx + qy * tz - qz * ty;
  out[1] = y + qw * ty + qz * tx - qx * tz;
  out[2] = z + qw * tz + qx * ty - qy * tx;
  return out;
}

// A local pose {at, rotate [w, x, y, z]} applied to a point.
export function place({ at = [0, 0, 0], rotate }, [x, y, z = 0]) {
  const out = rotate ? turn(rotate[1], rotate[2], rotate[3], rotate[0], x, y, z, [0, 0, 0]) : [x, y, z];
  return [out[0] + at[0], out[1] + at[1], out[2] + (at[2] ?? 0)];
}
