// Panels of pairs: any quantity against any other, the journal's orbit in its clearance circle, sections at an angle.
import { h, replace, iconButton, check, select } from '../dom.js';
import { XyPlot } from './xyplot.js';
import { CSV_HINT, axisOf, curvesOf, lookOf, quantityInput, coverageLine, swatch } from './series.js';
import { count, quantity } from '../number.js';

const FEWEST_PASSAGES = 8;    // fewer points tell nothing as a section
const LEAST_SPREAD = 0.02;    // of a quantity's whole range, which a section covers at the least: a periodic motion is one dot in it
const FEWEST_ROWS = 5;        // rows in which bodies are pressed together that make a loop
const CROSS = 'M4 4l8 8M12 4l-8 8';

export function startPortraits(section, runs, clock) {
  const run = runs[0], grid = h('div', { class: 'grid2' });
  const add = (panel) => grid.append(panel);
  for (const plot of run.plots.filter((p) => p.kind === 'orbit' || p.kind === 'xy')) {
    const x = run.column(plot.x), y = run.column(plot.y);
    const pressed = x && y && contactOf(run, x, y);
    if (pressed) {
      if (runs.some((r) => loopRow(r, pressed.name, -Infinity) >= 0)) add(loopPanel(runs, clock, pressed.name));
    } else if (x && y) add(pairPanel(runs, clock, plot.title, x.name, y.name, plot));
  }
  const angles = turning(run);
  const buttons = h('div', { class: 'tools push' },
    h('button', { onclick: () => add(pairPanel(runs, clock, 'Portrait', ...firstPair(run))) }, 'Add a portrait'),
    h('button', { disabled: !angles.length, title: angles.length ? 'Stroboscopic points at a chosen angle' : 'No joint of this run turns',
      onclick: () => add(sectionPanel(runs, clock, angles)) }, 'Add a Poincaré section'));
  replace(section, h('div', { class: 'panel' }, h('header', {},
    h('h2', { title: 'Drag to look closer, double-click for all; a click goes to the nearest sample.' }, 'Portraits'), buttons)), grid);
  if (angles.some((a) => turns(run, a) >= FEWEST_PASSAGES)) add(sectionPanel(runs, clock, angles));
}

// A coordinate and its speed, one that no drive prescribes where there is one.
function firstPair(run) {
  const fixed = driven(run), names = [...run.byName.keys()].filter((n) => n !== 't');
  const pairs = pairsOf(run), free = pairs.find(([q]) => !fixed.has(q) && moves(run, q)) ?? pairs[0];
  return free ?? [names[0], names[1] ?? names[0]];
}

const moves = (run, name) => run.byName.get(name).max > run.byName.get(name).min;

// Coordinates of joints with their speeds. Of an orientation's four numbers none has a speed of its own, and what follows stands one earlier.
function pairsOf(run) {
  const name = (k) => run.column(['joints', k])?.name;
  return (run.scene.joints ?? []).flatMap(({ columns: { q, u } }) => (q.length === u.length ? q.map((k, i) => [k, u[i]]) : q.slice(4).map((k, i) => [k, u[i + 3]])))
    .map((pair) => pair.map(name)).filter(([q, u]) => q && u);
}

// Coordinates whose course the model prescribes: their portrait shows the drive and nothing of the run.
function driven(run) {
  const names = (run.scene.drives ?? []).map(({ joint, coordinate }) => run.column(['joints', run.scene.joints[joint]?.columns.q[coordinate]])?.name);
  return new Set(names);
}

const turns = (run, name) => {
  const c = run.byName.get(name);
  return (c.max - c.min) / (2 * Math.PI);
};
// Joint angles that go round at least once, those of a drive first.
function turning(run) {
  const fixed = driven(run), names = (run.tables.get('joints')?.columns ?? []).filter((c) => c.unit === 'rad' && /\.q\d*$/.test(c.name)).map((c) => c.name)
    .filter((name) => turns(run, name) >= 1);
  return [...names.filter((n) => fixed.has(n)), ...names.filter((n) => !fixed.has(n))];
}

function shell(runs, title, controls, plot, state, element) {
  const keys = runs.length > 1 && h('div', { class: 'chips' }, runs.map((run) => h('span', { class: 'chip' }, swatch({ colour: run.number % 8, dash: run.number % 8 }), run.label)));
  replace(element, h('header', {}, h('h2', { title }, title), h('div', { class: 'tools push' },
    h('button', { class: 'quiet', title: `Points ${CSV_HINT}`, 'aria-label': `${title}: points as CSV`, onclick: () => plot.saveCsv(runs[0].name) }, 'CSV'),
    h('button', { class: 'quiet', title: 'This plot as SVG', 'aria-label': `${title}: this plot as SVG`, onclick: () => plot.saveSvg(runs[0].name, runs[0].title || runs[0].name) }, 'SVG'),
    iconButton(CROSS, `Close ${title}`, () => {
      plot.stop();
      element.remove();
    }, { class: 'icon quiet' }))), controls, keys && h('div', { class: 'controls' }, keys), plot.host, state);
  return element;
}

