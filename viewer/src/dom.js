// Elements by one call. Text is always set as text: no name in a model can become markup.

// h('button', {class: 'x', onclick: f}, 'text', child, …)
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

const SVG = 'http://www.w3.org/2000/svg';
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'boolean' && name.startsWith('aria-')) element.setAttribute(name, String(value));
    else if (value === undefined || value === null || value === false) continue;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

// A button with a drawn sign and a name that is read out and shown when the pointer rests.
export function iconButton(icon, name, onclick, more = {}) {
  const svg = s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: icon }));
  return h('button', { type: 'button', class: 'icon', title: name, 'aria-label': name, onclick, ...more }, svg);
}

export function select(name, options, value, onchange) {
  const element = h('select', { 'aria-label': name, title: name, onchange: () => onchange(element.value) },
    options.map(([key, text]) => h('option', { value: key }, text)));
  element.value = value;
  return element;
}

export function check(name, checked, onchange, title) {
  const box = h('input', { type: 'checkbox', onchange: () => onchange(box.checked) });
  box.checked = checked;
  return h('label', { class: 'check', title }, box, name);
}

export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A name that every file system takes.
export const fileName = (...parts) => parts.join('-').replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80);
