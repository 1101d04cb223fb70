// Axes of a drawing: from data to pixels, with round ticks, a grid and labels.
import { axisScale, ticks, tickTexts, withUnit } from '../number.js';
import { theme } from '../theme.js';

export class Frame {
  // box: {left, top, width, height} of the drawing area; equal: one metre is as long along both axes
  constructor(box, x, y, { equal = false } = {}) {
    this.box = box;
    this.x = widen(x);
    this.y = widen(y);
    if (equal) this.equalise();
  }

  equalise() {
    const { width, height } = this.box, sx = (this.x[1] - this.x[0]) / width, sy = (this.y[1] - this.y[0]) / height;
    const stretch = (range, factor) => {
      const middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2 * factor;
      return [middle - half, middle + half];
    };
    if (sx < sy) this.x = stretch(this.x, sy / sx);
    else this.y = stretch(this.y, sx / sy);
  }

  px = (v) => this.box.left + (v - this.x[0]) / (this.x[1] - this.x[0]) * this.box.width;
  py = (v) => this.box.top + this.box.height - (v - this.y[0]) / (this.y[1] - this.y[0]) * this.box.height;

  // Draws grid, ticks and labels; of each axis {name, unit}, the unit as recorded. A null name: no numbers and no label.
  draw(painter, x, y) {
    const { left, top, width, height } = this.box, c = theme(), font = `11px ${c.font}`;
    const xs = ticks(...this.x, width / 75), ys = ticks(...this.y, height / 38), ofX = axisScale(...this.x, x.unit), ofY = axisScale(...this.y, y.unit);
    const xTexts = x.name === null ? [] : tickTexts(xs.map((v) => v * ofX.factor)), yTexts = tickTexts(ys.map((v) => v * ofY.factor));
    for (const [k, v] of xs.entries()) {
      const p = this.px(v);
      painter.path([p, top, p, top + height], { stroke: c.rule });
      if (xTexts[k]) painter.text(p, top + height + 5, xTexts[k], { fill: c.muted, font, anchor: 'middle', baseline: 'top' });
    }
    for (const [k, v] of ys.entries()) {
      const p = this.py(v);
      painter.path([left, p, left + width, p], { stroke: c.rule });
      painter.text(left - 6, p, yTexts[k], { fill: c.muted, font, anchor: 'end', baseline: 'middle' });
    }
    painter.rect(left, top, width, height, { stroke: c.muted });
    if (x.name) painter.text(left + width / 2, top + height + 21, withUnit(x.name, ofX.unit), { fill: c.ink, font, anchor: 'middle', baseline: 'top' });
    painter.text(left - 62, top + height / 2, fitting(withUnit(y.name, ofY.unit), height), { fill: c.ink, font, anchor: 'middle', baseline: 'middle', turn: -Math.PI / 2 });
  }
}

// A name along an axis too short for it loses its middle; 6 pixels a letter at 11 pixels.
function fitting(text, room) {
  const most = Math.max(12, Math.floor(room / 6));
  return text.length <= most ? text : `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(-Math.floor(most / 2))}`;
}

// Pixels of a curve, without those that fall within half a pixel of the last.
export function curvePoints(frame, xs, ys) {
  const points = [], { box, x, y } = frame, sx = box.width / (x[1] - x[0]), sy = box.height / (y[1] - y[0]), bottom = box.top + box.height;
  let lastX = NaN, lastY = NaN;
  for (let i = 0; i < xs.length; i++) {
    const px = box.left + (xs[i] - x[0]) * sx, py = bottom - (ys[i] - y[0]) * sy;
    if (Math.abs(px - lastX) < 0.5 && Math.abs(py - lastY) < 0.5) continue;
    points.push(px, py);
    lastX = px;
    lastY = py;
  }
  return points;
}

function widen([a, b]) {
  if (!Number.isFinite(a + b)) return [-1, 1];
  if (a === b) return a === 0 ? [-1, 1] : [a - Math.abs(a) * 0.1, a + Math.abs(a) * 0.1];
  return [a, b];
}

export function padded([a, b], share = 0.05) {
  const pad = (b - a) * share;
  return [a - pad, b + pad];
}
