// The magnifier: one joint with clearance, followed as it moves, its clearance drawn as a fifth of its size so that free
// flight, impact and following contact can be seen. What touches here touches in the run.
import { h, replace, select, iconButton } from '../dom.js';
import { fitCanvas } from '../plots/painter.js';
import { theme, onTheme } from '../theme.js';
import { plain, quantity } from '../number.js';
import { place } from './poses.js';
import { STATE_NAMES, STICK, IMPACT } from './contacts.js';
import * as draw from './symbols.js';

const SHARE = 0.2;            // of the drawn radius: the clearance
const TAIL = 400;             // rows of the orbit that are drawn behind the journal

export class Lens {
  constructor(run, poses, contacts, clock, many) {
    Object.assign(this, { run, poses, contacts, clock });
    this.loose = (run.scene.contacts ?? []).filter((c) => c.clearance > 0 && c.joint !== null && c.joint !== undefined && c.columns.x !== undefined && c.columns.y !== undefined);
    this.contact = this.loose[0];
    if (!this.contact) return;
    this.canvas = h('canvas', { role: 'img', 'aria-label': 'Magnified clearance' });
    this.note = h('p');
    this.element = h('div', { class: 'lens' }, h('header', {}, this.loose.length > 1
      ? select('Joint under the magnifier', this.loose.map((c, k) => [k, c.name]), 0, (k) => {
        this.contact = this.loose[k];
        this.draw();
      }) : h('b', { style: 'flex: 1' }, this.contact.name), iconButton('M4 4l8 8M12 4l-8 8', 'Close the magnifier', () => this.toggle(false), { class: 'icon quiet' })), many && h('p', { class: 'whose' }, run.label), this.canvas, this.note);
    new ResizeObserver(() => this.draw()).observe(this.element);
    onTheme(() => this.draw());
  }

  toggle(on) {
    this.element.hidden = !on;
    this.ontoggle?.(on);
    this.draw();
  }

  draw() {
    if (!this.element || this.element.hidden || !this.canvas.clientWidth) return;
    const { clientWidth: w, clientHeight: height } = this.canvas;
    this.c = fitCanvas(this.canvas, w, height);
    const joint = this.run.scene.joints[this.contact.joint];
    const force = this.contacts.at(this.clock.t).find((f) => f.contact.about === this.contact);
    if (this.contact.kind === 'guide') this.drawGuide(joint, w, height, force);
    else this.drawBearing(joint, w, height, force);
  }

  column(key) {
    return this.run.column(['contacts', this.contact.columns[key]]);
  }

  // Where the journal's middle is in its bearing, row by row or between two rows: in the plane turned as the bearing is
  // now, so that the magnifier and the scene agree. A ball in a socket is shown in the plane of its offset and the socket's
  // axis, so that what touches is seen to touch.
  offset(at) {
    const x = at(this.column('x')), y = at(this.column('y'));
    if (this.contact.kind === 'socket') return [Math.hypot(x, y) * (x < 0 ? -1 : 1), at(this.column('z'))];
    if (this.contact.kind !== 'bearing') return [x, y];
    const { first } = this.run.scene.joints[this.contact.joint], [c, s] = this.poses.direction(first.body, place({ rotate: first.rotate }, [1, 0, 0]));
    return [c * x - s * y, s * x + c * y];
  }

  // Offsets of what is drawn: both ends of a journal in space, else the middle.
  ends(joint) {
    const { t } = this.clock, middle = this.offset((column) => column.at(t));
    if (this.contact.kind !== 'journal') return [middle];
    const { first, second } = joint, of = (s, v) => this.poses.direction(s.body, place({ rotate: s.rotate }, v));
    const axis = of(second, [0, 0, 1]), across = [of(first, [1, 0, 0]), of(first, [0, 1, 0])];
    const tilt = across.map((u) => joint.length / 2 * axis.reduce((sum, v, k) => sum + v * u[k], 0));
    return [-1, 1].map((end) => middle.map((v, k) => v + end * tilt[k]));
  }

