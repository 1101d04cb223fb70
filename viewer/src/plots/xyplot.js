// A drawing of pairs where x need not ascend: orbits, phase portraits, loops, sections. A dot marks the present time; a
// click goes to the nearest sample, a drag or + looks closer.
import { h, download, fileName } from '../dom.js';
import { stored, unitText, withUnit } from '../number.js';
import { theme, onTheme } from '../theme.js';
import { CanvasPainter, SvgPainter, fitCanvas } from './painter.js';
import { Frame, curvePoints, padded } from './frame.js';
import { field } from './series.js';

const TITLE = 22;             // pixels for the title of a drawing in a file
const FEW = 150;              // samples up to which each is drawn as a dot of its own

export class XyPlot {
  // clouds(): [{x, y, t, look, name, dots}] in runs' order; axes(): [x, y], each {name, unit}; marker(t): [[x, y], …] now;
  // least(): how much the axes cover at the least, so that points that are all one look like one
  constructor({ clock, title, clouds, axes, marker, circle = 0, equal = false, height = 268, follow = () => false, least = () => [0, 0] }) {
    Object.assign(this, { clock, title, clouds, axes, marker, circle, equal, height, least });
    this.zoomed = null;
    this.canvas = h('canvas', { role: 'img', tabindex: 0, onkeydown: (e) => this.key(e) });
    this.dots = h('canvas', { 'aria-hidden': 'true', style: 'position: absolute; left: 4px; top: 4px; pointer-events: none' });
    this.host = h('div', { class: 'plot' }, this.canvas, this.dots);
    new ResizeObserver(() => this.draw()).observe(this.host);
    this.offs = [marker && clock.on('time', () => this.drawDots()), clock.on('window', () => follow() && this.draw()), onTheme(() => this.draw())].filter(Boolean);
    this.listen();
  }

  stop() {
    this.offs.forEach((off) => off());
  }

  get width() {
    return Math.max(120, this.host.clientWidth - 12);
  }

  frame(list) {
    const box = { left: 74, top: 8, width: this.width - 86, height: this.height - 46 };
    if (this.zoomed) return new Frame(box, ...this.zoomed);
    let x = [Infinity, -Infinity], y = [Infinity, -Infinity];
    for (const cloud of list) {
      x = extend(x, cloud.x);
      y = extend(y, cloud.y);
    }
    if (this.circle) {
      x = extend(x, [-this.circle, this.circle]);
      y = extend(y, [-this.circle, this.circle]);
    }
    const [leastX, leastY] = this.least();
    return new Frame(box, padded(atLeast(x, leastX)), padded(atLeast(y, leastY)), { equal: this.equal });
  }

  draw() {
    if (!this.host.clientWidth) return;
    this.shown = this.width;
    this.list = this.clouds();
    this.at = this.frame(this.list);
    for (const canvas of [this.canvas, this.dots]) Object.assign(canvas.style, { width: `${this.shown}px`, height: `${this.height}px` });
    this.paint(new CanvasPainter(fitCanvas(this.canvas, this.width, this.height)));
    const [x, y] = this.axes();
    this.canvas.setAttribute('aria-label', `${this.title}: ${y.name} over ${x.name}. + and − look closer and further, 0 shows all.`);
    this.drawDots();
  }

  paint(painter) {
    const { at } = this, { left, top, width, height } = at.box, c = theme();
    at.draw(painter, ...this.axes());
    painter.clip(left, top, width, height, () => {
      if (this.circle) {
        const r = this.circle / (at.x[1] - at.x[0]) * width;
        painter.circle(at.px(0), at.py(0), r, { stroke: c.ink, width: 1.2, dash: [6, 3] });
        painter.path([at.px(0) - 5, at.py(0), at.px(0) + 5, at.py(0)], { stroke: c.muted });
        painter.path([at.px(0), at.py(0) - 5, at.px(0), at.py(0) + 5], { stroke: c.muted });
      }
      for (const cloud of this.list) this.paintCloud(painter, cloud);
    });
  }

  paintCloud(painter, { x, y, look, dots }) {
    const { at } = this;
    if (!dots) painter.path(curvePoints(at, x, y), { ...look, width: 1.1 });
    if (dots || x.length <= FEW) {
      for (let i = 0; i < x.length; i++) painter.circle(at.px(x[i]), at.py(y[i]), 2.2, { fill: look.stroke });
    }
  }

