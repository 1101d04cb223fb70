// What is drawn over the solids, in pixels: joints, springs, drives, planes of a planar model, traces, forces, names.
import { theme } from '../theme.js';
import { roundBelow, quantity } from '../number.js';
import { place, Poses } from './poses.js';
import { ContactForces } from './contacts.js';
import * as draw from './symbols.js';

const LONGEST = 0.22;         // of the view's height: the arrow of the largest force
const TRACE = 3000;           // places of a trace
const FLASH = 0.22;           // an impact stays in the eye so long [s of real time]

export class Overlay {
  constructor(run, poses, view, clock, options) {
    Object.assign(this, { run, poses, view, clock, options });
  }

  get contacts() {
    return once(this, 'contacts', () => new ContactForces(this.run));
  }

  // What can be traced: markers of the model, then mass centres.
  get points() {
    return once(this, 'points', () => tracePoints(this.run));
  }

  // The first marker, where the model has one that moves.
  get usualTrace() {
    const moves = ({ columns }) => columns?.some((c) => c && c.max - c.min > 1e-3 * this.run.scene.length);
    return this.points.find(moves)?.name ?? '';
  }

  get trace() {
    const point = this.options.trace ? this.points.find((p) => p.name === this.options.trace) : null;
    if (point) point.path ??= point.columns ? markerPath(point.columns) : this.poses.path(point.body, point.at, TRACE);
    return point;
  }

  get magnify() {
    return this.options.magnify;
  }

  draw(c) {
    this.c = c;
    this.tint = null;
    if (this.run.isPlanar) this.drawPlanes();
    this.drawThinLinks();
    for (const joint of this.options.joints ? this.run.scene.joints : []) this.drawJoint(joint);
    for (const k of this.run.scene.constraints ?? []) this.drawConstraint(k);
    for (const f of this.run.scene.forces ?? []) this.drawForceElement(f);
    for (const d of this.run.scene.drives ?? []) this.drawDrive(d);
    this.drawPoints();
    if (this.trace) this.drawTrace(theme().trace);
    if (this.options.forces) this.drawForces();
    if (this.options.names) this.drawNames();
    this.drawScale();
  }

  // Of a ghost what has no solid: thin bars, points, strings, and its trace, in the colour and pattern of its run.
  drawGhost(c) {
    this.c = c;
    this.tint = theme().series[this.run.number % 8];
    c.globalAlpha = 0.55;
    this.drawThinLinks();
    for (const k of this.run.scene.constraints ?? []) if (k.kind === 'distance') this.drawConstraint(k);
    this.drawPoints();
    c.globalAlpha = 1;
    if (this.trace) this.drawTrace(this.tint, theme().dashes[this.run.number % 8]);
  }

  colour(body) {
    return this.tint ?? (body ? theme().series[(body - 1) % 8] : theme().ground);
  }

  // Planes and points among the shapes of planar bodies; a plane's normal is its y axis.
  drawPlanes() {
    this.run.scene.bodies.forEach((body, b) => {
      for (const shape of body.shapes ?? []) {
        if (shape.kind !== 'plane') continue;
        const at = this.view.project(this.poses.point(b, place(shape, [0, 0, 0]))), along = this.view.project(this.poses.point(b, place(shape, [1e-3 * this.run.scene.length, 0, 0])));
        const d = [along[0] - at[0], along[1] - at[1]], size = Math.hypot(...d);
        const clipped = size > 0 && clipLine(at, [d[0] / size, d[1] / size], this.view.width, this.view.height);
        if (clipped) draw.hatched(this.c, ...clipped, theme().ground, 11);
      }
    });
  }

  // A bar too thin for the eye gets a line of three pixels.
  drawThinLinks() {
    this.run.scene.bodies.forEach((body, b) => {
      for (const shape of body.shapes ?? []) {
        if (shape.kind !== 'link' || shape.width * this.view.scale >= 3) continue;
        const ends = [shape.from, shape.to].map((p) => this.view.project(this.poses.point(b, p)));
        if (ends[0] && ends[1]) draw.line(this.c, ends, this.colour(b), 3);
      }
    });
  }

  drawPoints() {
    this.run.scene.bodies.forEach((body, b) => {
      if (b === 0) return;
      const points = (body.shapes ?? []).filter((s) => s.kind === 'point'), bare = reach(body) * this.view.scale < 3;
      for (const at of bare && !points.length ? [body.com ?? [0, 0, 0]] : points.map((s) => s.at ?? [0, 0, 0])) {
        const p = this.view.project(this.poses.point(b, at));
        if (p) draw.circle(this.c, p, bare ? 5 : 2.6, { fill: this.colour(b), stroke: theme().ink, width: 1.2 });
      }
    });
  }

