// The energy ledger: what is stored and what was lost, stacked; over it the line of what was there at the start and came
// in since. The two differ by the numerical error, which is drawn below on a scale of its own.
import { h, replace, s, download, fileName } from '../dom.js';
import { theme, onTheme } from '../theme.js';
import { quantity } from '../number.js';
import { CanvasPainter, SvgPainter, fitCanvas } from './painter.js';
import { Frame, curvePoints, padded } from './frame.js';
import { CSV_HINT, coverageLine, toCsv } from './series.js';

const WORK = new Set(['drive', 'applied', 'projection', 'overlap']);      // came in
const LOST = new Set(['damper', 'impact', 'friction', 'damping', 'contact_damping']);
const HEIGHT = 250, RESIDUAL = 92, TITLE = 22;
const LABEL = 15;             // pixels of height that the name of a layer needs within it
const ENERGY = { unit: 'J' }, TIME = { name: 't', unit: 's' };

const short = (column) => column.name.replace(/^energy\./, '');
// What each account is, for those who do not know it by its name.
const MEANING = {
  kinetic: 'kinetic energy', gravity: 'potential energy of gravity', spring: 'potential energy of springs', strain: 'strain energy of flexible bodies', contact: 'elastic energy of contacts', drive: 'work of drives since the start',
  applied: 'work of applied forces since the start', projection: 'energy added by the projection onto constraints', overlap: 'energy added by moving bodies apart that overlap', damper: 'lost in dampers', impact: 'lost in impacts and contact damping', friction: 'lost in friction',
};
const nameOf = (column) => short(column).replaceAll('_', ' ');

// Of the run chosen; made anew when another is.
export function startLedger(section, runs, clock) {
  let ledger = null;
  const show = () => {
    const { run } = clock, plot = run.plots.find((p) => p.kind === 'energy');
    const columns = plot?.columns.map((key) => run.column(key)).filter(Boolean) ?? [];
    ledger?.stop();
    ledger = columns.length ? new Ledger(run, clock, columns, plot.residual && run.column(plot.residual), runs.length > 1 ? `Energy ledger of ${run.label}` : 'Energy ledger') : null;
    replace(section, ledger?.element);
  };
  clock.on('run', show);
  show();
}

class Ledger {
  constructor(run, clock, columns, residual, title) {
    Object.assign(this, { run, clock, residual });
    const moved = columns.filter((c) => c !== residual && (c.max !== 0 || c.min !== 0));
    this.work = moved.filter((c) => WORK.has(short(c)));
    // Stored first, then lost. Gravity has no zero of its own: it counts from its lowest value, lest the stack turn over.
    this.layers = [...moved.filter((c) => !WORK.has(short(c)) && !LOST.has(short(c))), ...moved.filter((c) => LOST.has(short(c)))]
      .map((column, k) => ({ column, floor: Math.min(0, column.min ?? 0), lost: LOST.has(short(column)), colour: k % 8 }));
    this.canvas = h('canvas', { role: 'img', tabindex: 0, 'aria-label': 'Energy over time, stacked, and below it the energy error. Arrow keys go from sample to sample, + and − change the stretch of time in view, 0 shows all.' });
    this.line = h('div', { class: 'cursor' });
    this.host = h('div', { class: 'plot' }, this.canvas, this.line);
    this.legend = h('div', { class: 'chips' });
    this.state = h('div', { class: 'state' });
    this.element = h('div', { class: 'panel' },
      h('header', {}, h('h2', {}, title), h('div', { class: 'tools push' },
        h('button', { class: 'quiet', title: `Samples in view ${CSV_HINT}`, 'aria-label': 'Energy: samples in view as CSV', onclick: () => this.saveCsv() }, 'CSV'),
        h('button', { class: 'quiet', title: 'This plot as SVG', 'aria-label': 'Energy: this plot as SVG', onclick: () => this.saveSvg() }, 'SVG'))),
      h('div', { class: 'controls' }, this.legend), this.host, this.state);
    new ResizeObserver(() => this.draw()).observe(this.host);
    this.offs = [clock.on('window', () => this.draw()), clock.on('time', () => this.showTime()), onTheme(() => this.draw())];
    this.host.addEventListener('click', (e) => {
      const { box, x } = this.frames[0];
      clock.seek(x[0] + (e.clientX - this.canvas.getBoundingClientRect().left - box.left) / box.width * (x[1] - x[0]));
    });
  }

