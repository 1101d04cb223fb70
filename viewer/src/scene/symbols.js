// The drafting office: pins, bearings, guides, springs, drives, hatched ground, arrows. Drawn in pixels over the solids.
import { theme } from '../theme.js';
import { quantity } from '../number.js';

const TURN = 2 * Math.PI;

export function line(c, points, stroke, width = 1.4, dash = []) {
  c.beginPath();
  points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
  c.strokeStyle = stroke;
  c.lineWidth = width;
  c.setLineDash(dash);
  c.stroke();
  c.setLineDash([]);
}

export function circle(c, [x, y], r, style) {
  c.beginPath();
  c.arc(x, y, r, 0, TURN);
  paint(c, style);
}

function paint(c, { fill, stroke, width = 1.4, dash = [] }) {
  if (fill) {
    c.fillStyle = fill;
    c.fill();
  }
  if (stroke) {
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
  }
}

export function box(c, [x, y], half, style) {
  c.beginPath();
  c.rect(x - half, y - half, 2 * half, 2 * half);
  paint(c, style);
}

export function polygon(c, points, style) {
  c.beginPath();
  points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
  c.closePath();
  paint(c, style);
}

// A line with strokes on its far side, as ground is drawn.
export function hatched(c, a, b, stroke, depth = 9) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]), u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length], back = [-u[1], u[0]];
  line(c, [a, b], stroke, 1.6);
  c.beginPath();
  for (let s = 0; s <= length; s += 8) {
    const x = a[0] + u[0] * s, y = a[1] + u[1] * s;
    c.moveTo(x, y);
    c.lineTo(x + (back[0] - u[0]) * depth * 0.7, y + (back[1] - u[1]) * depth * 0.7);
  }
  c.lineWidth = 1;
  c.strokeStyle = stroke;
  c.stroke();
}

// A post on ground, below a joint in space or above it.
export function foot(c, [x, y], down = 1) {
  const look = theme();
  line(c, [[x, y], [x, y + 13 * down]], look.ground, 2);
  hatched(c, [x - 11 * down, y + 13 * down], [x + 11 * down, y + 13 * down], look.ground, 7);
}

// On ground: a foot below it, or above where the body hangs (down = -1).
export function pin(c, [x, y], grounded, down = 1) {
  const look = theme();
  if (grounded) {
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x - 9, y + 15 * down);
    c.lineTo(x + 9, y + 15 * down);
    c.closePath();
    c.fillStyle = look.panel;
    c.fill();
    c.strokeStyle = look.ink;
    c.lineWidth = 1.3;
    c.stroke();
    hatched(c, [x - 13 * down, y + 15 * down], [x + 13 * down, y + 15 * down], look.ground, 7);
  }
  circle(c, [x, y], 4, { fill: look.panel, stroke: look.ink, width: 1.5 });
}

export function spring(c, a, b, stroke) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (length < 2) return;
  if (length < 24) return void line(c, [a, b], stroke, 2.2);
  const u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length], v = [-u[1], u[0]], turns = 8, lead = Math.min(10, 0.12 * length), points = [a];
  const on = (s, side) => [a[0] + u[0] * s + v[0] * side, a[1] + u[1] * s + v[1] * side];
  points.push(on(lead, 0));
  for (let k = 0; k < 2 * turns; k++) points.push(on(lead + (length - 2 * lead) * (k + 0.5) / (2 * turns), k % 2 ? 6 : -6));
  points.push(on(length - lead, 0), b);
  line(c, points, stroke, 1.5);
}

// Two walls with round ends.
export function slot(c, a, b, wide, stroke) {
  const along = Math.atan2(b[1] - a[1], b[0] - a[0]);
  c.beginPath();
  c.arc(a[0], a[1], wide, along + Math.PI / 2, along + 1.5 * Math.PI);
  c.arc(b[0], b[1], wide, along - Math.PI / 2, along + Math.PI / 2);
  c.closePath();
  paint(c, { stroke, width: 1.5 });
}

export function spiral(c, [x, y], stroke) {
  const points = [];
  for (let k = 0; k <= 60; k++) points.push([x + (3 + k / 6) * Math.cos(k / 60 * 3 * TURN), y - (3 + k / 6) * Math.sin(k / 60 * 3 * TURN)]);
  line(c, points, stroke, 1.3);
}

// A drive: an arc with a head round a turning joint, a double arrow along a sliding one.
export function drive(c, [x, y], along) {
  const { accent } = theme();
  if (along) {
    arrowHead(c, [x + 22 * along[0], y + 22 * along[1]], along, 7, accent);
    arrowHead(c, [x - 22 * along[0], y - 22 * along[1]], along.map((v) => -v), 7, accent);
    line(c, [[x - 18 * along[0], y - 18 * along[1]], [x + 18 * along[0], y + 18 * along[1]]], accent, 1.6);
    return;
  }
  c.beginPath();
  c.arc(x, y, 15, 0.3, -3, true);
  c.strokeStyle = accent;
  c.lineWidth = 1.8;
  c.stroke();
  arrowHead(c, [x - 14.5, y + 8], [0.1, 0.99], 6, accent);
}

