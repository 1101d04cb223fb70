// Modes of vibration: a list of them; a click shows one mode alone, over and over.
import { h, replace } from './dom.js';
import { quantity } from './number.js';

const SHOWN = 1 / 2;          // a period takes two seconds

const frequency = ({ omega, frequency: f }) => (f > 0 ? quantity(f, 'Hz', 5) : omega > 0 ? 'no oscillation' : 'no restoring force');
const damping = ({ damping: d, omega }) => (omega > 0 ? `${Number((100 * d).toPrecision(4))} %` : '');
const eigenvalue = ({ real, imaginary }) => `${Number(real.toPrecision(5))}${imaginary > 0 ? ` ± ${Number(imaginary.toPrecision(5))} i` : ''}`;

export function startModes(section, runs, clock) {
  const { modes } = runs[0];
  if (!modes?.length) return replace(section);
  const buttons = modes.map((mode) => h('button', { onclick: () => pick(mode) }, `Mode ${mode.mode}`));
  const rows = modes.map((mode, k) => h('tr', {}, h('th', {}, buttons[k]), h('td', {}, frequency(mode)), h('td', {}, damping(mode)), h('td', {}, eigenvalue(mode))));
  replace(section, h('div', { class: 'panel' }, h('header', {}, h('h2', {}, 'Modes of vibration')),
    h('table', {}, h('thead', {}, h('tr', {}, ['', 'frequency', 'damping ratio', 'eigenvalue [1/s]'].map((text) => h('th', {}, text)))), h('tbody', {}, rows)),
    h('div', { class: 'state' }, h('span', {}, 'Each mode moves through one period, from second to second of the time below; its amplitude is chosen to be seen.'))));
  const mark = () => modes.forEach((mode, k) => buttons[k].setAttribute('aria-pressed', clock.t >= mode.first && clock.t <= mode.last));
  function pick({ first, last }) {
    clock.play(false);
    clock.show(first, last);
    clock.seek(first);
    clock.set('loop', true);
    clock.play(true);
  }
  clock.on('time', mark);
  clock.set('speed', SHOWN);
  clock.show(modes[0].first, modes[0].last);
  mark();
  return undefined;
}
