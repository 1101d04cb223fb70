// Numbers for people: engineering prefixes, thin spaces, as many digits as a reader can use.

const PREFIX = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P'], SMALLEST = -4;
const PREFIXED = new Set(['m', 's', 'N', 'J', 'm/s', 'rad', 'rad/s', 'N*s', 'N*m', 'W', 'Pa', 'm/s^2', 'rad/s^2', 'N/m', 'Hz']);

// 'm/s^2' → 'm/s²', 'N*s' → 'N·s'; '1' is no unit.
export function unitText(unit) {
  if (!unit || unit === '1') return '';
  return unit.replaceAll('*', '·').replace(/\^(-?\d)/g, (_, d) => [...d].map((c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c] ?? '⁻').join(''));
}

export function plain(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e6 || size < 1e-3 ? power(x, digits) : String(Number(x.toPrecision(digits)));
  return text.replace('-', '−');
}

// What is so much smaller than numbers of its kind get is rounding: nothing is learnt from its digits.
const ROUNDING = 1e-9;
export const isRounding = (x, largest) => Math.abs(x) < ROUNDING * largest;

function power(x, digits) {
  const [m, e] = x.toExponential(Math.max(0, digits - 1)).split('e');
  const exponent = [...String(Number(e))].map((c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c] ?? '⁻').join('');
  return Number(m) === 1 ? `10${exponent}` : `${Number(m)}·10${exponent}`;
}

// 0.0000088 m → '8.8 µm'
export function quantity(x, unit, digits = 4) {
  const name = unitText(unit);
  if (!Number.isFinite(x) || x === 0 || !PREFIXED.has(unit)) return `${plain(x, digits)}${name ? ` ${name}` : ''}`;
  if (unit.startsWith('rad') && Math.abs(x) >= 1e-3) return `${plain(x, digits)} ${name}`;
  const k = Math.min(5, Math.floor(Math.log10(Math.abs(x) * (1 + 1e-12)) / 3));
  if (k < SMALLEST) return `${power(x, digits).replace('-', '−')} ${name}`;
  const scaled = (x / 10 ** (3 * k)).toPrecision(digits);
  return `${String(Number(scaled)).replace('-', '−')} ${PREFIX[k - SMALLEST]}${name}`;
}

export const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
export const several = (n, one, many = `${one}s`) => `${count(n)}\u00a0${n === 1 ? one : many}`;

// Round numbers about `target` apart, for axes: 1, 2, 5 times a power of ten.
export function ticks(min, max, target) {
  const raw = (max - min) / Math.max(1, target), base = 10 ** Math.floor(Math.log10(raw));
  const step = base * (raw / base < 1.5 ? 1 : raw / base < 3.5 ? 2 : raw / base < 7.5 ? 5 : 10);
  const list = [];
  if (!(step > 0) || !Number.isFinite(step)) return [min];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * step; k++) list.push(k * step);
  return list;
}

// The largest of 1, 2, 5 times a power of ten that is not above x.
export function roundBelow(x) {
  const base = 10 ** Math.floor(Math.log10(x) + 1e-12);
  return base * (x >= 5 * base ? 5 : x >= 2 * base ? 2 : 1);
}

// Decimals that show a step in full: 2 for 0.25.
function decimalsOf(step) {
  let d = 0;
  while (d < 12 && Math.abs(Math.round(step * 10 ** d) - step * 10 ** d) > 1e-6 * step * 10 ** d) d++;
  return d;
}

// All ticks of an axis with the same decimals; a common power of ten is taken out when they are large or small.
export function tickTexts(values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  const size = Math.max(...values.map(Math.abs), step);
  if (size >= 1e5 || size < 1e-3) {
    const exponent = Math.floor(Math.log10(size) + 1e-9), decimals = decimalsOf(step / 10 ** exponent);
    return values.map((v) => (Math.abs(v) < step * 1e-6 ? '0' : `${(v / 10 ** exponent).toFixed(decimals)}e${exponent}`.replaceAll('-', '−')));
  }
  const decimals = decimalsOf(step);
  return values.map((v) => (Math.abs(v) < step * 1e-6 ? 0 : v).toFixed(decimals).replace('-', '−'));
}

// A factor and a unit for the numbers along an axis from a to b: a prefix where plain numbers would need many zeros, none where they read well.
export function axisScale(a, b, unit) {
  const largest = Math.max(Math.abs(a), Math.abs(b));
  if (!PREFIXED.has(unit) || !Number.isFinite(largest) || largest === 0 || largest >= 0.1 && largest < 1e4) return { factor: 1, unit: unitText(unit) };
  if (unit.startsWith('rad') && largest >= 1e-3) return { factor: 1, unit: unitText(unit) };
  const k = Math.min(5, Math.max(SMALLEST, Math.floor(Math.log10(largest * (1 + 1e-12)) / 3)));
  return { factor: 10 ** (-3 * k), unit: `${PREFIX[k - SMALLEST]}${unitText(unit)}` };
}

// 'crank.q [rad]', and without a unit the name alone.
export const withUnit = (name, unit) => (unit ? `${name} [${unit}]` : name);

// A stored number in full: the fewest digits that give it back, of a 32-bit one those that give back 32 bits.
export function stored(x, isSingle) {
  if (!Number.isFinite(x)) return '';
  if (isSingle) for (let digits = 6; digits < 9; digits++) if (Math.fround(Number(x.toPrecision(digits))) === x) return String(Number(x.toPrecision(digits)));
  return isSingle ? String(Number(x.toPrecision(9))) : String(x);
}

// A factor and a unit that suit a whole column whose largest number is given: {factor: 1e3, unit: 'mm'}.
export function columnScale(largest, unit) {
  const name = unitText(unit);
  if (!PREFIXED.has(unit) || unit.startsWith('rad') || !(largest > 0) || !Number.isFinite(largest)) return { factor: 1, unit: name };
  const k = Math.min(5, Math.max(SMALLEST, Math.floor(Math.log10(largest * (1 + 1e-12)) / 3)));
  return { factor: 10 ** (-3 * k), unit: `${PREFIX[k - SMALLEST]}${name}` };
}
