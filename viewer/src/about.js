// How the run was made, in words: method, accuracy, cost, versions, parameters, and the model's text with its line numbers.
import { h, replace } from './dom.js';
import { count, plain, quantity, several } from './number.js';

const METHOD = {
  smooth: 'smooth motion, no contact', moreau: 'Moreau’s time stepping, rigid contact', event: 'event driven, rigid contact', compliant: 'contact by force laws',
};
const INTEGRATOR = {
  adams: 'Adams, variable step and order', bdf: 'BDF, variable step and order, for stiff motion', erk: 'Runge–Kutta, variable step', rk4: 'Runge–Kutta 4, fixed step', ida: 'IDA on the differential-algebraic equations',
};
const COORDINATES = { joint: 'joint coordinates on a tree of bodies', absolute: 'absolute coordinates of each body, joints as constraints' };
const ENTRY = {
  locate: 'located in time', reject: 'steps that enter too deep are rejected', restart: 'restart at an interpolated instant of first contact', none: 'no control: at the end of a step',
};
const CLOSED = { project: 'projection after each step', baumgarte: 'Baumgarte stabilisation', ggl: 'stabilised index 2' };

const seconds = (x) => quantity(x, 's', 6);
const yes = (on) => (on ? 'yes' : 'no');
// Each option in words, or nothing where it has no effect in this run: [name, (value, options of its group, run) => text or null].
const OPTIONS = {
  method: {
    step: ['step', seconds],
    constraints: ['loop constraints enforced by', (x, o, run) => (hasLoops(run) ? CLOSED[x] ?? x : null)],
    alpha: ['Baumgarte α', (x, o) => (o.constraints === 'baumgarte' ? `${plain(x)} 1/s` : null)],
    beta: ['Baumgarte β', (x, o) => (o.constraints === 'baumgarte' ? `${plain(x)} 1/s` : null)],
    project: ['positions projected onto constraints', (x, o, run) => (hasLoops(run) ? yes(x) : null)],
    tolerance: ['tolerance of contact problems', (x, o, run) => (run.impacts ? plain(x) : null)],
    activation: ['contacts become active below a gap of', (x) => (x > 0 ? quantity(x, 'm') : null)],
    separate: ['surfaces that overlap at the start are separated', (x) => (x ? 'yes' : null)],
    impact: ['restitution relates', (x, o, run) => (run.impacts ? { newton: 'speeds (Newton)', poisson: 'impulses (Poisson)' }[x] ?? x : null)],
    accumulation: ['impacts summed below', (x) => (x > 0 ? quantity(x, 'm/s') : null)],
    entry: ['contact begins', (x) => ENTRY[x] ?? x],
    penetration_max: ['bound of penetration at first contact', (x) => (x > 0 ? quantity(x, 'm') : null)],
    approach_min: ['smallest approach speed used by laws', (x) => (x > 0 ? quantity(x, 'm/s') : null)],
    dump: ['contact problems saved as', (x) => x || null],
    dump_every: ['contact problems saved', (x) => (x > 0 ? (x === 1 ? 'all' : `one in ${count(x)}`) : null)],
  },
  integrator: {
    type: ['integrator', (x) => INTEGRATOR[x] ?? x],
    rtol: ['relative tolerance', (x, o) => (o.type === 'rk4' ? null : plain(x))],
    atol: ['absolute tolerance, relative to the scale of each quantity', (x, o) => (o.type === 'rk4' ? null : plain(x))],
    step: [(o) => (o.type === 'rk4' ? 'step' : 'first step'), (x) => (x > 0 ? seconds(x) : null)],
    step_min: ['shortest step', (x) => (x > 0 ? seconds(x) : null)],
    step_max: ['longest step', (x) => (x > 0 ? seconds(x) : null)],
    order: ['highest order', (x) => (x > 0 ? String(x) : null)],
  },
  record: {
    every: ['a row', (x) => (x > 0 ? `every ${seconds(x)}` : 'each step')],
    checkpoint: ['a checkpoint', (x) => (x > 0 ? `every ${seconds(x)}` : null)],
    compression: ['compression', (x) => (x > 0 ? `level ${x} of 9` : null)],
  },
};

const hasLoops = (run) => run.coordinates === 'absolute' || run.scene?.joints?.some((j) => j.loop) || run.scene?.constraints?.length > 0;