  drawBearing(joint, w, height, force) {
    const look = theme(), { c } = this, outer = 0.42 * Math.min(w, height), gap = SHARE * outer, middle = [w / 2, height / 2];
    const k = gap / this.contact.clearance, ends = this.ends(joint), square = this.contact.kind === 'channel';
    const ring = (at, r, style) => (square ? draw.box(c, at, r, style) : draw.circle(c, at, r, style));
    ring(middle, outer + 5, { fill: look.rule, stroke: look.ink });
    ring(middle, outer, { fill: look.panel, stroke: look.ink });
    ends.forEach(([x, y], end) => ring([middle[0] + k * x, middle[1] - k * y], outer - gap, { fill: end ? undefined : `${look.ground}55`, stroke: look.ink, dash: end ? [4, 3] : [] }));
    this.drawOrbit(middle, k, ring);
    if (force) this.drawTouch(middle, outer, ends, force);
    this.say(force);
  }

  // The middle's way within the room that the clearance leaves it, drawn larger yet so that it can be read.
  drawOrbit(middle, k, ring) {
    const look = theme(), big = 2.2 * k, on = ([x, y]) => [middle[0] + big * x, middle[1] - big * y], { t } = this.clock;
    ring(middle, big * this.contact.clearance, { stroke: look.muted, width: 1, dash: [3, 3] });
    const { i } = this.column('x').axis.locate(t), tail = [];
    for (let row = Math.max(0, i - TAIL); row <= i; row++) tail.push(on(this.offset((column) => column.values[row])));
    draw.line(this.c, tail, look.trace, 1.3);
    draw.circle(this.c, on(this.offset((column) => column.at(t))), 3, { fill: look.trace });
  }

  // The force where the end that is furthest out meets the wall.
  drawTouch(middle, outer, ends, force) {
    const [x, y] = ends.reduce((far, end) => (Math.hypot(...end) > Math.hypot(...far) ? end : far)), e = Math.hypot(x, y) || 1, u = [x / e, -y / e];
    const length = 0.5 * outer * Math.max(0.4, Math.cbrt(Math.hypot(...force.force) / this.contacts.largest));
    draw.force(this.c, [middle[0] + outer * u[0], middle[1] + outer * u[1]], u.map((v) => -v), length, force.state);
  }

  drawGuide(joint, w, height, force) {
    const look = theme(), { c } = this, wall = 0.36 * height, gap = SHARE * wall * 1.2, b = wall - gap, a = 0.36 * w, mid = [w / 2, height / 2];
    const k = gap / this.contact.clearance, angle = this.angle(joint), y = this.column('y').at(this.clock.t), half = joint.length / 2;
    const corner = (u, v) => [mid[0] + u * a, mid[1] - (v * b + k * (y + u * half * angle))];
    draw.hatched(c, [0, mid[1] + wall], [w, mid[1] + wall], look.ground, 10);
    draw.hatched(c, [w, mid[1] - wall], [0, mid[1] - wall], look.ground, 10);
    const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    c.beginPath();
    corners.forEach((p, i) => (i ? c.lineTo(...p) : c.moveTo(...p)));
    c.closePath();
    c.fillStyle = `${look.ground}55`;
    c.fill();
    c.strokeStyle = look.ink;
    c.lineWidth = 1.5;
    c.stroke();
    for (const [i, v] of [-1, -1, 1, 1].entries()) {
      const touches = force && Math.abs(corners[i][1] - (mid[1] - v * wall)) < 1.2;
      if (touches && force.state === IMPACT) draw.burst(c, corners[i], 9, look.impact, 2);
      else if (touches) draw.circle(c, corners[i], 4, { fill: force.state === STICK ? look.stick : look.slip });
    }
    this.say(force);
  }

  // How far the slider is turned against the guide.
  angle(joint) {
    const side = (s, axis) => this.poses.direction(s.body, place({ rotate: s.rotate }, axis));
    const a = side(joint.first, [1, 0, 0]), b = side(joint.second, [1, 0, 0]), n = Math.hypot(a[0], a[1]) > 0.5 ? [a, b] : [side(joint.first, [0, 0, 1]), side(joint.second, [0, 0, 1])];
    return n[0][0] * n[1][1] - n[0][1] * n[1][0];
  }

  say(force) {
    const gap = this.column('gap')?.at(this.clock.t), mode = this.column('mode'), row = force?.row ?? mode?.axis.locate(this.clock.t).i;
    const word = this.contact.modes?.[mode?.values[row]] ?? (force ? 'contact' : 'free');
    replace(this.note, `${word}${force ? `, ${STATE_NAMES[force.state]}` : ''} · gap ${quantity(gap, 'm', 3)} of ${plain(this.contact.clearance * 1e3, 3)} mm`);
  }
}
