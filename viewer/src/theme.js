// Light and dark: as the system says, or as the reader chose. Canvases ask here for the colours of the style sheet.

const CHOICES = ['system', 'light', 'dark'];
const listeners = new Set();
let colours = null;

export function startTheme() {
  let stored = 'system';
  try {
    stored = localStorage.getItem('carom-theme') ?? 'system';
  } catch { /* a page from disk may not be allowed to remember */ }
  apply(CHOICES.includes(stored) ? stored : 'system');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  // Paper is light.
  let before = null;
  addEventListener('beforeprint', () => {
    before = themeChoice();
    apply('light');
  });
  addEventListener('afterprint', () => before && apply(before));
}

function apply(choice) {
  document.documentElement.dataset.theme = choice;
  changed();
}

function changed() {
  colours = null;
  for (const listener of listeners) listener();
}

export const themeChoice = () => document.documentElement.dataset.theme;

export function nextTheme() {
  const choice = CHOICES[(CHOICES.indexOf(themeChoice()) + 1) % CHOICES.length];
  try {
    localStorage.setItem('carom-theme', choice);
  } catch { /* as above */ }
  apply(choice);
}

export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const NAMES = ['paper', 'panel', 'ink', 'muted', 'rule', 'accent', 'stick', 'slip', 'impact', 'ground', 'slab', 'good', 'warn', 'bad', 'trace', 'floor', 'grid', 'sky', 'horizon'];
const SERIES = 8;

// {ink: '#…', …, series: [8 colours], dashes: [8 patterns], font, mono}
export function theme() {
  if (!colours) {
    const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(`--${name}`).trim().replace(/^#(\w)(\w)(\w)$/, '#$1$1$2$2$3$3');
    colours = Object.fromEntries(NAMES.map((name) => [name, get(name)]));
    colours.series = Array.from({ length: SERIES }, (_, k) => get(`series-${k}`));
    // The pattern changes as soon as a colour could be taken for another.
    colours.dashes = [[], [9, 3], [2, 2], [10, 3, 2, 3], [4, 3], [7, 2, 2, 2, 2, 2], [18, 4], [2, 2, 2, 6]];
    colours.font = get('font');
    colours.mono = get('mono');
    colours.dark = get('dark') === '1';
  }
  return colours;
}
