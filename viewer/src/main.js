// From the data in the page to the page: each part gets the runs and the one clock, and knows no other part.
import './style.css';
import { readReport } from './data.js';
import { h, replace } from './dom.js';
import { startTheme, nextTheme } from './theme.js';
import { Clock } from './clock.js';
import { startHead, startVerdict } from './verdict.js';
import { startScene } from './scene/scene.js';
import { startTimeline } from './timeline.js';
import { startPlots } from './plots/plots.js';
import { startEpisodes, startEvents } from './events.js';
import { startRegimes } from './regimes.js';
import { startModes } from './modes.js';
import { startPortraits } from './plots/portraits.js';
import { startLedger } from './plots/ledger.js';
import { startCompare } from './compare.js';
import { startAbout } from './about.js';
import { startKeyboard } from './keyboard.js';
import { startSweep } from './sweep/sweep.js';
import { startDiagram } from './sweep/diagram.js';
import { startFit } from './fit.js';

const at = (id) => document.getElementById(id);
const nextFrame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });

async function start() {
  startTheme();
  const report = readReport();
  if (!report) return showEmpty();
  if (report.fit) return startFit(at('sweep'), at('head'), report);
  if (report.sweep) return startSweep(at('sweep'), at('head'), report);
  if (report.bifurcation) return startDiagram(at('sweep'), at('head'), report);
  const { runs } = report, run = runs[0];
  const clock = new Clock(Math.min(...runs.map((r) => r.t0)), Math.max(...runs.map((r) => r.t1)));
  let scene = { fit() {} };
  const help = startKeyboard(run, clock, { fit: () => scene.fit(), theme: nextTheme });
  startHead(at('head'), report, help);
  startVerdict(at('verdict'), report);
  at('main').hidden = false;
  startTimeline(at('dock'), runs, clock);
  keepHeights();
  scene = startScene(at('scene'), runs, clock);
  // The mechanism at its start first, the rest as soon as that is on the screen.
  await nextFrame();
  performance.mark('carom-first-picture');
  await report.load();
  clock.tell('data');
  startPlots(at('plots'), runs, clock);
  startEvents(at('events'), runs, clock);
  startEpisodes(at('episodes'), runs, clock);
  startRegimes(at('regimes'), runs, clock);
  startModes(at('modes'), runs, clock);
  startPortraits(at('portraits'), runs, clock);
  startLedger(at('energy'), runs, clock);
  startCompare(at('compare'), report, clock);
  startAbout(at('about'), report);
  document.documentElement.dataset.ready = 'true';
  window.carom = { report, clock, scene };
  scene.sharpen();
  return undefined;
}

// The scene fills what head, verdict and dock leave of the window, more of it once the verdict is scrolled away.
function keepHeights() {
  const set = () => {
    const above = Math.max(0, at('verdict').offsetHeight - Math.max(0, scrollY));
    document.documentElement.style.setProperty('--dock', `${at('dock').offsetHeight}px`);
    document.documentElement.style.setProperty('--start', `${at('head').offsetHeight + at('verdict').offsetHeight}px`);
    document.documentElement.style.setProperty('--top', `${at('head').offsetHeight + above}px`);
  };
  document.addEventListener('scrollend', set);
  const observer = new ResizeObserver(set);
  for (const id of ['dock', 'head', 'verdict']) observer.observe(at(id));
  set();
}

function showEmpty() {
  replace(at('head'), h('span', { class: 'brand' }, 'carom'));
  document.body.append(h('div', { class: 'empty' }, h('h1', {}, 'This page contains no run'), h('p', {}, 'It is the template that `carom report` fills:'),
    h('pre', {}, 'carom run MODEL.yaml -o RUN.h5\ncarom report RUN.h5 -o run.html')));
  document.documentElement.dataset.ready = 'empty';
}

start().catch((error) => {
  document.body.append(h('div', { class: 'empty', role: 'alert' }, h('h1', {}, 'The data of this page could not be read'), h('p', {}, String(error.message))));
  document.documentElement.dataset.ready = 'failed';
  throw error;
});