  drawDots() {
    if (!this.at || !this.marker) return;
    const c = fitCanvas(this.dots, this.shown, this.height), look = theme();
    this.host.dataset.time = this.clock.t;
    const { left, top, width, height } = this.at.box;
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    for (const [x, y] of this.marker(this.clock.t)) {
      c.beginPath();
      c.arc(this.at.px(x), this.at.py(y), 5, 0, 2 * Math.PI);
      c.fillStyle = look.accent;
      c.fill();
      c.lineWidth = 2;
      c.strokeStyle = look.panel;
      c.stroke();
    }
  }

  listen() {
    let from = null;
    const place = (e) => {
      const box = this.canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    this.canvas.addEventListener('mousedown', (e) => { from = place(e); });
    this.canvas.addEventListener('mouseup', (e) => {
      if (!from) return;
      const to = place(e), [a, b] = [from, to];
      from = null;
      if (Math.hypot(b[0] - a[0], b[1] - a[1]) < 5) this.seek(to);
      else if (Math.abs(b[0] - a[0]) > 8 && Math.abs(b[1] - a[1]) > 8) this.zoom(a, b);
    });
    this.canvas.addEventListener('dblclick', () => {
      this.zoomed = null;
      this.draw();
    });
  }

  zoom(a, b) {
    const { box, x, y } = this.at;
    const vx = (p) => x[0] + (p - box.left) / box.width * (x[1] - x[0]), vy = (p) => y[1] - (p - box.top) / box.height * (y[1] - y[0]);
    const sorted = (p, q) => [Math.min(p, q), Math.max(p, q)];
    const frame = new Frame(box, sorted(vx(a[0]), vx(b[0])), sorted(vy(a[1]), vy(b[1])), { equal: this.equal });
    this.zoomed = [frame.x, frame.y];
    this.draw();
  }

  // About the present point where there is one in view, else about the middle.
  key(event) {
    const factor = { '+': 0.5, '=': 0.5, '-': 2 }[event.key];
    if (!factor && event.key !== '0' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { x, y } = this.at, [mx, my] = this.marker?.(this.clock.t)[0] ?? [], inside = (v, [a, b]) => v >= a && v <= b;
    const about = (v, range) => (inside(mx, x) && inside(my, y) ? v : (range[0] + range[1]) / 2);
    const closer = (v, range) => range.map((edge) => about(v, range) + factor * (edge - about(v, range)));
    this.zoomed = factor ? [closer(mx, x), closer(my, y)] : null;
    this.draw();
  }

  seek([px, py]) {
    let best = 20 ** 2, t;
    for (const cloud of this.list) {
      for (let i = 0; i < cloud.x.length; i++) {
        const d = (this.at.px(cloud.x[i]) - px) ** 2 + (this.at.py(cloud.y[i]) - py) ** 2;
        if (d < best) [best, t] = [d, cloud.t[i]];
      }
    }
    if (t !== undefined) this.clock.seek(t);
  }

  saveSvg(name, about) {
    const c = theme(), painter = new SvgPainter(this.width, this.height + TITLE, c.panel, `${this.title} · ${about}`), { box } = this.at;
    painter.text(box.left, 16, this.title, { fill: c.ink, font: `600 12px ${c.font}` });
    if (this.list.length > 1) this.list.forEach(({ look, name: of }, k) => {
      const x = box.left + 8, y = TITLE + box.top + 12 + 15 * k;
      painter.path([x, y, x + 24, y], look);
      painter.text(x + 30, y + 4, of, { fill: c.ink, font: `11px ${c.font}` });
    });
    painter.shifted(TITLE, () => this.paint(painter));
    download(fileName(name, this.title) + '.svg', painter.toString(), 'image/svg+xml');
  }

  saveCsv(name) {
    const single = (v) => v instanceof Float32Array;
    const lines = [['run', 't [s]', ...this.axes().map((axis) => field(withUnit(axis.name, unitText(axis.unit))))].join(',')];
    for (const { x, y, t, name: of } of this.list) {
      for (let i = 0; i < x.length; i++) lines.push([field(of), stored(t[i]), stored(x[i], single(x)), stored(y[i], single(y))].join(','));
    }
    download(fileName(name, this.title) + '.csv', `${lines.join('\n')}\n`, 'text/csv');
  }
}

function atLeast([low, high], span) {
  const more = Math.max(0, span - (high - low)) / 2;
  return [low - more, high + more];
}

function extend([low, high], values) {
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}
