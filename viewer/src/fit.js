// The page of a fit: parameters with their intervals, data and model over each other, residuals, correlation.
import { h, replace } from './dom.js';
import { plain, quantity, several } from './number.js';
import { Frame, curvePoints, padded } from './plots/frame.js';
import { drawing, studyHead } from './study.js';
import { theme } from './theme.js';

const HEIGHT = 300, RESIDUALS = 160, BINS = 31;

export async function startFit(main, head, report) {
  const { fit } = report, { result, samples } = fit, isGoal = result.goal_name !== undefined;
  const what = isGoal ? `optimum of ${result.goal_name}` : `fit to ${several(result.samples, 'sample')}`;
  studyHead(head, isGoal ? 'optimum' : 'fit', result.title || fit.name, `${what} · ${several(result.runs, 'run')} · ${result.failed ? `${result.failed} failed` : 'none failed'}`);
  replace(main, warningPanel(result), parameterPanel(result, isGoal), result.channels.map((channel, k) => channelPanel(channel, samples[k])),
    !isGoal && result.parameters.length > 1 && correlationPanel(result), aboutPanel(fit, isGoal));
  main.hidden = false;
  document.documentElement.dataset.ready = 'true';
  window.carom = { report };
}

function warningPanel({ inseparable, warnings }) {
  const sentences = [...inseparable, ...warnings];
  return sentences.length > 0 && h('section', { class: 'panel', 'aria-label': 'Warnings' }, h('h2', {}, several(sentences.length, 'warning')), h('ul', {}, sentences.map((text) => h('li', { class: 'trouble' }, text))));
}

const table = (head, rows) => h('table', {}, h('thead', {}, h('tr', {}, head.map((text) => h('th', { scope: 'col' }, text)))),
  h('tbody', {}, rows.map(([name, ...cells]) => h('tr', {}, h('th', { scope: 'row' }, name), cells.map((cell) => h('td', {}, cell))))));

function remark({ determined, bound, low }) {
  if (!determined) return 'not determined by the data';
  return bound === 'inside' ? '' : `at the ${bound === 'low' ? 'lower' : 'upper'} end of its range${low === null ? '' : '; one-sided'}`;
}

function parameterPanel(result, isGoal) {
  const of = (x, p) => quantity(x, p.unit, 6);
  const rows = result.parameters.map((p) => [p.name, of(p.value, p), ...(isGoal ? [] : [p.low === null ? '–' : `${of(p.low, p)} to ${of(p.high, p)}`]), `${of(p.least, p)} to ${of(p.most, p)}${p.log ? ', log' : ''}`, remark(p)]);
  const bars = !isGoal && drawing('Intervals within the ranges; the table has the numbers.', 16 + 28 * result.parameters.length, (painter, size) => intervals(painter, size, result.parameters));
  return h('section', { class: 'panel indices', 'aria-label': 'Parameters' }, h('h2', {}, isGoal ? `${result.goal_name} = ${quantity(result.goal, result.goal_unit, 6)}` : 'Parameters'),
    table(['', 'value', ...(isGoal ? [] : ['95 % interval']), 'range', ''], rows), bars);
}

// Each parameter in its range, from 0 to 1: the interval as a bar, the value as a line.
function intervals(painter, { width }, parameters) {
  const c = theme(), font = `11px ${c.font}`, left = 130, room = Math.max(60, width - left - 20);
  const share = (p, v) => (p.log ? Math.log(v / p.least) / Math.log(p.most / p.least) : (v - p.least) / (p.most - p.least));
  for (const [k, p] of parameters.entries()) {
    const y = 12 + 28 * k, px = (v) => left + room * Math.min(1, Math.max(0, share(p, v)));
    painter.text(left - 8, y + 8, p.name, { fill: c.ink, font, anchor: 'end', baseline: 'middle' });
    painter.rect(left, y, room, 16, { stroke: c.rule });
    if (p.low !== null) painter.rect(px(p.low), y + 3, Math.max(1, px(p.high) - px(p.low)), 10, { fill: p.determined ? c.series[0] : c.muted });
    painter.path([px(p.value), y - 1, px(p.value), y + 17], { stroke: c.ink, width: 1.5 });
  }
}

const extent = (lists) => {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const v of list) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
};

