// Quantities over time, on uPlot. The view and the time are the clock's; dragging sets the view, clicking the time.
import uPlot from 'uplot';
import { h, replace, iconButton, download, fileName } from '../dom.js';
import { theme, onTheme } from '../theme.js';
import { axisScale, isRounding, plain, tickTexts, unitText } from '../number.js';
import { Frame, padded } from './frame.js';
import { CanvasPainter, SvgPainter } from './painter.js';
import { CSV_HINT, curvesOf, drawSign, drawSigns, lookOf, swatch, coverageLine, toCsv, quantityInput, withGaps } from './series.js';

const HEIGHT = 158;
const CROSS = 'M4 4l8 8M12 4l-8 8';

export class TimePlot {
  constructor(runs, clock, title, names, onclose) {
    Object.assign(this, { runs, clock, title, names: [...names] });
    this.chips = h('div', { class: 'chips' });
    this.host = h('div', { class: 'plot', tabindex: 0, role: 'group' });
    this.state = h('div', { class: 'state' });
    this.cursor = h('div', { class: 'cursor' });
    this.element = h('div', { class: 'panel timeplot' },
      h('header', {}, h('h2', {}, title), h('div', { class: 'tools push' },
        quantityInput(runs[0], `Add a quantity to ${title}`, '', (name, input) => {
          input.value = '';
          if (!this.names.includes(name)) this.show([...this.names, name]);
        }, '+ quantity'),
        h('button', { class: 'quiet', title: `Samples in view ${CSV_HINT}`, 'aria-label': `${title}: samples in view as CSV`, onclick: () => this.saveCsv() }, 'CSV'),
        h('button', { class: 'quiet', title: 'This plot as SVG', 'aria-label': `${title}: this plot as SVG`, onclick: () => this.saveSvg() }, 'SVG'),
        iconButton(CROSS, `Close ${title}`, () => {
          this.stop();
          onclose(this);
        }, { class: 'icon quiet' }))),
      h('div', { class: 'controls' }, this.chips, this.state), this.host);
    this.offs = [clock.on('window', () => this.showWindow()), clock.on('time', () => this.showTime()), onTheme(() => this.plot && this.show(this.names))];
    this.size = new ResizeObserver(() => this.fit());
    this.size.observe(this.host);
  }

  stop() {
    this.offs.forEach((off) => off());
    this.size.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  show(names) {
    this.names = names;
    this.curves = curvesOf(this.runs, names);
    this.join();
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.data, this.host);
    this.plot.over.append(this.cursor);
    this.listen(this.plot.over);
    this.values = [];
    this.host.setAttribute('aria-label', `${this.title} over time: ${names.join(', ')}. Arrow keys go from sample to sample, + and − change the stretch of time in view, 0 shows all.`);
    replace(this.chips, this.curves.map((curve) => this.chip(curve)));
    this.showWindow();
    this.showTime();
  }

  // Curves on one axis go as they are; others are joined over the union of their times. `taken` is what becomes of the values of a column.
  joined(taken) {
    const { curves } = this, axes = new Set(curves.map((c) => c.column.axis));
    if (axes.size === 1) return [curves[0].column.axis.times, ...curves.map((c) => taken(c.column.values))];
    if (axes.size === 0) return [[this.clock.start, this.clock.end]];
    return uPlot.join(curves.map((c) => [c.column.axis.times, taken(c.column.values)]));
  }

  join() {
    this.data = this.joined(withGaps);
  }

  chip(curve) {
    const value = h('span', { class: 'value' }), several = this.runs.length > 1;
    this.values.push(value);
    return h('span', { class: 'chip' }, swatch(curve),
      h('span', { class: 'name', title: `${curve.name}, ${curve.run.label}` }, several ? `${curve.name} · ${curve.run.label}` : curve.name), value,
      !curve.run.number && h('button', { class: 'quiet', 'aria-label': `Remove ${curve.name}`, title: 'Remove', onclick: () => this.show(this.names.filter((n) => n !== curve.name)) }, '×'));
  }

