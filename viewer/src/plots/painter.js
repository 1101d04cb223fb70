// One drawing, two surfaces: a canvas for the eye, SVG for a file. Coordinates in CSS pixels.

export class CanvasPainter {
  constructor(context) {
    this.c = context;
  }

  path(points, { stroke, width = 1, dash = [], fill, close = false }) {
    const c = this.c;
    c.beginPath();
    let pen = false;
    for (let i = 0; i < points.length; i += 2) {
      if (!Number.isFinite(points[i] + points[i + 1])) pen = false;
      else if (pen) c.lineTo(points[i], points[i + 1]);
      else {
        c.moveTo(points[i], points[i + 1]);
        pen = true;
      }
    }
    if (close) c.closePath();
    this.finish(stroke, width, dash, fill);
  }

  circle(x, y, r, { stroke, width = 1, dash = [], fill }) {
    this.c.beginPath();
    this.c.arc(x, y, r, 0, 2 * Math.PI);
    this.finish(stroke, width, dash, fill);
  }

  // Slanted lines within a closed path, which lies in the box.
  hatch(points, { left, top, width, height }, { stroke, gap = 7 }) {
    const c = this.c;
    c.save();
    this.path(points, { close: true });
    c.clip();
    c.beginPath();
    for (let x = left - height; x < left + width; x += gap) {
      c.moveTo(x, top + height);
      c.lineTo(x + height, top);
    }
    this.finish(stroke, 1, []);
    c.restore();
  }

  rect(x, y, w, h, { stroke, width = 1, dash = [], fill }) {
    this.c.beginPath();
    this.c.rect(x, y, w, h);
    this.finish(stroke, width, dash, fill);
  }

  finish(stroke, width, dash, fill) {
    const c = this.c;
    if (fill) {
      c.fillStyle = fill;
      c.fill();
    }
    if (stroke) {
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.lineJoin = 'round';
      c.setLineDash(dash);
      c.stroke();
      c.setLineDash([]);
    }
  }

  text(x, y, text, { fill, font, anchor = 'start', baseline = 'alphabetic', turn = 0 }) {
    const c = this.c;
    c.save();
    c.translate(x, y);
    c.rotate(turn);
    c.font = font;
    c.fillStyle = fill;
    c.textAlign = anchor === 'middle' ? 'center' : anchor;
    c.textBaseline = baseline;
    c.fillText(text, 0, 0);
    c.restore();
  }

  clip(x, y, w, h, draw) {
    this.c.save();
    this.c.beginPath();
    this.c.rect(x, y, w, h);
    this.c.clip();
    draw();
    this.c.restore();
  }
}

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
const r2 = (x) => Math.round(x * 100) / 100;

const STRIP = 0.25, MANY = 4000;     // pixels; numbers from which on a path is thinned

// Of points that follow each other within a strip a quarter of a pixel wide the first, lowest, highest and last: a file draws the same from fewer.
export function thinned(points) {
  if (points.length <= MANY) return points;
  const out = [], flush = (from, to) => {
    let low = from, high = from;
    for (let i = from; i <= to; i += 2) {
      if (points[i + 1] < points[low + 1]) low = i;
      if (points[i + 1] > points[high + 1]) high = i;
    }
    for (const i of [...new Set([from, Math.min(low, high), Math.max(low, high), to])]) out.push(points[i], points[i + 1]);
  };
  let from = 0;
  for (let i = 2; i <= points.length; i += 2) {
    if (i < points.length && Math.floor(points[i] / STRIP) === Math.floor(points[from] / STRIP) && Number.isFinite(points[i + 1])) continue;
    flush(from, i - 2);
    from = i;
  }
  return out;
}

export class SvgPainter {
  constructor(width, height, background, title) {
    Object.assign(this, { width, height, title });
    this.parts = [`<rect width="${width}" height="${height}" fill="${background}"/>`];
    this.clips = 0;
  }

  style({ stroke, width = 1, dash = [], fill }) {
    return `fill="${fill ?? 'none'}"` + (stroke ? ` stroke="${stroke}" stroke-width="${width}" stroke-linejoin="round"` : '') +
      (stroke && dash.length ? ` stroke-dasharray="${dash.join(' ')}"` : '');
  }

  path(all, style) {
    const d = [], points = thinned(all);
    let pen = false;
    for (let i = 0; i < points.length; i += 2) {
      if (!Number.isFinite(points[i] + points[i + 1])) pen = false;
      else {
        d.push(`${pen ? 'L' : 'M'}${r2(points[i])} ${r2(points[i + 1])}`);
        pen = true;
      }
    }
    if (d.length) this.parts.push(`<path d="${d.join('')}${style.close ? 'Z' : ''}" ${this.style(style)}/>`);
  }

  hatch(points, box, { stroke, gap = 7 }) {
    const id = `h${this.clips++}`;
    this.parts.push(`<pattern id="${id}" width="${gap}" height="${gap}" patternUnits="userSpaceOnUse"><path d="M0 ${gap}L${gap} 0" stroke="${stroke}"/></pattern>`);
    this.path(points, { fill: `url(#${id})`, close: true });
  }

  circle(x, y, r, style) {
    this.parts.push(`<circle cx="${r2(x)}" cy="${r2(y)}" r="${r2(r)}" ${this.style(style)}/>`);
  }

  rect(x, y, w, h, style) {
    this.parts.push(`<rect x="${r2(x)}" y="${r2(y)}" width="${r2(w)}" height="${r2(h)}" ${this.style(style)}/>`);
  }

  text(x, y, text, { fill, font, anchor = 'start', baseline = 'alphabetic', turn = 0 }) {
    const size = /([\d.]+)px/.exec(font)?.[1] ?? 11, shift = baseline === 'middle' ? 0.35 * size : baseline === 'top' ? 0.8 * size : 0;
    const family = escape(font.replace(/^.*?px\s*/, '')), weight = /^\d+(?= )/.exec(font)?.[0];
    const place = turn ? ` transform="translate(${r2(x)} ${r2(y)}) rotate(${turn * 180 / Math.PI}) translate(0 ${r2(shift)})"` : ` x="${r2(x)}" y="${r2(y + shift)}"`;
    this.parts.push(`<text${place} font-size="${size}" font-family="${family}"${weight ? ` font-weight="${weight}"` : ''} text-anchor="${anchor}" fill="${fill}">${escape(text)}</text>`);
  }

  clip(x, y, w, h, draw) {
    const id = `c${this.clips++}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.parts.push('</g>');
  }

  // What is drawn stands lower by `down`.
  shifted(down, draw) {
    this.parts.push(`<g transform="translate(0 ${down})">`);
    draw();
    this.parts.push('</g>');
  }

  toString() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" role="img">` +
      `<title>${escape(this.title)}</title>\n${this.parts.join('\n')}</svg>\n`;
  }
}

// A canvas as large as its element, sharp on fine screens; returns its context in CSS pixels.
export function fitCanvas(canvas, width, height, ratio = Math.min(2, devicePixelRatio || 1)) {
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
