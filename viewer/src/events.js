// Impacts, and episodes, as tables. Rows are made as they scroll into view, so that a hundred thousand cost no more than ten.
import { h, replace, select, check, download, fileName } from './dom.js';
import { columnScale, count, isRounding, plain, quantity, stored, unitText, withUnit } from './number.js';
import { IMPACT_KIND, LASTING_KIND, TOUCH_KIND } from './data.js';
import { field } from './plots/series.js';
import { ledgerText, stripText } from './strip.js';

const PAUSE = 250;          // between two scrolls while a run plays [ms]
const ROW = 25;             // height of a row [px], as in the style sheet
const SPARE = 6;            // rows made beyond the edge
const DWARFS = 1e3;
const BEFORE = 12, AFTER = 20, MOST_AFTER = 80;    // recorded rows around the make that a closer look shows
const HEADS = {
  start: 'start', end: 'end', duration: 'lasts', approach_speed: 'approach', separation_speed: 'separation', restitution_achieved: 'e',
  restitution: 'e set', impulse_normal: 'impulse', impulse_tangential: 'impulse along', peak_force: 'peak force', loss: 'loss', loss_normal: 'loss normal',
  loss_tangential: 'loss along', deepest: 'deepest', penetration: 'at touch', penetration_bound: 'bound', stick_time: 'sticks', slip_time: 'slips',
  impacts: 'impacts',
};
const HINTS = {
  start: 'Time of first contact', duration: 'Duration of contact', approach_speed: 'Normal approach speed before the impact', separation_speed: 'Normal separation speed after the impact',
  restitution_achieved: 'Achieved restitution of an impact: separation speed over approach speed', restitution: 'Nominal restitution of the model', impulse_normal: 'Normal impulse', peak_force: 'Largest normal force',
  loss: 'Energy loss, normal and tangential', deepest: 'Deepest penetration', penetration: 'Penetration at the detection of the contact', point: 'Contact and contact point',
};
const KINDS = [[IMPACT_KIND, 'impacts'], [LASTING_KIND, 'lasting contacts'], [TOUCH_KIND, 'mere touches']];
const FEW = ['start', 'duration', 'approach_speed', 'restitution_achieved', 'impulse_normal', 'peak_force', 'loss', 'deepest'];

// What a table lists: the name of its rows, which of them are kept where not all fit, and whether the keys stop at them.
const IMPACTS = { name: 'Impacts', of: (run) => run.impacts, few: FEW, best: 'strongest', who: 'contact', text: stripText, isKeyed: true, why: (run) => (run.impacts ? run.episodes?.rows ? 'No impact occurred in this run.' : 'No contact occurred in this run.' : 'This model has no contacts.') };
const EPISODES = { name: 'Episodes', of: (run) => run.episodes, best: 'longest', who: 'pair', text: ledgerText, few: ['start', 'duration', 'impacts', 'stick_time', 'slip_time', 'impulse_normal', 'peak_force', 'loss', 'deepest'] };

export const startEvents = (section, runs, clock) => startTable(section, runs, clock, IMPACTS);
export const startEpisodes = (section, runs, clock) => startTable(section, runs, clock, EPISODES);

// Of the run chosen; made anew when another is. A table without rows and without a reason is left out.
function startTable(section, runs, clock, list) {
  const title = (run) => (runs.length > 1 ? `${list.name} of ${run.label}` : list.name);
  const none = (run, why) => replace(section, why && h('div', { class: 'panel' }, h('header', {}, h('h2', {}, title(run))), h('p', { class: 'body note' }, why)));
  let table = null;
  const show = () => {
    const { run } = clock;
    table?.stop();
    table = list.of(run)?.kept ? new Events(section, run, clock, title(run), list) : null;
    if (!table) none(run, list.why?.(run));
  };
  clock.on('run', show);
  show();
}