  // The unit of all curves as recorded; none where they differ.
  get unit() {
    const units = new Set(this.curves.map((c) => c.column.unit));
    return units.size === 1 ? [...units][0] : '';
  }

  // Prefix and factor of an axis as it now runs.
  scaleOf(key, u = this.plot) {
    const { min, max } = u.scales[key];
    return axisScale(min ?? 0, max ?? 0, key === 'x' ? 's' : this.unit);
  }

  options() {
    const c = theme(), axis = { stroke: c.muted, grid: { stroke: c.rule, width: 1 }, ticks: { stroke: c.rule, size: 4 }, font: `11px ${c.font}` };
    const few = (u, k, from, to) => to - from < u.bbox.width / devicePixelRatio / 5;
    return {
      width: this.width, height: HEIGHT, legend: { show: false }, padding: [6, 22, 0, 0], pxAlign: 0,
      cursor: { y: false, drag: { x: true, y: false, setScale: false }, sync: { key: 'time' }, points: { size: 6 } },
      scales: { x: { time: false, range: () => this.range() }, y: { range: (u, min, max) => (min === null ? [-1, 1] : spread(min, max)) } },
      axes: [
        { ...axis, size: 26, gap: 3, space: 70, values: (u, v) => inUnit(tickTexts(v.map((x) => x * this.scaleOf('x', u).factor)), this.scaleOf('x', u).unit) },
        { ...axis, size: 62, gap: 4, space: 28, label: (u) => this.scaleOf('y', u).unit, labelSize: this.unit ? 15 : 0, labelGap: 0, labelFont: `11px ${c.font}`,
          values: (u, v) => tickTexts(v.map((x) => x * this.scaleOf('y', u).factor)) },
      ],
      series: [{}, ...this.curves.map((curve) => {
        const look = lookOf(curve);
        return { label: curve.name, stroke: look.stroke, width: look.width, dash: look.dash, spanGaps: true, points: { show: few, size: 4.5, fill: look.stroke, width: 0 } };
      })],
      hooks: { setSelect: [(u) => this.select(u)], drawSeries: [(u, k) => this.drawSigns(u, k)], draw: [() => this.plot && this.showValues()] },
    };
  }

  drawSigns(u, k) {
    const curve = this.curves[k - 1], { left, top, width, height } = u.bbox;
    if (curve?.sign === undefined) return;
    const { first, last } = curve.column.axis.range(...this.range()), t = curve.column.axis.times.subarray(first, last + 1), { values } = curve.column;
    new CanvasPainter(u.ctx).clip(left, top, width, height, () => drawSigns(new CanvasPainter(u.ctx), curve, k - 1, this.curves.length, t,
      (x) => u.valToPos(x, 'x', true), (i) => u.valToPos(values[first + i], 'y', true), devicePixelRatio));
  }

  range() {
    const [a, b] = this.clock.window;
    return b > a ? [a, b] : [a - 0.5, b + 0.5];
  }

  get width() {
    return Math.max(120, this.host.clientWidth - 12);
  }

  fit() {
    if (this.plot && this.plot.width !== this.width) {
      this.plot.setSize({ width: this.width, height: HEIGHT });
      this.showTime();
    }
  }

  select(u) {
    const { left, width } = u.select;
    if (width < 4) return;
    const a = u.posToVal(left, 'x'), b = u.posToVal(left + width, 'x');
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.clock.show(a, b);
  }