  side(joint, which) {
    const s = joint[which];
    return this.poses.point(s.body, s.at ?? [0, 0, 0]);
  }

  drawJoint(joint) {
    const first = this.side(joint, 'first'), p = this.view.project(first), grounded = joint.first.body === 0 || joint.second.body === 0;
    if (!p) return;
    switch (joint.kind) {
      case 'revolute': case 'universal':
        if (joint.clearance > 0 && joint.radius > 0) this.drawBearing(joint, first, p);
        else if (this.run.isPlanar) draw.pin(this.c, p, grounded, this.hangs(joint) ? -1 : 1);
        else this.drawHinge(joint, p, first);
        break;
      case 'prismatic': case 'cylindrical': case 'screw': this.drawGuide(joint, first); break;
      case 'spherical':
        if (joint.clearance > 0 && joint.radius > 0) this.drawBearing(joint, first, p);
        else draw.circle(this.c, p, 5, { fill: theme().panel, stroke: theme().ink, width: 1.5 });
        break;
      case 'fixed': draw.line(this.c, [[p[0] - 4, p[1] - 4], [p[0] + 4, p[1] + 4]], theme().ink); break;
      default: break;
    }
  }

  // Whether the body on a grounded pin hung below it at the start.
  hangs(joint) {
    if (joint.hangs === undefined) {
      const body = joint.second.body || joint.first.body, { com = [0, 0, 0] } = this.run.scene.bodies[body], [x, y] = new Poses(this.run).set(this.run.t0).point(body, com), at = this.side(joint, 'first');
      joint.hangs = at[1] - y > 0.8 * Math.hypot(x - at[0], y - at[1]) && y < at[1];
    }
    return joint.hangs;
  }

  axis(joint) {
    return joint.axis && this.poses.direction(joint.first.body, joint.axis);
  }

  drawHinge(joint, p, at) {
    const axis = this.axis(joint) ?? [0, 0, 1], reach = 9 / this.view.scale;
    const [a, b] = [-reach, reach].map((s) => this.view.project(at.map((v, k) => v + s * axis[k])));
    if (a && b) draw.line(this.c, [a, b], theme().ink, 3);
    draw.circle(this.c, p, 2.6, { fill: theme().panel, stroke: theme().ink, width: 1.3 });
  }

  // The bearing and the journal in it, with the clearance as many times larger as asked for.
  drawBearing(joint, centre, p) {
    const second = this.side(joint, 'second'), k = this.magnify, { scale } = this.view, look = theme();
    const journal = this.view.project(centre.map((v, i) => v + k * (second[i] - v)));
    const r = Math.max(4, joint.radius * scale), outer = r + joint.clearance * scale * k;
    draw.circle(this.c, p, outer + 3, { stroke: look.ink, width: 1.2 });
    draw.circle(this.c, p, outer, { fill: look.panel, stroke: look.ink, width: 1.2 });
    draw.circle(this.c, journal, r, { fill: look.ground, stroke: look.ink, width: 1.2 });
    draw.circle(this.c, journal, 1.5, { fill: look.ink });
    if (k > 1) draw.text(this.c, `clearance × ${k}`, p[0] + outer + 6, p[1] + 4, look.muted, { halo: look.panel });
  }

