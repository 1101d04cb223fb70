// All bodies of a run in two draw calls, filled faces and edges. Vertices stand in the axes of their body; the poses of
// the bodies lie in a small texture, the only thing that changes from picture to picture.
import * as THREE from 'three';
import { place, turn } from './poses.js';
import { theme } from '../theme.js';
import { madeUp, wheelOutline } from './constraints.js';

const TINTS = 8;              // that bodies take in turn, after the ground's
const GRID = 1 + TINTS, TONES = GRID + 1;
const FACE_OPACITY = 0.16, EDGE_OPACITY = 0.8;    // of a ghost
const MANY = 60;              // bodies above which round shapes get fewer facets

const VERTEX = `
in float body; in float tone; in float shade;
uniform highp sampler2D poses;
uniform vec3 palette[${TONES}];
out vec3 vColour;
out vec3 vNormal;
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  vec4 p = texelFetch(poses, ivec2(0, int(body)), 0), q = texelFetch(poses, ivec2(1, int(body)), 0);
  vColour = palette[int(tone)] * shade;
  vNormal = turn(q, normal);
  gl_Position = projectionMatrix * viewMatrix * vec4(p.xyz + turn(q, position), 1.0);
}`;
const FRAGMENT = `
precision mediump float;
in vec3 vColour;
in vec3 vNormal;
uniform vec3 light;
uniform float lit, opacity;
out vec4 colour;
void main() {
  float bright = mix(1.0, 0.72 + 0.34 * dot(normalize(vNormal), light), lit);
  colour = vec4(vColour * bright, opacity);
}`;

export class Solids {
  constructor(run) {
    this.run = run;
    const { bodies } = run.scene;
    this.texture = new THREE.DataTexture(new Float32Array(8 * bodies.length), 2, bodies.length, THREE.RGBAFormat, THREE.FloatType);
    const faces = new Pile(), edges = new Pile(), add = run.isPlanar ? addFlat : addSolid, round = bodies.length > MANY ? 12 : 28, cut = new Map(), made = madeUp(run);
    bodies.forEach((body, b) => {
      const tone = b === 0 ? 0 : 1 + (b - 1) % TINTS;
      for (const shape of [...(body.shapes ?? []), ...(made.get(b) ?? [])]) add(shape, { faces, edges, body: b, tone, round, layer: b * run.scene.length * 1e-4, length: run.scene.length, bounds: run.scene.bounds, cut });
    });
    this.usesRows = [...made.values()].flat().some((shape) => shape.kind === 'patch');    // how large depends on the motion
    this.materials = [material(this.texture, run.isPlanar ? 0 : 1, true), material(this.texture, 0, false)];
    this.group = new THREE.Group();
    this.group.add(drawn(new THREE.Mesh(faces.geometry(), this.materials[0])), drawn(new THREE.LineSegments(edges.geometry(), this.materials[1])));
    this.haunt(null);
  }

  // As a ghost: one colour, that of its run (by number; null: solid), a breath of fill, and an outline over all that is solid.
  haunt(ghost, visible = true) {
    this.ghost = ghost;
    this.group.visible = ghost === null || visible;
    this.materials.forEach((m, edge) => {
      Object.assign(m, { transparent: ghost !== null, depthWrite: ghost === null, depthTest: ghost === null || !this.run.isPlanar });
      m.uniforms.opacity.value = ghost === null ? 1 : edge ? EDGE_OPACITY : FACE_OPACITY;
    });
    this.paint();
  }

  set(poses) {
    this.texture.image.data.set(poses.data);
    this.texture.needsUpdate = true;
  }

