// What is drawn over the solids, in pixels: joints, springs, drives, planes of a planar model, traces, forces, names.
import { theme } from '../theme.js';
import { roundBelow, quantity } from '../number.js';
import { place, spread, Poses } from './poses.js';
import { ContactForces } from './contacts.js';
import { travelOf } from './constraints.js';
import { sizeOf } from './shapes.js';
import { slideAxis, slideSpring } from './cloud.js';
import * as draw from './symbols.js';

const LONGEST = 0.22;         // of the view's height: the arrow of the largest force
const TRACE = 3000;           // places of a trace
const MANY = 12;              // joints above which their pins are drawn smaller
const VEIL = 0.6;             // how far solids pale behind the forces of a crowd
const WIDEST = 6, WIDTHS = 8; // line of the largest force of a crowd [px], and how many different ones
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

  // The first marker that goes along a curve, or the only body where that flies: a line back and forth says nothing.
  get usualTrace() {
    const bodies = this.run.scene.bodies.length - 1, curved = (point) => {
      const extent = [0, 1, 2].map((k) => this.pathOf(point).reduce(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])], [Infinity, -Infinity])).map(([low, high]) => high - low).sort((a, b) => b - a);
      return extent[0] > (point.columns ? 0.01 : 0.5) * this.run.scene.length && extent[1] > 0.1 * extent[0];
    };
    return this.points.find((p) => (p.columns || bodies === 1 && this.run.scene.joints.every((j) => j.kind === 'free')) && curved(p))?.name ?? '';
  }

  pathOf(point) {
    point.path ??= point.columns ? markerPath(point.columns) : this.poses.path(point.body, point.at, TRACE);
    return point.path;
  }

  get trace() {
    const point = this.options.trace ? this.points.find((p) => p.name === this.options.trace) : null;
    if (point) this.pathOf(point);
    return point;
  }

  // Unless asked for, the forces of a crowd in space, which only show through its bodies, are not drawn.
  get showsForces() {
    return this.options.forces ?? !(this.contacts.isCrowd && !this.run.isPlanar);
  }

  get magnify() {
    return this.options.magnify;
  }

  draw(c) {
    this.c = c;
    this.tint = null;
    if (this.run.isPlanar) this.drawPlanes();
    this.drawThinLinks();
    for (const k of this.run.scene.constraints ?? []) this.drawConstraint(k);
    for (const joint of this.options.joints ? this.run.scene.joints : []) this.drawJoint(joint);
    for (const f of this.run.scene.forces ?? []) this.drawForceElement(f);
    for (const d of this.run.scene.drives ?? []) this.drawDrive(d);
    this.drawPoints();
    if (this.trace) this.drawTrace(theme().trace);
    if (this.showsForces) this.drawForces();
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
      case 'universal': this.drawCross(joint, first); break;
      case 'revolute':
        if (joint.clearance > 0 && joint.radius > 0) this.drawBearing(joint, first, p);
        else if (this.run.isPlanar) draw.pin(this.c, p, grounded, this.hangs(joint) ? -1 : 1);
        else {
          if (grounded) draw.foot(this.c, p, this.hangs(joint) ? -1 : 1);
          this.drawHinge(joint, p, first);
        }
        break;
      case 'prismatic': case 'cylindrical': case 'screw': this.drawGuide(joint, first); break;
      case 'spherical':
        if (joint.clearance > 0 && joint.radius > 0) this.drawBearing(joint, first, p);
        else {
          if (grounded) draw.foot(this.c, p, this.hangs(joint) ? -1 : 1);
          draw.circle(this.c, p, 5, { fill: theme().panel, stroke: theme().ink, width: 1.5 });
        }
        break;
      case 'fixed': draw.line(this.c, [[p[0] - 4, p[1] - 4], [p[0] + 4, p[1] + 4]], theme().ink); break;
      default: break;
    }
  }

  // Whether the body on a grounded pin hung below it at the start.
  hangs(joint) {
    if (joint.hangs === undefined) {
      const body = joint.second.body || joint.first.body, { com = [0, 0, 0] } = this.run.scene.bodies[body], p = new Poses(this.run).set(this.run.t0).point(body, com), at = this.side(joint, 'first');
      const drop = this.run.isPlanar ? at[1] - p[1] : at[2] - p[2];
      joint.hangs = drop > 0.8 * Math.hypot(...p.map((v, k) => v - at[k])) && drop > 0;
    }
    return joint.hangs;
  }

  axis(joint) {
    return joint.axis && this.poses.direction(joint.first.body, joint.axis);
  }

  // A pin along its axis, in space.
  drawHinge(joint, p, at) {
    const axis = this.axis(joint) ?? [0, 0, 1], size = this.run.scene.joints.length > MANY ? 0.45 : 1, ends = this.axial(at, axis, 10 * size), inner = this.axial(at, axis, 8.5 * size), look = theme();
    if (!ends || !inner) return;
    draw.line(this.c, ends, look.ink, 7 * size);
    draw.line(this.c, inner, look.panel, 4 * size);
    draw.circle(this.c, p, 2 * size, { fill: look.ink });
  }

  // Both ends of a stretch of so many pixels either way along an axis, where it is seen across.
  axial(at, axis, pixels) {
    const ends = [-1, 1].map((s) => this.view.project(at.map((v, k) => v + s * pixels / this.view.scale * axis[k])));
    return ends[0] && ends[1] ? ends : null;
  }

  // Two yokes of a cross: both axes of a universal joint.
  drawCross(joint, at) {
    const look = theme();
    for (const [side, v] of [['first', [1, 0, 0]], ['second', [0, 1, 0]]]) {
      const s = joint[side], ends = this.axial(at, this.poses.direction(s.body, place({ rotate: s.rotate }, v)), 12);
      if (ends) draw.line(this.c, ends, look.ink, 3);
    }
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
    if (!this.run.isPlanar) return void this.drawSlide(joint, ends, n);
    const k = this.magnify, wide = joint.width || this.slideWidth(joint), apart = wide > 0 ? (wide / 2 + joint.clearance * k) * this.view.scale + 0.5 : 9;
    const rail = (sense) => ends.map(([x, y]) => [x + sense * apart * n[0], y + sense * apart * n[1]]);
    const wall = joint.first.body === 0 ? draw.hatched : (c, a, b, stroke) => draw.line(c, [a, b], stroke, 1.6);
    wall(this.c, ...rail(1), look.ground, 8);
    wall(this.c, ...rail(-1).reverse(), look.ground, 8);
    if (joint.clearance > 0 && k > 1) this.drawSliderMagnified(joint, at, axis, n, k);
    return undefined;
  }

  // Of a block that is drawn and not given by the joint: across the way it slides.
  slideWidth(joint) {
    const box = (this.run.scene.bodies[joint.second.body].shapes ?? []).find((s) => s.kind === 'box'), axis = box && slideAxis(joint);
    return box ? Math.abs(axis[0]) > Math.abs(axis[1]) ? box.size[1] : box.size[0] : 0;
  }

  // In space: the line that it slides along, two rails beside it, across them the thread of a screw.
  drawSlide(joint, [a, b], n) {
    const look = theme(), apart = 7, rail = (sense) => [a, b].map(([x, y]) => [x + sense * apart * n[0], y + sense * apart * n[1]]), sides = [rail(1), rail(-1)];
    draw.line(this.c, [a, b], look.ground, 1.2, [8, 3, 2, 3]);
    for (const side of sides) draw.line(this.c, side, look.ground, 1.4);
    if (joint.kind === 'cylindrical') for (const end of [0, 1]) draw.line(this.c, [sides[0][end], sides[1][end]], look.ground, 1.4);
    if (joint.kind !== 'screw') return;
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]), turns = Math.max(2, Math.round(length / 8)), on = (s, k) => sides[s][0].map((v, i) => v + (sides[s][1][i] - v) * k);
    for (let k = 0; k < turns; k++) draw.line(this.c, [on(0, k / turns), on(1, (k + 0.7) / turns)], look.ground, 1);
  }

  // The slider as it would lie in a guide with k times the clearance: corners touch the walls when they really do.
  drawSliderMagnified(joint, at, axis, n, k) {
    const { body, at: local = [0, 0, 0] } = joint.second, middle = this.poses.point(body, local), x = middle.reduce((s, v, i) => s + (v - at[i]) * axis[i], 0);
    const across = [-axis[1], axis[0]], y = (middle[0] - at[0]) * across[0] + (middle[1] - at[1]) * across[1];
    const own = this.poses.direction(body, slideAxis(joint)), angle = axis[0] * own[1] - axis[1] * own[0];
    const a = joint.length / 2, b = joint.width / 2;
    const corner = (u, v) => this.view.project([0, 1, 2].map((i) => at[i] + (x + u * a) * axis[i] + (v * b + k * (y + u * a * angle)) * (across[i] ?? 0)));
    const points = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    draw.line(this.c, [...points, points[0]], theme().accent, 1.6, [6, 3]);
    draw.text(this.c, `clearance × ${k}`, Math.min(this.view.width - 96, Math.max(...points.map((p) => p[0])) + 8), points[1][1] + 14, theme().muted, { halo: theme().panel });
  }

  drawForceElement(f) {
    const joint = f.joint === null || f.joint === undefined ? null : this.run.scene.joints[f.joint];
    if (f.kind !== 'spring' && f.kind !== 'along' && f.kind !== 'bushing') return;
    const first = f.first ?? joint?.first, second = f.second ?? joint?.second;
    if (!first || !second) return;
    const along = f.kind === 'along' && joint && slideSpring(this.run, joint);
    if (along) return void this.drawSlideSpring(joint, along);
    const [a, b] = [first, second].map((s) => this.view.project(this.poses.point(s.body, s.at ?? [0, 0, 0])));
    if (!a || !b) return;
    if (joint?.kind === 'revolute') draw.spiral(this.c, a, theme().series[2]);
    else draw.spring(this.c, a, b, theme().series[2]);
    return undefined;
  }

  drawSlideSpring(joint, { from, edge }) {
    const at = this.side(joint, 'first'), axis = this.axis(joint), q = this.side(joint, 'second').reduce((sum, v, k) => sum + (v - at[k]) * axis[k], 0);
    const [a, b] = [from, q + edge].map((s) => this.view.project(at.map((v, k) => v + s * axis[k]))), size = a && b && Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (!size) return;
    const n = [(b[1] - a[1]) / size * 9, (a[0] - b[0]) / size * 9], wall = [[a[0] + n[0], a[1] + n[1]], [a[0] - n[0], a[1] - n[1]]];
    if (joint.first.body === 0) draw.hatched(this.c, ...wall, theme().ground, 7);
    draw.spring(this.c, a, b, theme().series[2]);
  }

  // A distance is a string or a rod, a line a slot, a plane carries a foot. Gears and racks are solids (constraints.js); between
  // their joints, and those of any other relation of coordinates, goes a dash-dotted line.
  drawConstraint({ kind, first, second, terms }) {
    if (kind === 'distance' && first && second) this.drawString(first, second);
    else if (kind === 'inline' && first && second) this.drawSlot(first, second);
    else if (kind === 'inplane' && first && second) this.drawFoot(second);
    else if (terms?.length) this.drawCouple(terms);
  }

  drawString(first, second) {
    const [a, b] = [first, second].map((s) => this.view.project(this.poses.point(s.body, s.at ?? [0, 0, 0])));
    if (!a || !b) return;
    draw.line(this.c, [a, b], this.tint ?? theme().ink, 1.6);
    for (const p of [a, b]) draw.circle(this.c, p, 2.4, { fill: this.tint ?? theme().ink });
  }

  // The slot along the line (x of its frame in the plane, z in space) as far as it is used, and the shoe in it.
  drawSlot(first, second) {
    const k = this.run.isPlanar ? 0 : 2, { min, max } = travelOf(this.run, first, second), look = theme(), wide = 7, more = Math.max(0, 14 / this.view.scale - (max[k] - min[k]) / 2);
    const on = (s) => this.view.project(this.poses.point(first.body, place(first, [0, 1, 2].map((i) => (i === k ? s : 0)))));
    const a = on(min[k] - more), b = on(max[k] + more), p = this.view.project(this.poses.point(second.body, second.at ?? [0, 0, 0])), length = a && b ? Math.hypot(b[0] - a[0], b[1] - a[1]) : 0;
    if (length > 1) draw.slot(this.c, a, b, wide, first.body === 0 ? look.ground : this.colour(first.body));
    if (p) draw.circle(this.c, p, wide - 2.5, { fill: look.panel, stroke: look.ink, width: 1.5 });
  }

  // A foot on a plane, which is a solid's part (constraints.js).
  drawFoot({ body, at }) {
    const p = this.view.project(this.poses.point(body, at ?? [0, 0, 0]));
    if (p) draw.circle(this.c, p, 3.2, { fill: theme().panel, stroke: theme().ink, width: 1.4 });
  }

  drawCouple(terms) {
    const points = terms.map(({ joint }) => this.view.project(this.side(this.run.scene.joints[joint], 'first'))).filter(Boolean), look = theme();
    if (points.length < 2) return;
    const far = (p) => Math.hypot(p[0] - points[0][0], p[1] - points[0][1]);
    draw.line(this.c, [...points].sort((a, b) => far(a) - far(b)), look.muted, 1.2, [8, 3, 2, 3]);
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
    if (!along && !this.run.isPlanar && axis) return void this.drawTurn(at, axis);
    draw.drive(this.c, p, along);
    return undefined;
  }

  // A drive that turns, in space: an arrow round its axis.
  drawTurn(at, axis) {
    const side = Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], u = unit(cross(axis, side)), v = cross(axis, u), r = 20 / this.view.scale, points = [];
    for (let k = 0; k <= 24; k++) points.push(this.view.project(at.map((x, i) => x + r * (u[i] * Math.cos(k * 0.2) + v[i] * Math.sin(k * 0.2)))));
    if (points.some((p) => !p)) return;
    const [a, b] = points.slice(-2), d = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    draw.line(this.c, points, theme().accent, 1.8);
    draw.arrowHead(this.c, [b[0] + 5 * (b[0] - a[0]) / d, b[1] + 5 * (b[1] - a[1]) / d], [(b[0] - a[0]) / d, (b[1] - a[1]) / d], 6, theme().accent);
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
    const points = contacts.points(clock.t);
    if (contacts.isCrowd) return void this.drawChains(points);
    const arrows = points.map((point) => this.arrowOf(point)).filter(Boolean);
    for (const { p, along, length, state } of arrows) length > 0 ? draw.force(c, p, along, length, state) : draw.circle(c, p, 2.6, { stroke: look.muted, width: 1.3 });
    return undefined;
  }

  // Forces of a crowd, as chains: through each point a line as long as a body, the wider the larger the force. Solids pale behind them.
  drawChains(points) {
    const { c, view, contacts } = this, lines = Array.from({ length: 4 * WIDTHS }, () => []), half = this.grain / 2, ends = [[0, 0, 0], [0, 0, 0]];
    if (!this.run.isPlanar) draw.veil(c, view.width, view.height, VEIL);
    for (const { at, force, state } of points) {
      const size = Math.hypot(...force), wide = Math.ceil(WIDTHS * Math.cbrt(size / contacts.largest)) - 1;
      if (!(size > 0) || !(wide >= 0)) continue;
      for (let k = 0; k < 3; k++) for (const e of [0, 1]) ends[e][k] = at[k] + (2 * e - 1) * half * force[k] / size;
      const p = view.project(ends[0]), q = view.project(ends[1]);
      if (p && q) lines[WIDTHS * state + Math.min(WIDTHS - 1, wide)].push(p, q);
    }
    lines.forEach((list, k) => draw.strokes(c, list, Math.floor(k / WIDTHS), WIDEST * (k % WIDTHS + 1) / WIDTHS));
  }

  // From end to end of the bodies, in the mean.
  get grain() {
    const sizes = this.run.scene.bodies.slice(1).map((body) => 2 * reach(body)).filter((size) => size > 0 && size < Infinity);
    return once(this, 'grain', () => sizes.reduce((sum, v) => sum + v, 0) / (sizes.length || 1));
  }

  // A force as it is drawn: from p along a direction, shorter where it points at the eye or away from it; null: not in the picture.
  arrowOf({ at, force, state }) {
    const { view, contacts } = this, size = Math.hypot(...force), p = view.project(at);
    if (!p) return null;
    const q = size > 0 && view.project(at.map((v, k) => v + force[k] / size * 20 / view.scale)), d = q ? [q[0] - p[0], q[1] - p[1]] : [0, 0], apart = Math.hypot(...d);
    if (!(apart > 1e-3)) return { p, along: [0, -1], length: 0, state };
    return { p, along: d.map((v) => v / apart), length: Math.max(14, LONGEST * view.height * Math.cbrt(size / contacts.largest)) * Math.min(1, Math.max(0.25, apart / 20)), state };
  }

  drawNames() {
    const look = theme();
    this.run.scene.bodies.forEach((body, b) => {
      const p = b && this.view.project(this.poses.point(b, body.com ?? [0, 0, 0]));
      if (p) draw.text(this.c, body.name, p[0] + 7, p[1] - 7, look.ink, { halo: look.panel });
    });
  }

  // A bar of round length in the plane, at the lower right; in space the cells of the floor, and a triad at the left; gravity where it does not point down.
  drawScale() {
    const { c, view } = this, look = theme(), y = view.height - 11;
    this.drawGravity();
    if (this.run.isPlanar) {
      const metres = roundBelow(Math.min(130, 0.3 * view.width) / view.scale), length = metres * view.scale, x = view.width - length - 14;
      draw.line(c, [[x, y - 4], [x, y], [x + length, y], [x + length, y - 4]], look.muted, 1.3);
      draw.text(c, quantity(metres, 'm', 3), x + length / 2, y - 5, look.muted, { anchor: 'center', size: 11, halo: look.panel });
      return;
    }
    if (view.cell) draw.text(c, `grid ${quantity(view.cell, 'm', 3)}`, view.width - 12, y + 1, look.muted, { anchor: 'right', size: 11 });
    const middle = view.controls.target.toArray(), origin = view.project(middle), foot = [34, view.height - (this.contacts.largest > 0 ? 58 : 30)];
    for (const [k, name] of ['x', 'y', 'z'].entries()) {
      const p = view.project(middle.map((v, i) => v + (i === k ? 20 / view.scale : 0)));
      if (!p || !origin) continue;
      const tip = [foot[0] + p[0] - origin[0], foot[1] + p[1] - origin[1]];
      draw.line(c, [foot, tip], look.muted, 1.3);
      draw.text(c, name, tip[0] + (tip[0] - foot[0]) * 0.35 - 3, tip[1] + (tip[1] - foot[1]) * 0.35 + 3, look.muted, { size: 11 });
    }
  }

  drawGravity() {
    const g = this.run.scene.gravity ?? [0, 0, 0], size = Math.hypot(...g), down = this.run.isPlanar ? 1 : 2;
    if (!(size > 0) || -g[down] > 0.999 * size) return;
    const { view } = this, middle = view.controls.target.toArray(), [a, b] = [0, 30].map((s) => view.project(middle.map((v, k) => v + s / view.scale * g[k] / size)));
    const d = a && b ? Math.hypot(b[0] - a[0], b[1] - a[1]) : 0, u = [(b[0] - a[0]) / d, (b[1] - a[1]) / d], at = [view.width - 74, 20];
    if (!(d > 3)) return;
    draw.line(this.c, [at, [at[0] + u[0] * (d - 8), at[1] + u[1] * (d - 8)]], theme().muted, 1.8);
    draw.arrowHead(this.c, [at[0] + u[0] * d, at[1] + u[1] * d], u, 6, theme().muted);
    draw.text(this.c, 'g', at[0] + u[0] * d + 6, at[1] + u[1] * d + 4, theme().muted, { size: 12 });
  }
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (v) => v.map((x) => x / Math.hypot(...v));

// How far a body's shapes go, a size for the eye to tell whether they can be seen at all.
function reach(body) {
  body.reach ??= (body.shapes ?? []).some((s) => s.kind === 'plane') ? Infinity : sizeOf(body.shapes ?? []) / 2;
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
  const { times } = columns[0].axis;
  return spread(times, TRACE).map((i) => [...[0, 1, 2].map((k) => columns[k]?.values[i] ?? 0), times[i]]);
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
