// What plots share: the curve of a quantity in each run, its look, its key in the legend, and the words on how much of
// the record is in view.
import { h, s } from '../dom.js';
import { theme } from '../theme.js';
import { count, plain, unitText } from '../number.js';

// One entry a run that has the quantity. Colour tells quantities apart, the pattern runs; with one run both tell quantities.
export function curvesOf(runs, names) {
  const list = [];
  names.forEach((name, k) => {
    for (const run of runs) {
      const column = run.byName.get(name);
      if (column) list.push({ name, run, column, colour: k % 8, dash: runs.length > 1 ? run.number % 8 : k % 8 });
    }
  });
  return list;
}

export const lookOf = (curve) => ({ stroke: theme().series[curve.colour], dash: theme().dashes[curve.dash], width: curve.run.number ? 1.5 : 1.6 });

export function swatch(curve) {
  return s('svg', { viewBox: '0 0 24 8', 'aria-hidden': 'true' }, s('line', { x1: 0, y1: 4, x2: 24, y2: 4, 'stroke-width': 2.2,
    style: `stroke: var(--series-${curve.colour})`, 'stroke-dasharray': theme().dashes[curve.dash].join(' ') }));
}

export const label = (column) => `${column.name}${unitText(column.unit) ? ` [${unitText(column.unit)}]` : ''}`;

// Says for each axis in use whether every recorded row stands between a and b.
export function coverageLine(curves, [a, b]) {
  const parts = [];
  for (const axis of new Set(curves.map((c) => c.column.axis))) {
    const of = curves.find((c) => c.column.axis === axis).run, { shown, recorded, raw } = axis.coverage(a, b);
    const whose = new Set(curves.map((c) => c.run)).size > 1 ? `${of.label}: ` : '';
    parts.push(raw
      ? h('span', { class: 'raw' }, `${whose}raw: all ${count(shown)} recorded samples`)
      : h('span', { class: 'thin' }, `${whose}not raw: ${count(shown)} of ${count(recorded)} samples, lines within ${plain(axis.bound * 100, 2)} % of each curve’s range`));
  }
  return parts;
}

const digits = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(17))) : '');
const single = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(9))) : '');

// Rows in view as CSV; a blank where an axis has no row at that time.
export function toCsv(times, curves, data, [a, b]) {
  const field = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const several = new Set(curves.map((c) => c.run)).size > 1;
  const lines = [['t', ...curves.map((c) => field(several ? `${c.run.label}: ${c.name}` : c.name))].join(',')];
  for (let i = 0; i < times.length; i++) {
    if (times[i] < a || times[i] > b) continue;
    lines.push([digits(times[i]), ...data.map((v, k) => (v[i] === undefined || v[i] === null ? '' : curves[k].column.type === 'f64' ? digits(v[i]) : single(v[i])))].join(','));
  }
  return `${lines.join('\n')}\n`;
}

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