class Events {
  constructor(section, run, clock, name, list) {
    Object.assign(this, { run, clock, name, list, impacts: list.of(run), sort: 'start', down: false, contact: -1, kind: -1, all: false, zoom: false, focus: -1 });
    this.body = h('tbody', { onclick: (e) => this.click(e), onkeydown: (e) => this.key(e) });
    this.head = h('thead');
    this.table = h('table', { 'aria-label': list.name }, this.head, this.body);
    this.scroller = h('div', { class: 'scroller', onscroll: () => this.fill() }, this.table);
    this.title = h('h2');
    const { kinds, contacts } = this.choices();
    replace(section, h('div', { class: 'panel' }, h('header', {}, this.title,
      select(`Filter by ${list.who}`, [[-1, `all ${list.who}s`], ...contacts], -1, (k) => {
        this.contact = Number(k);
        this.arrange();
      }),
      kinds.length > 1 && select('Filter by kind', [[-1, 'all kinds'], ...kinds], -1, (k) => {
        this.kind = Number(k);
        this.arrange();
      }),
      check('all columns', false, (on) => {
        this.all = on;
        this.arrange();
      }),
      check('zoom in', false, (on) => { this.zoom = on; }, 'A click also brings the plots close to the row'),
      h('div', { class: 'tools push' }, h('button', { class: 'quiet', title: 'These rows as CSV: SI units, every digit', 'aria-label': `${list.name}: these rows as CSV`, onclick: () => this.saveCsv() }, 'CSV'))),
    this.scroller, h('div', { class: 'state', style: 'padding-top: 6px' },
      this.impacts.kept < this.impacts.rows ? h('span', { class: 'thin' }, `the ${count(this.impacts.kept)} ${list.best} of ${count(this.impacts.rows)}`) : h('span', { class: 'raw' }, `all ${count(this.impacts.rows)} of the record`),
      h('span', {}, list.text(run)), h('span', {}, 'a click on a row, or ↑ ↓ in the table, goes there'), h('span', { class: 'paper' }, 'on paper only the rows in view'))));
    this.off = clock.on('time', () => this.mark());
    this.arrange();
    this.mark();
  }

  stop() {
    this.off();
  }

  // Contacts that have rows and kinds that occur, each with how many.
  choices() {
    const { impacts } = this, of = new Map(), { count: kinds } = impacts.blows;
    for (let i = 0; i < impacts.kept; i++) of.set(impacts.contact(i), (of.get(impacts.contact(i)) ?? 0) + 1);
    return {
      kinds: KINDS.filter(([k]) => kinds[k] > 0).map(([k, name]) => [k, `${name} (${count(kinds[k])})`]),
      contacts: impacts.contacts.map((c, k) => [k, c.name]).filter(([k]) => of.has(k)).map(([k, name]) => [k, `${name} (${count(of.get(k))})`]),
    };
  }

  // Only an impact has a restitution: a contact that lasts parts for other reasons, or not at all before the run ends.
  rebounds(row) {
    return this.impacts.blows.kind[row] === IMPACT_KIND && !isRounding(this.impacts.get('approach_speed', row), this.impacts.of.get('approach_speed')?.max);
  }

  value(name, row) {
    if (name === 'duration') return this.impacts.length(row);
    if (name === 'loss') return this.impacts.get('loss_normal', row) + this.impacts.get('loss_tangential', row);
    if (name === 'restitution_achieved' && !this.rebounds(row)) return NaN;
    return this.impacts.get(name, row);
  }

  arrange() {
    const { impacts } = this;
    this.names = (this.all ? ['start', 'duration', ...impacts.columns.map((c) => c.name).filter((n) => n !== impacts.whose && n !== 'start')] : this.list.few).filter((n) => n === 'duration' || n === 'loss' || impacts.of.has(n));
    this.scales = new Map(this.names.map((name) => [name, this.scaleOf(name)]));
    this.rows = [];
    const { kind } = impacts.blows, wanted = (i) => (this.contact < 0 || impacts.contact(i) === this.contact) && (this.kind < 0 || kind[i] === this.kind);
    for (let i = 0; i < impacts.kept; i++) if (wanted(i)) this.rows.push(i);
    if (this.list.isKeyed) this.clock.stops = this.contact < 0 && this.kind < 0 ? null : impacts.stops(this.rows);
    const sign = this.down ? -1 : 1;
    const of = this.sort === 'point' ? (i) => impacts.get(impacts.whose, i) : (i) => this.value(this.sort, i);
    const order = (a, b) => Number(Number.isNaN(of(a))) - Number(Number.isNaN(of(b))) || sign * (of(a) - of(b)) || a - b;   // what has no value comes last
    if (this.sort !== 'start' || this.down) this.rows.sort(order);
    this.place = new Map(this.rows.map((row, k) => [row, k]));
    this.title.textContent = `${this.name} (${count(this.rows.length)})`;
    replace(this.head, h('tr', {}, ['start', 'point', ...this.names.slice(1)].map((name) => this.headCell(name))));
    this.fill(true);
  }

