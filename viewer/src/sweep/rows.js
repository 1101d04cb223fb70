// The rows of a sweep: columns by name, what varies, the words for values, and the command that repeats a row.
import { Column } from '../data.js';
import { quantity } from '../number.js';

// In a shell, a word that holds anything but plain characters stands in quotes.
export const quoted = (word) => (/^[\w.,:=+/@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// A setting as a word of a command.
export const setting = (option) => ([name, value]) => (name.startsWith('--') ? [name, quoted(value)] : [option, quoted(`${name}=${value}`)]);

export class Rows {
  constructor(sweep, blobs) {
    Object.assign(this, sweep);
    this.columns = sweep.columns.map((column) => new Column(column, null, blobs));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
    this.vary = sweep.vary.map((v) => ({ ...v, isLog: /:\s*log\s*$/.test(v.range) }));
    this.varied = new Map(this.vary.map((v) => [v.name, v]));
    this.count = sweep.kept;
    this.distinct = new Map();
  }

  // Columns that can be drawn over what varies: what was taken first.
  get results() {
    const first = 1 + this.vary.length;
    return this.columns.slice(first).map((column) => column.name);
  }

  values(name) {
    return this.byName.get(name).values;
  }

  unit(name) {
    return this.byName.get(name).unit;
  }

  // The different values of what varies, ascending; null if there are so many that it was drawn.
  steps(name) {
    if (!this.distinct.has(name)) {
      const set = new Set(this.values(name));
      this.distinct.set(name, set.size <= Math.max(2, this.count / 2) && set.size <= 2000 || !this.sample ? Float64Array.from(set).sort() : null);
    }
    return this.distinct.get(name);
  }

  // A value for people.
  text(name, value) {
    return this.word(name, value) ?? quantity(value, this.unit(name), 6);
  }

  word(name, value) {
    return this.varied.get(name)?.words?.[value - 1];
  }

  hasFailed(i) {
    return this.values('status')[i] !== 0;
  }

  message(i) {
    return this.messages[String(this.values('row')[i])] ?? '';
  }

  // Numbers have all their digits, so that the run is the same to the last bit.
  command(i) {
    const varied = this.vary.map(({ name }) => {
      const value = this.values(name)[i], unit = this.unit(name);
      return [name, this.word(name, value) ?? `${value}${unit && unit !== '1' ? ` ${unit}` : ''}`];
    });
    return ['carom', 'run', quoted(this.model || 'MODEL.yaml'), ...[...this.settings, ...varied].flatMap(setting('--set'))].join(' ');
  }

  // The command that makes the whole sweep again.
  get origin() {
    const vary = this.vary.flatMap(({ name, range }) => ['--vary', quoted(`${name}=${range}`)]);
    const sample = this.sample ? ['--sample', String(this.sample), '--seed', this.seed, '--points', this.points, ...(this.sensitivity ? ['--sensitivity'] : [])] : [];
    const take = this.take?.length ? ['--take', quoted(this.take.join(', '))] : [];
    return ['carom', 'sweep', quoted(this.model || 'MODEL.yaml'), ...this.settings.flatMap(setting('--set')), ...vary, ...sample, ...take, '-o', quoted(this.file)].join(' ');
  }

  find(number) {
    return this.values('row').indexOf(number);
  }
}
