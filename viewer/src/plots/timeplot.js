// Quantities over time, on uPlot. The view and the time are the clock's; dragging sets the view, clicking the time.
import uPlot from 'uplot';
import { h, replace, iconButton, download, fileName } from '../dom.js';
import { theme, onTheme } from '../theme.js';
import { plain, tickTexts, unitText } from '../number.js';
import { Frame, padded } from './frame.js';
import { SvgPainter } from './painter.js';
import { curvesOf, lookOf, swatch, coverageLine, toCsv, quantityInput } from './series.js';

const HEIGHT = 158;
const CROSS = 'M4 4l8 8M12 4l-8 8';

export class TimePlot {
  constructor(runs, clock, title, names, onclose) {
    Object.assign(this, { runs, clock, title, names: [...names] });
    this.chips = h('div', { class: 'chips' });
    this.host = h('div', { class: 'plot' });
    this.state = h('div', { class: 'state' });
    this.cursor = h('div', { class: 'cursor' });
    this.element = h('div', { class: 'panel timeplot' },
      h('header', {}, h('h2', {}, title), h('div', { class: 'tools push' },
        quantityInput(runs[0], 'Add a quantity', '', (name, input) => {
          input.value = '';
          if (!this.names.includes(name)) this.show([...this.names, name]);
        }, '+ quantity'),
        h('button', { class: 'quiet', title: 'Samples in view as CSV', onclick: () => this.saveCsv() }, 'CSV'),
        h('button', { class: 'quiet', title: 'This plot as SVG', onclick: () => this.saveSvg() }, 'SVG'),
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
    replace(this.chips, this.curves.map((curve) => this.chip(curve)));
    this.showWindow();
    this.showTime();
  }

  // Curves on one axis go as they are; others are joined over the union of their times.
  join() {
    const { curves } = this, axes = new Set(curves.map((c) => c.column.axis));
    if (axes.size === 1) this.data = [curves[0].column.axis.times, ...curves.map((c) => c.column.values)];
    else if (axes.size === 0) this.data = [[this.clock.start, this.clock.end]];
    else this.data = uPlot.join(curves.map((c) => [c.column.axis.times, c.column.values]));
  }

  chip(curve) {
    const value = h('span', { class: 'value' }), several = this.runs.length > 1;
    this.values.push(value);
    return h('span', { class: 'chip' }, swatch(curve),
      h('span', { class: 'name', title: `${curve.name}, ${curve.run.label}` }, several ? `${curve.name} · ${curve.run.label}` : curve.name), value,
      !curve.run.number && h('button', { class: 'quiet', 'aria-label': `Remove ${curve.name}`, title: 'Remove', onclick: () => this.show(this.names.filter((n) => n !== curve.name)) }, '×'));
  }

  get unit() {
    const units = new Set(this.curves.map((c) => unitText(c.column.unit)));
    return units.size === 1 ? [...units][0] : '';
  }

  options() {
    const c = theme(), axis = { stroke: c.muted, grid: { stroke: c.rule, width: 1 }, ticks: { stroke: c.rule, size: 4 }, font: `11px ${c.font}` };
    const few = (u, k, from, to) => to - from < u.bbox.width / devicePixelRatio / 5;
    return {
      width: this.width, height: HEIGHT, legend: { show: false }, padding: [6, 14, 0, 0], pxAlign: 0,
      cursor: { y: false, drag: { x: true, y: false, setScale: false }, sync: { key: 'time' }, points: { size: 6 } },
      scales: { x: { time: false, range: () => this.range() }, y: { range: (u, min, max) => (min === null ? [-1, 1] : spread(min, max)) } },
      axes: [
        { ...axis, size: 26, gap: 3, space: 70, values: (u, v) => tickTexts(v) },
        { ...axis, size: 62, gap: 4, space: 28, label: this.unit, labelSize: this.unit ? 15 : 0, labelGap: 0, labelFont: `11px ${c.font}`, values: (u, v) => tickTexts(v) },
      ],
      series: [{}, ...this.curves.map((curve) => {
        const look = lookOf(curve);
        return { label: curve.name, stroke: look.stroke, width: look.width, dash: look.dash, spanGaps: true, points: { show: few, size: 4.5, fill: look.stroke, width: 0 } };
      })],
      hooks: { setSelect: [(u) => this.select(u)] },
    };
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
    this.curves.forEach((curve, k) => { this.values[k].textContent = plain(curve.column.at(t), 5); });
  }

  saveCsv() {
    download(fileName(this.runs[0].name, this.title) + '.csv', toCsv(this.data[0], this.curves, this.data.slice(1), this.clock.window), 'text/csv');
  }

  saveSvg() {
    const width = this.width, height = 240, c = theme(), painter = new SvgPainter(width, height, c.panel), [a, b] = this.range();
    const rows = (curve) => curve.column.axis.range(a, b);
    let low = Infinity, high = -Infinity;
    for (const curve of this.curves) {
      const { first, last } = rows(curve);
      for (let i = first; i <= last; i++) {
        const v = curve.column.values[i];
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    const frame = new Frame({ left: 76, top: 26, width: width - 88, height: height - 66 }, [a, b], spread(low, high));
    frame.draw(painter, 't [s]', this.unit);
    painter.clip(frame.box.left, frame.box.top, frame.box.width, frame.box.height, () => {
      for (const curve of this.curves) {
        const { first, last } = rows(curve), points = [];
        for (let i = first; i <= last; i++) points.push(frame.px(curve.column.axis.times[i]), frame.py(curve.column.values[i]));
        painter.path(points, lookOf(curve));
      }
    });
    let x = frame.box.left;
    for (const curve of this.curves) {
      painter.path([x, 12, x + 20, 12], lookOf(curve));
      painter.text(x + 25, 16, curve.name, { fill: c.ink, font: `11px ${c.font}` });
      x += 40 + 6.2 * curve.name.length;
    }
    download(fileName(this.runs[0].name, this.title) + '.svg', painter.toString(), 'image/svg+xml');
  }
}

function spread(low, high) {
  if (!Number.isFinite(low + high)) return [-1, 1];
  if (high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high))) return padded([low, high], 0.06);
  const half = Math.abs(low) * 0.05 || 1;
  return [low - half, high + half];
}
