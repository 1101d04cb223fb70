// Triangle meshes of shapes: {vertices: [x, y, z, …], triangles: [a, b, c, …]}, each vertex once, triangles counterclockwise from
// outside; `normals`, one per vertex, where the surface is smooth and they are known. No WebGL here.

const TURN = 2 * Math.PI;

// A surface of revolution about z from a profile [[radius, z], …] that goes from the lower end to the upper one. A radius of zero is
// one vertex. A closed profile leaves no hole.
export function revolve(profile, round) {
  const vertices = [], triangles = [], rings = profile.map(([r, z]) => {
    const first = vertices.length / 3, n = r > 0 ? round : 1;
    for (let k = 0; k < n; k++) vertices.push(r * Math.cos(TURN * k / n), r * Math.sin(TURN * k / n), z);
    return { first, n };
  });
  const on = ({ first, n }, k) => first + k % n;
  for (let i = 0; i + 1 < rings.length; i++) {
    const [low, high] = [rings[i], rings[i + 1]];
    for (let k = 0; k < round; k++) {
      if (low.n > 1) triangles.push(on(low, k), on(low, k + 1), on(high, k));
      if (high.n > 1) triangles.push(on(low, k + 1), on(high, k + 1), on(high, k));
    }
  }
  return { vertices, triangles };
}

const arc = (n, from, to, r, z) => Array.from({ length: n + 1 }, (_, k) => from + (to - from) * k / n).map((a) => [Math.abs(Math.cos(a)) < 1e-12 ? 0 : r * Math.cos(a), z + r * Math.sin(a)]);

export function globe(round) {
  const mesh = revolve(arc(Math.max(4, 2 * Math.round(round / 4)), -Math.PI / 2, Math.PI / 2, 1, 0), round);
  return { ...mesh, normals: mesh.vertices };
}
export const drum = (round) => revolve([[0, -0.5], [1, -0.5], [1, 0.5], [0, 0.5]], round);
export const spire = (round) => revolve([[0, -0.5], [1, -0.5], [0, 0.5]], round);

// Of radius 1, with its caps' centres `length` apart.
export function pill(length, round) {
  const n = Math.max(2, Math.round(round / 4));
  return revolve([...arc(n, -Math.PI / 2, 0, 1, -length / 2), ...arc(n, 0, Math.PI / 2, 1, length / 2)].filter((p, k, all) => !k || length > 0 || p[1] !== all[k - 1][1]), round);
}

export function cube() {
  const vertices = [], sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  for (let k = 0; k < 8; k++) vertices.push((k & 1) - 0.5, (k >> 1 & 1) - 0.5, (k >> 2) - 0.5);
  return { vertices, triangles: sides.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]) };
}

// (|x|^(2/e2) + |y|^(2/e2))^(e2/e1) + |z|^(2/e1) = 1. Along each angle round z and each angle up from the section there, so that
// ridges at 45 degrees are met exactly.
export function superglobe([e1, e2], round) {
  const n = 8 * Math.max(2, Math.round(round / 8)), rows = n / 2, radius = (a, e) => (Math.abs(Math.cos(a)) ** (2 / e) + Math.abs(Math.sin(a)) ** (2 / e)) ** (-e / 2);
  const { vertices, triangles } = revolve(Array.from({ length: rows + 1 }, (_, k) => [k % rows ? 1 : 0, k]), n);
  for (let v = 0; v < vertices.length; v += 3) {
    const up = Math.PI * (vertices[v + 2] / rows - 0.5), q = radius(up, e1), around = Math.atan2(vertices[v + 1], vertices[v]), s = radius(around, e2) * q * Math.cos(up), ends = vertices[v + 2] % rows === 0;
    [vertices[v], vertices[v + 1], vertices[v + 2]] = [ends ? 0 : s * Math.cos(around), ends ? 0 : s * Math.sin(around), q * Math.sin(up)];
  }
  return { vertices, triangles };
}

