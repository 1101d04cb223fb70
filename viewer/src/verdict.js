// The head of the page and the verdict: can this run be trusted, line by line, in the tool's own words.
import { h, s, replace } from './dom.js';
import { quantity, plain, several } from './number.js';
import { swatch } from './plots/series.js';
import { ledgerText } from './strip.js';
import { nextTheme, themeChoice, onTheme } from './theme.js';

// Shapes differ, so that levels can be told without colour: a tick in a circle, a triangle, a cross in an octagon.
const SIGN = {
  good: ['M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Z', 'M5 8.2l2.2 2.2L11.2 6'],
  warn: ['M8 1.8 15 14H1Z', 'M8 6v4M8 11.6v.8'],
  bad: ['M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2L1.5 10.8V5.2Z', 'M5.5 5.5l5 5M10.5 5.5l-5 5'],
};
const WORD = { good: 'no problems found', warn: 'doubtful: read the warnings before you trust this run', bad: 'do not trust this run as it is' };
const MOST_CARDS = 5;         // beyond, lines that are good are folded into one
const LEVEL = { good: 'good', warn: 'warning', bad: 'bad' };

export const sign = (level) => h('span', { class: 'sign', role: 'img', 'aria-label': LEVEL[level] ?? level },
  s('svg', { viewBox: '0 0 16 16' }, (SIGN[level] ?? SIGN.warn).map((d) => s('path', { d }))));

export function startHead(head, report, help) {
  const run = report.runs[0], many = report.runs.length > 1;
  const title = many ? `${run.title || run.name} · ${report.runs.length} runs` : run.title || run.name;
  document.title = `${title} · carom`;
  const themeButton = h('button', { onclick: nextTheme, title: 'Light, dark, or as the system says (T)' });
  const name = () => { themeButton.textContent = { system: 'Auto', light: 'Light', dark: 'Dark' }[themeChoice()]; };
  onTheme(name);
  name();
  const links = [['scene', 'Scene'], ['plots', 'Plots'], ['events', 'Impacts'], ...(report.runs.some((r) => r.episodes?.rows) ? [['episodes', 'Episodes']] : []), ['portraits', 'Portraits'], ['energy', 'Energy'],
    ...(many ? [['compare', 'Compare']] : []), ['about', 'Run']];
  replace(head, h('span', { class: 'brand' }, 'carom'),
    h('div', { class: 'titles' }, h('div', { class: 'line' }, h('h1', { title }, title), !run.modes && badge(report.runs)), h('p', { title: run.source }, [run.source, facts(run)].filter(Boolean).join(' · '))),
    h('nav', { 'aria-label': 'Parts of the page' }, links.map(([id, text]) => h('a', { href: `#${id}` }, text))),
    h('div', { class: 'tools' }, themeButton, help && h('button', { onclick: help, title: 'Keys (?)', 'aria-label': 'Keys' }, '?')));
}

// The worst of all runs, in words; the lines below say why.
function badge(runs) {
  const order = ['good', 'warn', 'bad'], level = order[Math.max(...runs.map((run) => order.indexOf(run.level)))];
  return h('span', { class: `badge ${level}` }, sign(level), WORD[level]);
}

function facts(run) {
  if (run.modes) return several(run.modes.length, 'mode');
  const steps = run.summary?.steps;
  return [`method ${run.method}`, run.integrator, steps !== undefined && several(steps, 'step'), `${plain(run.t1 - run.t0, 5)} s`, ledgerText(run)].filter(Boolean).join(' · ');
}

export function startVerdict(section, report) {
  if (report.runs[0].modes) return;   // nothing was run
  const { runs } = report, many = runs.length > 1, wide = matchMedia('(min-width: 1160px) and (min-height: 760px)').matches;   // else the sentences, a click away, leave the scene its place
  const lines = runs.flatMap((run) => (run.verdict ?? []).map((line) => ({ ...line, whose: many ? `${run.label}: ` : '' })));
  const fold = many || lines.length > MOST_CARDS ? lines.filter((line) => line.level === 'good') : [];
  replace(section, many && h('ul', { class: 'runs', 'aria-label': 'Runs' }, runs.map((run) => h('li', { class: run.level }, sign(run.level), swatch({ colour: run.number % 8, dash: run.number % 8 }), h('b', {}, run.label), h('span', { class: 'muted' }, facts(run))))),
    runs.map((run) => trouble(run, many)),
    lines.length > fold.length && h('ul', { class: 'checks' }, lines.filter((line) => !fold.includes(line)).map((line) => card(line, line.level === 'bad' || wide && !many || line.level === 'warn' && lines.length - fold.length < 3))),
    fold.length > 0 && h('ul', { class: 'checks folded' }, folded(fold)));
}

function trouble(run, many) {
  const prefix = many ? `${run.label}: ` : '';
  return run.status !== 'done' && h('div', { class: 'banner', role: 'alert' },
    `${prefix}${{ failed: 'The run failed', interrupted: 'The run was interrupted', running: 'The run had not ended', killed: 'The run was killed' }[run.status] ?? run.status} at ${quantity(run.t1, 's', 6)}. ${run.error || 'What was computed until then is shown.'}`);
}

const heading = (line) => [sign(line.level), h('h2', {}, `${line.whose}${line.title}`), line.value !== null && line.value !== undefined && h('span', { class: 'value' }, valueText(line))];

function card(line, open) {
  return h('li', { class: line.level, 'data-check': line.key }, h('details', { open }, h('summary', { class: 'line' }, heading(line)), h('p', {}, line.sentence)));
}

// What is good takes one line, until asked for.
function folded(lines) {
  const titles = [...new Set(lines.map((line) => line.title))].join(', ');
  return h('li', { class: 'good' }, h('details', {}, h('summary', { class: 'line' }, sign('good'), h('h2', {}, `${several(lines.length, 'check')} good`), h('span', { class: 'muted titles' }, titles)),
    h('ul', {}, lines.map((line) => h('li', { class: 'good', 'data-check': line.key }, h('div', { class: 'line' }, heading(line)), h('p', {}, line.sentence))))));
}

const FAR = 1e-3;             // of its limit: below, only that it is far below tells the reader anything

function valueText({ value, unit, limit, key }) {
  const show = (x, digits) => (unit === '1' && key === 'energy' ? `${Number((x * 100).toPrecision(digits))} %` : quantity(x, unit, digits));
  if (!limit) return show(value, 3);
  if (value === 0 && key !== 'solver') return 'none';   // a residual of zero is far below its limit, like any small one
  return value < FAR * limit ? `≪ ${show(limit, 2)}` : `${show(value, 2)} ${value <= limit ? '≤' : '>'} ${show(limit, 2)}`;
}
