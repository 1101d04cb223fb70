// The drawings of a sweep. Each kind draws rows into a painter and says where each row is, so that a click finds it.
import { Frame, padded } from '../plots/frame.js';
import { plain } from '../number.js';
import { theme } from '../theme.js';

export const KINDS = [['lines', 'Lines'], ['heat', 'Heat map'], ['scatter', 'Scatter'], ['histogram', 'Histogram']];
const LEGEND = 150;           // pixels beside the drawing
const MOST_LINES = 8;

const extent = (values) => {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
};

// Along an axis: a quantity or its logarithm.
function axis(rows, name, isLog) {
  const unit = rows.unit(name), named = unit && unit !== '1' ? `${name} / ${unit}` : name;
  return isLog ? { of: (v) => Math.log10(v), name: `log10(${named})`, unit: '' } : { of: (v) => v, name, unit };
}

// Light to dark, or dark to light on a dark page: told apart without colours.
function shade(share) {
  const t = Math.min(1, Math.max(0, share)), l = theme().dark ? 22 + 66 * t : 92 - 70 * t;
  return `hsl(${200 + 50 * t} 65% ${l}%)`;
}

// Rows whose other quantities have the chosen values.
function chosen(rows, view, free) {
  const fixed = rows.vary.filter(({ name }) => !free.includes(name) && view.fixed[name] !== undefined).map(({ name }) => [rows.values(name), view.fixed[name]]);
  const list = [];
  for (let i = 0; i < rows.count; i++) if (fixed.every(([values, value]) => values[i] === value)) list.push(i);
  return list;
}

function frameOf(size, xs, ys, x, y, painter, legend) {
  const box = { left: 78, top: 10, width: Math.max(60, size.width - 92 - (legend ? LEGEND : 0)), height: size.height - 52 };
  const frame = new Frame(box, xs, ys);
  frame.draw(painter, x, y);
  return frame;
}

function legendAt(painter, size, title, entries) {
  const c = theme(), font = `11px ${c.font}`, left = size.width - LEGEND + 4;
  painter.text(left, 12, title, { fill: c.ink, font, baseline: 'top' });
  for (const [k, [text, draw]] of entries.entries()) {
    draw(left, 36 + 18 * k);
    painter.text(left + 24, 36 + 18 * k, text, { fill: c.muted, font, baseline: 'middle' });
  }
}

function scaleAt(painter, size, rows, name, range) {
  const shown = Array.from({ length: 6 }, (_, k) => 1 - k / 5);
  legendAt(painter, size, name, shown.map((share) => [rows.text(name, range[0] + share * (range[1] - range[0])),
    (x, y) => painter.rect(x, y - 9, 18, 18, { fill: shade(share) })]));
}

function lines(painter, size, rows, view) {
  const { x, y, by } = view, ax = axis(rows, x, view.logX), ay = axis(rows, y, view.logY), list = chosen(rows, view, [x, by]);
  const series = by ? [...(rows.steps(by) ?? [])].slice(0, MOST_LINES) : [null], of = by && rows.values(by);
  const xs = rows.values(x), ys = rows.values(y), used = list.filter((i) => !by || series.includes(of[i]));
  const frame = frameOf(size, padded(extent(used.map((i) => ax.of(xs[i]))), 0.02), padded(extent(used.map((i) => ay.of(ys[i])))), ax, ay, painter, by);
  const c = theme(), points = [];
  for (const [k, value] of series.entries()) {
    const own = used.filter((i) => !by || of[i] === value).sort((a, b) => xs[a] - xs[b]), look = { stroke: c.series[k], dash: c.dashes[k], width: 1.4 };
    const pixels = own.flatMap((i) => [frame.px(ax.of(xs[i])), frame.py(ay.of(ys[i]))]);
    painter.path(pixels, look);
    own.forEach((row, n) => points.push({ row, x: pixels[2 * n], y: pixels[2 * n + 1] }));
    if (own.length <= 200) for (let n = 0; n < pixels.length; n += 2) if (Number.isFinite(pixels[n + 1])) painter.circle(pixels[n], pixels[n + 1], 2.5, { fill: c.series[k] });
  }
  if (by) legendAt(painter, size, by, series.map((value, k) => [rows.text(by, value), (px, py) => painter.path([px, py, px + 18, py], { stroke: c.series[k], dash: c.dashes[k], width: 1.6 })]));
  return points;
}