// The rows of one axis between a and b.
function pairPanel(runs, clock, title, xName, yName, { circle = 0, equal = circle > 0 } = {}) {
  const element = h('div', { class: 'panel' }), state = h('div', { class: 'state' });
  let all = true, names = [xName, yName];
  const plot = new XyPlot({
    clock, title, circle, equal, follow: () => !all,
    axes: () => names.map((n) => axisOf(runs[0].byName.get(n))),
    clouds: () => {
      const list = curvesOf(runs, [names[0]]).filter(({ run }) => run.byName.has(names[1]));
      const clouds = list.map((curve) => cloudOf(curve, names[1], all ? [-Infinity, Infinity] : clock.window));
      replace(state, coverageLine(list.flatMap((c) => [c, { ...c, column: c.run.byName.get(names[1]) }]), all ? [clock.start, clock.end] : clock.window),
        circle ? h('span', {}, `dashed: clearance ${quantity(circle, 'm')}`) : null);
      return clouds;
    },
    marker: (t) => runs.filter((run) => names.every((n) => run.byName.has(n))).map((run) => names.map((n) => run.byName.get(n).at(t))),
  });
  const pick = (k) => (name) => {
    names[k] = name;
    plot.zoomed = null;
    plot.equal = false;
    plot.draw();
  };
  const fields = circle ? [] : [
    h('label', {}, 'x', quantityInput(runs[0], `${title}: quantity along x`, names[0], pick(0))),
    h('label', {}, 'y', quantityInput(runs[0], `${title}: quantity along y`, names[1], pick(1)))];
  return shell(runs, title, h('div', { class: 'controls' }, fields, check('only time in view', false, (on) => {
    all = !on;
    plot.draw();
  })), plot, state, element);
}

function cloudOf(curve, yName, [a, b]) {
  const { run, column } = curve, other = run.byName.get(yName), time = column.axis.times;
  const { first, last } = column.axis.range(Math.max(a, time[0]), Math.min(b, time.at(-1)));
  const t = time.subarray(first, last + 1), x = column.values.subarray(first, last + 1);
  const y = other.axis === column.axis ? other.values.subarray(first, last + 1) : Float64Array.from(t, (at) => other.at(at));
  return { x, y, t, look: lookOf(curve), name: run.label };
}

// The contact whose gap and normal force these are.
const contactOf = (run, x, y) => run.scene.contacts?.find(({ columns: { gap, fn } }) => run.column(['contacts', gap]) === x && run.column(['contacts', fn]) === y);

// Rows of the record in which an episode presses the bodies together.
function pressedRows(run, contact, row) {
  const gap = run.column(['contacts', contact.columns.gap]), fn = run.column(['contacts', contact.columns.fn]), { times } = gap.axis, rows = [];
  const { first, last } = gap.axis.range(run.impacts.get('start', row), run.impacts.get('end', row));
  for (let i = first; i <= last; i++) if (gap.values[i] < 0 && fn.values[i] > 0) rows.push(i);
  return { gap: gap.values, fn: fn.values, times, rows };
}

// Impacts of a contact that have a loop to show, by start, and the strongest of them; found once a run and contact.
function loopsOf(run, name) {
  run.loops ??= new Map();
  if (!run.loops.has(name)) run.loops.set(name, findLoops(run, run.scene.contacts?.find((c) => c.name === name)));
  return run.loops.get(name);
}

function findLoops(run, contact) {
  const { impacts } = run, rows = [];
  // Rigid contact has no force law: what it penetrates is drift of the scheme.
  if (!impacts?.kept || !contact?.law || contact.columns.gap === undefined || contact.columns.fn === undefined) return { rows, strongest: -1 };
  const { strength } = impacts.blows;
  for (let i = 0; i < impacts.kept; i++) {
    if (strength[i] > 0 && impacts.contacts[impacts.contact(i)] === contact && pressedRows(run, contact, i).rows.length >= FEWEST_ROWS) rows.push(i);
  }
  return { rows, strongest: rows.reduce((best, i) => (strength[i] > (strength[best] ?? 0) ? i : best), -1) };
}

// The last that began by t; the strongest where none has. -1: there is none.
function loopRow(run, name, t) {
  const { rows, strongest } = loopsOf(run, name), last = run.impacts ? run.impacts.before(t) : -1;
  return rows.findLast((i) => i <= last) ?? strongest;
}

