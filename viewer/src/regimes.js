// When each pair sticks, slides or is apart: a lane per pair over the stretch of time in view. Recorded on request.
import { fitCanvas } from './plots/painter.js';
import { axisScale, ticks, tickTexts, count, several } from './number.js';
import { theme, onTheme } from './theme.js';
import { h, replace } from './dom.js';

const LANE = 18, FOOT = 16;   // heights [px]
const MOST_LANES = 24;
const STICKS = 1, SLIDES = 2; // of the column `regime`; 0 is apart

export function startRegimes(section, runs, clock) {
  let panel = null;
  const show = () => {
    const { run } = clock;
    panel?.stop();
    panel = run.regimes?.kept ? new Regimes(section, run, clock, runs.length > 1 ? `Regimes of ${run.label}` : 'Regimes') : null;
    if (!panel) replace(section);
  };
  clock.on('run', show);
  show();
}

class Regimes {
  constructor(section, run, clock, title) {
    const { regimes } = run;
    this.clock = clock;
    this.lanes = makeLanes(regimes).slice(0, MOST_LANES);
    this.canvas = h('canvas', { role: 'img', 'aria-label': this.lanes.map(inWords).join('; '), onpointerdown: (event) => this.seek(event) });
    this.cursor = h('div', { class: 'cursor' });
    this.field = h('div', { class: 'field', style: `height: ${LANE * this.lanes.length + FOOT}px` }, this.canvas, this.cursor);
    const left = regimes.pairs.length - this.lanes.length;
    replace(section, h('div', { class: 'panel' }, h('header', {}, h('h2', {}, title)),
      h('div', { class: 'regimes' }, h('ul', {}, this.lanes.map(({ name }) => h('li', { title: name, style: `height: ${LANE}px` }, name))), this.field),
      h('div', { class: 'state' }, h('span', { class: regimes.kept < regimes.rows ? 'thin' : 'raw' }, regimes.kept < regimes.rows ? `the ${count(regimes.kept)} longest of ${count(regimes.rows)}` : `all ${count(regimes.rows)} of the record`),
        h('span', {}, 'thick: sticks; thin: slides; line: apart'), left > 0 && h('span', {}, `${several(left, 'more pair')} that changed less often`))));
    this.off = [clock.on('window', () => this.draw()), clock.on('time', () => this.mark()), onTheme(() => this.draw())];
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.field);
  }

  stop() {
    for (const off of this.off) off();
    this.observer.disconnect();
  }

  seek(event) {
    const { left, width } = this.canvas.getBoundingClientRect(), [a, b] = this.clock.window;
    this.clock.seek(a + (event.clientX - left) / width * (b - a));
  }

  place(t) {
    const [a, b] = this.clock.window;
    return b > a ? (t - a) / (b - a) * this.field.clientWidth : 0;
  }

  mark() {
    this.cursor.style.transform = `translateX(${this.place(this.clock.t)}px)`;
    this.field.dataset.time = this.clock.t;
  }

  draw() {
    const width = this.field.clientWidth, height = this.field.clientHeight;
    if (!width) return;
    const c = fitCanvas(this.canvas, width, height), look = theme();
    this.lanes.forEach(({ rows }, k) => rows.forEach((row) => this.drawRow(c, row, LANE * k + LANE / 2, width, look)));
    this.drawTimes(c, width, height, look);
    this.mark();
  }

  // The three differ by height, not by colour alone.
  drawRow(c, { regime, start, end }, middle, width, look) {
    const x0 = Math.max(0, this.place(start)), x1 = Math.min(width, this.place(end)), tall = regime === STICKS ? 10 : regime === SLIDES ? 5 : 1;
    if (x1 < 0 || x0 > width) return;
    c.fillStyle = regime === STICKS ? look.stick : regime === SLIDES ? look.slip : look.muted;
    c.fillRect(x0, middle - tall / 2, Math.max(regime ? 0.75 : 0, x1 - x0), tall);
  }

  drawTimes(c, width, height, look) {
    const [a, b] = this.clock.window, { factor, unit } = axisScale(a, b, 's'), marks = b > a ? ticks(a, b, width / 110) : [a], texts = tickTexts(marks.map((t) => t * factor));
    c.font = `10.5px ${look.font}`;
    c.textBaseline = 'bottom';
    c.fillStyle = look.muted;
    for (const [k, t] of marks.entries()) {
      const text = k === marks.length - 1 ? `${texts[k]} ${unit}` : texts[k], w = c.measureText(text).width;
      c.fillText(text, Math.min(width - w, Math.max(0, this.place(t) - w / 2)), height);
    }
  }
}

// Pairs that change often first.
function makeLanes(regimes) {
  const lanes = regimes.pairs.map((name) => ({ name, rows: [] }));
  for (let i = 0; i < regimes.kept; i++) lanes[regimes.get('pair', i)]?.rows.push({ regime: regimes.get('regime', i), start: regimes.get('start', i), end: regimes.get('end', i) });
  return lanes.sort((a, b) => b.rows.length - a.rows.length);
}

// 'guide: sticks 0 times, slides 3 times'
const inWords = ({ name, rows }) => `${name}: sticks ${several(rows.filter((r) => r.regime === STICKS).length, 'time')}, slides ${several(rows.filter((r) => r.regime === SLIDES).length, 'time')}`;
