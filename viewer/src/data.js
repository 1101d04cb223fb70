// The data that `carom report` put into the page (FORMAT.md): read once, columns unpacked when first asked for.

// The words of the page at once. The numbers are in blobs, which take a while to unpack: until `load` is done each column
// has its first row alone, which stands among the words, and every run is one of a single frame without impacts.
export function readReport(page = document) {
  const holder = page.getElementById('carom-run');
  if (!holder) return null;
  const report = JSON.parse(holder.textContent), blobs = [];
  const runs = report.runs.map((run, k) => new Run(run, k, blobs));
  labelRuns(runs);
  const load = async () => {
    blobs.push(...await readBlobs(page));
    for (const run of runs) for (const axis of [...run.axes, ...(run.touches ? [run.touches.axis] : [])]) axis.forget();
  };
  return { ...report, runs, compare: report.compare ?? [], load, blobs };
}

// What the page calls each run: by its method alone where names differ by a number only, else by name and method.
function labelRuns(runs) {
  const methods = new Set(runs.map((r) => r.method)), stems = new Set(runs.map((r) => r.name.replace(/[-_ ]?\(?\d+\)?$/, '')));
  for (const run of runs) {
    if (methods.size > 1 && methods.size === runs.length && stems.size === 1) run.label = run.method;
    else run.label = methods.size > 1 && !run.name.includes(run.method) ? `${run.name} · ${run.method}` : run.name;
  }
}