  // Rails over the stretch that the slider used.
  drawGuide(joint, at) {
    const axis = this.axis(joint), column = joint.columns?.q?.length ? this.run.column(['joints', joint.columns.q[0]]) : null;
    if (!axis) return;
    const half = joint.length > 0 ? joint.length / 2 : 0.03 * this.run.scene.length, usable = column && column.unit === 'm' && Number.isFinite(column.min);
    const [from, to] = usable ? [column.min - half, column.max + half] : [-half, half], look = theme();
    const ends = [from, to].map((s) => this.view.project(at.map((v, k) => v + s * axis[k])));
    if (!ends[0] || !ends[1]) return;
    const d = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]], size = Math.hypot(...d) || 1, n = [-d[1] / size, d[0] / size];
    if (!this.run.isPlanar) return void draw.line(this.c, ends, look.ground, 1.4, [8, 3, 2, 3]);
    const k = this.magnify, apart = joint.width > 0 ? (joint.width / 2 + joint.clearance * k) * this.view.scale + 0.5 : 9;
    const rail = (sense) => ends.map(([x, y]) => [x + sense * apart * n[0], y + sense * apart * n[1]]);
    const wall = joint.first.body === 0 ? draw.hatched : (c, a, b, stroke) => draw.line(c, [a, b], stroke, 1.6);
    wall(this.c, ...rail(1), look.ground, 8);
    wall(this.c, ...rail(-1).reverse(), look.ground, 8);
    if (joint.clearance > 0 && k > 1) this.drawSliderMagnified(joint, at, axis, n, k);
    return undefined;
  }

  // The slider as it would lie in a guide with k times the clearance: corners touch the walls when they really do.
  drawSliderMagnified(joint, at, axis, n, k) {
    const { body, at: local = [0, 0, 0] } = joint.second, middle = this.poses.point(body, local), x = middle.reduce((s, v, i) => s + (v - at[i]) * axis[i], 0);
    const across = [-axis[1], axis[0]], y = (middle[0] - at[0]) * across[0] + (middle[1] - at[1]) * across[1];
    const own = this.poses.direction(body, place({ rotate: joint.second.rotate }, this.slideAxis(joint))), angle = axis[0] * own[1] - axis[1] * own[0];
    const a = joint.length / 2, b = joint.width / 2;
    const corner = (u, v) => this.view.project([0, 1, 2].map((i) => at[i] + (x + u * a) * axis[i] + (v * b + k * (y + u * a * angle)) * (across[i] ?? 0)));
    const points = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    draw.line(this.c, [...points, points[0]], theme().accent, 1.6, [6, 3]);
    draw.text(this.c, `clearance × ${k}`, Math.min(this.view.width - 96, Math.max(...points.map((p) => p[0])) + 8), points[1][1] + 14, theme().muted, { halo: theme().panel });
  }

  // The slide's direction in the joint's frame, from its direction in the first body.
  slideAxis(joint) {
    const r = joint.first.rotate;
    return r ? place({ rotate: [r[0], -r[1], -r[2], -r[3]] }, joint.axis) : joint.axis;
  }

  drawForceElement(f) {
    const joint = f.joint === null || f.joint === undefined ? null : this.run.scene.joints[f.joint];
    if (f.kind !== 'spring' && f.kind !== 'along' && f.kind !== 'bushing') return;
    const first = f.first ?? joint?.first, second = f.second ?? joint?.second;
    if (!first || !second) return;
    const [a, b] = [first, second].map((s) => this.view.project(this.poses.point(s.body, s.at ?? [0, 0, 0])));
    if (!a || !b) return;
    if (joint?.kind === 'revolute') draw.spiral(this.c, a, theme().series[2]);
    else draw.spring(this.c, a, b, theme().series[2]);
  }

  // A fixed distance is a string or a rod.
  drawConstraint({ kind, first, second }) {
    if (kind !== 'distance' || !first || !second) return;
    const [a, b] = [first, second].map((s) => this.view.project(this.poses.point(s.body, s.at ?? [0, 0, 0])));
    if (!a || !b) return;
    draw.line(this.c, [a, b], this.tint ?? theme().ink, 1.6);
    for (const p of [a, b]) draw.circle(this.c, p, 2.4, { fill: this.tint ?? theme().ink });
  }

  drawDrive(d) {
    const joint = this.run.scene.joints[d.joint];
    if (!joint) return;
    const at = this.side(joint, 'first'), p = this.view.project(at), axis = this.axis(joint);
    if (!p) return;
    let along = null;
    if (joint.kind === 'prismatic' && axis) {
      const q = this.view.project(at.map((v, k) => v + axis[k] * 0.01 * this.run.scene.length)), size = q && Math.hypot(q[0] - p[0], q[1] - p[1]);
      if (size > 1e-6) along = [(q[0] - p[0]) / size, (q[1] - p[1]) / size];
    }
    draw.drive(this.c, p, along);
  }

  // The way so far in full, the way to come faint.
  drawTrace(stroke, dash = []) {
    const { path, columns, body, at } = this.trace, parts = [[], []], t = this.clock.t + (this.clock.shifts?.[this.run.number] ?? 0);
    for (const [x, y, z, when] of path) {
      const p = this.view.project([x, y, z]);
      if (p) parts[when <= t ? 0 : 1].push(p);
    }
    this.c.globalAlpha = 0.3;
    draw.line(this.c, parts[1], stroke, 1.2, dash);
    this.c.globalAlpha = 1;
    draw.line(this.c, parts[0], stroke, 1.6, dash);
    const p = this.view.project(columns ? columns.map((k) => k?.at(t) ?? 0) : this.poses.point(body, at));
    if (p) draw.circle(this.c, p, 3.2, { fill: stroke });
  }

  drawForces() {
    const { c, view, contacts, clock } = this, look = theme();
    for (const flash of clock.playing ? contacts.recent(clock.t, Math.max(1e-12, FLASH * clock.speed)) : []) {
      const p = view.project(flash.at);
      if (!p) continue;
      c.globalAlpha = 0.85 * (1 - flash.age);
      draw.burst(c, p, 8 + 20 * flash.strength * (0.5 + flash.age), look.impact, 2);
      c.globalAlpha = 1;
    }
    for (const { at, force, state } of contacts.at(clock.t)) {
      const size = Math.hypot(...force), p = view.project(at);
      if (!p || !(size > 0)) continue;
      const q = view.project(at.map((v, k) => v + force[k] / size * 20 / view.scale)), apart = q && Math.hypot(q[0] - p[0], q[1] - p[1]);
      if (!(apart > 1e-3)) continue;
      draw.force(c, p, [(q[0] - p[0]) / apart, (q[1] - p[1]) / apart], Math.max(14, LONGEST * view.height * Math.cbrt(size / contacts.largest)), state);
    }
  }

  drawNames() {
    const look = theme();
    this.run.scene.bodies.forEach((body, b) => {
      const p = b && this.view.project(this.poses.point(b, body.com ?? [0, 0, 0]));
      if (p) draw.text(this.c, body.name, p[0] + 7, p[1] - 7, look.ink, { halo: look.panel });
    });
  }

  // Where there is room at the bottom: left without a legend, else in the middle, on narrow screens right.
  footing(length) {
    const { width } = this.view;
    return !(this.contacts.largest > 0) ? 14 : width < 500 ? width - length - 14 : width / 2 - length / 2;
  }

  // A bar of round length in the plane, a triad in space.
  drawScale() {
    const { c, view } = this, look = theme(), y = view.height - 14;
    if (this.run.isPlanar) {
      const metres = roundBelow(130 / view.scale), length = metres * view.scale, x = this.footing(length);
      draw.line(c, [[x, y - 4], [x, y], [x + length, y], [x + length, y - 4]], look.muted, 1.3);
      draw.text(c, quantity(metres, 'm', 3), x + length / 2, y - 5, look.muted, { anchor: 'center', size: 11 });
      return;
    }
    const middle = view.controls.target.toArray(), origin = view.project(middle), foot = [this.footing(60) + 30, view.height - 34];
    for (const [k, name] of ['x', 'y', 'z'].entries()) {
      const p = view.project(middle.map((v, i) => v + (i === k ? 24 / view.scale : 0)));
      if (!p || !origin) continue;
      const tip = [foot[0] + p[0] - origin[0], foot[1] + p[1] - origin[1]];
      draw.line(c, [foot, tip], look.muted, 1.3);
      draw.text(c, name, tip[0] + (tip[0] - foot[0]) * 0.35 - 3, tip[1] + (tip[1] - foot[1]) * 0.35 + 3, look.muted, { size: 11 });
    }
  }
}

