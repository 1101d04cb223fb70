// The strip over the time line: each impact a mark as tall as it was strong, below it lanes that tell contact that lasts
// from free flight. Where impacts are too many for marks, bars: as tall as the strongest of their stretch, as dark as there are many. Drawn over the stretch of time in view, with the whole run as a thin bar on top.
import { fitCanvas } from './plots/painter.js';
import { axisScale, ticks, tickTexts, quantity, several, count as number } from './number.js';
import { IMPACT_KIND, LASTING_KIND, TOUCH_KIND } from './data.js';
import { theme, onTheme } from './theme.js';
import { h } from './dom.js';

const MOST_LANES = 4;
const DECADES = 6;          // of a blow's energy between the lowest mark and the tallest
const BAR = 4;              // pixels of a bar, the gap beside it included
const DENSE = 1.5;          // marks a bar's width from which on they are drawn as bars

export class Strip {
  constructor(run, clock) {
    this.run = run;
    this.clock = clock;
    this.canvas = h('canvas', { 'aria-hidden': 'true' });
    this.element = h('div', { class: 'strip' }, this.canvas);
    const again = () => {
      this.run = clock.run;
      this.lanes = makeLanes(this.run.impacts);
      this.makeRoom();
      this.draw();
    };
    this.lanes = [];
    this.makeRoom();
    clock.on('run', again);
    clock.on('data', again);
    this.element.addEventListener('pointerdown', (event) => this.drag(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    clock.on('window', () => this.draw());
    onTheme(() => this.draw());
  }

  // Lanes do not take the marks' place.
  makeRoom() {
    this.element.style.setProperty('--lanes', Math.max(1, this.lanes.length));
  }

  drag(event) {
    const seek = (e) => {
      const box = this.canvas.getBoundingClientRect(), [a, b] = this.clock.window;
      this.clock.seek(Math.min(b, Math.max(a, a + (e.clientX - box.left) / box.width * (b - a))));
    };
    this.element.setPointerCapture(event.pointerId);
    this.element.onpointermove = seek;
    this.element.onpointerup = () => { this.element.onpointermove = null; };
    seek(event);
  }

  draw() {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (!width) return;
    const c = fitCanvas(this.canvas, width, height), look = theme(), { clock } = this, [a, b] = clock.window;
    const px = (t) => (b > a ? (t - a) / (b - a) * width : width / 2);
    this.drawOverview(c, width, look);
    const laneTop = height - 13 - 4 * Math.max(1, this.lanes.length), base = laneTop - 1;
    c.fillStyle = look.rule;
    c.fillRect(0, base, width, 1);
    c.font = `10.5px ${look.font}`;
    c.textBaseline = 'bottom';
    const { factor, unit } = axisScale(a, b, 's'), marks = b > a ? ticks(a, b, width / 110) : [a], texts = tickTexts(marks.map((t) => t * factor));
    for (const [k, t] of marks.entries()) {
      if (k === marks.length - 1) texts[k] += ` ${unit}`;
      const x = px(t), w = c.measureText(texts[k]).width;
      c.fillStyle = look.rule;
      c.fillRect(Math.round(x), 6, 1, height - 18);
      c.fillStyle = look.muted;
      c.fillText(texts[k], Math.min(width - w, Math.max(0, x - w / 2)), height);
    }
    this.lanes.forEach((lane, k) => drawLane(c, lane, laneTop + 4 * k, px, width, look));
    this.drawImpacts(c, base, px, width, look);
  }

  drawOverview(c, width, look) {
    const { start, end, window: [a, b] } = this.clock, px = (t) => (end > start ? (t - start) / (end - start) * width : 0);
    c.fillStyle = look.rule;
    c.fillRect(0, 0, width, 3);
    c.fillStyle = look.accent;
    c.fillRect(px(a), 0, end > start ? Math.max(3, px(b) - px(a)) : width, 3);
  }

  drawImpacts(c, base, px, width, look) {
    const { impacts } = this.run, seen = [];
    if (!impacts?.kept) return;
    const start = impacts.of.get('start').values, { kind, strength, most } = impacts.blows, tall = base - 7;
    for (let i = 0; i < impacts.kept; i++) {
      const x = px(start[i]);
      if (kind[i] === IMPACT_KIND && x >= -1 && x <= width + 1) seen.push({ x, strength: strength[i] });
    }
    const share = (x, decades) => Math.max(0, 1 + Math.log10(Math.max(1e-300, x) / Math.max(1e-300, most)) / decades);
    const dense = seen.length * BAR > DENSE * width, [a, b] = this.clock.window;
    c.fillStyle = look.impact;
    if (dense) drawBars(c, seen, width, base, (x) => 2 + share(x, DECADES / 2) * (tall - 2));
    else for (const { x, strength: s } of seen) {
      const size = 2 + share(s, DECADES) * (tall - 2);
      c.fillRect(x - 0.5, base - size, 1.25, size);
    }
    this.element.title = dense ? `Each bar shows the strongest impact within ${quantity((b - a) * BAR / width, 's', 2)}; darker bars contain more impacts. Zoom in (+) to see each one`
      : 'Each mark is an impact; taller marks are stronger. Below: sticking contact (thick) and slipping contact (thin)';
  }
}

function drawBars(c, seen, width, base, height) {
  const bars = Array.from({ length: Math.ceil(width / BAR) + 1 }, () => ({ count: 0, most: 0 }));
  let crowd = 1;
  for (const { x, strength } of seen) {
    const bar = bars[Math.max(0, Math.min(bars.length - 1, Math.floor(x / BAR)))];
    crowd = Math.max(crowd, ++bar.count);
    bar.most = Math.max(bar.most, strength);
  }
  for (const [k, { count, most }] of bars.entries()) {
    if (!count) continue;
    const size = height(most);
    c.globalAlpha = 0.4 + 0.6 * (crowd > 1 ? Math.log(count) / Math.log(crowd) : 1);
    c.fillRect(k * BAR, base - size, BAR - 1, size);
  }
  c.globalAlpha = 1;
}

// Episodes of each contact in lanes of their own, or all in one where there are many.
function makeLanes(impacts) {
  if (!impacts?.kept) return [];
  const used = new Set();
  for (let i = 0; i < impacts.kept; i++) used.add(impacts.contact(i));
  const lanes = new Map();
  for (let i = 0; i < impacts.kept; i++) {
    const key = used.size > MOST_LANES ? 0 : impacts.contact(i);
    if (!lanes.has(key)) lanes.set(key, []);
    lanes.get(key).push({ start: impacts.get('start', i), end: impacts.get('end', i), sticks: impacts.get('stick_time', i) > impacts.get('slip_time', i) });
  }
  return [...lanes.values()];
}

// Contact that sticks fills the lane, contact that slips half of it: the two differ without colour.
function drawLane(c, lane, top, px, width, look) {
  for (const { start, end, sticks } of lane) {
    const x0 = Math.max(0, px(start)), x1 = Math.min(width, px(end));
    if (x1 < 0 || x0 > width) continue;
    c.fillStyle = sticks ? look.stick : look.slip;
    c.fillRect(x0, sticks ? top : top + 1, Math.max(0.75, x1 - x0), sticks ? 3 : 1.5);
  }
}

// '195 episodes with 396 impacts'; empty for a record that has no episodes.
export const ledgerText = ({ episodes, impacts }) => (episodes ? `${several(episodes.rows, 'episode')} with ${several(impacts?.rows ?? 0, 'impact')}` : '');

// '12 impacts, the strongest 58.7 mN·s, 3 lasting contacts'
export function stripText({ impacts }) {
  if (!impacts?.kept) return impacts?.inPage ? '' : 'no impacts';
  const { count, strongest } = impacts.blows, of = impacts.kept < impacts.rows ? ` · the ${number(impacts.kept)} strongest of ${number(impacts.rows)} in this page` : '';
  const hits = count[IMPACT_KIND] ? `${several(count[IMPACT_KIND], 'impact')}, the strongest ${quantity(impacts.get('impulse_normal', strongest), 'N*s')}` : 'no impacts';
  return [hits, count[LASTING_KIND] && several(count[LASTING_KIND], 'lasting contact'), count[TOUCH_KIND] && several(count[TOUCH_KIND], 'touch', 'touches')].filter(Boolean).join(', ') + of;
}
