// What plots share: the curve of a quantity in each run, its look, its key in the legend, and the words on how much of
// the record is in view.
import { h, s } from '../dom.js';
import { theme } from '../theme.js';
import { count, plain, stored, unitText, withUnit } from '../number.js';

// One entry per run that has the quantity. With one run, colour and dash pattern tell quantities apart. With several, they tell the run, as
// in every legend of the page, and a sign along the curve tells the quantity. No two curves differ by their colour alone.
export function curvesOf(runs, names) {
  const list = [], several = runs.length > 1;
  names.forEach((name, k) => {
    for (const run of runs) {
      const column = run.byName.get(name);
      if (column) list.push({ name, run, column, colour: several ? run.number % 8 : k % 8, dash: several ? run.number % 8 : k % 8, sign: several && names.length > 1 ? k % SIGNS.length : undefined });
    }
  });
  return list;
}

export const lookOf = (curve) => ({ stroke: theme().series[curve.colour], dash: theme().dashes[curve.dash], width: curve.run.number ? 1.5 : 1.6 });

// Signs along curves, as paths of x and y about their middle.
const SIGNS = [[-3, -3, 3, -3, 3, 3, -3, 3], [0, -4, 3.6, 3, -3.6, 3], [0, -4.2, 4.2, 0, 0, 4.2, -4.2, 0], [0, 4, 3.6, -3, -3.6, -3],
  [-3.5, -1.2, 3.5, -1.2, 3.5, 1.2, -3.5, 1.2], [-1.2, -3.8, 1.2, -3.8, 1.2, 3.8, -1.2, 3.8], [-4, -4, 4, 4, 4, -4, -4, 4], [-4, 4, 0, -1, 4, 4, 0, 1]];
const SIGN_STEP = 110;        // pixels between two signs

export function drawSign(painter, curve, x, y, size = 1) {
  const path = SIGNS[curve.sign];
  if (path) painter.path(path.map((v, m) => (m % 2 ? y : x) + v * size), { fill: theme().series[curve.colour], stroke: theme().panel, width: size, close: true });
}

// Draws the signs of curve number k of n over the pixels of its samples, each curve's shifted so that they do not cover each other.
export function drawSigns(painter, curve, k, n, xs, px, py, size = 1) {
  if (curve.sign === undefined) return;
  let next = px(xs[0]) + SIGN_STEP * size * (k + 0.5) / n;
  for (let i = 0; i < xs.length; i++) {
    const x = px(xs[i]), y = py(i);
    if (x < next || !Number.isFinite(y)) continue;
    next = x + SIGN_STEP * size;
    drawSign(painter, curve, x, y, size);
  }
}

export function swatch(curve) {
  const colour = `var(--series-${curve.colour})`, sign = SIGNS[curve.sign];
  return s('svg', { viewBox: '0 0 24 8', 'aria-hidden': 'true' }, s('line', { x1: 0, y1: 4, x2: 24, y2: 4, 'stroke-width': 2.2,
    style: `stroke: ${colour}`, 'stroke-dasharray': theme().dashes[curve.dash].join(' ') }),
  sign && s('polygon', { points: sign.map((v, m) => (m % 2 ? 4 : 12) + v).join(' '), style: `fill: ${colour}; stroke: var(--panel)` }));
}

export const axisOf = (column) => ({ name: column.name, unit: column.unit });

// Says whether every recorded row stands between a and b, for each axis in use; of several runs once where all are raw.
export function coverageLine(curves, [a, b]) {
  const axes = [...new Set(curves.map((c) => c.column.axis))].map((axis) => ({ axis, run: curves.find((c) => c.column.axis === axis).run, ...axis.coverage(a, b) }));
  const several = new Set(curves.map((c) => c.run)).size > 1, samples = (list) => list.map(({ shown }) => count(shown)).join(' + ');
  const raw = axes.filter((x) => x.raw), thin = axes.filter((x) => !x.raw), whose = (x) => (several ? `${x.run.label}: ` : '');
  return [
    ...(thin.length && several ? raw.map((x) => h('span', { class: 'raw' }, `${whose(x)}raw: all ${samples([x])} recorded samples`))
      : raw.length ? [h('span', { class: 'raw' }, `raw: all ${samples(raw)} recorded samples`)] : []),
    ...thin.map((x) => h('span', { class: 'thin' }, `${whose(x)}not raw: ${count(x.shown)} of ${count(x.recorded)} samples, lines within ${plain(x.axis.bound * 100, 2)} % of each curve’s range`)),
  ];
}

// What uPlot leaves a gap for is null; it would draw a line across a NaN.
export const withGaps = (values) => (values.every(Number.isFinite) ? values : Array.from(values, (v) => (Number.isFinite(v) ? v : null)));

// A field of a CSV file.
export const field = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Rows in view as CSV, in SI units whatever the plot's prefixes; a blank where an axis has no row at that time.
export function toCsv(times, curves, data, [a, b]) {
  const several = new Set(curves.map((c) => c.run)).size > 1;
  const head = ({ run, name, column }) => field(withUnit(several ? `${run.label}: ${name}` : name, unitText(column.unit)));
  const lines = [['t [s]', ...curves.map(head)].join(',')];
  for (let i = 0; i < times.length; i++) {
    if (times[i] < a || times[i] > b) continue;
    lines.push([stored(times[i]), ...data.map((v, k) => (v[i] === undefined || v[i] === null ? '' : stored(v[i], curves[k].column.type === 'f32')))].join(','));
  }
  return `${lines.join('\n')}\n`;
}

export const CSV_HINT = 'as CSV: SI units, every digit that the page stores (32-bit numbers, about 7)';

// A field that takes the name of any recorded quantity.
export function quantityInput(run, name, value, onpick, hint = name) {
  // A model of many bodies has thousands of names: they are listed when first asked for.
  const list = () => document.getElementById('quantities')
    ?? document.body.append(h('datalist', { id: 'quantities' }, [...run.byName.values()].map((c) => h('option', { value: c.name }, unitText(c.unit)))));
  const input = h('input', { list: 'quantities', onfocus: list, 'aria-label': name, placeholder: hint, value, spellcheck: 'false', onchange: () => {
    const known = run.byName.has(input.value);
    input.setCustomValidity(known || !input.value ? '' : 'No such quantity in this run');
    if (known) onpick(input.value, input);
    else if (input.value) input.reportValidity();
  } });
  return input;
}
