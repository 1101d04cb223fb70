// The magnifier: one joint with clearance, followed as it moves, its clearance drawn as a fifth of its size so that free
// flight, impact and following contact can be seen. What touches here touches in the run.
import { h, replace, select, iconButton } from '../dom.js';
import { fitCanvas } from '../plots/painter.js';
import { theme, onTheme } from '../theme.js';
import { quantity } from '../number.js';
import { place } from './poses.js';
import { STATE_NAMES, STICK, IMPACT } from './contacts.js';
import * as draw from './symbols.js';

const SHARE = 0.2;            // of the drawn radius: the clearance
const NEAR = 1.2;             // pixels from the wall: touches
const TAIL = 400;             // rows of the orbit that are drawn behind the journal

export class Lens {
  constructor(runs, poses, clock, options) {
    Object.assign(this, { runs, all: poses, clock, options });
    this.canvas = h('canvas', { role: 'img', 'aria-label': 'Magnified clearance' });
    this.note = h('p');
    this.head = h('header');
    this.whose = runs.length > 1 ? h('p', { class: 'whose' }) : '';
    this.element = h('div', { class: 'lens' }, this.head, this.whose, this.canvas, this.note);
    this.open = true;
    new ResizeObserver(() => this.draw()).observe(this.element);
    onTheme(() => this.draw());
  }

  // The joint of the same name in another run; hidden where that has none.
  pick(number) {
    const before = this.contact?.name;
    Object.assign(this, { run: this.runs[number], poses: this.all[number], loose: looseOf(this.runs[number]) });
    this.contact = this.loose.find((c) => c.name === before) ?? this.loose[0];
    this.element.hidden = !this.open || !this.contact;
    if (!this.contact) return;
    replace(this.head, this.loose.length > 1
      ? select('Joint under the magnifier', this.loose.map((c, k) => [k, c.name]), this.loose.indexOf(this.contact), (k) => {
        this.contact = this.loose[k];
        this.draw();
      }) : h('b', { style: 'flex: 1' }, this.contact.name), iconButton('M4 4l8 8M12 4l-8 8', 'Close the magnifier', () => this.toggle(false), { class: 'icon quiet' }));
    if (this.whose) this.whose.textContent = this.run.label;
  }

  toggle(on) {
    this.open = on;
    this.element.hidden = !on;
    this.ontoggle?.(on);
    this.draw();
  }

  get contacts() {
    return this.overlays[this.run.number].contacts;
  }

  draw(ratio) {
    if (!this.contact || this.element.hidden || !this.canvas.clientWidth) return;
    const { clientWidth: w, clientHeight: height } = this.canvas;
    this.c = fitCanvas(this.canvas, w, height, ratio);
    const shown = this.fitting(this.run, this.contact), ghosts = this.options.ghosts ? this.runs.filter((run) => run !== this.run) : [];
    const others = ghosts.map((run) => [run, looseOf(run).find((c) => c.name === this.contact.name && c.kind === this.contact.kind)]).filter(([, c]) => c);
    const force = this.contacts.at(this.clock.t).find((f) => f.contact.about === this.contact);
    this.drawn = { ...shown, ...frameOf(this.contact, shown.joint, w, height) };
    this.drawWalls();
    for (const [run, contact] of others) this.outline({ ...this.drawn, ...this.fitting(run, contact) }, { stroke: theme().series[run.number % 8], width: 1.3 });
    this.outline(this.drawn, { fill: `${theme().ground}55`, stroke: theme().ink, width: 1.5 });
    if (this.contact.kind !== 'guide') this.drawOrbit();
    if (force) this.drawTouch(force);
    this.say(force);
  }

