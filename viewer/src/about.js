// How the run was made: method, step, tolerances, versions, parameters, and the model's text with its line numbers.
import { h, replace } from './dom.js';
import { count, plain, quantity } from './number.js';

export function startAbout(section, report) {
  replace(section, report.runs.map((run) => runPanel(run, report.runs.length > 1)), h('p', { class: 'note' },
    `Page written by carom ${report.tool}${report.made ? ` on ${report.made.replace('T', ' ').replace('Z', ' UTC')}` : ''}. It holds all it shows and asks no server for anything.`));
}

function runPanel(run, several) {
  const s = run.summary ?? {};
  const facts = [
    ['record', run.file], ['status', run.status], ['method', run.method], ['integrator', run.integrator], ['coordinates', run.coordinates], ['space', run.space],
    ...optionFacts(run.options),
    ['steps', number(s.steps)], ['rejected steps', number(s.rejected)], ['evaluations', number(s.evaluations)],
    ['wall time', s.wall_s === undefined ? '' : quantity(s.wall_s, 's', 3)], ['solves', number(s.solver?.solves)],
    ['made by', `carom ${run.version}`], ['resumed from', run.resumed_from],
    ['recorded rows', count(run.axis.rows)], ['rows in this page', count(run.axis.kept)],
  ].filter(([, v]) => v !== undefined && v !== null && v !== '');
  const list = (rows) => h('dl', { class: 'facts' }, rows.map(([k, v]) => h('div', {}, h('dt', {}, k), h('dd', {}, typeof v === 'number' ? plain(v, 8) : String(v)))));
  return h('div', { class: 'panel' }, h('header', {}, h('h2', {}, several ? `Run ${run.label}` : 'How the run was made')),
    h('div', { class: 'body' }, list(facts)),
    run.parameters?.length ? h('details', { open: run.parameters.length < 40 }, h('summary', {}, `Parameters (${run.parameters.length})`), h('div', { class: 'body' }, list(run.parameters))) : null,
    run.settings?.length ? h('details', { open: true }, h('summary', {}, 'Set on the command line'), h('div', { class: 'body' }, list(run.settings))) : null,
    [run.model, ...(run.includes ?? [])].filter(Boolean).map((file, k) => sourceText(file, !several && k === 0)));
}

const number = (n) => (n === undefined || n === null ? '' : count(n));

function optionFacts(options) {
  const rows = [];
  for (const [group, values] of Object.entries(options ?? {})) {
    if (values === null || typeof values !== 'object') rows.push([group, values]);
    else for (const [key, value] of Object.entries(values)) rows.push([`${group}: ${key}`, typeof value === 'object' ? JSON.stringify(value) : value]);
  }
  return rows;
}

function sourceText(file, open) {
  if (file.text === null || file.text === undefined) return h('p', { class: 'body note' }, 'The model was made by a program; it has no text.');
  const lines = file.text.replace(/\n$/, '').split('\n');
  return h('details', { open }, h('summary', {}, `${file.name || 'Model'} (${count(lines.length)} lines)`),
    h('div', { class: 'source', tabindex: 0, role: 'region', 'aria-label': `Text of ${file.name || 'the model'}` }, h('ol', {}, lines.map((line) => h('li', {}, line)))));
}
