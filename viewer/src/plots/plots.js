// The plots over time: those the tool suggests, and any that the reader adds.
import { h, replace } from '../dom.js';
import { TimePlot } from './timeplot.js';
import { quantityInput } from './series.js';

const changes = (column) => column && column.min !== column.max;

export function startPlots(section, runs, clock) {
  const run = runs[0], list = h('div');
  const add = (title, names) => {
    const plot = new TimePlot(runs, clock, title, names, (p) => p.element.remove());
    list.append(plot.element);
    plot.show(names);
    return plot;
  };
  const field = quantityInput(run, 'Quantity for a new plot', '', (name) => {
    add(name, [name]).element.scrollIntoView({ block: 'nearest' });
    field.value = '';
  });
  replace(section, list, h('div', { class: 'panel', style: 'margin-top: 12px' }, h('header', { style: 'border: 0' }, h('h2', {}, 'New plot'), h('div', { class: 'add', style: 'flex: 1' }, field))));
  for (const plot of run.plots.filter((p) => p.kind === 'time')) {
    // What never changes in any run is no curve.
    const names = plot.columns.map((key) => run.column(key)?.name).filter((name) => runs.some((r) => changes(r.byName.get(name))));
    if (names.length) add(plot.title, names);
  }
  if (!list.children.length) {
    // A record that suggests none: what changes, first of what moves.
    const names = [...run.byName.values()].filter((c) => c.name !== 't' && changes(c)).map((c) => c.name), first = names.length ? names : [...run.byName.keys()].filter((n) => n !== 't');
    if (first.length) add('Quantities', first.slice(0, 3));
  }
}
