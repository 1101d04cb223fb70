// The shapes that a scene can have, one entry per kind. A new kind is a new entry here and a line in FORMAT.md.
//   mesh(shape, round)     in space: triangles in units of `scale`; `round` is how many facets a full turn gets
//   scale(shape)           size along the axes of the mesh; none: the mesh has its true size
//   key(shape)             what the mesh depends on besides its kind; shapes with equal keys share one mesh
//   isMeshed               it names a mesh of the scene
//   pose(shape)            where the mesh stands on the body {at, rotate}; none: as the shape says
//   outline(shape, round)  in the plane: closed, in the axes of the body
//   points(shape)          [x, y, z, radius about it] whose hull holds the shape, in the axes of the body; none: it has no bounds
//   crease                 smallest angle between faces that shows as an edge [degrees]; 35 unless told
//   isMarked               its surface gets eight fields, so that the eye sees it turn
//   isBall                 a crowd of it is drawn as discs that face the eye
//   spoke                  height at which a line goes from the axis to the rim, for the same reason
//   arm(shape)             how far such a line goes in the plane
import { ShapeUtils, Vector2, Vector3 } from 'three';
import { ConvexHull } from 'three/addons/math/ConvexHull.js';
import { place } from './poses.js';
import { globe, drum, spire, pill, cube, superglobe, prism, triples } from './meshes.js';
import { wheelOutline } from './constraints.js';

const FLAT = 0.1;             // thickness of a disc, in radii
const THICK = 0.06;           // depth of an outline in space, of its reach
const ABOVE = 0.505;          // just over a face of a mesh of height one
const NO_EDGES = 180;

// --- outlines in the plane ---------------------------------------------------------------------------------------------

const circle = (n, r = 1) => Array.from({ length: n }, (_, k) => 2 * Math.PI * k / n).map((a) => [r * Math.cos(a), r * Math.sin(a)]);
const placed = (shape, points) => points.map((p) => place(shape, p));
const round = (shape, n, r) => placed(shape, circle(2 * n, r));

// Two ends with round caps.
function stadium([x0, y0], [x1, y1], r, n) {
  const along = Math.atan2(y1 - y0, x1 - x0), cap = (x, y, from) => Array.from({ length: n + 1 }, (_, k) => from + Math.PI * k / n).map((a) => [x + r * Math.cos(a), y + r * Math.sin(a), 0]);
  return [...cap(x0, y0, along + Math.PI / 2), ...cap(x1, y1, along - Math.PI / 2)];
}

// Of a body of revolution: its side [[along the axis, across], …] where its axis lies in the plane, else a circle.
function sideView(shape, n, side) {
  const axis = place({ rotate: shape.rotate }, [0, 0, 1]), [x, y] = place(shape, [0, 0, 0]);
  if (Math.abs(axis[2]) >= 0.5) return round(shape, n, shape.radius);
  return side.map(([u, v]) => [x + u * axis[0] - v * axis[1], y + u * axis[1] + v * axis[0], 0]);
}