  // The magnifier into a picture, at the lower right, with its name above and its words below.
  copyTo(c, right, bottom) {
    const look = theme(), { clientWidth: w, clientHeight: high } = this.canvas, x = right - w - 12, y = bottom - high - 84;
    c.fillStyle = look.panel;
    c.fillRect(x, y, w, high + 44);
    c.strokeStyle = look.rule;
    c.lineWidth = 1;
    c.strokeRect(x + 0.5, y + 0.5, w - 1, high + 43);
    draw.text(c, this.contact.name, x + 8, y + 16, look.ink, { size: 12 });
    c.drawImage(this.canvas, x, y + 22, w, high);
    draw.text(c, draw.clip(c, this.note.textContent, w - 14, 10.5), x + 8, y + high + 38, look.muted, { size: 10.5 });
  }

  column(key, run = this.run, contact = this.contact) {
    return run.column(['contacts', contact.columns[key]]);
  }

  // How the inner part lies in the outer one, in metres in the plane of the lens, from the recorded offset and the poses:
  // {joint, at: its middle, ends: middles of what is drawn (both ends of what is long in space), turned: how far a turn moves a
  // point of it}.
  fitting(run, contact) {
    const t = this.clock.t + (this.clock.shifts?.[run.number] ?? 0), joint = run.scene.joints[contact.joint], poses = this.all[run.number];
    const at = this.offset((key) => this.column(key, run, contact)?.at(t) ?? 0, contact, joint, poses);
    const of = (side, v) => poses.direction(side.body, place({ rotate: side.rotate }, v)), [x, y] = [[1, 0, 0], [0, 1, 0]].map((v) => of(joint.first, v));
    const turned = (local) => [x, y].map((u, k) => of(joint.second, local).reduce((sum, v, n) => sum + v * u[n], 0) - local[k]);
    const long = contact.kind === 'journal' || contact.kind === 'channel', lean = turned([0, 0, joint.length / 2]);
    return { joint, at, ends: long ? [-1, 1].map((end) => at.map((v, k) => v + end * lean[k])) : [at], turned };
  }

  // Where the middle is: in the plane turned as the bearing is now, so that the magnifier and the scene agree. A ball in a
  // socket is shown in the plane of its offset and the socket's axis, so that what touches is seen to touch.
  offset(get, { kind }, { first }, poses) {
    const x = get('x'), y = get('y');
    if (kind === 'guide') return [0, y];
    if (kind === 'socket') return [Math.hypot(x, y) * (x < 0 ? -1 : 1), get('z')];
    if (kind !== 'bearing') return [x, y];
    const [c, s] = poses.direction(first.body, place({ rotate: first.rotate }, [1, 0, 0]));
    return [c * x - s * y, s * x + c * y];
  }

  // Bearing, socket, channel or the two rails of a guide.
  drawWalls() {
    const look = theme(), { c, drawn: { kind, middle: [x, y], wall, width } } = this;
    if (kind === 'guide') {
      draw.hatched(c, [0, y + wall], [width, y + wall], look.ground, 10);
      draw.hatched(c, [width, y - wall], [0, y - wall], look.ground, 10);
      return;
    }
    const ring = kind === 'channel' ? draw.box : draw.circle;
    ring(c, [x, y], wall + 5, { fill: look.rule, stroke: look.ink });
    ring(c, [x, y], wall, { fill: look.panel, stroke: look.ink });
  }

  // Journal, ball or slider; the far end of what is long dashed.
  outline(drawn, style) {
    drawn.ends.forEach((_, end) => {
      const how = end ? { ...style, fill: undefined, dash: [4, 3] } : style, points = cornersOf(drawn, end);
      if (points) draw.polygon(this.c, points, how);
      else draw.circle(this.c, middleOf(drawn, end), drawn.half[0], how);
    });
  }

  // The middle's way within the room that the clearance leaves it, drawn larger yet so that it can be read.
  drawOrbit() {
    const look = theme(), { kind, middle, scale, joint } = this.drawn, big = 2.2 * scale, on = ([x, y]) => [middle[0] + big * x, middle[1] - big * y];
    (kind === 'channel' ? draw.box : draw.circle)(this.c, middle, big * this.contact.clearance, { stroke: look.muted, width: 1, dash: [3, 3] });
    const { i } = this.column('x').axis.locate(this.clock.t), tail = [];
    for (let row = Math.max(0, i - TAIL); row <= i; row++) tail.push(on(this.offset((key) => this.column(key).values[row], this.contact, joint, this.poses)));
    draw.line(this.c, tail, look.trace, 1.3);
    draw.circle(this.c, on(this.drawn.at), 3, { fill: look.trace });
  }

