// The page of a bifurcation diagram: points over the parameter in both directions, the largest multiplier below, changes,
// and the value that was clicked with the commands that lead to it.
import { Column } from '../data.js';
import { h, replace, select, check } from '../dom.js';
import { plain, quantity, several } from '../number.js';
import { Frame, padded } from '../plots/frame.js';
import { CanvasPainter, fitCanvas } from '../plots/painter.js';
import { onTheme, theme } from '../theme.js';
import { quoted, setting } from './rows.js';
import { studyHead } from '../study.js';
import { commandLine } from './sweep.js';

const HEIGHT = 560, BELOW = 0.32, REACH = 16;      // pixels; part of the multipliers; how far from a point a click may be
const DIRECTIONS = ['forward', 'backward'], FIRST_SIGNAL = 5;

export async function startDiagram(main, head, report) {
  await report.load();
  const data = new Diagram(report.bifurcation, report.blobs), { values } = data, failed = values.filter((v) => v.status !== 0).length;
  const shown = data.step > 1 ? ` · every ${data.step}th point is shown` : '';
  studyHead(head, 'bifurcation', data.title || data.name, `bifurcation diagram over ${data.parameter} · ${several(values.length, 'value')}${shown} · ${failed ? `${failed} failed` : 'none failed'}`);
  const details = h('section', { class: 'panel', 'aria-label': 'Value', 'aria-live': 'polite' });
  const chart = new Chart(data, (row) => showValue(details, data, row));
  replace(main, h('div', { class: 'sweep' }, h('section', { class: 'panel', 'aria-label': 'Diagram' }, chart.tools, chart.host), details),
    changesPanel(data), failedPanel(data, chart), originPanel(data));
  main.hidden = false;
  chart.draw();
  showValue(details, data, -1);
  document.documentElement.dataset.ready = 'true';
  window.carom = { report, data, chart };
}

class Diagram {
  constructor(about, blobs) {
    Object.assign(this, about);
    this.columns = about.columns.map((column) => new Column(column, null, blobs));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
    [this.parameter, this.range] = about.vary;
    this.signals = this.columns.slice(FIRST_SIGNAL).map((column) => column.name);
    this.unit = this.columns[2].unit;
  }

  column(name) {
    return this.byName.get(name).values;
  }

  get options() {
    const { rule } = this, number = (option, value) => (value ? [option, String(value)] : []);
    return [...this.settings.flatMap(setting('--set')), ...(this.period ? ['--period', quoted(this.period)] : []), ...(this.section ? ['--section', quoted(this.section)] : []),
      '--take', quoted(this.take.join(', ')), '--cut', String(rule.cut), '--points', String(rule.points), ...number('--tolerance', rule.tolerance), ...number('--disturbance', rule.disturbance)];
  }

  text(value) {
    return `${value}${this.unit && this.unit !== '1' ? ` ${this.unit}` : ''}`;
  }

  commandFor(vary, oneWay) {
    const { rule } = this;
    return ['carom', 'bifurcation', quoted(this.model || 'MODEL.yaml'), '--vary', quoted(`${this.parameter}=${vary}`), ...this.options, '--halvings', String(rule.halvings),
      ...(rule.lyapunov ? ['--lyapunov', String(rule.lyapunov)] : []), ...(oneWay ? ['--one-way'] : [])].join(' ');
  }

  // The command that makes the whole diagram again.
  get origin() {
    return `${this.commandFor(this.range, this.rule.one_way)} -o ${quoted(this.file)}`;
  }

  // A value depends on those before it: forward a list that ends there, backward the whole way.
  command(row) {
    if (this.values[row].direction !== 'forward') return this.origin;
    const list = this.values.slice(0, row + 1).map((v) => this.text(v[this.parameter]));
    return this.commandFor(list.join(', '), true);
  }

  // A run of its own, from the start of the model.
  run(row) {
    return ['carom', 'run', quoted(this.model || 'MODEL.yaml'), ...[...this.settings, [this.parameter, this.text(this.values[row][this.parameter])]].flatMap(setting('--set'))].join(' ');
  }
}

const extent = (list) => list.reduce(([low, high], v) => (Number.isFinite(v) ? [Math.min(low, v), Math.max(high, v)] : [low, high]), [Infinity, -Infinity]);
const periodText = (period) => (period === null ? 'failed' : period === 0 ? 'not periodic' : String(period));

