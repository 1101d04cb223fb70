// Runs against the first one: what differs most, impacts side by side, energies and cost.
import { h, replace, select } from './dom.js';
import { columnScale, count, plain, quantity, several, unitText } from './number.js';

const MOST = 200;           // rows of a table at first, and how many more a click brings

export function startCompare(section, report, clock) {
  if (report.runs.length < 2) return;
  replace(section, report.compare.map((pair) => pairPanel(report.runs[0], report.runs[pair.run], pair, clock)));
}

// heads: rows of cells {text, cls, span, down}
const table = (name, heads, rows, cls = '') => h('div', { class: 'scroller' }, h('table', { class: `narrow ${cls}`, 'aria-label': name },
  h('thead', {}, heads.map((line) => h('tr', {}, line.map(({ text, cls: c, span, down }) => h('th', { scope: span ? 'colgroup' : 'col', class: c, colspan: span, rowspan: down }, h('span', {}, text)))))), h('tbody', {}, rows)));
const head = (...texts) => [texts.map((text, k) => ({ text, cls: k ? '' : 'text' }))];
const row = (cells, attributes = {}) => h('tr', attributes, cells.map((c, k) => h('td', { class: k ? '' : 'text' }, c)));
const chosen = (act) => ({ class: 'row', tabindex: 0, onclick: act, onkeydown: (e) => {
  if (e.key !== 'Enter' && e.key !== ' ') return;
  e.preventDefault();
  act();
} });

function pairPanel(first, second, pair, clock) {
  return h('div', { class: 'panel' }, h('header', {}, h('h2', {}, `${first.label} against ${second.label}`)),
    remarks(first, second).map((text) => h('p', { class: 'body remark', role: 'note' }, text)),
    differences(pair, clock), impacts(first, second, pair, clock),
    pair.energy?.length ? block(`Energy at ${first.t1 === second.t1 ? 'the end' : 'the last common time'}`, '', table('Energy', head('account', first.label, second.label, 'difference'),
      pair.energy.filter((e) => e.first !== 0 || e.second !== 0).map((e) => row([e.name, quantity(e.first, e.unit), quantity(e.second, e.unit), quantity(e.difference, e.unit)])))) : null,
    pair.cost?.length ? block('Cost', '', table('Cost', head('', first.label, second.label),
      pair.cost.map((c) => row([`${c.name.replaceAll('_', ' ')}${unitText(c.unit) ? ` [${unitText(c.unit)}]` : ''}`, plain(c.first, 6), plain(c.second, 6)])))) : null);
}

// What a reader must know before the numbers: other mechanisms, other lengths.
function remarks(first, second) {
  const names = (run) => run.scene.bodies.slice(1).map((body) => body.name), a = names(first), b = names(second), both = a.filter((name) => b.includes(name));
  const list = [], most = (all) => (all.length > 6 ? `${all.slice(0, 6).join(', ')} and ${all.length - 6} more` : all.join(', ') || 'none');
  if (!both.length) list.push(`These are different mechanisms, without a body in common: ${first.label} has ${most(a)}; ${second.label} has ${most(b)}. The scene shows one at a time; quantities of the same name are held against each other all the same, but say little.`);
  else if (both.length < a.length || both.length < b.length) list.push(`The models differ: in ${first.label} only: ${most(a.filter((n) => !both.includes(n)))}; in ${second.label} only: ${most(b.filter((n) => !both.includes(n)))}. What bears the same name in both is compared.`);
  if (first.t0 !== second.t0 || first.t1 !== second.t1) {
    const from = Math.max(first.t0, second.t0), to = Math.min(first.t1, second.t1);
    list.push(from > to ? 'The runs have no common time and cannot be compared.'
      : `Compared from ${quantity(from, 's', 6)} to ${quantity(to, 's', 6)}, the time that both have: ${first.label} goes from ${quantity(first.t0, 's', 6)} to ${quantity(first.t1, 's', 6)}, ${second.label} from ${quantity(second.t0, 's', 6)} to ${quantity(second.t1, 's', 6)}. Beyond its end a run stands still in the scene.`);
  }
  return list;
}

function differences({ columns }, clock) {
  const sorted = [...columns].sort((a, b) => b.max / (b.range || 1) - a.max / (a.range || 1)), share = (c) => (c.range > 0 ? `${plain(100 * c.max / c.range, 3)} %` : '–');
  if (!sorted.length) return block('Largest differences', 'No joint coordinate has the same name in both runs.', null);
  return block('Largest differences', `${several(sorted.length, 'coordinate')} of joints, largest share of the range first; a click goes to the moment`,
    table('Differences', head('quantity', 'largest', 'of range', 'rms', 'at'),
      sorted.slice(0, 2 * MOST).map((c) => row([c.name, quantity(c.max, c.unit), share(c), quantity(c.rms, c.unit), quantity(c.at, 's', 6)], Number.isFinite(c.at) ? chosen(() => clock.seek(c.at)) : {}))));
}