  stop() {
    this.offs.forEach((off) => off());
  }

  get width() {
    return Math.max(160, this.host.clientWidth - 12);
  }

  get height() {
    return HEIGHT + (this.residual ? RESIDUAL : 0);
  }

  // Upper edges of the layers, one above the other, and the line they should reach.
  stack() {
    const { axis } = this.layers[0]?.column ?? this.residual, [a, b] = this.clock.window, { first, last } = axis.range(a, b);
    const n = last - first + 1, t = axis.times.subarray(first, last + 1);
    let below = new Float64Array(n);
    const edges = this.layers.map(({ column, floor }) => {
      const v = column.values, edge = new Float64Array(n);
      for (let i = 0; i < n; i++) edge[i] = below[i] + v[first + i] - floor;
      return (below = edge);
    });
    let start = 0;
    for (const { column, floor } of this.layers) start += column.values[0] - floor;
    const due = new Float64Array(n).fill(start);
    for (const column of this.work) for (let i = 0; i < n; i++) due[i] += column.values[first + i] - column.values[0];
    return { t, edges, due, first, last };
  }

  draw() {
    if (!this.host.clientWidth) return;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.paint(new CanvasPainter(fitCanvas(this.canvas, this.width, this.height)));
    this.showLegend();
    const shifted = this.layers.filter((l) => l.floor < 0).map((l) => short(l.column));
    replace(this.state, coverageLine(this.layers.map(({ column }) => ({ column, run: this.run })), this.clock.window),
      shifted.length ? h('span', {}, `${shifted.join(', ')} counted from the lowest value`) : null);
    this.showTime();
  }

  paint(painter) {
    const c = theme(), { t, edges, due, first } = this.stack(), left = 76, width = this.width - left - 12;
    let low = 0, high = 0;
    for (const row of [...edges, due]) for (const v of row) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    const window = this.clock.window[1] > this.clock.window[0] ? this.clock.window : [t[0] - 0.5, t[0] + 0.5];
    const frame = new Frame({ left, top: 8, width, height: HEIGHT - 50 }, window, padded([low, high || 1], 0.03));
    frame.draw(painter, this.residual ? { ...TIME, name: null } : TIME, { ...ENERGY, name: 'energy' });
    painter.clip(left, frame.box.top, width, frame.box.height, () => {
      for (let k = edges.length - 1; k >= 0; k--) this.paintLayer(painter, frame, t, edges[k], k ? edges[k - 1] : null, this.layers[k]);
      painter.path(curvePoints(frame, t, due), { stroke: c.ink, width: 1.6, dash: [7, 4] });
      const taken = [];
      edges.forEach((edge, k) => this.paintName(painter, frame, t, edge, k ? edges[k - 1] : null, this.layers[k], taken));
    });
    this.frames = [frame];
    if (this.residual) this.paintResidual(painter, t, first, window, left, width);
  }

  paintLayer(painter, frame, t, edge, under, layer) {
    const stroke = theme().series[layer.colour], top = curvePoints(frame, t, edge), points = [...top];
    const floor = under ? curvePoints(frame, t, under) : [frame.px(t[0]), frame.py(0), frame.px(t.at(-1)), frame.py(0)];
    for (let i = floor.length - 2; i >= 0; i -= 2) points.push(floor[i], floor[i + 1]);
    painter.path(points, { fill: `${stroke}${layer.lost ? '30' : '70'}`, close: true });
    if (layer.lost) painter.hatch(points, frame.box, { stroke: `${stroke}b0` });
    painter.path(top, { stroke, width: 1.2, dash: layer.lost ? [3, 2] : [] });
  }