// Force over penetration δ = -gap of one impact, in each run that has one.
function loopPanel(runs, clock, name) {
  const element = h('div', { class: 'panel' }), state = h('div', { class: 'state' }), title = `Force over penetration of ${name}`;
  const find = () => runs.map((run) => ({ run, row: loopRow(run, name, clock.t) })).filter(({ row }) => row >= 0);
  const contact = (run) => run.scene.contacts.find((c) => c.name === name);
  let chosen = find();
  const plot = new XyPlot({
    clock, title, axes: () => [{ name: `penetration of ${name}`, unit: 'm' }, { name: `${name}.fn`, unit: 'N' }],
    clouds: () => chosen.map(({ run, row }) => {
      const { gap, fn, times, rows } = pressedRows(run, contact(run), row), of = (f) => Float64Array.from(rows, f);
      return { x: of((i) => -gap[i]), y: of((i) => fn[i]), t: of((i) => times[i]), look: lookOf({ run, colour: run.number % 8, dash: run.number % 8 }), name: run.label };
    }),
    marker: (t) => chosen.map(({ run }) => [-run.column(['contacts', contact(run).columns.gap]).at(t), run.column(['contacts', contact(run).columns.fn]).at(t)]).filter(([x]) => x > 0),
  });
  const say = () => replace(state, chosen.map(({ run, row }) => h('span', {}, `${runs.length > 1 ? `${run.label}: ` : ''}impact at ${quantity(run.impacts.get('start', row), 's', 6)}, approach ${quantity(run.impacts.get('approach_speed', row), 'm/s', 3)}`)));
  plot.offs.push(clock.on('time', () => {
    if (clock.playing) return;
    const now = find();
    if (now.length === chosen.length && now.every(({ row }, k) => row === chosen[k].row)) return;
    chosen = now;
    plot.zoomed = null;
    plot.draw();
    say();
  }));
  say();
  return shell(runs, title, h('div', { class: 'controls note' }, 'of the last impact before the current time, or of the strongest if there is none'), plot, state, element);
}

// Where the angle passes `at` (mod a turn) in the sense in which it turns on the whole, as a section has one side: a straight line between the
// two rows around it.
export function crossings(column, at) {
  const turn = 2 * Math.PI, v = column.values, time = column.axis.times, list = [], sense = v.at(-1) < v[0] ? -1 : 1;
  for (let i = 1; i < v.length; i++) {
    const before = Math.floor((v[i - 1] - at) / turn), after = Math.floor((v[i] - at) / turn);
    if (!(sense * (after - before) > 0)) continue;
    const level = at + turn * Math.max(before, after);
    list.push(time[i - 1] + (level - v[i - 1]) / (v[i] - v[i - 1]) * (time[i] - time[i - 1]));
  }
  return list;
}

function sectionPanel(runs, clock, angles) {
  const element = h('div', { class: 'panel' }), state = h('div', { class: 'state' }), run = runs[0];
  let angle = angles[0], degrees = 0, names = sectionPair(run, angle);
  const plot = new XyPlot({
    clock, title: 'Poincaré section', least: () => names.map((n) => LEAST_SPREAD * (run.byName.get(n).max - run.byName.get(n).min)),
    axes: () => names.map((n) => axisOf(run.byName.get(n))),
    clouds: () => {
      const clouds = runs.filter((r) => [angle, ...names].every((n) => r.byName.has(n))).map((r) => {
        const t = crossings(r.byName.get(angle), degrees * Math.PI / 180);
        const [x, y] = names.map((n) => Float64Array.from(t, (at) => r.byName.get(n).at(at)));
        return { x, y, t, dots: true, look: lookOf({ run: r, colour: r.number % 8, dash: 0 }), name: r.label };
      });
      replace(state, h('span', {}, `${clouds.map((c) => count(c.t.length)).join(' and ')} ${clouds.length === 1 && clouds[0].t.length === 1 ? 'passage' : 'passages'} of ${angle} through ${degrees}°, in the sense it turns, between samples by a straight line`));
      return clouds;
    },
  });
  const number = h('input', { class: 'number', type: 'number', step: 5, value: 0, 'aria-label': 'Angle of the section in degrees', oninput: () => {
    degrees = Number(number.value) || 0;
    plot.draw();
  } });
  const pick = (k) => (name) => {
    names[k] = name;
    plot.zoomed = null;
    plot.draw();
  };
  return shell(runs, 'Poincaré section', h('div', { class: 'controls' },
    h('label', {}, 'when', select('Angle that triggers the section', angles.map((a) => [a, a]), angle, (a) => {
      angle = a;
      plot.draw();
    }), '=', number, '°'),
    h('label', {}, 'x', quantityInput(run, 'Poincaré section: quantity along x', names[0], pick(0))),
    h('label', {}, 'y', quantityInput(run, 'Poincaré section: quantity along y', names[1], pick(1)))), plot, state, element);
}

// Something that the angle does not fix: a contact's place or another joint, best one that does not go round itself.
function sectionPair(run, angle) {
  const orbit = run.plots.find((p) => p.kind === 'orbit');
  if (orbit) return [run.column(orbit.x).name, run.column(orbit.y).name];
  const others = pairsOf(run).filter(([q]) => q !== angle && moves(run, q)), swings = ([q]) => run.byName.get(q).unit !== 'rad' || turns(run, q) < 1;
  return others.find(swings) ?? others[0] ?? pairsOf(run).find(([q]) => q === angle) ?? [angle, angle];
}