function channelPanel(channel, { t, measured, fitted, step }) {
  const title = `${channel.column} of ${channel.file}${channel.hold_out ? ', held out' : ''}`;
  if (channel.rms === null) return h('section', { class: 'panel', 'aria-label': `${channel.column} of ${channel.file}` }, h('h2', {}, title), h('p', { class: 'muted' }, 'Not compared: the run over it failed at the result.'));
  const residuals = measured.map((y, k) => y - fitted[k]), time = { name: 't', unit: 's' }, axis = { name: channel.column, unit: channel.unit }, range = padded(extent([t]), 0.01);
  const dots = (painter, frame, ys, fill) => ys.forEach((y, k) => painter.circle(frame.px(t[k]), frame.py(y), t.length > 1000 ? 1.2 : 2, { fill }));
  const over = drawing(`${channel.column} as measured and as fitted`, HEIGHT, (painter, size) => {
    const c = theme(), frame = new Frame({ left: 78, top: 10, width: Math.max(60, size.width - 92), height: size.height - 52 }, range, padded(extent([measured, fitted])));
    frame.draw(painter, time, axis);
    dots(painter, frame, measured, c.series[1]);
    painter.path(curvePoints(frame, t, fitted), { stroke: c.series[0], width: 1.4 });
  });
  const below = drawing(`Residuals of ${channel.column}, and how often they are how large`, RESIDUALS, (painter, size) => {
    const c = theme(), most = Math.max(...extent([residuals]).map(Math.abs)) * 1.05, width = Math.max(60, (size.width - 92) * 0.75);
    const frame = new Frame({ left: 78, top: 10, width, height: size.height - 52 }, range, [-most, most]);
    frame.draw(painter, time, { name: 'residual', unit: channel.unit });
    painter.path([frame.px(range[0]), frame.py(0), frame.px(range[1]), frame.py(0)], { stroke: c.muted });
    dots(painter, frame, residuals, c.series[1]);
    histogram(painter, frame, residuals, most, frame.box.left + width + 8, size.width - width - 92);
  });
  const shown = step > 1 ? `; every ${step}th sample is shown` : '', offset = channel.offset ? `, offset ${quantity(channel.offset, 's', 5)}` : '';
  return h('section', { class: 'panel', 'aria-label': `${channel.column} of ${channel.file}` }, h('h2', {}, title), over, below,
    h('p', { class: 'muted' }, `Points are measured, the line is ${channel.signal} of the model${offset}. Residuals: rms ${quantity(channel.rms, channel.unit)}, ${plain(100 * channel.rms / channel.scale, 3)} % of the range; ${several(channel.samples, 'sample')}${channel.missing ? `, ${channel.missing} missing` : ''}${shown}.`));
}

// Bars to the right of the residuals, along the same axis.
function histogram(painter, frame, residuals, most, left, room) {
  const counts = new Array(BINS).fill(0), c = theme();
  for (const r of residuals) counts[Math.min(BINS - 1, Math.max(0, Math.floor((r + most) / (2 * most || 1) * BINS)))]++;
  const largest = Math.max(1, ...counts);
  counts.forEach((n, k) => {
    const top = frame.py(-most + 2 * most * (k + 1) / BINS), bottom = frame.py(-most + 2 * most * k / BINS);
    painter.rect(left, top, Math.max(0, room * n / largest), bottom - top, { fill: c.series[1], stroke: c.panel });
  });
}

function correlationPanel({ parameters, correlation }) {
  const names = parameters.map((p) => p.name);
  return h('section', { class: 'panel indices', 'aria-label': 'Correlation' }, h('h2', {}, 'Correlation of the errors'),
    table(['', ...names], names.map((name, k) => [name, ...correlation[k].map((x) => (x === null ? '–' : x.toFixed(3).replace('-', '−')))])));
}

function aboutPanel({ result, file, version }, isGoal) {
  const { command } = result;
  const copy = h('button', { onclick: async () => { await navigator.clipboard?.writeText(command).catch(() => {}); copy.textContent = 'Copied'; } }, 'Copy');
  const lines = [['model', result.model], ['file', file], ['version', version], ['searches', `${result.agreeing} of ${result.searches} found this`],
    ...(isGoal ? [] : [['rms of all residuals', `${plain(100 * result.rms, 3)} % of the range`], ['correlation of successive residuals', plain(result.autocorrelation, 3)]]),
    ...(result.hold_out_rms === null || isGoal ? [] : [['rms of held-out data', `${plain(100 * result.hold_out_rms, 3)} % of the range`]]),
    ...(result.first_message ? [['first run that failed', result.first_message]] : [])];
  return h('section', { class: 'panel', 'aria-label': 'How to use it' }, h('h2', {}, 'How to use it'), h('div', { class: 'command' }, h('code', {}, command), copy),
    h('dl', {}, lines.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value ?? '')])));
}