function block(title, note, content) {
  return [h('div', { class: 'body' }, h('h3', {}, title), note && h('p', { class: 'note' }, note)), content];
}

function impactLine({ impacts: { matched, only_first: a, only_second: b, time, impulse }, window }, first, second) {
  const differ = time ? ` Matched ones differ by up to ${quantity(time.max, 's', 3)}${impulse ? ` and ${quantity(impulse.max, 'N*s', 3)}` : ''}.` : '';
  return `${count(matched)} matched within ${quantity(window, 's', 3)}, ${count(a)} only in ${first.label}, ${count(b)} only in ${second.label}.${differ} A click takes the scene there, each run to its own impact.`;
}

// Matched pairs and those without a partner, in order of time.
function impacts(first, second, pair, clock) {
  if (!pair.impacts) return null;
  if (!first.impacts?.kept && !second.impacts?.kept) return block('Impacts side by side', 'Neither run has impacts.', null);
  const start = (run, i) => run.impacts.get('start', i);
  const lines = [...pair.matched, ...pair.only_first.map((i) => [i, null]), ...pair.only_second.map((k) => [null, k])]
    .map(([i, k]) => ({ i, k, t: i === null ? start(second, k) : start(first, i) })).sort((a, b) => a.t - b.t);
  const kinds = [['all', () => true], ['matched', ({ i, k }) => i !== null && k !== null], [`only in ${first.label}`, ({ k }) => k === null], [`only in ${second.label}`, ({ i }) => i === null]];
  const holder = h('div'), show = (kind, most = MOST) => {
    const some = lines.filter(kinds[kind][1]), rest = some.length - most;
    replace(holder, impactTable(first, second, some.slice(0, most), clock),
      rest > 0 && h('p', { class: 'body note' }, `${count(most)} of ${count(some.length)} `, h('button', { type: 'button', onclick: () => show(kind, most + MOST) }, `${count(Math.min(rest, MOST))} more`)));
  };
  show(0);
  const pick = select('Which impacts are listed', kinds.map(([text], k) => [k, `${text} (${count(lines.filter(kinds[k][1]).length)})`]), 0, (k) => show(k));
  return [h('div', { class: 'body' }, h('div', { class: 'line' }, h('h3', {}, 'Impacts side by side'), pick), h('p', { class: 'note' }, impactLine(pair, first, second))), holder];
}

function impactTable(first, second, lines, clock) {
  const largest = (name) => Math.max(...[first, second].map((run) => run.impacts?.of.get(name)?.max ?? 0));
  const strength = columnScale(largest('impulse_normal'), 'N*s'), speed = columnScale(largest('approach_speed'), 'm/s'), decimals = Math.min(12, Math.max(4, 5 - Math.floor(Math.log10(largest('end') || 1))));
  const number = (run, i, name, { factor }) => (i === null ? '—' : (run.impacts.get(name, i) * factor).toPrecision(3));
  const narrow = matchMedia('(max-width: 500px)').matches, span = narrow ? 2 : 3, fast = (cell) => (narrow ? [] : [cell]);
  const side = (run, i) => [i === null ? '—' : run.impacts.get('start', i).toFixed(decimals), ...fast(number(run, i, 'approach_speed', speed)), number(run, i, 'impulse_normal', strength)];
  const cells = ({ i, k }) => [i === null ? second.impacts.pointName(k) : first.impacts.pointName(i), ...side(first, i), ...side(second, k),
    i === null ? `only ${second.label}` : k === null ? `only ${first.label}` : later(second.impacts.get('start', k) - first.impacts.get('start', i))];
  const heads = [[{ text: 'contact', cls: 'text', down: 2 }, { text: first.label, cls: 'group', span }, { text: second.label, cls: 'group', span }, { text: 'second later by', down: 2 }],
    [first, second].flatMap(() => [{ text: 'start [s]', cls: 'group' }, ...fast({ text: `approach [${speed.unit}]` }), { text: `impulse [${strength.unit}]` }])];
  return table('Impacts side by side', heads, lines.map((l) => {
    const line = row(cells(l), chosen(() => goTo(first, second, l, clock)));
    line.classList.toggle('alone', l.i === null || l.k === null);
    for (const k of [1, 1 + span]) line.cells[k].classList.add('group');
    return line;
  }), 'pairs');
}

const later = (by) => (by === 0 ? 'at once' : `${by > 0 ? '+' : ''}${quantity(by, 's', 3)}`);

// The time of the run that is drawn solid; of a matched pair the other run stands at its own impact.
function goTo(first, second, { i, k }, clock) {
  const at = [[first, i], [second, k]].filter(([, row]) => row !== null).map(([run, row]) => ({ run, t: run.impacts.arrival(row) }));
  const lead = at.find(({ run }) => run === clock.run) ?? at[0], shifts = [];
  for (const { run, t } of at) shifts[run.number] = t - lead.t;
  clock.play(false);
  if (lead.run !== clock.run) clock.pick(lead.run);
  clock.seek(lead.t, shifts);
}
