// The page of a sweep: a drawing by what was varied, the row that was clicked with the command that repeats it, rows that
// failed, indices of sensitivity.
import { h, replace, select, check } from '../dom.js';
import { several } from '../number.js';
import { CanvasPainter, fitCanvas } from '../plots/painter.js';
import { drawing, studyHead } from '../study.js';
import { onTheme } from '../theme.js';
import { KINDS, draw, indexText, indices } from './charts.js';
import { Rows } from './rows.js';

const HEIGHT = 420, REACH = 14;      // pixels; how far from a point a click may be
const MOST_FAILED = 20;

export async function startSweep(main, head, report) {
  await report.load();
  const rows = new Rows(report.sweep, report.blobs);
  startHead(head, rows);
  const details = h('section', { class: 'panel', 'aria-label': 'Row', 'aria-live': 'polite' });
  const chart = new Chart(rows, (row) => showRow(details, rows, row));
  replace(main, h('div', { class: 'sweep' }, h('section', { class: 'panel', 'aria-label': 'Chart' }, chart.tools, chart.host), details),
    rows.indices.length > 0 && indexPanels(rows), failedPanel(rows, chart), aboutPanel(rows));
  main.hidden = false;
  chart.draw();
  showRow(details, rows, -1);
  document.documentElement.dataset.ready = 'true';
  window.carom = { report, rows, chart };
}

function startHead(head, rows) {
  const failed = [...rows.values('status')].filter((s) => s !== 0).length, shown = rows.step > 1 ? ` · every ${rows.step}th is shown` : '';
  studyHead(head, 'sweep', rows.title || rows.name,
    `sweep over ${rows.vary.map((v) => v.name).join(', ')} · ${several(rows.rows, 'row')}${shown} · ${failed ? `${failed} failed` : 'none failed'}`);
}

// What suits the design: lines over one quantity, a map over two, points of a sample.
function firstView(rows) {
  const grid = rows.vary.filter(({ name }) => rows.steps(name)), x = (grid[0] ?? rows.vary[0]).name;
  const kind = rows.sample ? 'scatter' : rows.vary.filter((v) => !v.words).length > 1 ? 'heat' : 'lines';
  const by = rows.vary.find(({ name }) => name !== x)?.name;
  const fixed = Object.fromEntries(rows.vary.filter(({ name }) => rows.steps(name)).map(({ name }) => [name, rows.steps(name)[0]]));
  return { kind, x, y: rows.results[0], by: kind === 'scatter' ? undefined : by, fixed, logX: rows.varied.get(x).isLog, logY: false };
}

class Chart {
  constructor(rows, onRow) {
    Object.assign(this, { rows, onRow, view: firstView(rows), points: [] });
    this.canvas = h('canvas', { role: 'img', onclick: (e) => this.click(e) });
    this.host = h('div', { class: 'plot' }, this.canvas);
    this.tools = h('div', { class: 'tools' });
    new ResizeObserver(() => this.draw()).observe(this.host);
    onTheme(() => this.draw());
    this.fillTools();
  }

  change(more) {
    Object.assign(this.view, more);
    this.fillTools();
    this.draw();
  }

  fillTools() {
    const { rows, view } = this, names = rows.vary.map(({ name }) => [name, name]), others = names.filter(([name]) => name !== view.x);
    const kinds = KINDS.filter(([kind]) => kind !== 'heat' || others.length > 0 && rows.steps(view.x));
    const isOver = view.kind !== 'histogram', second = isOver && others.length > 0;
    const rest = ['lines', 'heat'].includes(view.kind) ? others.filter(([name]) => name !== view.by && rows.steps(name)) : [];
    replace(this.tools, select('Kind of drawing', kinds, view.kind, (kind) => this.change({ kind })),
      select('Result', rows.results.map((name) => [name, name]), view.y, (y) => this.change({ y })),
      isOver && select('Along the axis', names, view.x, (x) => this.change({ x, by: view.by === x ? undefined : view.by, logX: rows.varied.get(x).isLog })),
      second && select('Second quantity', [['', view.kind === 'heat' ? 'second quantity' : 'one colour'], ...others], view.by ?? '', (by) => this.change({ by: by || undefined })),
      rest.map(([name]) => select(`Value of ${name}`, [...rows.steps(name)].map((v) => [String(v), `${name} = ${rows.text(name, v)}`]), String(view.fixed[name]), (v) => this.change({ fixed: { ...view.fixed, [name]: Number(v) } }))),
      isOver && check('log x', view.logX, (logX) => this.change({ logX })), check('log result', view.logY, (logY) => this.change({ logY })),
      h('label', { class: 'check' }, 'row ', h('input', { type: 'number', min: 0, 'aria-label': 'Number of a row', onchange: (e) => this.pick(rows.find(Number(e.target.value))) })));
  }