  paint() {
    const c = theme(), panel = new THREE.Color(c.panel), ink = new THREE.Color(c.ink);
    const plain = (colour) => new THREE.Color(colour).convertLinearToSRGB();
    const tones = this.ghost === null ? [c.ground, ...c.series] : [c.ground, ...c.series].map(() => c.series[this.ghost % TINTS]);
    this.materials[0].uniforms.palette.value = tones.map((t) => mix(plain(t), panel.clone().convertLinearToSRGB(), c.dark ? 0.42 : 0.5));
    this.materials[1].uniforms.palette.value = tones.map((t) => mix(plain(t), ink.clone().convertLinearToSRGB(), 0.35));
    for (const { uniforms } of this.materials) uniforms.palette.value.push(mix(plain(c.ground), panel.clone().convertLinearToSRGB(), 0.6));
  }
}

const mix = (a, b, w) => a.lerp(b, w);

function drawn(object) {
  object.frustumCulled = false;
  return object;
}

// Faces lie a little behind the lines on them.
function material(texture, lit, face) {
  return new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.DoubleSide, polygonOffset: face, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    uniforms: { poses: { value: texture }, palette: { value: [] }, light: { value: new THREE.Vector3(0.35, -0.55, 0.76) }, lit: { value: lit }, opacity: { value: 1 } },
  });
}

// Vertices that pile up to one geometry, in arrays that grow by doubling.
class Pile {
  constructor() {
    this.count = 0;
    this.grow(1024);
  }

  grow(size) {
    const wider = (old, width) => {
      const list = new Float32Array(size * width);
      if (old) list.set(old);
      return list;
    };
    this.of = { position: wider(this.of?.position, 3), normal: wider(this.of?.normal, 3), body: wider(this.of?.body, 1), tone: wider(this.of?.tone, 1), shade: wider(this.of?.shade, 1) };
  }

  // mesh: {position, normal, shade} flat, in the axes of a shape that stands at `pose` on the body
  add({ position, normal, shade }, pose, body, tone) {
    const n = position.length / 3;
    while (this.count + n > this.of.body.length) this.grow(2 * this.of.body.length);
    const { of } = this, [x, y, z] = pose.at ?? [0, 0, 0], [w, i, j, k] = pose.rotate ?? [1, 0, 0, 0], out = [0, 0, 0];
    for (let v = 0, o = this.count; v < n; v++, o++) {
      turn(i, j, k, w, position[3 * v], position[3 * v + 1], position[3 * v + 2], out);
      of.position[3 * o] = out[0] + x;
      of.position[3 * o + 1] = out[1] + y;
      of.position[3 * o + 2] = out[2] + (z ?? 0);
      if (normal) of.normal.set(turn(i, j, k, w, normal[3 * v], normal[3 * v + 1], normal[3 * v + 2], out), 3 * o);
      else of.normal[3 * o + 2] = 1;
      of.body[o] = body;
      of.tone[o] = tone;
      of.shade[o] = shade ? shade[v] : 1;
    }
    this.count += n;
  }

  geometry() {
    const geometry = new THREE.BufferGeometry();
    for (const [name, list] of Object.entries(this.of)) {
      const width = name === 'position' || name === 'normal' ? 3 : 1;
      geometry.setAttribute(name, new THREE.BufferAttribute(list.subarray(0, width * this.count), width));
    }
    return geometry;
  }
}

// --- in the plane: convex outlines, bodies in layers one above the other ---------------------------------------------

function addFlat(shape, { faces, edges, body, tone, round, layer, length }) {
  const outline = flatOutline(shape, round), n = outline?.length;
  if (!n) return;
  const fan = [], rim = [], above = 0.3e-4 * length;
  const centre = shape.kind === 'wheel' ? place(shape, [0, 0, 0]) : outline[0];
  for (let k = 0; k < n; k++) for (const [x, y] of [centre, outline[k], outline[(k + 1) % n]]) fan.push(x, y, layer);
  const line = (a, b) => rim.push(a[0], a[1], layer + above, b[0], b[1], layer + above);
  outline.forEach((p, k) => line(p, outline[(k + 1) % n]));
  // A spoke shows that a round thing turns.
  if (shape.kind === 'sphere' || shape.kind === 'disc' || shape.kind === 'wheel') line(place(shape, [0, 0, 0]), place(shape, [shape.radius, 0, 0]));
  faces.add({ position: fan }, {}, body, tone);
  edges.add({ position: rim }, {}, body, tone);
}