// Cells reach half way to their neighbours.
function edges(steps, of) {
  const at = [...steps].map(of), n = at.length;
  if (n === 1) return [at[0] - 0.5, at[0] + 0.5];
  return [at[0] - (at[1] - at[0]) / 2, ...at.slice(1).map((v, k) => (at[k] + v) / 2), at[n - 1] + (at[n - 1] - at[n - 2]) / 2];
}

function heat(painter, size, rows, view) {
  const { x, y } = view, by = view.by ?? rows.vary.find(({ name }) => name !== x)?.name;
  const stepsX = rows.steps(x), stepsY = by && rows.steps(by);
  if (!stepsX || !stepsY) return scatter(painter, size, rows, view);
  const ax = axis(rows, x, view.logX), ab = axis(rows, by, rows.varied.get(by).isLog), of = (v) => (view.logY ? Math.log10(v) : v);
  const ex = edges(stepsX, ax.of), ey = edges(stepsY, ab.of), list = chosen(rows, view, [x, by]);
  const xs = rows.values(x), bs = rows.values(by), ys = rows.values(y), range = extent(list.map((i) => of(ys[i])).filter(Number.isFinite));
  const frame = frameOf(size, [ex[0], ex.at(-1)], [ey[0], ey.at(-1)], ax, ab, painter, true);
  const placeX = new Map([...stepsX].map((v, k) => [v, k])), placeY = new Map([...stepsY].map((v, k) => [v, k])), points = [];
  for (const row of list) {
    const k = placeX.get(xs[row]), m = placeY.get(bs[row]), left = frame.px(ex[k]), right = frame.px(ex[k + 1]), top = frame.py(ey[m + 1]), bottom = frame.py(ey[m]), value = of(ys[row]);
    if (Number.isFinite(value)) painter.rect(left, top, right - left + 0.5, bottom - top + 0.5, { fill: shade((value - range[0]) / (range[1] - range[0] || 1)) });
    points.push({ row, x: (left + right) / 2, y: (top + bottom) / 2, box: [left, top, right, bottom] });
  }
  if (Number.isFinite(range[0])) scaleAt(painter, size, rows, y, view.logY ? range.map((v) => 10 ** v) : range);
  return points;
}

function scatter(painter, size, rows, view) {
  const { x, y, by } = view, ax = axis(rows, x, view.logX), ay = axis(rows, y, view.logY), list = chosen(rows, view, rows.vary.map(({ name }) => name));
  const xs = rows.values(x), ys = rows.values(y), bs = by && rows.values(by), range = by && extent(bs), c = theme();
  const px = Float64Array.from(list, (i) => ax.of(xs[i])), py = Float64Array.from(list, (i) => ay.of(ys[i]));
  const frame = frameOf(size, padded(extent(px.filter(Number.isFinite)), 0.02), padded(extent(py.filter(Number.isFinite))), ax, ay, painter, by);
  const radius = list.length > 2000 ? 1.5 : 2.5, points = [];
  for (const [k, row] of list.entries()) {
    if (!Number.isFinite(px[k] + py[k])) continue;
    const point = { row, x: frame.px(px[k]), y: frame.py(py[k]) };
    painter.circle(point.x, point.y, radius, { fill: by ? shade((bs[row] - range[0]) / (range[1] - range[0] || 1)) : c.series[0] });
    points.push(point);
  }
  if (by) scaleAt(painter, size, rows, by, range);
  return points;
}

