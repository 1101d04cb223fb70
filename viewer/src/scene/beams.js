// Flexible beams: where points of a bent one are, and the straight pieces it is drawn with. Each piece has a pose of its own behind
// those of the bodies.

export const modalColumns = (run, body, modes) => Array.from({ length: modes }, (_, k) => run.byName?.get(`${body.name}.mode${k + 1}`));

// Modal coordinates at row i and a part w of the way to the next one.
export function readModal(columns, i, w, q) {
  columns.forEach((column, k) => {
    const a = column?.values[i] ?? 0, b = w > 0 ? column?.values[i + 1] ?? a : a;
    q[k] = a + w * (b - a);
  });
}

export class Beam {
  constructor(run, body, number) {
    const { x, shift, turn, second, modes, width, stress } = body.beam;
    Object.assign(this, { number, x, shift, turn, second, modes, width, stress });
    this.columns = modalColumns(run, body, modes);
    this.own = new Float64Array(modes);                         // modal coordinates, and as large as they are drawn
    this.q = new Float64Array(modes);
    this.places = x.map(() => ({ moved: [0, 0, 0], turned: [0, 0, 0] }));
  }

  // At row i and a part w of the way to the next one; deflections drawn `times` as large as they are.
  set(i, w, times) {
    readModal(this.columns, i, w, this.own);
    this.own.forEach((q, k) => { this.q[k] = times * q; });
    this.places.forEach((place, p) => this.bend(place, p));
  }

  bend({ moved, turned }, p) {
    const { q, modes, shift, turn, second } = this;
    moved.fill(0);
    turned.fill(0);
    for (let k = 0; k < modes; k++) {
      for (let c = 0; c < 3; c++) {
        moved[c] += q[k] * shift[3 * (p * modes + k) + c];
        turned[c] += q[k] * turn[3 * (p * modes + k) + c];
      }
      if (second.length) for (let j = 0; j < modes; j++) moved[0] += 0.5 * q[k] * q[j] * second[(p * modes + k) * modes + j];
    }
  }

  // The largest stress in the section at a place, of stretch and bending together, where deflections are as they are [Pa].
  stressAt(p) {
    const { own, modes, stress } = this;
    let sum = 0;
    for (let c = 0; c < 3; c++) sum += Math.abs(own.reduce((s, q, k) => s + q * stress[3 * (p * modes + k) + c], 0));
    return sum;
  }

  // Where a point of the straight beam is, in the axes of the body: it moves with its section.
  point([x, y, z = 0]) {
    const { places } = this, last = this.x.length - 1, u = Math.min(Math.max(x / this.x[last], 0), 1) * last, p = Math.min(Math.floor(u), last - 1), w = u - p;
    const mix = (what, c) => places[p][what][c] + w * (places[p + 1][what][c] - places[p][what][c]);
    const [tx, ty, tz] = [0, 1, 2].map((c) => mix('turned', c));
    return [x + mix('moved', 0) + ty * z - tz * y, y + mix('moved', 1) - tx * z, z + mix('moved', 2) + tx * y];
  }

  get pieces() {
    return this.x.length - 1;
  }

  // The middle of a piece and the quaternion [x, y, z, w] that turns the x axis along it.
  piece(p) {
    const [a, b] = [p, p + 1].map((k) => this.places[k].moved.map((v, c) => v + (c ? 0 : this.x[k]))), d = b.map((v, c) => v - a[c]), n = Math.hypot(...d) || 1;
    const w = Math.sqrt(Math.max(1e-12, (1 + d[0] / n) / 2));
    return { at: a.map((v, c) => (v + b[c]) / 2), turn: [0, -d[2] / (2 * n * w), d[1] / (2 * n * w), w] };
  }
}

// All pieces of a run, in the order of their poses behind those of the bodies: {body, shape}.
export function piecesOf({ bodies }) {
  return bodies.flatMap((body, b) => {
    const { x, width } = body.beam ?? { x: [] };
    return x.slice(1).map((end, p) => ({ body: b, shape: { kind: 'link', from: [(x[p] - end) / 2, 0, 0], to: [(end - x[p]) / 2, 0, 0], width } }));
  });
}

// Whether a shape of a body is the straight beam, which its pieces stand for.
export const isStraight = (body, shape) => Boolean(body.beam) && shape.kind === 'link' && !shape.from_model;