function flatOutline(shape, round) {
  const arc = (x, y, r, from, to) => {
    const n = Math.ceil(2 * round * (to - from) / (2 * Math.PI));
    return Array.from({ length: n + 1 }, (_, k) => from + (to - from) * k / n).map((a) => [x + r * Math.cos(a), y + r * Math.sin(a), 0]);
  };
  const rectangle = (a, b) => [[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]].map((p) => place(shape, p));
  switch (shape.kind) {
    case 'link': {
      const [x0, y0] = shape.from, [x1, y1] = shape.to, along = Math.atan2(y1 - y0, x1 - x0), r = shape.width / 2;
      return [...arc(x0, y0, r, along + Math.PI / 2, along + 1.5 * Math.PI), ...arc(x1, y1, r, along - Math.PI / 2, along + Math.PI / 2)];
    }
    case 'wheel': return wheelOutline(shape).map(([x, y]) => place(shape, [x, y, 0]));
    case 'box': return rectangle(shape.size[0] / 2, shape.size[1] / 2);
    case 'cylinder': {
      const axis = place({ rotate: shape.rotate }, [0, 0, 1]);
      if (Math.abs(axis[2]) < 0.5) return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => {
        const [cx, cy] = place(shape, [0, 0, 0]), l = shape.length / 2;
        return [cx + u * l * axis[0] - v * shape.radius * axis[1], cy + u * l * axis[1] + v * shape.radius * axis[0], 0];
      });
    } // falls through: seen along its axis it is a circle
    case 'sphere': case 'disc': return arc(0, 0, shape.radius, 0, 2 * Math.PI).slice(0, -1).map((p) => place(shape, p));
    default: return null;
  }
}

// --- in space ----------------------------------------------------------------------------------------------------------

function addSolid(shape, to) {
  if (shape.kind === 'plane') addGrid(shape, to);
  if (shape.kind === 'patch') addPatch(shape, to);
  const solid = solidOf(shape), { faces, edges, body, tone, round, cut } = to;
  if (!solid) return;
  // Many bodies share few shapes: each is cut into triangles once.
  const key = JSON.stringify([shape.kind, solid.size]);
  if (!cut.has(key)) cut.set(key, meshOf(shape, solid, round));
  const { face, edge } = cut.get(key);
  faces.add(face, solid.pose, body, tone);
  if (edge) edges.add(edge, solid.pose, body, tone);
}

function meshOf(shape, { geometry, crease }, round) {
  const indexed = geometry(round), g = indexed.index ? indexed.toNonIndexed() : indexed;
  const face = { position: g.attributes.position.array, normal: g.attributes.normal.array };
  if (shape.kind === 'sphere') face.shade = octants(face.position);
  if (!crease) return { face };
  const lines = [...new THREE.EdgesGeometry(indexed, crease).attributes.position.array];
  if (shape.kind === 'disc' || shape.kind === 'cylinder') {
    const top = (shape.length ?? FLAT * shape.radius) / 2 * 1.01;
    lines.push(0, 0, top, shape.radius, 0, top);     // a spoke
  }
  return { face, edge: { position: lines } };
}

// Two shades by octants, so that the eye sees a ball roll.
function octants(position) {
  const shade = new Float32Array(position.length / 3), sum = (v, k) => position[v + k] + position[v + 3 + k] + position[v + 6 + k];
  for (let v = 0; v < position.length; v += 9) shade.fill(sum(v, 0) * sum(v, 1) * sum(v, 2) > 0 ? 0.8 : 1, v / 3, v / 3 + 3);
  return shade;
}