  draw() {
    const width = Math.max(200, this.host.clientWidth - 12), size = { width, height: HEIGHT }, { rows, view } = this;
    if (!this.host.clientWidth) return;
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${HEIGHT}px` });
    this.points = draw(new CanvasPainter(fitCanvas(this.canvas, width, HEIGHT)), size, rows, view);
    this.canvas.setAttribute('aria-label', `${view.kind} of ${view.y}${view.kind === 'histogram' ? '' : ` over ${view.x}`}, ${several(this.points.length, 'row')}. A click shows a row; so does its number.`);
    this.canvas.dataset.kind = view.kind;
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = null, least = REACH;
    for (const point of this.points) {
      const [left, top, right, bottom] = point.box ?? [point.x, point.y, point.x, point.y];
      const away = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
      if (away <= least && (away < least || !best)) [best, least] = [point, away];
    }
    if (best) this.pick(best.row);
  }

  pick(row) {
    this.onRow(row);
  }
}

// A command with a button that copies it.
export function commandLine(command) {
  const copy = h('button', { onclick: async () => { await navigator.clipboard?.writeText(command).catch(() => {}); copy.textContent = 'Copied'; } }, 'Copy');
  return h('div', { class: 'command' }, h('code', {}, command), copy);
}

// `i` is the place in the page, -1 for none.
function showRow(section, rows, i) {
  if (i < 0) return replace(section, h('h2', {}, 'Row'), h('p', { class: 'muted' }, 'Click a point, or give the number of a row: here stand its values and the command that repeats its run.'));
  const number = rows.values('row')[i];
  const list = (columns) => h('dl', {}, columns.map(({ name, values }) => [h('dt', {}, name), h('dd', {}, rows.text(name, values[i]))]));
  const varied = rows.columns.filter(({ name }) => rows.varied.has(name)), others = rows.columns.filter(({ name }) => !rows.varied.has(name) && name !== 'row');
  return replace(section, h('h2', {}, `Row ${number}${rows.hasFailed(i) ? ': failed' : ''}`), rows.message(i) && h('pre', { class: 'trouble' }, rows.message(i)),
    commandLine(rows.command(i)), list(varied), list(others.slice(0, rows.taken)),
    h('details', {}, h('summary', {}, 'all columns'), list(others.slice(rows.taken))));
}

function indexPanels(rows) {
  const outputs = [...new Set(rows.indices.map((e) => e.output))];
  return outputs.map((output) => {
    const entries = rows.indices.filter((e) => e.output === output);
    const host = drawing(`Sensitivity of ${output}; the table below has the numbers.`, 60 + 44 * entries.length, (painter, size) => indices(painter, size, entries));
    return h('section', { class: 'panel indices', 'aria-label': `Sensitivity of ${output}` }, h('h2', {}, `Sensitivity of ${output}, from ${several(entries[0].points, 'point')}`), host,
      h('table', {}, h('thead', {}, h('tr', {}, ['', 'first order', 'total'].map((text) => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, entries.map((e) => h('tr', {}, h('th', { scope: 'row' }, e.input), h('td', {}, indexText(e, 'first')), h('td', {}, indexText(e, 'total')))))),
      h('p', { class: 'muted' }, 'In brackets the 95 % interval.'));
  });
}

function failedPanel(rows, chart) {
  const failed = [];
  for (let i = 0; i < rows.count; i++) if (rows.hasFailed(i)) failed.push(i);
  return failed.length > 0 && h('section', { class: 'panel', 'aria-label': 'Rows that failed' }, h('h2', {}, `${several(failed.length, 'row')} failed`),
    h('div', { class: 'tools' }, failed.slice(0, MOST_FAILED).map((i) => h('button', { title: rows.message(i), onclick: () => chart.pick(i) }, `row ${rows.values('row')[i]}`)),
      failed.length > MOST_FAILED && h('span', { class: 'muted' }, `and ${failed.length - MOST_FAILED} more`)));
}

function aboutPanel(rows) {
  const lines = [['model', rows.model], ['file', rows.file], ['version', rows.version], ...rows.vary.map((v) => [v.name, v.range]), ...rows.settings.map(([name, value]) => [name, value])];
  return h('section', { class: 'panel', 'aria-label': 'How the sweep was made' }, h('h2', {}, 'How the sweep was made'), 
    h('div', { class: 'command' }, h('code', {}, rows.origin)), h('dl', {}, lines.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value ?? '')])));
}