  // In the middle of the layer where it is thickest, if it is thick enough there: the eye needs no legend then, nor colours.
  // taken: where names already stand.
  paintName(painter, frame, t, edge, under, layer, taken) {
    const { left, width } = frame.box, c = theme(), name = nameOf(layer.column), half = 3.4 * name.length + 6;
    let best = LABEL, x = NaN, y = NaN;
    for (let i = 0; i < t.length; i++) {
      const px = frame.px(t[i]), top = frame.py(edge[i]), bottom = frame.py(under ? under[i] : 0), py = (top + bottom) / 2;
      const free = px > left + half && px < left + width - half && taken.every((n) => Math.abs(n.x - px) > n.half + half + 4 || Math.abs(n.y - py) > 20);
      if (bottom - top > best && free) [best, x, y] = [bottom - top, px, py];
    }
    if (!Number.isFinite(x)) return;
    taken.push({ x, y, half });
    painter.rect(x - half, y - 8, 2 * half, 16, { fill: `${c.panel}d0` });
    painter.text(x, y, name, { fill: c.ink, font: `11px ${c.font}`, anchor: 'middle', baseline: 'middle' });
  }

  paintResidual(painter, t, first, window, left, width) {
    const c = theme(), v = this.residual.values.subarray(first, first + t.length);
    let low = 0, high = 0;
    for (const x of v) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    const frame = new Frame({ left, top: HEIGHT - 18, width, height: RESIDUAL - 26 }, window, padded(low === high ? [-1, 1] : [low, high], 0.08));
    frame.draw(painter, TIME, { ...ENERGY, name: 'error' });
    painter.clip(left, frame.box.top, width, frame.box.height, () => painter.path(curvePoints(frame, t, v), { stroke: c.bad, width: 1.3 }));
    this.frames.push(frame);
  }

  showLegend() {
    const key = (sign, name, title) => h('span', { class: 'chip', title }, s('svg', { viewBox: '0 0 24 8', 'aria-hidden': 'true' }, sign), name);
    const line = (style, dash) => s('line', { x1: 0, y1: 4, x2: 24, y2: 4, style, 'stroke-width': 2, 'stroke-dasharray': dash });
    const layer = ({ lost, colour }) => [s('rect', { width: 24, height: 8, style: `fill: var(--series-${colour}); fill-opacity: ${lost ? 0.2 : 0.44}; stroke: var(--series-${colour})` }),
      lost && s('path', { d: 'M0 8 8 0M8 8l8-8M16 8l8-8', style: `stroke: var(--series-${colour})` })];
    replace(this.legend, [...this.layers].reverse().map((l) => key(layer(l), `${nameOf(l.column)}${l.lost ? ' (lost)' : ''}`, MEANING[short(l.column)])),
      key(line('stroke: var(--ink)', '6 3'), `start${this.work.length ? ` + ${this.work.map(nameOf).join(' + ')}` : ''}`, 'What was there at the start and came in since: the stack should reach this line'),
      this.residual && key(line('stroke: var(--bad)', 'none'), 'error', 'What the stack misses of that line'));
  }

  showTime() {
    if (!this.frames) return;
    const { box } = this.frames[0], x = this.frames[0].px(this.clock.t);
    this.line.style.transform = `translateX(${x + 3.25}px)`;
    this.line.style.top = `${box.top + 4}px`;
    this.line.style.height = `${box.height}px`;
    this.line.hidden = x < box.left - 1 || x > box.left + box.width + 1;
    this.host.title = this.residual ? `error now ${quantity(this.residual.at(this.clock.t), 'J')}` : '';
  }

  saveSvg() {
    const c = theme(), painter = new SvgPainter(this.width, this.height + TITLE, c.panel, `Energy ledger · ${this.run.title || this.run.name}`);
    painter.text(76, 16, 'Energy ledger', { fill: c.ink, font: `600 12px ${c.font}` });
    painter.shifted(TITLE, () => this.paint(painter));
    download(fileName(this.run.name, 'energy') + '.svg', painter.toString(), 'image/svg+xml');
  }

  saveCsv() {
    const curves = [...this.layers.map((l) => l.column), ...this.work, ...(this.residual ? [this.residual] : [])].map((column) => ({ column, name: column.name, run: this.run }));
    download(fileName(this.run.name, 'energy') + '.csv', toCsv(curves[0].column.axis.times, curves, curves.map((c) => c.column.values), this.clock.window), 'text/csv');
  }
}
