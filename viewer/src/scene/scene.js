// The scene: view, solids, ghosts of further runs, overlay, magnifier, and its controls.
import { h, s, replace, select, check, iconButton, download, fileName } from '../dom.js';
import { theme, onTheme } from '../theme.js';
import { fitCanvas } from '../plots/painter.js';
import { quantity } from '../number.js';
import { View, openSurface, SIDES } from './view.js';
import { Solids } from './solids.js';
import { floorOf, makeFloor, HORIZON } from './floor.js';
import { joinMeshes } from './shapes.js';
import { Poses } from './poses.js';
import { cloudOf, boxOf, largestOf, ballOf, travellerOf } from './cloud.js';
import { Overlay } from './overlay.js';
import { Lens } from './lens.js';
import * as draw from './symbols.js';
import { hasStress, stressScale } from './soft.js';

const ICON = { fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4', closer: 'M8 3v10M3 8h10', further: 'M3 8h10' };
const NARROW = 500;           // below it the buttons stand in a row over the model [px]
const AROUND = 1.35;          // times the largest body: the least that a planar scene shows
const STRESS_ROWS = 200;      // at which the largest stress of a run is looked for
const CLOSE = 3;              // times its radius: how much a picture holds of what travels

export function startScene(section, runs, clock) {
  const host = h('div', { class: 'view', tabindex: 0, role: 'application', 'aria-label': 'Scene' });
  const bar = h('header');
  replace(section, h('div', { class: 'panel' }, bar, host));
  const surface = openSurface();
  if (surface) return new Scene(host, bar, runs, clock, surface);
  replace(bar, h('h2', {}, 'Scene'));
  replace(host, h('div', { class: 'missing', role: 'alert' }, h('p', {}, 'The scene needs WebGL 2, which this browser does not offer here. Everything else on the page works without it.')));
  host.removeAttribute('tabindex');
  return { fit() {}, sharpen() {} };
}

class Scene {
  constructor(host, bar, runs, clock, surface) {
    Object.assign(this, { host, runs, clock, picked: clock.run ?? runs[0] });
    this.options = { forces: null, names: false, joints: true, ghosts: haveCommon(runs), magnify: 1, deflect: 1, stress: false, trace: null, follow: null };
    runs.forEach((run) => joinMeshes(run.scene));
    this.poses = runs.map((run) => new Poses(run));
    this.view = new View(host, surface, () => this.drawOver(), () => clock.playing);
    this.solids = [];
    this.canvas = h('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    this.lens = new Lens(runs, this.poses, clock, this.options);
    this.readout = h('div', { class: 'readout', 'aria-hidden': 'true' });
    this.who = runs.length > 1 ? h('div', { class: 'who', role: 'group', 'aria-label': 'Run drawn solid' }) : '';
    this.legendBox = h('div', { class: 'legend' });
    this.title = h('h2');
    this.keys = h('div', { class: 'keys', 'aria-hidden': 'true' });
    this.tools = h('div', { class: 'tools push' });
    this.corner = h('div', { class: 'corner' }, this.readout, this.who);
    host.append(this.canvas, this.corner, this.legendBox, this.zoomers(), this.lens.element,
      this.keys);
    replace(bar, this.title, this.tools);
    clock.on('time', () => this.show());
    clock.on('state', () => this.view.invalidate());
    clock.on('run', () => this.pick(clock.run));
    clock.on('data', () => this.startAnew());
    onTheme(() => {
      this.paint();
      this.view.invalidate();
    });
    host.addEventListener('keydown', (e) => this.key(e));
    this.view.renderer.domElement.addEventListener('dblclick', (e) => this.followAt(e));
    this.view.onside = () => this.showSide();
    if (matchMedia('(max-width: 500px)').matches) this.lens.toggle(false);
    this.startAnew();
    this.paint();
    this.view.render();
  }

  // Once all of the page is there.
  sharpen() {
    this.view.isReady = true;
    this.view.invalidate();
  }

  // With what there is of the runs: their first rows, then everything.
  startAnew() {
    this.clouds = [];
    this.largestStress = undefined;
    this.options.trace = null;
    this.runs.forEach((run, k) => this.makeSolids(run, k));
    this.overlays = this.lens.overlays = this.runs.map((run, k) => new Overlay(run, this.poses[k], this.view, this.clock, this.options));
    this.pick(this.picked);
  }

  makeSolids(run, k) {
    const old = this.solids[k];
    if (old && !old.usesRows) return;
    if (old) this.view.scene.remove(old.group);
    this.solids[k] = new Solids(run, this.view.light);
    this.view.scene.add(this.solids[k].group);
  }

  paint() {
    this.solids.forEach((solid) => solid.paint());
    this.floor?.paint();
    this.view.light.paint(theme().dark);
  }

  // Under a spatial model, as large as it needs.
  layFloor(run) {
    if (this.floor) this.view.scene.remove(this.floor.object);
    const where = run.isPlanar ? null : floorOf(run, this.bounds);
    this.floor = where && makeFloor(this.view.light, where);
    if (this.floor) this.view.scene.add(this.floor.object);
  }

  // The overlay of the run that is drawn solid.
  get overlay() {
    return this.overlays[this.picked.number];
  }

  // This run in full, with its forces, trace and magnifier; all others are ghosts.
  pick(run) {
    const before = this.bounds, isSame = before && this.picked === run;   // the same run with more rows: the reader's own view stays
    this.picked = run;
    this.solids.forEach((solid, k) => solid.haunt(k === run.number ? null : k, this.options.ghosts));
    this.lens.pick(run.number);
    const cloud = (this.options.ghosts ? this.runs : [run]).flatMap((r) => this.clouds[r.number] ??= cloudOf(r, this.poses[r.number]));
    const length = run.scene.length || 1, least = Math.max(0.1 * length, run.isPlanar ? AROUND * largestOf(run) : 0);
    this.bounds = boxOf(cloud, least, length, run.isPlanar);
    this.layFloor(run);
    this.host.classList.toggle('spatial', !run.isPlanar);
    this.title.textContent = this.runs.length > 1 ? `Scene of ${run.label}` : 'Scene';
    replace(this.tools, this.controls());
    replace(this.legendBox, this.legend());
    this.legendBox.hidden = !this.legendBox.childElementCount;
    this.keys.textContent = this.keyText;
    this.host.setAttribute('aria-label', `Scene: ${this.keyText}`);
    this.showWho();
    this.view.look(run.isPlanar, cloud, this.bounds);
    this.show();
    if (JSON.stringify(this.bounds) !== JSON.stringify(before) && !(isSame && this.view.side === 'hand')) this.frame();
  }

  // The picture to begin with: all that moves; where that would be lost on its way, the camera goes along with it.
  frame() {
    const poses = this.poses[this.picked.number], traveller = travellerOf(this.picked, poses, this.bounds);
    this.fit();
    if (!traveller) return;
    this.view.fit([...this.placeOf(traveller.body), CLOSE * traveller.radius]);
    this.follow(this.picked.scene.bodies[traveller.body].name);
    this.view.side = null;
    this.showSide();
  }

  // Where a body's shapes have their middle now.
  placeOf(body) {
    const poses = this.poses[this.picked.number], { ball, com } = poses.bodies[body];
    return poses.point(body, ball ?? com ?? [0, 0, 0]);
  }

  // Which run is solid and which are ghosts, each a button that makes it the solid one.
  showWho() {
    if (!this.who) return;
    const focused = this.who.contains(document.activeElement) && document.activeElement.dataset.run;
    replace(this.who, this.runs.map((run) => {
      const solid = run === this.picked, hidden = !solid && !this.options.ghosts;
      return h('button', { type: 'button', 'data-run': run.number, 'aria-pressed': solid, title: solid ? `${run.label} is drawn solid` : `Draw ${run.label} solid`, onclick: () => this.clock.pick(run) },
        s('svg', { viewBox: '0 0 22 10', 'aria-hidden': 'true' }, s('rect', { x: 1, y: 1, width: 20, height: 8, rx: 4, class: solid ? 'solid' : 'ghost', style: `stroke: var(--series-${run.number % 8})${solid ? '' : `; fill: var(--series-${run.number % 8})`}` })),
        h('b', {}, run.label), h('span', {}, solid ? 'solid' : hidden ? 'hidden' : 'ghost'), run.t1 < this.clock.end && h('span', {}, `ends at ${quantity(run.t1, 's', 4)}`));
    }));
    if (focused) this.who.querySelector(`[data-run="${focused}"]`)?.focus();
  }

  // A run of a matched pair of impacts may be shown at its own impact, a little before or after the page's time.
  show() {
    const { t, shifts } = this.clock;
    this.poses.forEach((poses, k) => this.solids[k].set(poses.set(t + (shifts?.[k] ?? 0))));
    const { number, isPlanar } = this.picked;
    this.view.casters = isPlanar ? null : { solids: this.solids[number], ball: ballOf(this.poses[number]), version: this.shown = (this.shown ?? 0) + 1 };
    this.keepFollowing();
    this.host.dataset.time = t;
    this.view.invalidate();
  }

  // The eye goes with a body, by name so that another run's takes its place; null: with none.
  follow(name) {
    this.options.follow = name;
    this.view.follow(null);
    this.keepFollowing();
    if (this.followSelect) this.followSelect.value = this.followed;
  }

  // Number of the body in the run that is drawn solid; -1: none.
  get followed() {
    return this.options.follow === null ? -1 : this.picked.scene.bodies.findIndex((body, b) => b && body.name === this.options.follow);
  }

  keepFollowing() {
    const b = this.followed;
    if (b < 0) this.view.follow(null);
    else this.view.follow(this.placeOf(b), this.poses[this.picked.number].bodies[b].ball?.[3]);
  }

  // By a double click: the body under the pointer, or none.
  followAt({ offsetX, offsetY }) {
    const solids = this.solids[this.picked.number], b = solids.owners[this.view.bodyAt(solids, offsetX, offsetY)] ?? -1;
    this.follow(b > 0 ? this.picked.scene.bodies[b].name : null);
  }

  // The next body, in order of the model; after the last one none.
  followNext(step) {
    const { bodies } = this.picked.scene, n = bodies.length, b = Math.max(0, this.followed);
    this.follow(bodies[(b + step + n) % n].name === bodies[0].name ? null : bodies[(b + step + n) % n].name);
  }

  showSide() {
    if (this.sideSelect) this.sideSelect.value = this.view.side ?? '';
  }

  setPerspective(on) {
    this.view.setPerspective(on);
    if (this.perspectiveBox) this.perspectiveBox.firstChild.checked = on;
  }

  drawOver(ratio) {
    const { view } = this, c = fitCanvas(this.canvas, view.width, view.height, ratio);
    for (const overlay of this.options.ghosts ? this.overlays : []) if (overlay !== this.overlay) overlay.drawGhost(c);
    this.overlay.draw(c);
    this.lens.draw(ratio);
    const text = this.timeText();
    if (this.readout.textContent !== text) this.readout.textContent = text;
  }

  timeText() {
    const { t, shifts } = this.clock, moved = this.runs.filter((run) => run !== this.picked && shifts?.[run.number]);
    return [`t = ${t.toPrecision(7)} s`, ...moved.map((run) => `${run.label} at its own impact, ${quantity(Math.abs(shifts[run.number]), 's', 3)} ${shifts[run.number] > 0 ? 'later' : 'earlier'}`)].join('\n');
  }

  fit() {
    const lens = this.lens.element;
    this.view.inset = !lens.hidden ? { width: lens.offsetWidth + 16, height: this.host.clientHeight - lens.offsetTop + 6 } : null;
    if (this.options.follow !== null) this.follow(null);
    this.view.head = this.who || this.host.clientWidth < NARROW ? Math.min(this.corner.offsetTop + this.corner.offsetHeight, 0.2 * this.host.clientHeight) : 0;
    this.view.fit();
  }

  controls() {
    const { options, lens, runs, picked } = this, items = [];
    const flag = (key, after, shown = options[key]) => check(key, shown, (on) => {
      options[key] = on;
      after?.();
      this.view.invalidate();
    });
    if (picked.scene.contacts?.length || picked.touches) items.push(flag('forces', null, this.overlay.showsForces));
    items.push(flag('names'));
    if (!picked.isPlanar) items.push(this.cameraControls());
    items.push(this.followControl());
    if (runs.length > 1) items.push(flag('ghosts', () => this.pick(this.picked)));
    items.push(this.traceSelect());
    if (lens.contact) {
      const box = check('magnifier', !lens.element.hidden, (on) => lens.toggle(on));
      lens.ontoggle = (on) => {
        box.firstChild.checked = on;
        if (this.view.fitted) this.fit();
      };
      items.push(box, select('Clearance in the scene', [1, 5, 10, 20, 50, 100].map((k) => [k, k === 1 ? 'clearance true' : `clearance × ${k}`]), options.magnify, (k) => {
        options.magnify = Number(k);
        this.view.invalidate();
      }));
    }
    if (hasStress(picked.scene)) items.push(flag('stress', () => this.showStress()));
    if (this.picked.scene.bodies.some((body) => body.beam || body.solid)) {
      items.push(select('Deflections of flexible bodies in the scene', [1, 5, 10, 50, 100, 1000].map((k) => [k, k === 1 ? 'deflections true' : `deflections × ${k}`]), options.deflect, (k) => {
        options.deflect = Number(k);
        this.poses.forEach((poses) => { poses.deflect = options.deflect; });
        this.show();
      }));
    }
    return [items, h('button', { class: 'quiet', title: 'This picture as PNG', onclick: () => this.savePng() }, 'PNG')];
  }

  // Colours of all runs go up to the largest stress of any.
  showStress() {
    const largest = this.largestStress ??= Math.max(...this.poses.map((poses) => poses.largestStress(STRESS_ROWS)));
    this.solids.forEach(({ soft }) => { soft.largest = this.options.stress ? largest : 0; });
    replace(this.legendBox, this.legend());
    this.legendBox.hidden = !this.legendBox.childElementCount;
    this.show();
  }

  // Where the eye is, and how it sees.
  cameraControls() {
    const { view } = this, sides = [['', 'best view'], ...Object.entries(SIDES).map(([key, { name }]) => [key, `${name} view`]), ['hand', 'view by hand']];
    this.perspectiveBox = check('perspective', view.isPerspective, (on) => this.setPerspective(on), 'Perspective; without it, orthographic (P)');
    this.sideSelect = select('View from a side (1 front, 2 right, 3 top, 4 oblique)', sides, view.side ?? '', (side) => this.lookFrom(side || null));
    return [this.perspectiveBox, this.sideSelect];
  }

  followControl() {
    const { bodies } = this.picked.scene;
    this.followSelect = select('The camera follows a body (B, or a double click on it)', [[-1, 'follow nothing'], ...bodies.slice(1).map((body, b) => [b + 1, `follow ${body.name}`])], this.followed, (b) => this.follow(bodies[b]?.name ?? null));
    return this.followSelect;
  }

  // Whom the eye follows, it goes on to follow.
  lookFrom(side) {
    if (side === 'hand') return;
    const name = this.options.follow;
    this.view.side = side;
    this.fit();
    if (name !== null) this.follow(name);
    this.view.side = side;
    this.showSide();
  }

  // The same point is traced in every run that has it.
  traceSelect() {
    const { points } = this.overlay, { options } = this;
    options.trace ??= this.overlay.usualTrace;
    const at = points.findIndex((p) => p.name === options.trace);
    return select('Trace of a point', [[-1, 'no trace'], ...points.map((p, k) => [k, `trace ${p.name}`])], at, (k) => {
      options.trace = points[k]?.name ?? '';
      this.view.invalidate();
    });
  }

  get keyText() {
    return `arrows ${this.picked.isPlanar ? 'move the view' : 'turn the view'} · + − closer, further · F fit · ${this.picked.isPlanar ? '' : '1 2 3 4 sides · '}? all keys`;
  }

  zoomers() {
    return h('div', { class: 'zoomers' }, iconButton(ICON.closer, 'Closer', () => this.view.zoom(0.8)), iconButton(ICON.further, 'Further', () => this.view.zoom(1.25)),
      iconButton(ICON.fit, 'Fit (F)', () => this.fit()));
  }

  // What of its sign grows with a force.
  get forceMeasure() {
    return this.overlay.contacts.isCrowd ? 'width' : 'length';
  }

  // Arrow signs as they are drawn: each differs by shape as well.
  legend() {
    const { largest } = this.overlay.contacts, stress = this.options.stress ? [h('span', { class: 'stressed' }, h('i', { class: 'stress', style: `background: ${stressScale}` }), `stress up to ${quantity(this.largestStress, 'Pa', 3)}`)] : [];
    if (!(largest > 0)) return stress;
    const head = (fill) => s('path', { d: 'M34 6 24 2v8Z', style: `fill: ${fill}` });
    const key = (name, colour, ...parts) => h('span', {}, s('svg', { viewBox: '0 0 34 12', style: `stroke: var(--${colour}); stroke-width: 1.5; fill: var(--${colour})` }, parts), name);
    return [...stress,
      key('sticks', 'stick', s('rect', { x: 0, y: 3.5, width: 5, height: 5 }), s('path', { d: 'M3 6H25', 'stroke-width': 2 }), head('var(--stick)')),
      key('slips', 'slip', s('path', { d: 'M2 0V12' }), s('path', { d: 'M2 6H25', 'stroke-width': 2, 'stroke-dasharray': '4 3' }), head('var(--panel)')),
      key('strikes', 'impact', s('path', { d: 'M1 6h6M4 3v6M2 4l4 4M6 4 2 8' }), s('path', { d: 'M5 6H25', 'stroke-width': 3 }), head('var(--impact)')),
      h('span', {}, `${this.forceMeasure} ∝ ∛force, up to ${quantity(largest, 'N', 2)}`)];
  }

  key(event) {
    const { view } = this, sides = { 1: 'front', 2: 'right', 3: 'top', 4: 'oblique' }, spatial = view.planar ? {} : { p: () => this.setPerspective(!view.isPerspective), ...Object.fromEntries(Object.entries(sides).map(([key, side]) => [key, () => this.lookFrom(side)])) };
    const action = { ...spatial, b: () => this.followNext(1), B: () => this.followNext(-1), Escape: () => this.follow(null), ArrowLeft: () => view.nudge(-1, 0), ArrowRight: () => view.nudge(1, 0), ArrowUp: () => view.nudge(0, 1), ArrowDown: () => view.nudge(0, -1), '+': () => view.zoom(0.8), '=': () => view.zoom(0.8), '-': () => view.zoom(1.25) }[event.key];
    if (!action || event.target !== this.host || event.shiftKey && event.key.startsWith('Arrow') || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  }

  // The picture with what a reader needs beside it: title, run, time, arrows, which run is solid and which a ghost.
  savePng() {
    const { view } = this, ratio = Math.max(2, view.ratio), head = 44, foot = this.legendBox.hidden ? 0 : 26, who = this.runs.length > 1 ? 22 : 0;
    const picture = h('canvas', { width: ratio * view.width, height: ratio * (view.height + head + who + foot) }), c = picture.getContext('2d');
    view.render(ratio);
    this.drawOver(ratio);
    c.fillStyle = theme().panel;
    c.fillRect(0, 0, picture.width, picture.height);
    if (!view.planar) this.paintSky(c, ratio * (head + who), picture.width, ratio * view.height);
    c.drawImage(view.renderer.domElement, 0, ratio * (head + who), picture.width, ratio * view.height);
    c.drawImage(this.canvas, 0, ratio * (head + who), picture.width, ratio * view.height);
    c.scale(ratio, ratio);
    this.letter(c, view.width, head);
    if (who) this.letterRuns(c, head);
    if (!this.lens.element.hidden) this.lens.copyTo(c, view.width, view.height + head + who);
    if (foot) draw.forceKey(c, 12, view.height + head + who + 12, this.overlay.contacts.largest, this.forceMeasure);
    this.drawOver();
    picture.toBlob((blob) => download(`${fileName(this.picked.name, 'scene', Number(this.clock.t.toPrecision(6)))}.png`, blob), 'image/png');
  }

  // As style.css has it behind a spatial scene.
  paintSky(c, top, width, height) {
    const sky = c.createLinearGradient(0, top, 0, top + HORIZON * height);
    sky.addColorStop(0, theme().sky);
    sky.addColorStop(1, theme().horizon);
    c.fillStyle = sky;
    c.fillRect(0, top, width, height);
  }

  // Title and method at the left, the time at the right.
  letter(c, width, head) {
    const look = theme(), { picked } = this, time = `t = ${this.clock.t.toPrecision(6)} s`;
    draw.text(c, time, width - 12, 20, look.ink, { size: 13, anchor: 'right' });
    const room = width - 36 - c.measureText(time).width;
    draw.text(c, draw.clip(c, picked.title || picked.name, room, 14), 12, 20, look.ink, { size: 14 });
    draw.text(c, draw.clip(c, [picked.source, `method ${picked.method}`, `carom ${picked.version ?? ''}`.trim()].filter(Boolean).join(' · '), width - 24, 11.5), 12, 36, look.muted);
    draw.line(c, [[0, head - 0.5], [width, head - 0.5]], look.rule, 1);
  }

  letterRuns(c, top) {
    const look = theme();
    let x = 12;
    for (const run of this.options.ghosts ? this.runs : [this.picked]) {
      const solid = run === this.picked, colour = solid ? look.ink : look.series[run.number % 8], name = `${run.label} ${solid ? 'solid' : 'ghost'}`;
      c.globalAlpha = solid ? 0.6 : 0.2;
      c.fillStyle = solid ? look.ground : colour;
      c.fillRect(x, top + 7, 20, 8);
      c.globalAlpha = 1;
      c.strokeStyle = colour;
      c.lineWidth = 1.2;
      c.strokeRect(x, top + 7, 20, 8);
      draw.text(c, name, x + 26, top + 15, look.ink);
      x += 26 + c.measureText(name).width + 18;
    }
  }
}

// Runs of mechanisms that share no body say nothing laid over each other.
function haveCommon(runs) {
  const names = (run) => run.scene.bodies.slice(1).map((body) => body.name), first = new Set(names(runs[0]));
  return runs.every((run) => run.space === runs[0].space && (names(run).some((name) => first.has(name)) || !first.size));
}
