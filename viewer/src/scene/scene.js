// The scene: view, solids, ghosts of further runs, overlay, magnifier, and its controls.
import { h, s, replace, select, check, iconButton, download, fileName } from '../dom.js';
import { theme, onTheme } from '../theme.js';
import { quantity } from '../number.js';
import { View, openSurface } from './view.js';
import { Solids } from './solids.js';
import { Poses } from './poses.js';
import { Overlay } from './overlay.js';
import { Lens } from './lens.js';

const ICON = { fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4', closer: 'M8 3v10M3 8h10', further: 'M3 8h10' };
const GHOST = 0.34;

export function startScene(section, runs, clock) {
  const host = h('div', { class: 'view', tabindex: 0, role: 'application', 'aria-label': 'Scene: arrows move the view, plus and minus bring it closer' });
  const bar = h('header');
  replace(section, h('div', { class: 'panel' }, bar, host));
  const surface = openSurface();
  if (surface) return new Scene(host, bar, runs, clock, surface);
  replace(bar, h('h2', {}, 'Scene'));
  replace(host, h('div', { class: 'missing', role: 'alert' }, h('p', {}, 'The scene needs WebGL 2, which this browser does not offer here. Everything else on the page works without it.')));
  host.removeAttribute('tabindex');
  return { fit() {} };
}

class Scene {
  constructor(host, bar, runs, clock, surface) {
    Object.assign(this, { host, runs, clock });
    const run = runs[0];
    this.poses = runs.map((r) => new Poses(r));
    this.view = new View(host, surface, boundsOf(runs, this.poses), run.isPlanar, () => this.drawOver());
    this.solids = runs.map((r) => new Solids(r, r.number ? GHOST : 1));
    this.solids.forEach((solid) => this.view.scene.add(solid.group));
    const canvas = h('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    this.overlay = new Overlay(run, this.poses[0], this.view, canvas, clock);
    this.lens = new Lens(run, this.poses[0], this.overlay.contacts, clock, runs.length > 1);
    this.readout = h('div', { class: 'readout', 'aria-hidden': 'true' });
    host.append(canvas, this.readout, this.legend(), this.zoomers(), ...(this.lens.element ? [this.lens.element] : []));
    replace(bar, h('h2', {}, runs.length > 1 ? `Scene of ${run.label}` : 'Scene'), this.controls());
    clock.on('time', () => this.show());
    clock.on('state', () => this.view.invalidate());
    clock.on('data', () => {
      this.overlay.contacts.gather();
      this.overlay.setTrace(this.overlay.trace?.point);
      this.show();
    });
    onTheme(() => {
      this.solids.forEach((solid) => solid.paint());
      this.view.invalidate();
    });
    host.addEventListener('keydown', (e) => this.key(e));
    this.show();
    this.fit();
    this.view.render();
  }

  show() {
    const { t } = this.clock;
    this.poses.forEach((poses, k) => this.solids[k].set(poses.set(t)));
    this.host.dataset.time = t;
    this.view.invalidate();
  }

  drawOver() {
    this.overlay.draw();
    this.lens.draw();
    const text = `t = ${this.clock.t.toPrecision(7)} s`;
    if (this.readout.textContent !== text) this.readout.textContent = text;
  }

  fit() {
    const lens = this.lens.element;
    this.view.inset = lens && !lens.hidden ? { width: lens.offsetWidth + 16, height: lens.offsetHeight + 16 } : null;
    this.view.fit();
  }

  controls() {
    const { overlay, lens, runs } = this, run = runs[0], again = () => this.view.invalidate(), items = [];
    if (run.scene.contacts?.length) items.push(check('forces', true, (on) => {
      overlay.show.forces = on;
      again();
    }));
    items.push(check('names', false, (on) => {
      overlay.show.names = on;
      again();
    }));
    if (runs.length > 1) items.push(check('ghosts', true, (on) => {
      this.solids.forEach((solid, k) => { if (k) solid.group.visible = on; });
      again();
    }));
    items.push(this.traceSelect());
    if (lens.element) {
      const box = check('magnifier', true, (on) => lens.toggle(on));
      lens.ontoggle = (on) => { box.firstChild.checked = on; };
      if (matchMedia('(max-width: 500px)').matches) lens.toggle(false);
      items.push(box, select('Clearance in the scene', [1, 5, 10, 20, 50, 100].map((k) => [k, k === 1 ? 'clearance true' : `clearance × ${k}`]), 1, (k) => {
        overlay.magnify = Number(k);
        again();
      }));
    }
    return h('div', { class: 'tools push' }, items, h('button', { class: 'quiet', title: 'This picture as PNG', onclick: () => this.savePng() }, 'PNG'));
  }

  traceSelect() {
    const run = this.runs[0], points = [];
    for (const column of run.tables.get('markers')?.columns ?? []) {
      if (!column.name.endsWith('.x')) continue;
      const name = column.name.slice(0, -2), columns = ['x', 'y', 'z'].map((k) => run.byName.get(`${name}.${k}`));
      points.push({ name, columns });
    }
    run.scene.bodies.forEach((body, b) => { if (b && body.pose) points.push({ name: `${body.name}, mass centre`, body: b, at: body.com ?? [0, 0, 0] }); });
    const first = points[0]?.columns ? 0 : -1;
    const set = (k) => {
      this.overlay.setTrace(points[k] ?? null);
      this.view.invalidate();
    };
    set(first);
    return select('Trace of a point', [[-1, 'no trace'], ...points.map((p, k) => [k, `trace ${p.name}`])], first, (k) => set(Number(k)));
  }

  zoomers() {
    return h('div', { class: 'zoomers' }, iconButton(ICON.closer, 'Closer', () => this.view.zoom(0.8)), iconButton(ICON.further, 'Further', () => this.view.zoom(1.25)),
      iconButton(ICON.fit, 'Fit (F)', () => this.fit()));
  }

  // Arrow signs as they are drawn: each differs by shape as well.
  legend() {
    const { largest } = this.overlay.contacts;
    if (!(largest > 0)) return '';
    const head = (fill) => s('path', { d: 'M34 6 24 2v8Z', style: `fill: ${fill}` });
    const key = (name, colour, ...parts) => h('span', {}, s('svg', { viewBox: '0 0 34 12', style: `stroke: var(--${colour}); stroke-width: 1.5; fill: var(--${colour})` }, parts), name);
    return h('div', { class: 'legend' },
      key('sticks', 'stick', s('rect', { x: 0, y: 3.5, width: 5, height: 5 }), s('path', { d: 'M3 6H25', 'stroke-width': 2 }), head('var(--stick)')),
      key('slips', 'slip', s('path', { d: 'M2 0V12' }), s('path', { d: 'M2 6H25', 'stroke-width': 2, 'stroke-dasharray': '4 3' }), head('var(--panel)')),
      key('strikes', 'impact', s('path', { d: 'M1 6h6M4 3v6M2 4l4 4M6 4 2 8' }), s('path', { d: 'M5 6H25', 'stroke-width': 3 }), head('var(--impact)')),
      h('span', {}, `length ∝ ∛force, up to ${quantity(largest, 'N', 2)}`));
  }

  key(event) {
    const { view } = this, action = { ArrowLeft: () => view.nudge(-1, 0), ArrowRight: () => view.nudge(1, 0), ArrowUp: () => view.nudge(0, 1), ArrowDown: () => view.nudge(0, -1), '+': () => view.zoom(0.8), '=': () => view.zoom(0.8), '-': () => view.zoom(1.25) }[event.key];
    if (!action || event.target !== this.host || event.shiftKey && event.key.startsWith('Arrow') || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  }

  savePng() {
    const { view } = this, gl = view.renderer.domElement, picture = h('canvas', { width: 2 * view.width, height: 2 * view.height });
    const c = picture.getContext('2d');
    c.fillStyle = theme().panel;
    c.fillRect(0, 0, picture.width, picture.height);
    view.render(Math.max(2, view.ratio));
    c.drawImage(gl, 0, 0, picture.width, picture.height);
    c.drawImage(this.overlay.canvas, 0, 0, picture.width, picture.height);
    picture.toBlob((blob) => download(`${fileName(this.runs[0].name, 'scene')}.png`, blob), 'image/png');
  }
}

// Everything that moves in any run, and what is fixed to the ground: it stands still but belongs to the picture.
function boundsOf(runs, poses) {
  const min = [Infinity, Infinity, Infinity], max = [-Infinity, -Infinity, -Infinity];
  const take = (p) => p.forEach((v, k) => {
    if (!Number.isFinite(v)) return;
    min[k] = Math.min(min[k], v);
    max[k] = Math.max(max[k], v);
  });
  runs.forEach((run, r) => {
    take(run.scene.bounds?.min ?? []);
    take(run.scene.bounds?.max ?? []);
    for (const joint of run.scene.joints ?? []) if (joint.first.body === 0 && joint.kind !== 'free') take(poses[r].point(0, joint.first.at ?? [0, 0, 0]));
    for (const { first, second } of [...(run.scene.constraints ?? []), ...(run.scene.forces ?? [])]) for (const end of [first, second]) if (end?.body === 0) take(end.at ?? [0, 0, 0]);
  });
  const length = runs[0].scene.length || 1;
  for (let k = 0; k < 3; k++) {
    if (min[k] > max[k]) [min[k], max[k]] = [-length / 2, length / 2];
    // Neither a point nor a line fills a picture.
    if (max[k] - min[k] < 0.1 * length && (k < 2 || !runs[0].isPlanar)) [min[k], max[k]] = [(min[k] + max[k]) / 2 - 0.05 * length, (min[k] + max[k]) / 2 + 0.05 * length];
  }
  return { min, max };
}