const AXIS_Z = new THREE.Matrix4().makeRotationX(Math.PI / 2);   // three's cylinders stand along y
const FLAT = 0.1;                                                // thickness of a disc, in radii
const rod = (radius, length) => (round) => new THREE.CylinderGeometry(radius, radius, length, round).applyMatrix4(AXIS_Z);

// A toothed rim, open in the middle where the model's own shapes are.
function toothed(shape) {
  const outline = new THREE.Shape(wheelOutline(shape).map(([x, y]) => new THREE.Vector2(x, y))), hole = new THREE.Path();
  hole.absarc(0, 0, shape.rim, 0, 2 * Math.PI, true);
  outline.holes.push(hole);
  return new THREE.ExtrudeGeometry(outline, { depth: shape.depth, bevelEnabled: false, curveSegments: 32 }).translate(0, 0, -shape.depth / 2);
}

function solidOf(shape) {
  const { radius, size } = shape;
  switch (shape.kind) {
    case 'box': return { size, geometry: () => new THREE.BoxGeometry(...size), crease: 20, pose: shape };
    case 'sphere': return { size: radius, geometry: (round) => new THREE.SphereGeometry(radius, round - round % 4, 2 * Math.round(round / 4)), pose: shape };
    case 'cylinder': return { size: [radius, shape.length], geometry: rod(radius, shape.length), crease: 40, pose: shape };
    case 'wheel': return { size: [radius, shape.teeth, shape.depth, shape.phase], geometry: () => toothed(shape), crease: 25, pose: shape };
    case 'disc': return { size: radius, geometry: rod(radius, FLAT * radius), crease: 40, pose: shape };
    case 'link': {
      const from = new THREE.Vector3(...shape.from), along = new THREE.Vector3(...shape.to).sub(from), length = along.length(), q = new THREE.Quaternion();
      if (length > 0) q.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.clone().normalize());
      return { size: [shape.width, length], geometry: (round) => new THREE.CapsuleGeometry(shape.width / 2, length, 4, Math.max(8, round / 2)),
        pose: { at: from.addScaledVector(along, 0.5).toArray(), rotate: [q.w, q.x, q.y, q.z] } };
    }
    default: return null;
  }
}

// An unbounded plane as a grid of round cells under all that moves.
function addGrid(shape, to) {
  const { body, length, bounds } = to, [low, high] = body === 0 && bounds ? shadow(shape, bounds) : [[-length, -length], [length, length]];
  addCells(shape, low, high, 0.15, to);
}

const addPatch = (shape, to) => addCells(shape, shape.min, shape.max, 0.12, to);

function addCells(shape, low, high, margin, { edges, body, length }) {
  const reach = Math.max(high[0] - low[0], high[1] - low[1], 0.3 * length), cell = 10 ** Math.round(Math.log10(reach / 8)), lines = [];
  const from = [0, 1].map((k) => Math.floor((low[k] - margin * reach) / cell)), to = [0, 1].map((k) => Math.ceil((high[k] + margin * reach) / cell));
  for (let k = from[0]; k <= to[0]; k++) lines.push(k * cell, from[1] * cell, 0, k * cell, to[1] * cell, 0);
  for (let k = from[1]; k <= to[1]; k++) lines.push(from[0] * cell, k * cell, 0, to[0] * cell, k * cell, 0);
  edges.add({ position: lines }, shape, body, GRID);
}

// The box of what moves, seen along the plane's normal, in the plane's own axes.
function shadow(shape, { min, max }) {
  const r = shape.rotate, back = r ? [r[0], -r[1], -r[2], -r[3]] : undefined, low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (let k = 0; k < 8; k++) {
    const corner = [0, 1, 2].map((i) => (k >> i & 1 ? max : min)[i] - (shape.at?.[i] ?? 0));
    place({ rotate: back }, corner).slice(0, 2).forEach((v, i) => {
      low[i] = Math.min(low[i], v);
      high[i] = Math.max(high[i], v);
    });
  }
  return [low, high];
}