  scaleOf(name) {
    const unit = name === 'duration' ? 's' : name === 'loss' ? 'J' : this.impacts.of.get(name).unit, sizes = [];
    if (name === 'start' || name === 'end') return { factor: 1, unit };
    for (let i = 0; i < this.impacts.kept; i++) if (Math.abs(this.value(name, i)) > 0) sizes.push(Math.abs(this.value(name, i)));
    // A restitution is of the order of one, even where all there are is rounding.
    const largest = sizes.reduce((a, b) => Math.max(a, b), name.startsWith('restitution') ? 1 : 0), real = sizes.filter((x) => !isRounding(x, largest)).sort((a, b) => a - b), usual = real[real.length >> 1];
    // Where a few numbers dwarf most, one prefix does not suit them all: then each takes its own.
    return unit !== '1' && largest > DWARFS * usual ? { largest, each: unit, unit: '' } : { largest, ...columnScale(largest, unit) };
  }

  headCell(name) {
    const text = name === 'point' ? this.list.who : HEADS[name] ?? name.replaceAll('_', ' '), on = this.sort === name, hint = HINTS[name];
    return h('th', { scope: 'col', class: name === 'point' ? 'text' : '', 'aria-sort': on ? (this.down ? 'descending' : 'ascending') : 'none' },
      h('button', { 'data-sort': name, title: `${hint ? `${hint}; sort` : 'Sort'} by it`, onclick: () => {
        this.down = on ? !this.down : name !== 'start' && name !== 'point';
        this.sort = name;
        this.scroller.scrollTop = 0;
        this.arrange();
        this.head.querySelector(`[data-sort="${name}"]`)?.focus();
      } }, `${text}${on ? (this.down ? ' ▾' : ' ▴') : ''}`, h('small', {}, name === 'point' ? '' : this.scales.get(name).unit)));
  }