  // Corners that touch are marked; on what is round the force stands where the end furthest out meets the wall.
  drawTouch(force) {
    const look = theme(), { kind, middle, wall, ends } = this.drawn;
    if (kind === 'guide' || kind === 'channel') {
      for (const [x, y] of this.corners()) {
        if (wall - Math.abs(y - middle[1]) > NEAR && (kind === 'guide' || wall - Math.abs(x - middle[0]) > NEAR)) continue;
        if (force.state === IMPACT) draw.burst(this.c, [x, y], 9, look.impact, 2);
        else draw.circle(this.c, [x, y], 4, { fill: force.state === STICK ? look.stick : look.slip });
      }
      return;
    }
    const [x, y] = ends.reduce((far, end) => (Math.hypot(...end) > Math.hypot(...far) ? end : far)), e = Math.hypot(x, y), u = [x / e, -y / e];
    if (!(e > 0.98 * this.contact.clearance)) return;       // on a shoulder
    const length = 0.5 * wall * Math.max(0.4, Math.cbrt(Math.hypot(...force.force) / this.contacts.largest));
    draw.force(this.c, [middle[0] + wall * u[0], middle[1] + wall * u[1]], u.map((v) => -v), length, force.state);
  }

  // Where the inner part's ends and corners are drawn [px].
  middles() {
    return this.drawn.ends.map((_, end) => middleOf(this.drawn, end));
  }

  corners() {
    return this.drawn.ends.flatMap((_, end) => cornersOf(this.drawn, end) ?? []);
  }

  say(force) {
    const gap = this.column('gap')?.at(this.clock.t), mode = this.column('mode'), row = force?.row ?? mode?.axis.locate(this.clock.t).i;
    const word = this.contact.modes?.[mode?.values[row]] ?? (force ? 'contact' : 'free');
    const state = force && STATE_NAMES[force.state] !== word ? `, ${STATE_NAMES[force.state]}` : '';
    replace(this.note, `${word}${state} · gap ${quantity(gap, 'm', 3)} of ${quantity(this.contact.clearance, 'm', 3)}`);
  }
}

// Joints with a clearance whose journal, ball or slider is recorded where it is.
const looseOf = (run) => (run.scene.contacts ?? []).filter((c) => c.clearance > 0 && c.joint !== null && c.joint !== undefined && c.columns.x !== undefined && c.columns.y !== undefined);

// Where the walls stand, how large the inner part is drawn, and how many pixels a metre of offset takes.
function frameOf({ kind, clearance }, joint, width, height) {
  const wall = kind === 'guide' ? 0.36 * height : 0.42 * Math.min(width, height), gap = SHARE * wall * (kind === 'guide' ? 1.2 : 1);
  return { kind, width, middle: [width / 2, height / 2], wall, half: [kind === 'guide' ? 0.36 * width : wall - gap, wall - gap], scale: gap / clearance };
}

const middleOf = ({ middle, scale, ends }, end) => [middle[0] + scale * ends[end][0], middle[1] - scale * ends[end][1]];

// Corners of a slider in its guide, seen from the side, or of an end of it in its channel; null for what is round. Its size is
// the lens's, what offset and turn do to each corner is as much larger as the clearance.
function cornersOf({ kind, middle, half: [a, b], scale, joint, at, turned }, end) {
  if (kind !== 'guide' && kind !== 'channel') return null;
  const size = kind === 'guide' ? [joint.length, joint.width, 0] : [joint.width, joint.height || joint.width, joint.length];
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => {
    const [x, y] = turned([u, v, end ? 1 : -1].map((side, k) => side * size[k] / 2));
    return [middle[0] + u * a + (kind === 'guide' ? 0 : scale * (at[0] + x)), middle[1] - v * b - scale * (at[1] + y)];
  });
}
