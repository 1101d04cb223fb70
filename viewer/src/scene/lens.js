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
  constructor(run, poses, contacts, clock) {
    Object.assign(this, { run, poses, contacts, clock });
    this.loose = (run.scene.contacts ?? []).filter((c) => c.clearance > 0 && c.joint !== null && c.joint !== undefined);
    this.contact = this.loose[0];
    if (!this.contact) return;
    this.canvas = h('canvas', { role: 'img', 'aria-label': 'Magnified clearance' });
    this.note = h('p');
    this.element = h('div', { class: 'lens' }, h('header', {}, this.loose.length > 1
      ? select('Joint under the magnifier', this.loose.map((c, k) => [k, c.name]), 0, (k) => {
        this.contact = this.loose[k];
        this.draw();
      }) : h('b', { style: 'flex: 1' }, this.contact.name), iconButton('M4 4l8 8M12 4l-8 8', 'Close the magnifier', () => this.toggle(false), { class: 'icon quiet' })), this.canvas, this.note);
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
    if (this.contact.kind === 'guide' || joint.length > 0) this.drawGuide(joint, w, height, force);
    else this.drawBearing(joint, w, height, force);
  }

  column(key) {
    return this.run.column(['contacts', this.contact.columns[key]]);
  }

  drawBearing(joint, w, height, force) {
    const look = theme(), { c } = this, outer = 0.42 * Math.min(w, height), gap = SHARE * outer, middle = [w / 2, height / 2];
    const k = gap / this.contact.clearance, x = this.column('x'), y = this.column('y'), { t } = this.clock;
    const on = (ex, ey) => [middle[0] + k * ex, middle[1] - k * ey];
    draw.circle(c, middle, outer + 5, { fill: look.rule, stroke: look.ink });
    draw.circle(c, middle, outer, { fill: look.panel, stroke: look.ink });
    const centre = on(x.at(t), y.at(t));
    draw.circle(c, centre, outer - gap, { fill: `${look.ground}55`, stroke: look.ink });
    // The centre's way within the circle that the clearance leaves it, drawn larger yet so that it can be read.
    const big = 2.2 * k, zoomed = (ex, ey) => [middle[0] + big * ex, middle[1] - big * ey];
    draw.circle(c, middle, big * this.contact.clearance, { stroke: look.muted, width: 1, dash: [3, 3] });
    const { i } = x.axis.locate(t), tail = [];
    for (let row = Math.max(0, i - TAIL); row <= i; row++) tail.push(zoomed(x.values[row], y.values[row]));
    draw.line(c, tail, look.trace, 1.3);
    draw.circle(c, zoomed(x.at(t), y.at(t)), 3, { fill: look.trace });
    if (force) {
      const e = Math.hypot(x.at(t), y.at(t)) || 1, u = [x.at(t) / e, -y.at(t) / e], at = [middle[0] + outer * u[0], middle[1] + outer * u[1]];
      draw.force(c, at, u.map((v) => -v), 0.5 * outer * Math.max(0.4, Math.cbrt(Math.hypot(...force.force) / this.contacts.largest)), force.state);
    }
    this.say(k, w, joint, force);
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
    this.say(k, w, joint, force);
  }

  // How far the slider is turned against the guide.
  angle(joint) {
    const side = (s, axis) => this.poses.direction(s.body, place({ rotate: s.rotate }, axis));
    const a = side(joint.first, [1, 0, 0]), b = side(joint.second, [1, 0, 0]), n = Math.hypot(a[0], a[1]) > 0.5 ? [a, b] : [side(joint.first, [0, 0, 1]), side(joint.second, [0, 0, 1])];
    return n[0][0] * n[1][1] - n[0][1] * n[1][0];
  }

  say(k, w, joint, force) {
    const gap = this.column('gap')?.at(this.clock.t), mode = this.column('mode')?.values, { i } = this.column('mode')?.axis.locate(this.clock.t) ?? { i: 0 };
    const word = this.contact.modes?.[mode?.[i]] ?? (force ? 'contact' : 'free');
    replace(this.note, `${word}${force ? `, ${STATE_NAMES[force.state]}` : ''} · gap ${quantity(gap, 'm', 3)} of ${plain(this.contact.clearance * 1e3, 3)} mm`);
  }
}
