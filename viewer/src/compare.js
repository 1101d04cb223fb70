// Runs against the first one: what differs most, impacts side by side, energies and cost.
import { h, replace } from './dom.js';
import { columnScale, count, plain, quantity, several, unitText } from './number.js';

const MOST = 400;           // rows of matched impacts in the table

export function startCompare(section, report, clock) {
  if (report.runs.length < 2) return;
  replace(section, report.compare.map((pair) => pairPanel(report.runs[0], report.runs[pair.run], pair, clock)));
}

const table = (name, heads, rows) => h('div', { class: 'scroller' }, h('table', { class: 'narrow', 'aria-label': name },
  h('thead', {}, h('tr', {}, heads.map(([text, cls, whose]) => h('th', { scope: 'col', class: cls }, h('span', {}, text, whose && h('small', {}, whose)))))), h('tbody', {}, rows)));
const row = (cells, attributes = {}) => h('tr', attributes, cells.map((c, k) => h('td', { class: k ? '' : 'text' }, c)));

function pairPanel(first, second, pair, clock) {
  const go = (t) => (Number.isFinite(t) ? { class: 'row', tabindex: 0, onclick: () => clock.seek(t), onkeydown: (e) => (e.key === 'Enter') && clock.seek(t) } : {});
  const columns = [...pair.columns].sort((a, b) => b.max / (b.range || 1) - a.max / (a.range || 1));
  const share = (c) => (c.range > 0 ? `${plain(100 * c.max / c.range, 3)} %` : '–');
  return h('div', { class: 'panel' }, h('header', {}, h('h2', {}, `${first.label} against ${second.label}`)),
    block('Largest differences', `${several(columns.length, 'quantity', 'quantities')}, largest share of the range first; a click goes to the moment`,
      table('Differences', [['quantity', 'text'], ['largest'], ['of range'], ['rms'], ['at']],
        columns.slice(0, MOST).map((c) => row([c.name, quantity(c.max, c.unit), share(c), quantity(c.rms, c.unit), quantity(c.at, 's', 6)], go(c.at))))),
    pair.impacts && block('Impacts side by side', impactLine(pair), impactTable(first, second, pair, go)),
    pair.energy?.length ? block('Energy at the end', '', table('Energy', [['account', 'text'], [first.label], [second.label], ['difference']],
      pair.energy.map((e) => row([e.name, quantity(e.first, e.unit), quantity(e.second, e.unit), quantity(e.difference, e.unit)])))) : null,
    pair.cost?.length ? block('Cost', '', table('Cost', [['', 'text'], [first.label], [second.label]],
      pair.cost.map((c) => row([`${c.name}${unitText(c.unit) ? ` [${unitText(c.unit)}]` : ''}`, plain(c.first, 6), plain(c.second, 6)])))) : null);
}

function block(title, note, content) {
  return [h('div', { class: 'body' }, h('h3', {}, title), note && h('p', { class: 'note' }, note)), content];
}

function impactLine({ impacts, window }) {
  const differ = impacts.time ? ` Matched ones differ by up to ${quantity(impacts.time.max, 's', 3)}${impacts.impulse ? ` and ${quantity(impacts.impulse.max, 'N*s', 3)}` : ''}.` : '';
  return `${count(impacts.matched)} matched within ${quantity(window, 's', 3)}, ${count(impacts.only_first)} only in the first run, ${count(impacts.only_second)} only in the second.${differ}`;
}

// Matched pairs and those without a partner, in order of time.
function impactTable(first, second, pair, go) {
  if (!first.impacts?.kept && !second.impacts?.kept) return h('p', { class: 'body note' }, 'Neither run has impacts.');
  const at = (run, i, name) => (i === null ? undefined : run.impacts.get(name, i));
  const lines = [...pair.matched, ...pair.only_first.map((i) => [i, null]), ...pair.only_second.map((i) => [null, i])]
    .map(([i, k]) => ({ i, k, t: at(first, i, 'start') ?? at(second, k, 'start') })).sort((a, b) => a.t - b.t);
  const largest = (name) => Math.max(...[first, second].map((run) => run.impacts?.of.get(name)?.max ?? 0));
  const strength = columnScale(largest('impulse_normal'), 'N*s'), decimals = Math.min(12, Math.max(4, 6 - Math.floor(Math.log10(largest('end') || 1))));
  const start = (run, i) => (i === null ? '—' : at(run, i, 'start').toFixed(decimals));
  const impulse = (run, i) => (i === null ? '—' : (at(run, i, 'impulse_normal') * strength.factor).toPrecision(4));
  const cells = ({ i, k, t }) => [i === null ? second.impacts.pointName(k) : first.impacts.pointName(i), start(first, i), start(second, k), impulse(first, i), impulse(second, k),
    i === null || k === null ? 'alone' : quantity(at(second, k, 'start') - t, 's', 3)];
  return [table('Impacts side by side', [['contact', 'text'], ['start [s]', '', first.label], ['start [s]', '', second.label], [`impulse [${strength.unit}]`, '', first.label], [`impulse [${strength.unit}]`, '', second.label], ['later by']],
    lines.slice(0, MOST).map((l) => row(cells(l), go(l.t)))),
  lines.length > MOST ? h('p', { class: 'body note' }, `The first ${MOST} of ${count(lines.length)}.`) : null];
}