class Chart {
  constructor(data, onRow) {
    Object.assign(this, { data, onRow, signal: data.signals[0], shown: { forward: true, backward: true }, points: [], picked: -1 });
    this.canvas = h('canvas', { role: 'img', onclick: (e) => this.click(e) });
    this.host = h('div', { class: 'plot' }, this.canvas);
    this.tools = h('div', { class: 'tools' });
    new ResizeObserver(() => this.draw()).observe(this.host);
    onTheme(() => this.draw());
    this.fillTools();
  }

  fillTools() {
    const { data } = this, isThere = (direction) => data.values.some((v) => v.direction === direction);
    replace(this.tools, select('Signal', data.signals.map((name) => [name, name]), this.signal, (signal) => { this.signal = signal; this.draw(); }),
      DIRECTIONS.filter(isThere).map((direction) => check(direction, this.shown[direction], (on) => { this.shown[direction] = on; this.draw(); })),
      h('label', { class: 'check' }, 'value ', h('input', { type: 'number', min: 0, 'aria-label': 'Number of a value', onchange: (e) => this.pick(Number(e.target.value)) })));
  }

  draw() {
    const width = Math.max(200, this.host.clientWidth - 12), { data } = this;
    if (!this.host.clientWidth) return;
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${HEIGHT}px` });
    const painter = new CanvasPainter(fitCanvas(this.canvas, width, HEIGHT)), below = HEIGHT * BELOW;
    const xs = padded(extent(data.values.map((v) => v[data.parameter])), 0.02), box = { left: 78, width: Math.max(60, width - 92) };
    const top = new Frame({ ...box, top: 10, height: HEIGHT - below - 34 }, xs, padded(extent([...data.column(this.signal)])));
    const most = Math.max(1.1, ...data.values.map((v) => v.multiplier ?? 0)), bottom = new Frame({ ...box, top: HEIGHT - below, height: below - 44 }, xs, [0, most * 1.05]);
    top.draw(painter, { name: null, unit: data.unit }, { name: this.signal, unit: data.byName.get(this.signal).unit });
    bottom.draw(painter, { name: data.parameter, unit: data.unit }, { name: 'multiplier', unit: '1' });
    this.drawChanges(painter, top, bottom);
    this.points = [...this.drawPoints(painter, top), ...this.drawMultipliers(painter, bottom)];
    this.canvas.setAttribute('aria-label', `${this.signal} over ${data.parameter}, ${several(data.kept, 'point')}, and the largest multiplier below. A click shows a value; so does its number.`);
  }

  colour(direction) {
    return theme().series[direction === 'backward' ? 1 : 0];
  }

  drawPoints(painter, frame) {
    const { data } = this, rows = data.column('row'), xs = data.column(data.parameter), ys = data.column(this.signal), points = [];
    const radius = data.kept > 5000 ? 1 : 1.8, last = frame.box.left + frame.box.width;
    for (let i = 0; i < data.kept; i++) {
      const { direction } = data.values[rows[i]], shift = direction === 'backward' ? 1 : -1;
      if (!this.shown[direction] || !Number.isFinite(ys[i])) continue;
      const x = Math.min(frame.px(xs[i]) + shift, last), y = frame.py(ys[i]);
      painter.circle(x, y, radius, { fill: this.colour(direction) });
      points.push({ row: rows[i], x, y });
    }
    return points;
  }

  drawMultipliers(painter, frame) {
    const c = theme(), points = [];
    painter.path([frame.box.left, frame.py(1), frame.box.left + frame.box.width, frame.py(1)], { stroke: c.muted, dash: [4, 3] });
    for (const [row, v] of this.data.values.entries()) {
      if (!this.shown[v.direction] || !Number.isFinite(v.multiplier)) continue;
      const x = frame.px(v[this.data.parameter]), y = frame.py(v.multiplier);
      painter.circle(x, y, 2.2, { fill: this.colour(v.direction) });
      points.push({ row, x, y });
    }
    return points;
  }

  // A line through both drawings, with its name above.
  drawChanges(painter, top, bottom) {
    const c = theme(), font = `10px ${c.font}`, free = { forward: -Infinity, backward: -Infinity };
    for (const change of [...this.data.changes].sort((a, b) => a[this.data.parameter] - b[this.data.parameter])) {
      if (!this.shown[change.direction]) continue;
      const x = top.px(change[this.data.parameter]), stroke = this.colour(change.direction);
      for (const { box } of [top, bottom]) painter.path([x, box.top, x, box.top + box.height], { stroke, dash: [2, 3] });
      if (x < free[change.direction]) continue;      // the table has those whose names would lie over others
      free[change.direction] = x + 6 + 6 * change.kind.length;
      painter.text(x + 3, top.box.top + (change.direction === 'backward' ? 16 : 4), change.kind, { fill: stroke, font, baseline: 'top' });
    }
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = null, least = REACH;
    for (const point of this.points) {
      const away = Math.hypot(point.x - x, point.y - y);
      if (away < least) [best, least] = [point, away];
    }
    if (best) this.pick(best.row);
  }

  pick(row) {
    this.onRow(this.data.values[row] ? row : -1);
  }
}

function showValue(section, data, row) {
  if (row < 0) return replace(section, h('h2', {}, 'Value'), h('p', { class: 'muted' }, 'Click a point, or give the number of a value: here stand its period and multiplier, and the commands that lead to it.'));
  const v = data.values[row], complex = v.multiplier_im ? ` (${plain(v.multiplier_re)} ± ${plain(v.multiplier_im)} i)` : '';
  const lines = [['direction', v.direction], ['period', periodText(v.period)], ['largest multiplier', `${plain(v.multiplier)}${complex}`], ['impacts per section', plain(v.impacts)],
    ['slowest impact', quantity(v.impact_speed, 'm/s')], ['comes to rest at a contact', v.rests ? 'yes' : 'no'], ['interval', quantity(v.interval, 's', 6)]];
  if (data.rule.lyapunov) lines.push(['Lyapunov exponent', `${plain(v.lyapunov, 5)} ± ${plain(v.lyapunov_error, 2)} 1/s`]);
  return replace(section, h('h2', {}, `${data.parameter} = ${quantity(v[data.parameter], data.unit, 8)}${v.status ? ': failed' : ''}`), data.messages[String(row)] && h('pre', { class: 'trouble' }, data.messages[String(row)]),
    h('p', { class: 'muted' }, v.direction === 'forward' ? 'From the first value to this one:' : 'The whole way, there and back:'), commandLine(data.command(row)),
    h('p', { class: 'muted' }, 'A run with this value, from the start of the model:'), commandLine(data.run(row)),
    h('dl', {}, lines.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}

function changesPanel(data) {
  const head = ['direction', data.parameter, 'kind', 'period before', 'after', 'multiplier'];
  const cells = (c) => [c.direction, quantity(c[data.parameter], data.unit, 6), c.kind, periodText(c.period_before), periodText(c.period_after), `${plain(c.multiplier_re)}${c.multiplier_im ? ` ± ${plain(c.multiplier_im)} i` : ''}`];
  return data.changes.length > 0 && h('section', { class: 'panel indices', 'aria-label': 'Changes' }, h('h2', {}, several(data.changes.length, 'change')),
    h('table', {}, h('thead', {}, h('tr', {}, head.map((text) => h('th', { scope: 'col' }, text)))), h('tbody', {}, data.changes.map((c) => h('tr', {}, cells(c).map((text) => h('td', {}, text)))))));
}

function failedPanel(data, chart) {
  const failed = data.values.flatMap((v, row) => (v.status !== 0 ? [row] : []));
  return failed.length > 0 && h('section', { class: 'panel', 'aria-label': 'Values that failed' }, h('h2', {}, `${several(failed.length, 'value')} failed`),
    h('div', { class: 'tools' }, failed.slice(0, 20).map((row) => h('button', { title: data.messages[String(row)] ?? '', onclick: () => chart.pick(row) }, data.text(data.values[row][data.parameter])))));
}

function originPanel(data) {
  const lines = [['model', data.model], ['file', data.file], ['version', data.version], [data.parameter, data.range], ['period', data.period], ['section', data.section], ['sections cut', String(data.rule.cut)], ['points', String(data.rule.points)]];
  return h('section', { class: 'panel', 'aria-label': 'How the diagram was made' }, h('h2', {}, 'How the diagram was made'), h('div', { class: 'command' }, h('code', {}, data.origin)),
    h('dl', {}, lines.filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}