  // The rows in view, between two spacers.
  fill(anew = false) {
    const top = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - SPARE), n = Math.ceil(this.scroller.clientHeight / ROW || 14) + 2 * SPARE;
    const from = Math.max(0, Math.min(top, this.rows.length - n)), to = Math.min(this.rows.length, from + n);
    if (!anew && from === this.from && to === this.to) return;
    [this.from, this.to] = [from, to];
    const spacer = (k) => h('tr', { class: 'spacer', 'aria-hidden': 'true' }, h('td', { style: `height: ${k * ROW}px` }));
    replace(this.body, from > 0 && spacer(from), this.rows.slice(from, to).map((row) => this.row(row)), to < this.rows.length && spacer(this.rows.length - to));
  }

  row(row) {
    const cell = (name) => h('td', {}, this.text(name, row));
    return h('tr', { class: 'row', 'data-row': row, tabindex: row === this.tabStop() ? 0 : -1, 'aria-selected': row === this.current },
      cell('start'), h('td', { class: 'text' }, this.impacts.pointName(row)), this.names.slice(1).map(cell));
  }

  text(name, row) {
    const v = this.value(name, row), { factor, each, largest } = this.scales.get(name);
    if (!Number.isFinite(v)) return '–';
    if (name === 'impacts') return count(v);
    if (v !== 0 && isRounding(v, largest)) return '≈ 0';
    if (each) return quantity(v, each, 4);
    if (name === 'start' || name === 'end') return v.toFixed(Math.min(12, Math.max(4, 5 - Math.floor(Math.log10(this.clock.end - this.clock.start || 1)))));
    return v === 0 ? '0' : Math.abs(v * factor) < 0.00095 ? plain(v * factor, 3) : (v * factor).toPrecision(4);
  }

  // The one row that the Tab key stops at.
  tabStop() {
    return this.place.has(this.current) ? this.current : this.rows[0];
  }

  jump(row) {
    this.clock.play(false);
    this.picked = row;
    const t = this.impacts.arrival(row);
    if (this.zoom) this.clock.show(...this.close(row));
    this.clock.seek(t);
  }

  // The first recorded rows of the episode and those just before: all of a short one, the make of one that lasts.
  close(row) {
    const { axis } = this.run, { times } = axis, end = times.length - 1, start = this.impacts.get('start', row), { i } = axis.locate(start);
    const target = start + 1.5 * Math.min(this.impacts.length(row), this.impacts.short);
    let first = Math.max(0, i - 1), last = Math.min(end, i + 2);
    while (last < end && last - i < MOST_AFTER && times[last] < target) last++;
    while (last < end && last - i < AFTER && axis.isNext(last)) last++;
    while (first > 0 && i - first < BEFORE && axis.isNext(first - 1)) first--;
    return [Math.max(times[first], 2 * start - times[last]), times[last]];
  }

  click(event) {
    const row = event.target.closest('tr.row');
    if (row) this.jump(Number(row.dataset.row));
  }

  key(event) {
    const row = event.target.closest('tr.row');
    if (!row) return;
    const at = this.place.get(Number(row.dataset.row)), page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2), last = this.rows.length - 1;
    const wanted = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: last, Enter: at, ' ': at }[event.key];
    if (wanted === undefined || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = Math.min(last, Math.max(0, wanted));
    this.jump(this.rows[to]);
    this.reveal(to);
    this.body.querySelector(`[data-row="${this.rows[to]}"]`)?.focus();
  }

  reveal(k) {
    const head = this.head.offsetHeight, top = k * ROW, { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + ROW + head > scrollTop + clientHeight) this.scroller.scrollTop = top + ROW + head - clientHeight;
    this.fill();
  }

  // The row chosen, else the last that began: the table shows where the time stands.
  mark() {
    const { t } = this.clock;
    if (this.picked !== undefined && this.impacts.arrival(this.picked) !== t) this.picked = undefined;
    const current = this.picked ?? this.impacts.before(t);
    this.table.dataset.time = t;
    if (current === this.current) return;
    this.current = current;
    for (const row of this.body.querySelectorAll('tr.row')) {
      const on = Number(row.dataset.row) === current;
      row.setAttribute('aria-selected', on);
      row.tabIndex = Number(row.dataset.row) === this.tabStop() ? 0 : -1;
    }
    this.follow();
  }

  // Scrolls with the time, once a picture at most: asking for heights in between would lay out the page each time. A run that plays is followed a few
  // times a second, which is all that can be read: a layout takes as long as the picture of a crowd.
  follow() {
    if (this.asked) return;
    this.asked = true;
    const wait = this.clock.playing ? PAUSE - (performance.now() - (this.followed ?? -Infinity)) : 0, show = () => requestAnimationFrame(() => {
      this.asked = false;
      this.followed = performance.now();
      if (this.place.has(this.current) && !this.scroller.matches(':hover')) this.reveal(this.place.get(this.current));
    });
    if (wait > 0) setTimeout(show, wait);
    else show();
  }

  saveCsv() {
    const columns = this.impacts.columns.filter((c) => c.name !== this.impacts.whose), head = columns.map((c) => withUnit(c.name, unitText(c.unit)));
    const lines = [[this.list.who, ...head].join(','), ...this.rows.map((row) => [field(this.impacts.pointName(row)), ...columns.map((c) => stored(c.values[row]))].join(','))];
    download(fileName(this.run.name, this.list.name.toLowerCase()) + '.csv', `${lines.join('\n')}\n`, 'text/csv');
  }
}
