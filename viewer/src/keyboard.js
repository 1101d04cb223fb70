// Keys that work everywhere on the page but in fields that take text.
import { h } from './dom.js';
import { step, toImpact, faster } from './timeline.js';

const KEYS = [
  ['Space', 'play and pause'],
  ['← →', 'previous or next recorded frame'],
  ['Shift ← →', 'previous or next impact'],
  ['Home End', 'start and end of the view'],
  ['[ ]', 'slower, faster'],
  ['L', 'loop the view'],
  ['+ −', 'zoom in and out around the current time'],
  ['0', 'the whole run'],
  ['F', 'fit the scene'],
  ['T', 'light, dark, as the system'],
  ['?', 'this list'],
];
const SCENE_KEYS = [
  ['← → ↑ ↓', 'move a planar view, turn a spatial one'],
  ['+ −', 'closer, further'],
  ['1 2 3 4', 'in space: from the front, the right, above, oblique'],
  ['P', 'in space: with perspective, without'],
  ['B Shift+B', 'follow the next or previous body'],
  ['Esc', 'follow none'],
];

export function startKeyboard(run, clock, { fit, theme }) {
  const dialog = h('dialog', { 'aria-label': 'Keys' }, h('h2', {}, 'Keys'),
    h('dl', {}, KEYS.flatMap(([key, text]) => [h('dt', {}, key.split(' ').flatMap((k) => [h('kbd', {}, k), ' '])), h('dd', {}, text)])),
    h('h3', {}, 'With the scene in focus (Tab, or a click on it)'),
    h('dl', {}, SCENE_KEYS.flatMap(([key, text]) => [h('dt', {}, key.split(' ').flatMap((k) => [h('kbd', {}, k), ' '])), h('dd', {}, text)])),
    h('p', { class: 'note' }, 'With a portrait in focus, + − 0 are its own. In the table of impacts, ↑ ↓, Page and Home, End go from row to row. In a plot, drag to zoom, click to go there, double-click for the whole run.'),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')));
  document.body.append(dialog);
  const help = () => (dialog.open ? dialog.close() : dialog.showModal());
  const actions = {
    ' ': () => clock.play(),
    ArrowLeft: (e) => (e.shiftKey ? toImpact(clock, -1) : step(run, clock, -1)),
    ArrowRight: (e) => (e.shiftKey ? toImpact(clock, 1) : step(run, clock, 1)),
    Home: () => clock.seek(clock.window[0]),
    End: () => clock.seek(clock.window[1]),
    '[': () => faster(clock, -1),
    ']': () => faster(clock, 1),
    l: () => clock.set('loop', !clock.loop),
    '+': () => clock.zoom(0.5), '=': () => clock.zoom(0.5),
    '-': () => clock.zoom(2),
    0: () => clock.showAll(),
    f: fit, t: theme, '?': help,
  };
  document.addEventListener('keydown', (event) => {
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || dialog.open || takesKey(event)) return;
    event.preventDefault();
    action(event);
  });
  return help;
}

// Fields keep their own keys: text and lists all of them, buttons and boxes the space. The slider steps by frames.
function takesKey({ target, key }) {
  const tag = target.tagName;
  if (tag === 'INPUT') return target.type === 'checkbox' ? key === ' ' : target.type !== 'range';
  if (tag === 'SELECT') return true;
  if (tag === 'BUTTON' || tag === 'SUMMARY' || tag === 'A') return key === ' ';
  return false;
}
