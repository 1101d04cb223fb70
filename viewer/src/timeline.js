// The dock: transport, speed, the time to read and to type, and the strip.
import { h, iconButton, select, replace } from './dom.js';
import { plain, quantity } from './number.js';
import { Strip, stripText } from './strip.js';

const SPEEDS = [1, 1 / 2, 1 / 5, 1 / 10, 1 / 20, 1 / 50, 1 / 100, 1 / 200, 1 / 500, 1 / 1000, 1 / 2000, 1 / 5000, 1 / 10000];
const WATCHED = 8;           // seconds of real time that a first look at a run should take
const SLIDER = 100000;       // positions of the slider
const ICON = {
  play: 'M4 2.5 13 8 4 13.5Z', pause: 'M4 2.5V13.5M12 2.5V13.5M5.5 2.5V13.5M10.5 2.5V13.5',
  back: 'M10.5 3 5.5 8l5 5', on: 'M5.5 3l5 5-5 5', last: 'M12 3 7 8l5 5M4 3v10', next: 'M4 3l5 5-5 5M12 3v10',
  loop: 'M3 8a5 5 0 0 1 8.6-3.5L13 6M13 2.5V6H9.5M13 8a5 5 0 0 1-8.6 3.5L3 10M3 13.5V10h3.5',
  all: 'M2 8h12M5 5 2 8l3 3M11 5l3 3-3 3', near: 'M2 8h4M14 8h-4M3.5 5.5 6 8l-2.5 2.5M12.5 5.5 10 8l2.5 2.5',
};

export function startTimeline(dock, runs, clock) {
  const run = runs[0];
  clock.speed = SPEEDS.find((s) => (clock.end - clock.start) / s >= WATCHED) ?? SPEEDS.at(-1);
  const strip = new Strip(run, clock);
  const slider = h('input', { type: 'range', min: 0, max: SLIDER, step: 1, 'aria-label': 'Time in view', oninput: () => {
    const [a, b] = clock.window;
    clock.seek(a + slider.value / SLIDER * (b - a));
  } });
  const time = h('input', { class: 'time', 'aria-label': 'Time in seconds', inputmode: 'decimal', onchange: () => {
    const text = time.value.replace('−', '-').replace(',', '.').trim(), t = Number(text);
    if (text && Number.isFinite(t)) clock.seek(t);
    time.value = fixed(clock.t, clock.window[1] - clock.window[0]);
  } });
  const play = iconButton(ICON.play, 'Play (space)', () => clock.play(), { class: 'icon solid play' });
  const loop = iconButton(ICON.loop, 'Loop (L)', () => clock.set('loop', !clock.loop));
  const speed = select('Speed', SPEEDS.map((v) => [v, v === 1 ? 'real time' : `1 : ${Math.round(1 / v)}`]), clock.speed, (v) => clock.set('speed', Number(v)));
  const where = h('span', { class: 'where' });
  const whose = runs.length > 1 && select('Run whose impacts and energies are shown', runs.map((r) => [r.number, r.label]), 0, (k) => clock.pick(runs[k]));
  clock.run = run;
  if (whose) clock.on('run', () => { whose.value = clock.run.number; });

  replace(dock, strip.element, slider, h('div', { class: 'bar' },
    iconButton(ICON.last, 'Impact before (Shift ←)', () => toImpact(clock, -1), { disabled: !runs.some((r) => r.impacts?.inPage) }),
    iconButton(ICON.back, 'Frame back (←)', () => step(run, clock, -1)),
    play,
    iconButton(ICON.on, 'Frame on (→)', () => step(run, clock, 1)),
    iconButton(ICON.next, 'Next impact (Shift →)', () => toImpact(clock, 1), { disabled: !runs.some((r) => r.impacts?.inPage) }),
    loop, speed, time, h('span', { class: 'of' }, `s of ${plain(clock.end, 6)} s`),
    iconButton(ICON.near, 'Closer around this time (+)', () => clock.zoom(0.5)),
    iconButton(ICON.all, 'The whole run (0)', () => clock.showAll()),
    whose, where));

  function show() {
    const [a, b] = clock.window;
    slider.value = b > a ? Math.round((clock.t - a) / (b - a) * SLIDER) : 0;
    slider.setAttribute('aria-valuetext', `${plain(clock.t, 6)} seconds`);
    if (document.activeElement !== time || clock.playing) time.value = fixed(clock.t, b - a);
  }
  function showWindow() {
    const [a, b] = clock.window;
    where.textContent = `${clock.isZoomed ? `${quantity(b - a, 's', 3)} in view · ` : ''}${stripText(clock.run)}`;
    show();
  }
  function showState() {
    play.querySelector('path').setAttribute('d', clock.playing ? ICON.pause : ICON.play);
    const name = clock.playing ? 'Pause (space)' : 'Play (space)';
    play.title = name;
    play.setAttribute('aria-label', name);
    loop.setAttribute('aria-pressed', clock.loop);
    speed.value = clock.speed;
  }
  clock.on('time', show);
  clock.on('window', showWindow);
  clock.on('run', showWindow);
  clock.on('data', showWindow);
  clock.on('state', showState);
  showWindow();
  showState();
  dock.hidden = false;
}

// Decimals that tell two pixels of the view apart.
function fixed(t, width) {
  const decimals = Math.min(15, Math.max(3, 4 - Math.floor(Math.log10(Math.max(width, 1e-14)))));
  return t.toFixed(decimals);
}

// The next recorded row, from wherever between two rows the time stands.
export function step(run, clock, by) {
  clock.play(false);
  const { times } = run.axis, { i, w } = run.axis.locate(clock.t);
  const to = by > 0 ? i + by : i + by + (w > 1e-9 ? 1 : 0);
  clock.seek(times[Math.min(times.length - 1, Math.max(0, to))]);
}

// The next impact of those that the table shows.
export function toImpact(clock, by) {
  const stops = clock.stops ?? clock.run.impacts?.allStops ?? [], { t } = clock;
  const to = by > 0 ? stops.find((s) => s > t) : stops.findLast((s) => s < t);
  clock.play(false);
  if (to !== undefined) clock.seek(to);
}

export function faster(clock, by) {
  const at = SPEEDS.reduce((best, s, k) => (Math.abs(Math.log(s / clock.speed)) < Math.abs(Math.log(SPEEDS[best] / clock.speed)) ? k : best), 0);
  clock.set('speed', SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at - by))]);
}
