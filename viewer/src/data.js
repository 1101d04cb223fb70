// The data that `carom report` put into the page (FORMAT.md): read once, columns unpacked when first asked for.

export async function readReport(page = document) {
  const holder = page.getElementById('carom-run');
  if (!holder) return null;
  const report = JSON.parse(holder.textContent);
  const blobs = await readBlobs(page);
  return { ...report, runs: report.runs.map((run, k) => new Run(run, k, blobs)), compare: report.compare ?? [] };
}

async function readBlobs(page) {
  const holders = [];
  for (let k = 0, e; (e = page.getElementById(`carom-blob-${k}`)); k++) holders.push(e);
  return Promise.all(holders.map((e) => inflate(fromBase64(e.textContent.trim()))));
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const TYPES = { f32: Float32Array, f64: Float64Array, u32: Uint32Array };

// Bytes stand in planes: all first bytes of the numbers, then all second ones, …
function unpack(bytes, column) {
  const values = new TYPES[column.type](column.count), out = new Uint8Array(values.buffer);
  const width = values.BYTES_PER_ELEMENT, n = column.count;
  for (let plane = 0; plane < width; plane++) {
    const from = column.offset + plane * n;
    for (let i = 0, to = plane; i < n; i++, to += width) out[to] = bytes[from + i];
  }
  return values;
}

export class Column {
  constructor({ at: offset, ...about }, axis, blobs) {
    Object.assign(this, about, { offset });
    this.axis = axis;
    this.blobs = blobs;
  }

  get values() {
    let values;
    if (this.blob !== undefined) values = unpack(this.blobs[this.blob], this);
    else {
      values = new Float64Array(this.count);
      values.fill(this.constant ?? NaN);
    }
    Object.defineProperty(this, 'values', { value: values });
    return values;
  }

  // Between two kept rows a straight line, which the page's bound speaks of.
  at(t) {
    const { i, w } = this.axis.locate(t), v = this.values;
    return w > 0 && i + 1 < v.length ? v[i] + w * (v[i + 1] - v[i]) : v[i];
  }
}

// Times of kept rows, and which stretches between them hold every recorded row.
class Axis {
  constructor(about, blobs) {
    Object.assign(this, about);
    this.times = new Column(about.time, null, blobs).values;
    this.index = about.index ? new Column(about.index, null, blobs).values : null;
  }

  // The last row at or before t, and how far on to the next (0 … 1).
  locate(t) {
    const time = this.times;
    if (t === this.t) return this.found;
    let low = 0, high = time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    const next = time[low + 1];
    const w = next > time[low] ? Math.min(1, Math.max(0, (t - time[low]) / (next - time[low]))) : 0;
    this.t = t;
    this.found = { i: low, w };
    return this.found;
  }

  // Rows that a view from a to b shows, those just outside included.
  range(a, b) {
    const first = this.locate(a).i, end = this.locate(b), last = Math.min(this.times.length - 1, end.i + (end.w > 0 ? 1 : 0));
    return { first, last };
  }

  // What stands between a and b: rows kept, rows recorded, and whether these are the same.
  coverage(a, b) {
    const { first, last } = this.range(a, b);
    const shown = last - first + 1;
    const recorded = this.raw || !this.index ? shown : this.index[last] - this.index[first] + 1;
    return { shown, recorded, raw: shown === recorded };
  }
}

export class Run {
  constructor(about, number, blobs) {
    Object.assign(this, about);
    this.number = number;
    this.axes = about.axes.map((axis) => new Axis(axis, blobs));
    this.tables = new Map(about.tables.map((table) => [table.name, {
      name: table.name,
      columns: table.columns.map((c, k) => Object.assign(new Column(c, this.axes[table.axis], blobs), { key: [table.name, k] })),
    }]));
    this.byName = new Map();
    for (const table of this.tables.values()) {
      for (const column of table.columns) if (!this.byName.has(column.name)) this.byName.set(column.name, column);
    }
    this.impacts = about.impacts && new Impacts(about.impacts, this.scene, blobs);
  }

  column([table, number]) {
    return this.tables.get(table)?.columns[number];
  }

  get isPlanar() {
    return this.space === 'planar';
  }

  // The axis that steps of one frame follow: the finest one.
  get axis() {
    return this.axes.reduce((best, axis) => (axis.kept > best.kept ? axis : best), this.axes[0]);
  }

  // The worst line of the verdict; a run that did not end well is never good.
  get level() {
    const order = ['good', 'warn', 'bad'], ended = { done: 0, failed: 2 }[this.status] ?? 1;
    return order[Math.max(ended, ...(this.verdict ?? []).map((c) => order.indexOf(c.level)))];
  }
}

// The impact ledger by columns, with the names of what touched.
export class Impacts {
  constructor(about, scene, blobs) {
    Object.assign(this, { rows: about.rows, kept: about.kept, points: about.points });
    this.columns = about.columns.map((c) => new Column(c, null, blobs));
    this.of = new Map(this.columns.map((c) => [c.name, c]));
    this.contacts = scene?.contacts ?? [];
  }

  get(name, row) {
    return this.of.get(name)?.values[row];
  }

  pointName(row) {
    const number = this.get('point', row);
    return this.points[number]?.name ?? `point ${number + 1}`;
  }

  contact(row) {
    return this.points[this.get('point', row)]?.contact ?? -1;
  }

  // Row whose start is the last at or before t; -1: none yet. Rows are in order of their start.
  before(t) {
    const start = this.of.get('start').values;
    let low = -1, high = this.kept - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (start[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