export function arrowHead(c, tip, along, size, fill, hollow = false) {
  const [x, y] = tip, side = [-along[1], along[0]];
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(x - along[0] * size * 1.5 + side[0] * size * 0.6, y - along[1] * size * 1.5 + side[1] * size * 0.6);
  c.lineTo(x - along[0] * size * 1.5 - side[0] * size * 0.6, y - along[1] * size * 1.5 - side[1] * size * 0.6);
  c.closePath();
  c.fillStyle = hollow ? theme().panel : fill;
  c.fill();
  c.strokeStyle = fill;
  c.lineWidth = 1.4;
  c.stroke();
}

// Stick: full shaft on a square foot. Slip: dashed shaft, open head, a bar across. Impact: thick, on a burst.
export function force(c, at, along, length, state) {
  const look = theme(), colour = [look.muted, look.stick, look.slip, look.impact][state], side = [-along[1], along[0]];
  const tip = [at[0] + along[0] * length, at[1] + along[1] * length], neck = [tip[0] - along[0] * 9, tip[1] - along[1] * 9];
  if (state === 1) {
    c.fillStyle = colour;
    c.fillRect(at[0] - 3, at[1] - 3, 6, 6);
  } else if (state === 2) line(c, [[at[0] - side[0] * 8, at[1] - side[1] * 8], [at[0] + side[0] * 8, at[1] + side[1] * 8]], colour, 2);
  else burst(c, at, 9, colour);
  line(c, [at, length > 12 ? neck : at], colour, state === 3 ? 3.4 : 2.2, state === 2 ? [5, 3] : []);
  arrowHead(c, tip, along, state === 3 ? 8 : 6.5, colour, state === 2);
}

// Lines from each odd point to the next, in the colour and pattern of a state, in one stroke.
export function strokes(c, points, state, width) {
  if (!points.length) return;
  const look = theme();
  c.beginPath();
  for (let k = 0; k < points.length; k += 2) {
    c.moveTo(points[k][0], points[k][1]);
    c.lineTo(points[k + 1][0], points[k + 1][1]);
  }
  c.strokeStyle = [look.muted, look.stick, look.slip, look.impact][state];
  c.lineWidth = width;
  c.setLineDash(state === 2 ? [4, 2] : []);
  c.stroke();
  c.setLineDash([]);
}

// Lets all that was drawn so far step back.
export function veil(c, width, height, opacity) {
  c.globalAlpha = opacity;
  c.fillStyle = theme().panel;
  c.fillRect(0, 0, width, height);
  c.globalAlpha = 1;
}

// What the arrows mean, in one line from (x, y): each state as it is drawn.
export function forceKey(c, x, y, largest, measure) {
  const look = theme();
  for (const [state, name] of [[1, 'sticks'], [2, 'slips'], [3, 'strikes']]) {
    force(c, [x + 4, y], [1, 0], 34, state);
    text(c, name, x + 44, y + 4, look.muted);
    x += 60 + c.measureText(name).width;
  }
  text(c, `${measure} ∝ ∛force, up to ${quantity(largest, 'N', 2)}`, x, y + 4, look.muted);
}

export function burst(c, [x, y], r, stroke, width = 1.5) {
  c.beginPath();
  for (let k = 0; k < 8; k++) {
    const a = k / 8 * TURN + 0.2, inner = k % 2 ? 0.35 * r : 0.2 * r;
    c.moveTo(x + inner * Math.cos(a), y + inner * Math.sin(a));
    c.lineTo(x + r * Math.cos(a), y + r * Math.sin(a));
  }
  c.strokeStyle = stroke;
  c.lineWidth = width;
  c.stroke();
}

export function text(c, string, x, y, fill, { size = 11.5, anchor = 'left', halo } = {}) {
  c.font = `${size}px ${theme().font}`;
  c.textAlign = anchor;
  c.textBaseline = 'alphabetic';
  if (halo) {
    c.lineWidth = 3;
    c.lineJoin = 'round';
    c.strokeStyle = halo;
    c.strokeText(string, x, y);
  }
  c.fillStyle = fill;
  c.fillText(string, x, y);
}

// As much of a text as fits.
export function clip(c, text, width, size) {
  c.font = `${size}px ${theme().font}`;
  if (c.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && c.measureText(`${text.slice(0, n)}…`).width > width) n--;
  return `${text.slice(0, n)}…`;
}