// The convex hull of points, counterclockwise: lower and upper chain of those sorted by x.
function hull2(points) {
  const sorted = points.map(([x, y]) => [x, y]).sort((a, b) => a[0] - b[0] || a[1] - b[1]), turns = ([a, b], [c, d], [e, f]) => (c - a) * (f - b) - (d - b) * (e - a);
  const chain = (list) => {
    const kept = [];
    for (const p of list) {
      while (kept.length > 1 && turns(kept.at(-2), kept.at(-1), p) <= 0) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...chain(sorted), ...chain([...sorted].reverse())];
}

// --- how far shapes reach ----------------------------------------------------------------------------------------------

const bare = (shape, points) => placed(shape, points).map((p) => [...p, 0]);
const brick = (shape, half) => bare(shape, [...Array(8).keys()].map((k) => half.map((s, n) => (k >> n & 1 ? s : -s))));
const rims = (shape, ...heights) => bare(shape, heights.flatMap((z) => circle(8, shape.radius).map(([x, y]) => [x, y, z])));
const dot = (p, u) => p[0] * u[0] + p[1] * u[1] + (p[2] ?? 0) * (u[2] ?? 0);

// Of many points the outermost along some directions.
function outermost(points) {
  if (points.length <= 64) return points;
  return [...new Set(triples(globe(12).vertices).map((u) => points.reduce((best, p) => (dot(p, u) > dot(best, u) ? p : best))))];
}

// --- meshes ------------------------------------------------------------------------------------------------------------

// An outline as a thin plate, with holes.
export function plate(outline, holes, depth) {
  const vectors = (loop) => loop.map(([x, y]) => new Vector2(x, y)), loops = [outline, ...holes].map((loop, k) => (ShapeUtils.area(vectors(loop)) > 0 === (k === 0) ? loop : [...loop].reverse()));
  return prism(loops, ShapeUtils.triangulateShape(vectors(loops[0]), loops.slice(1).map(vectors)), depth);
}

const flatPlate = ({ points }) => plate(points, [], THICK * Math.max(...points.map((p) => Math.hypot(p[0], p[1]))));

// Triangles of a hull as the tool gives them, else found here.
function hullOf({ mesh: { vertices, triangles } }) {
  if (triangles?.length) return { vertices, triangles };
  const hull = new ConvexHull().setFromPoints(triples(vertices).map((p) => new Vector3(...p))), numbers = new Map(), list = [];
  const number = (edge) => {
    const { point } = edge.head();
    if (!numbers.has(point)) numbers.set(point, numbers.size);
    return numbers.get(point);
  };
  for (const { edge } of hull.faces) for (let e = edge.next; e.next !== edge; e = e.next) list.push(number(edge), number(e), number(e.next));
  return { vertices: [...numbers.keys()].flatMap((p) => [p.x, p.y, p.z]), triangles: list };
}

const lengthOf = ({ from, to }) => Math.hypot(...to.map((v, k) => v - from[k]));

// The turn that takes z to a link's direction.
function linkPose({ from, to }) {
  const at = from.map((v, k) => (v + to[k]) / 2), length = lengthOf({ from, to }), [x, y, z] = to.map((v, k) => (v - from[k]) / (length || 1)), w = Math.sqrt(Math.max(0, (1 + z) / 2));
  if (!(length > 0)) return { at };
  return { at, rotate: w > 1e-9 ? [w, -y / (2 * w), x / (2 * w), 0] : [0, 1, 0, 0] };
}

// --- the family --------------------------------------------------------------------------------------------------------

const ball = { mesh: (_, n) => globe(n), crease: NO_EDGES, isMarked: true };
const drawn = { mesh: flatPlate, key: ({ points }) => JSON.stringify(points), outline: (s) => placed(s, s.points), points: (s) => bare(s, outermost(s.points)) };

export const SHAPES = {
  // a bar with round ends
  link: { mesh: (s, n) => pill(2 * lengthOf(s) / s.width, n / 2), key: (s) => (lengthOf(s) / s.width).toPrecision(6), scale: ({ width: w }) => [w / 2, w / 2, w / 2], pose: linkPose, crease: NO_EDGES,
    outline: (s, n) => stadium(s.from, s.to, s.width / 2, n), points: (s) => [s.from, s.to].map((p) => [p[0], p[1], p[2] ?? 0, s.width / 2]) },
  box: { mesh: cube, scale: ({ size }) => size, points: (s) => brick(s, s.size.map((v) => v / 2)),
    outline: (s) => placed(s, [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => [u * s.size[0] / 2, v * s.size[1] / 2])) },
  sphere: { ...ball, isBall: true, scale: ({ radius: r }) => [r, r, r], outline: (s, n) => round(s, n, s.radius), points: (s) => [[...place(s, [0, 0, 0]), s.radius]], arm: (s) => s.radius },
  ellipsoid: { ...ball, scale: ({ radii }) => radii, outline: (s, n) => placed(s, circle(2 * n).map(([x, y]) => [x * s.radii[0], y * s.radii[1]])), points: (s) => brick(s, s.radii), arm: (s) => s.radii[0] },
  superellipsoid: { mesh: (s, n) => superglobe(s.exponents, 2 * n), key: (s) => s.exponents.join(), scale: ({ radii }) => radii, isMarked: true, points: (s) => brick(s, s.radii) },
  // axis z, centred
  cylinder: { mesh: (_, n) => drum(n), scale: (s) => [s.radius, s.radius, s.length], points: (s) => rims(s, -s.length / 2, s.length / 2), spoke: ABOVE,
    outline: (s, n) => sideView(s, n, [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => [u * s.length / 2, v * s.radius])) },
  disc: { mesh: (_, n) => drum(n), scale: (s) => [s.radius, s.radius, FLAT * s.radius], outline: (s, n) => round(s, n, s.radius), points: (s) => rims(s, 0), spoke: ABOVE, arm: (s) => s.radius },
  // tip at +z
  cone: { mesh: (_, n) => spire(n), scale: (s) => [s.radius, s.radius, s.length], points: (s) => [...rims(s, -s.length / 2), ...bare(s, [[0, 0, s.length / 2]])], spoke: -ABOVE,
    outline: (s, n) => sideView(s, n, [[-s.length / 2, -s.radius], [s.length / 2, 0], [-s.length / 2, s.radius]]) },
  // length between the centres of its caps
  capsule: { mesh: (s, n) => pill(s.length / s.radius, n), key: (s) => (s.length / s.radius).toPrecision(6), scale: ({ radius: r }) => [r, r, r], crease: NO_EDGES, isMarked: true,
    outline: (s, n) => sideView(s, n, stadium([-s.length / 2, 0], [s.length / 2, 0], s.radius, n)), points: (s) => placed(s, [[0, 0, -s.length / 2], [0, 0, s.length / 2]]).map((p) => [...p, s.radius]) },
  hull: { isMeshed: true, mesh: hullOf, key: (s) => s.mesh.number, crease: 20, points: (s) => bare(s, outermost(triples(s.mesh.vertices))), outline: (s) => placed(s, hull2(triples(s.mesh.vertices))) },
  mesh: { isMeshed: true, mesh: (s) => s.mesh, key: (s) => s.mesh.number, points: (s) => bare(s, outermost(triples(s.mesh.vertices))) },
  polygon: drawn,
  curve: drawn,
  // toothed, open in the middle where the model's own shapes are
  wheel: { mesh: (s) => plate(wheelOutline(s), [circle(48, s.rim)], s.depth), key: (s) => [s.radius, s.teeth, s.depth, s.phase].join(), crease: 25, outline: (s) => placed(s, wheelOutline(s)), arm: (s) => s.radius },
  point: { points: (s) => bare(s, [[0, 0, 0]]) },
  // of a flexible solid, which soft.js draws
  sheet: { points: ({ vertices: v }) => bare({}, outermost(Array.from({ length: v.length / 2 }, (_, k) => [v[2 * k], v[2 * k + 1], 0]))) },
};

// Shapes name a mesh of the scene by its number, or have points of their own. What has neither is left out.
export function joinMeshes({ bodies = [], meshes = [] }) {
  const numbered = meshes.map((mesh, number) => ({ ...mesh, number }));
  const meshOf = ({ mesh, points }) => (points ? { vertices: points.flat(), number: JSON.stringify(points) } : Number.isInteger(mesh) ? numbered[mesh] : mesh);
  for (const body of bodies) {
    for (const shape of body.shapes ?? []) {
      if (SHAPES[shape.kind]?.isMeshed) shape.mesh = meshOf(shape);
      shape.length ??= shape.height;
    }
    if (body.solid) body.shapes = [...(body.shapes ?? []), { kind: 'sheet', vertices: body.solid.vertices }];
    body.shapes = body.shapes?.filter((shape) => !SHAPES[shape.kind]?.isMeshed || shape.mesh);
  }
}

// [x, y, z, radius about it] in the axes of the body; none for what has no bounds.
export const pointsOf = (shape) => SHAPES[shape.kind]?.points?.(shape) ?? [];

// How far a body's shapes reach from end to end.
export function sizeOf(shapes) {
  const points = shapes.flatMap(pointsOf);
  return Math.max(0, ...points.map((p) => Math.max(...points.map((q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) + p[3] + q[3]))));
}