// The page's script runs before the browser has read the blobs behind it.
async function readBlobs(page) {
  if (page.readyState === 'loading') await new Promise((done) => { page.addEventListener('DOMContentLoaded', done, { once: true }); });
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

  get isLoaded() {
    return this.blob === undefined || this.blob in this.blobs;
  }

  get values() {
    if (!this.isLoaded) return [this.first ?? NaN];
    const values = this.blob === undefined ? new Float64Array(this.count).fill(this.constant ?? NaN) : unpack(this.blobs[this.blob], this);
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
  constructor({ index, time, ...about }, blobs) {
    Object.assign(this, about, { time: new Column(time, null, blobs), number: index && new Column(index, null, blobs) });
  }

  get times() {
    return this.time.values;
  }

  get isLoaded() {
    return this.time.isLoaded;
  }

  get index() {
    return this.number?.values ?? null;
  }

  forget() {
    this.t = undefined;
  }

  // The last row at or before t, and how far on to the next (0 … 1).
  locate(t) {
    if (t === this.t) return this.found;
    const time = this.times;
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

  // Whether no recorded row is left out between kept rows i and i + 1.
  isNext(i) {
    return !this.index || this.index[i + 1] === this.index[i] + 1;
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
    this.touches = about.touches ? new Touches(about.touches, blobs) : null;
    this.impacts = about.impacts && new Impacts(about.impacts, this, blobs);
    this.episodes = about.episodes ? new PairRows(about.episodes, blobs) : null;      // absent in old records, as are
    this.regimes = about.regimes ? new PairRows(about.regimes, blobs) : null;
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

// The table of touches: any number of rows at each of its times, of points of contact between two surfaces.
export class Touches {
  constructor({ surfaces, time, first, columns, rows, kept }, blobs) {
    Object.assign(this, { surfaces, rows, kept, axis: new Axis({ time, index: null }, blobs), first: new Column(first, null, blobs) });
    this.of = new Map(columns.map((c) => [c.name, new Column(c, null, blobs)]));
  }

  get isLoaded() {
    return this.axis.isLoaded && this.first.isLoaded && [...this.of.values()].every((c) => c.isLoaded);
  }

  // Rows [from, to) of the last time at or before t; none before the first.
  rowsAt(t) {
    if (!this.isLoaded || !(t >= this.axis.times[0])) return [0, 0];
    const { i } = this.axis.locate(t), first = this.first.values;
    return [first[i], i + 1 < first.length ? first[i + 1] : this.kept];
  }

  // As many as touch at any one time; 0 before they are unpacked.
  get most() {
    if (!this.isLoaded) return 0;
    const first = this.first.values;
    let most = 0;
    for (let i = 0; i < first.length; i++) most = Math.max(most, (i + 1 < first.length ? first[i + 1] : this.kept) - first[i]);
    return most;
  }

  get(name, row) {
    return this.of.get(name)?.values[row] ?? 0;
  }

  vector(name, row) {
    return ['x', 'y', 'z'].map((k) => this.get(`${name}_${k}`, row));
  }

  // No force is larger, by the largest of its components [N].
  get largest() {
    return Math.hypot(...['x', 'y', 'z'].map((k) => this.of.get(`force_${k}`)).filter(Boolean).map((c) => Math.max(Math.abs(c.min ?? 0), Math.abs(c.max ?? 0))));
  }
}

const LOOK_AHEAD = 3;         // rows within which the force of an episode shows
const MOST_ROWS = 400;        // in which its peak is looked for

export const IMPACT_KIND = 2, LASTING_KIND = 1, TOUCH_KIND = 0;

// A ledger by columns, whose rows are in order of their start.
class Rows {
  constructor(about, blobs) {
    Object.assign(this, { rows: about.rows, inPage: about.kept });
    this.columns = about.columns.map((c) => new Column(c, null, blobs));
    this.of = new Map(this.columns.map((c) => [c.name, c]));
  }

  // Rows in the page, none before they are unpacked.
  get kept() {
    return this.columns.every((c) => c.isLoaded) ? this.inPage : 0;
  }

  get(name, row) {
    return this.of.get(name)?.values[row];
  }

  length(row) {
    return this.get('end', row) - this.get('start', row);
  }

  // Row whose start is the last at or before t; -1: none yet.
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

// Episodes or regimes of pairs, to be shown in the same table as impacts.
export class PairRows extends Rows {
  constructor(about, blobs) {
    super(about, blobs);
    this.pairs = about.pairs;
    this.contacts = about.pairs.map((name) => ({ name }));
    Object.assign(this, { whose: 'pair', short: Infinity, blows: { kind: [], count: [] } });
  }

  pointName(row) {
    return this.pairs[this.get('pair', row)] ?? '';
  }

  contact(row) {
    return this.get('pair', row);
  }

  arrival(row) {
    return this.get('start', row);
  }
}

// The impacts with the names of what touched.
export class Impacts extends Rows {
  constructor(about, run, blobs) {
    super(about, blobs);
    // `short`: up to this length an episode is one blow [s].
    Object.assign(this, { whose: 'point', points: about.points, short: about.brief, count: [about.touches, about.lasting, about.impacts], run });
    this.contacts = run.scene?.contacts ?? [];
  }

  pointName(row) {
    const number = this.get('point', row);
    return this.points[number]?.name ?? `point ${number + 1}`;
  }

  contact(row) {
    return this.points[this.get('point', row)]?.contact ?? -1;
  }

  // What each episode is and how hard its blow was [J], as the tool judged it; how many there are of each kind, in the page or not.
  get blows() {
    const kind = this.of.get('kind')?.values ?? [], strength = this.of.get('strength')?.values ?? [];
    let strongest = -1;
    for (let i = 0; i < this.kept; i++) if (kind[i] === IMPACT_KIND && !(strength[i] <= strength[strongest])) strongest = i;
    const blows = { kind, strength, strongest, most: strength[strongest] ?? 0, count: this.count };
    if (this.kept === this.inPage) Object.defineProperty(this, 'blows', { value: blows });
    return blows;
  }

  // The normal force at an episode's contact, or what else tells that it touches.
  touchColumn(row) {
    const columns = this.contacts[this.contact(row)]?.columns;
    return columns && this.run.column(['contacts', columns.fn ?? columns.slip]);
  }

  // The recorded row that carries the force of an episode's blow, where it is largest. A step's force stands in the row at
  // the step's end, while the episode begins at its start. -1: no row does. Scene, table and plots all go by this row.
  forceRow(row) {
    const force = this.touchColumn(row), start = this.get('start', row);
    if (!force) return -1;
    const { times } = force.axis, { i, w } = force.axis.locate(start), first = w > 0 ? i + 1 : i, end = start + Math.min(this.length(row), this.short);
    let best = -1;
    for (let k = first; k < times.length && k < first + MOST_ROWS && (k <= i + LOOK_AHEAD && best < 0 || times[k] <= end); k++) {
      if (force.values[k] > (best < 0 ? 0 : force.values[best])) best = k;
    }
    return best;
  }

  // When to look at an episode.
  arrival(row) {
    const k = this.forceRow(row);
    return k < 0 ? this.get('start', row) : this.touchColumn(row).axis.times[k];
  }

  // Arrivals of some rows, ascending, each once: where the keys stop.
  stops(rows) {
    return [...new Set(rows.map((row) => this.arrival(row)))].sort((a, b) => a - b);
  }

  get allStops() {
    const stops = this.stops([...Array(this.kept).keys()]);
    Object.defineProperty(this, 'allStops', { value: stops });
    return stops;
  }
}