export function startAbout(section, report) {
  replace(section, report.runs.map((run) => runPanel(run, report.runs.length > 1)), h('p', { class: 'note' },
    `Page written by carom ${report.tool}${report.made ? ` on ${report.made.replace('T', ' ').replace('Z', ' UTC')}` : ''}. It is self-contained and needs no server.`));
}

function runPanel(run, many) {
  const s = run.summary ?? {}, { axis } = run;
  const groups = [
    ['Method', [['method', `${run.method}${METHOD[run.method] ? `: ${METHOD[run.method]}` : ''}`], ...optionFacts(run, 'method'),
      ...(run.options?.integrator ? optionFacts(run, 'integrator') : [['integrator', INTEGRATOR[run.integrator] ?? run.integrator]])]],
    ['Model', [['space', run.space], ['coordinates', COORDINATES[run.coordinates] ?? run.coordinates], ['bodies', number((run.scene?.bodies?.length ?? 1) - 1)],
      ['joints', number(run.scene?.joints?.length || undefined)], ['contacts', number(run.scene?.contacts?.length || undefined)]]],
    ['Cost', [['steps', number(s.steps)], ['rejected steps', s.rejected ? number(s.rejected) : ''], ['evaluations of the equations of motion', number(s.evaluations)],
      ['contact problems', s.solver?.solves ? number(s.solver.solves) : ''], ['wall time', s.wall_s === undefined ? '' : quantity(s.wall_s, 's', 3)]]],
    ['Record', [['file', run.file], ['ended', { done: 'at the end of the model', failed: 'failed', interrupted: 'interrupted', running: 'still running', killed: 'killed' }[run.status] ?? run.status],
      ...optionFacts(run, 'record'), ['rows', count(axis.rows)], ['rows in this page', axis.kept === axis.rows ? 'all' : count(axis.kept)],
      ['made by', `carom ${run.version}`], ['continues', run.resumed_from]]],
    ...Object.keys(run.options ?? {}).filter((group) => !OPTIONS[group]).map((group) => [group, optionFacts(run, group)]),
  ];
  return h('div', { class: 'panel' }, h('header', {}, h('h2', {}, many ? `Run ${run.label}` : 'How the run was made')),
    h('div', { class: 'body groups' }, groups.map(([title, rows]) => group(title, rows))),
    foldout(`Parameters (${run.parameters?.length})`, run.parameters, run.parameters?.length < 40),
    foldout('Set on the command line', run.settings, true),
    [run.model, ...(run.includes ?? [])].filter(Boolean).map((file, k) => sourceText(file, !many && k === 0)));
}

const facts = (rows) => h('dl', { class: 'facts' }, rows.map(([k, v]) => h('div', {}, h('dt', {}, k), h('dd', {}, typeof v === 'number' ? plain(v, 8) : String(v)))));

function group(title, rows) {
  const said = rows.filter(([, v]) => v !== undefined && v !== null && v !== '');
  return said.length > 0 && h('section', { 'aria-label': title }, h('h3', {}, title), facts(said));
}

function foldout(title, rows, open) {
  return rows?.length ? h('details', { open }, h('summary', {}, title), h('div', { class: 'body wide' }, facts(rows))) : null;
}

const number = (n) => (n === undefined || n === null ? '' : count(n));

// Options that this page does not know are shown as they are called.
function optionFacts(run, group) {
  const values = run.options?.[group];
  if (values === null || values === undefined) return [];
  if (typeof values !== 'object') return [[group, values]];
  return Object.entries(values).map(([key, value]) => {
    const [name, text] = OPTIONS[group]?.[key] ?? [key.replaceAll('_', ' '), (x) => (typeof x === 'object' ? JSON.stringify(x) : x)];
    return [typeof name === 'function' ? name(values) : name, text(value, values, run)];
  });
}

function sourceText(file, open) {
  if (file.text === null || file.text === undefined) return h('p', { class: 'body note' }, 'The model was built by a program and has no text.');
  const lines = file.text.replace(/\n$/, '').split('\n');
  return h('details', { open }, h('summary', {}, `${file.name || 'Model'} (${several(lines.length, 'line')})`),
    h('div', { class: 'source', tabindex: 0, role: 'region', 'aria-label': `Text of ${file.name || 'the model'}` }, h('ol', {}, lines.map((line) => h('li', {}, line)))));
}