// A click takes the row of the bin whose value is the nearest.
function histogram(painter, size, rows, view) {
  const { y } = view, ay = axis(rows, y, view.logY), list = chosen(rows, view, rows.vary.map(({ name }) => name)), ys = rows.values(y);
  const used = list.map((row) => ({ row, value: ay.of(ys[row]) })).filter(({ value }) => Number.isFinite(value));
  const range = extent(used.map(({ value }) => value)), bins = Math.max(1, Math.min(60, Math.round(Math.sqrt(used.length)))), width = (range[1] - range[0]) / bins || 1;
  const counts = new Array(bins).fill(0), place = (value) => Math.min(bins - 1, Math.floor((value - range[0]) / width));
  for (const { value } of used) counts[place(value)]++;
  const frame = frameOf(size, range, [0, Math.max(1, ...counts) * 1.05], ay, { name: 'rows', unit: '' }, painter, false), c = theme();
  for (const [k, n] of counts.entries()) {
    const left = frame.px(range[0] + k * width), right = frame.px(range[0] + (k + 1) * width);
    painter.rect(left, frame.py(n), right - left, frame.py(0) - frame.py(n), { fill: c.series[0], stroke: c.panel });
  }
  return used.map(({ row, value }) => ({ row, x: frame.px(value), y: frame.py(0), box: [frame.px(value) - 0.5, frame.py(counts[place(value)]), frame.px(value) + 0.5, frame.py(0)] }));
}

const DRAW = { lines, heat, scatter, histogram };
export const draw = (painter, size, rows, view) => DRAW[view.kind](painter, size, rows, view);

// First-order and total index of each input, with their intervals.
export function indices(painter, size, entries) {
  const c = theme(), font = `11px ${c.font}`, box = { left: 130, top: 10, width: Math.max(60, size.width - 250), height: size.height - 52 };
  const top = Math.max(1, ...entries.map((e) => e.total_high ?? 0)), low = Math.min(0, ...entries.map((e) => e.first_low ?? 0));
  const frame = new Frame(box, [low, top], [0, entries.length]), row = box.height / entries.length;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    painter.path([frame.px(share), box.top, frame.px(share), box.top + box.height], { stroke: c.rule });
    painter.text(frame.px(share), box.top + box.height + 5, plain(share), { fill: c.muted, font, anchor: 'middle', baseline: 'top' });
  }
  painter.text(box.left + box.width / 2, box.top + box.height + 21, 'part of the variance', { fill: c.ink, font, anchor: 'middle', baseline: 'top' });
  for (const [k, e] of entries.entries()) {
    const y = box.top + row * k;
    painter.text(box.left - 8, y + row / 2, e.input, { fill: c.ink, font, anchor: 'end', baseline: 'middle' });
    for (const [n, which] of ['first', 'total'].entries()) {
      if (e[which] === null) continue;
      const at = y + row * (n ? 0.53 : 0.15), thick = row * 0.32, from = frame.px(0);
      painter.rect(Math.min(from, frame.px(e[which])), at, Math.abs(frame.px(e[which]) - from), thick, { fill: c.series[n] });
      painter.path([frame.px(e[`${which}_low`]), at + thick / 2, frame.px(e[`${which}_high`]), at + thick / 2], { stroke: c.ink, width: 1.5 });
    }
  }
  for (const [n, text] of ['first order', 'total'].entries()) {
    painter.rect(size.width - 92, 14 + 18 * n, 14, 10, { fill: c.series[n] });
    painter.text(size.width - 72, 19 + 18 * n, text, { fill: c.muted, font, baseline: 'middle' });
  }
}

export const indexText = (e, which) => (e[which] === null ? '–' : `${plain(e[which], 3)} (${plain(e[`${which}_low`], 3)} to ${plain(e[`${which}_high`], 3)})`);