// Loops [[x, y], …] carried along z, the outer one counterclockwise and holes clockwise; `fill` has the triangles [a, b, c] of one end,
// which count the points of all loops in turn.
export function prism(loops, fill, depth) {
  const outline = loops.flat(), n = outline.length, vertices = [-depth / 2, depth / 2].flatMap((z) => outline.flatMap(([x, y]) => [x, y, z]));
  const triangles = fill.flatMap(([a, b, c]) => [c, b, a, a + n, b + n, c + n]);
  let first = 0;
  for (const loop of loops) {
    loop.forEach((_, k) => {
      const [a, b] = [first + k, first + (k + 1) % loop.length];
      triangles.push(a, b, a + n, b, b + n, a + n);
    });
    first += loop.length;
  }
  return { vertices, triangles };
}

export const triples = (flat) => Array.from({ length: flat.length / 3 }, (_, k) => [flat[3 * k], flat[3 * k + 1], flat[3 * k + 2]]);

// Faces with normals and lines along creases, for drawing: {position, normal, index, lines}. A corner takes the mean normal of the
// faces about its vertex that lean less than `crease` against its own.
export function facet({ vertices, triangles, normals }, crease = 35) {
  if (normals) return { position: Float32Array.from(vertices), normal: Float32Array.from(normals), index: Uint32Array.from(triangles), lines: new Float32Array(0) };
  const faces = triangles.length / 3, area = new Float64Array(triangles.length), unit = new Float64Array(triangles.length);
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * f + k]), u = [0, 1, 2].map((k) => vertices[b + k] - vertices[a + k]), v = [0, 1, 2].map((k) => vertices[c + k] - vertices[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], size = Math.hypot(...n) || 1;
    area.set(n, 3 * f);
    unit.set(n.map((x) => x / size), 3 * f);
  }
  const least = Math.cos(crease * Math.PI / 180), along = (f, g) => unit[3 * f] * unit[3 * g] + unit[3 * f + 1] * unit[3 * g + 1] + unit[3 * f + 2] * unit[3 * g + 2];
  return { ...corners(vertices, triangles, area, (f, g) => along(f, g) >= least), lines: creases(vertices, triangles, (f, g) => along(f, g) >= least) };
}

function corners(vertices, triangles, area, isSmooth) {
  const around = Array.from({ length: vertices.length / 3 }, () => []), position = [], normal = [], index = [];
  triangles.forEach((v, k) => around[v].push(Math.floor(k / 3)));
  const made = around.map(() => []);                    // of each vertex: {n, at} of corners that it has so far
  triangles.forEach((v, k) => {
    const f = Math.floor(k / 3), n = [0, 0, 0];
    for (const g of around[v]) if (g === f || isSmooth(f, g)) for (let i = 0; i < 3; i++) n[i] += area[3 * g + i];
    const size = Math.hypot(...n) || 1;
    let at = made[v].find((c) => c.n.every((x, i) => Math.abs(x - n[i] / size) < 1e-3))?.at;
    if (at === undefined) {
      at = position.length / 3;
      made[v].push({ n: n.map((x) => x / size), at });
      position.push(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
      normal.push(...n.map((x) => x / size));
    }
    index.push(at);
  });
  return { position: Float32Array.from(position), normal: Float32Array.from(normal), index: Uint32Array.from(index) };
}

// Edges between faces that lean, and those with a face on one side alone.
function creases(vertices, triangles, isSmooth) {
  const count = vertices.length / 3, edges = new Map(), lines = [];
  for (let k = 0; k < triangles.length; k++) {
    const a = triangles[k], b = triangles[k % 3 === 2 ? k - 2 : k + 1], key = Math.min(a, b) * count + Math.max(a, b), edge = edges.get(key);
    if (edge) edge.push(Math.floor(k / 3));
    else edges.set(key, [a, b, Math.floor(k / 3)]);
  }
  for (const [a, b, f, g] of edges.values()) {
    if (g !== undefined && isSmooth(f, g)) continue;
    for (const v of [a, b]) lines.push(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
  }
  return Float32Array.from(lines);
}