// How far a body's shapes go, a size for the eye to tell whether they can be seen at all.
function reach(body) {
  body.reach ??= Math.max(0, ...(body.shapes ?? []).map((s) => (s.kind === 'plane' ? Infinity : s.radius || Math.max(...(s.size ?? [0])) / 2
    || (s.to ? Math.hypot(...s.to.map((v, k) => v - s.from[k])) : 0))));
  return body.reach;
}

function tracePoints(run) {
  const points = [];
  for (const column of run.tables.get('markers')?.columns ?? []) {
    if (!column.name.endsWith('.x')) continue;
    const name = column.name.slice(0, -2);
    points.push({ name, columns: ['x', 'y', 'z'].map((k) => run.byName.get(`${name}.${k}`)) });
  }
  run.scene.bodies.forEach((body, b) => { if (b && body.pose) points.push({ name: `${body.name}, mass centre`, body: b, at: body.com ?? [0, 0, 0] }); });
  return points;
}

// Made when first asked for, and kept.
function once(object, name, make) {
  const value = make();
  Object.defineProperty(object, name, { value });
  return value;
}

function markerPath(columns) {
  const { times } = columns[0].axis, stride = Math.max(1, Math.ceil(times.length / TRACE)), list = [];
  for (let i = 0; i < times.length; i += stride) list.push([...[0, 1, 2].map((k) => columns[k]?.values[i] ?? 0), times[i]]);
  return list;
}

// The part of a line through `at` along `d` that lies within the picture.
function clipLine(at, d, width, height) {
  let [low, high] = [-1e7, 1e7];
  for (const [p, v, most] of [[at[0], d[0], width], [at[1], d[1], height]]) {
    if (Math.abs(v) < 1e-12) {
      if (p < -12 || p > most + 12) return null;
      continue;
    }
    const s = [(-12 - p) / v, (most + 12 - p) / v];
    low = Math.max(low, Math.min(...s));
    high = Math.min(high, Math.max(...s));
  }
  return low < high ? [low, high].map((s) => [at[0] + s * d[0], at[1] + s * d[1]]) : null;
}
