// What pages of studies share: the head, and drawings that follow the width of the page and the theme.
import { h, replace } from './dom.js';
import { CanvasPainter, fitCanvas } from './plots/painter.js';
import { nextTheme, onTheme, themeChoice } from './theme.js';

export function studyHead(head, kind, title, line) {
  document.title = `${title} · ${kind} · carom`;
  const themeButton = h('button', { onclick: nextTheme, title: 'Light, dark, or as the system says' });
  const name = () => { themeButton.textContent = { system: 'Auto', light: 'Light', dark: 'Dark' }[themeChoice()]; };
  onTheme(name);
  name();
  replace(head, h('span', { class: 'brand' }, 'carom'), h('div', { class: 'titles' }, h('h1', { title }, title), h('p', {}, line)), h('div', { class: 'tools' }, themeButton));
}

// A canvas in its box; paint(painter, {width, height}) draws it, now and whenever its size or the theme changes.
export function drawing(label, height, paint) {
  const canvas = h('canvas', { role: 'img', 'aria-label': label }), host = h('div', { class: 'plot' }, canvas);
  const draw = () => {
    const width = Math.max(200, host.clientWidth - 12);
    if (!host.clientWidth) return;
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    paint(new CanvasPainter(fitCanvas(canvas, width, height)), { width, height });
  };
  new ResizeObserver(draw).observe(host);
  onTheme(draw);
  return host;
}
