// Flexible planar solids: where the vertices of their mesh are, and von Mises' stress there.
import { modalColumns, readModal } from './beams.js';

export class Sheet {
  constructor(run, body) {
    const { modes, vertices, shift, stress, poisson } = body.solid;
    Object.assign(this, { modes, vertices, shift, stress, poisson });
    this.columns = modalColumns(run, body, modes);
    this.q = new Float64Array(modes);
    this.moved = Float64Array.from(vertices);                   // x y of each, in the axes of the body
    this.mises = new Float64Array(vertices.length / 2);         // [Pa]
  }

  // At row i and a part w of the way to the next one; deflections drawn `times` as large as they are, stresses as they are.
  set(i, w, times) {
    const { q, modes, shift, moved, mises } = this;
    readModal(this.columns, i, w, q);
    for (let p = 0; p < mises.length; p++) {
      let x = 0, y = 0;
      for (let k = 0; k < modes; k++) {
        x += q[k] * shift[2 * (p * modes + k)];
        y += q[k] * shift[2 * (p * modes + k) + 1];
      }
      moved[2 * p] = this.vertices[2 * p] + times * x;
      moved[2 * p + 1] = this.vertices[2 * p + 1] + times * y;
      mises[p] = this.misesAt(p);
    }
  }

  // In plane strain there is σz = ν (σx + σy) beside σx, σy and τ.
  misesAt(p) {
    const { q, modes, stress, poisson } = this, s = [0, 0, 0];
    for (let k = 0; k < modes; k++) for (let c = 0; c < 3; c++) s[c] += q[k] * stress[3 * (p * modes + k) + c];
    const [x, y, t] = s, z = poisson * (x + y);
    return Math.sqrt(((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * t * t);
  }

  // Where a point of the solid is, in the axes of the body: it moves with the vertex next to it.
  point([x, y, z = 0]) {
    const { vertices, moved } = this;
    let best = 0, least = Infinity;
    for (let p = 0; p < vertices.length; p += 2) {
      const way = (vertices[p] - x) ** 2 + (vertices[p + 1] - y) ** 2;
      if (way < least) [best, least] = [p, way];
    }
    return [x + moved[best] - vertices[best], y + moved[best + 1] - vertices[best + 1], z];
  }
}