  listen(over) {
    let down = 0;
    over.addEventListener('mousedown', (e) => { down = e.clientX; });
    over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - down) < 4) this.clock.seek(this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x'));
    });
    over.addEventListener('dblclick', () => this.clock.showAll());
    over.addEventListener('wheel', (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      this.clock.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x'));
    }, { passive: false });
  }

  showWindow() {
    if (!this.plot) return;
    const [min, max] = this.range();
    this.plot.setScale('x', { min, max });
    const { shown } = this.curves.length ? this.curves[0].column.axis.coverage(min, max) : { shown: 0 };
    replace(this.state, coverageLine(this.curves, this.clock.window), shown && shown < this.plot.width / 5 ? h('span', {}, 'each dot a sample') : null);
    this.showTime();
  }

  showTime() {
    if (!this.plot) return;
    // By the clock's view, not by uPlot's scale, which follows a moment later.
    const { t } = this.clock, [a, b] = this.range(), width = this.plot.bbox.width / devicePixelRatio, x = (t - a) / (b - a) * width;
    this.cursor.style.transform = `translateX(${x - 0.75}px)`;
    this.cursor.hidden = !(x >= 0 && x <= width);
    this.element.dataset.time = t;
    this.showValues();
  }

  // In the unit of the axis, so that they can be found there.
  showValues() {
    const { factor, unit } = this.scaleOf('y'), { t } = this.clock;
    this.curves.forEach((curve, k) => {
      const own = unit || this.curves.length === 1 ? unit : unitText(curve.column.unit);
      const { min, max } = curve.column, v = curve.column.at(t);
      this.values[k].textContent = `${plain(isRounding(v, max - min) ? 0 : v * factor, 5)}${own ? ` ${own}` : ''}`;
    });
  }

  saveCsv() {
    const [times, ...data] = this.joined((values) => values);
    download(fileName(this.runs[0].name, this.title) + '.csv', toCsv(times, this.curves, data, this.clock.window), 'text/csv');
  }

  saveSvg() {
    const width = this.width, c = theme(), [a, b] = this.range(), font = `11px ${c.font}`, left = 76;
    const keys = legendRows(this.curves, this.runs.length > 1, width - left - 12), top = 30 + 16 * keys.length, height = top + 214;
    const painter = new SvgPainter(width, height, c.panel, `${this.title} · ${this.runs[0].title || this.runs[0].name}`);
    painter.text(left, 16, this.title, { fill: c.ink, font: `600 12px ${c.font}` });
    for (const { x, y, curve, name } of keys.flat()) {
      painter.path([left + x, y, left + x + 24, y], lookOf(curve));
      drawSign(painter, curve, left + x + 12, y);
      painter.text(left + x + 30, y + 4, name, { fill: c.ink, font });
    }
    const frame = new Frame({ left, top, width: width - left - 12, height: 174 }, [a, b], this.span(a, b));
    frame.draw(painter, { name: 't', unit: 's' }, { name: '', unit: this.unit });
    painter.clip(left, top, frame.box.width, frame.box.height, () => this.curves.forEach((curve, k) => {
      const { first, last } = curve.column.axis.range(a, b), { times } = curve.column.axis, points = [];
      for (let i = first; i <= last; i++) points.push(frame.px(times[i]), frame.py(curve.column.values[i]));
      painter.path(points, lookOf(curve));
      drawSigns(painter, curve, k, this.curves.length, times.subarray(first, last + 1), frame.px, (i) => frame.py(curve.column.values[first + i]));
    }));
    download(fileName(this.runs[0].name, this.title) + '.svg', painter.toString(), 'image/svg+xml');
  }

  // What the curves cover between a and b.
  span(a, b) {
    let low = Infinity, high = -Infinity;
    for (const { column } of this.curves) {
      const { first, last } = column.axis.range(a, b);
      for (let i = first; i <= last; i++) {
        const v = column.values[i];
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    return spread(low, high);
  }
}

// The last of an axis' numbers takes the unit along.
const inUnit = (texts, unit) => texts.map((text, k) => (k === texts.length - 1 ? `${text} ${unit}` : text));

// Where the keys of a legend stand, in as many rows as they need; 6.2 pixels a letter at 11 pixels.
function legendRows(curves, several, width) {
  const rows = [[]];
  let x = 0;
  for (const curve of curves) {
    const name = several ? `${curve.name} · ${curve.run.label}` : curve.name, room = 46 + 6.2 * name.length;
    if (x > 0 && x + room > width) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1).push({ x, y: 12 + 16 * rows.length, curve, name });
    x += room;
  }
  return rows;
}

// Room above and below. What changes by less than a millionth of its own size is drawn as the straight line it is.
function spread(low, high) {
  if (!Number.isFinite(low + high)) return [-1, 1];
  if (high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high))) return padded([low, high], 0.06);
  const half = Math.abs(low) * 0.05 || 1;
  return [low - half, high + half];
}
