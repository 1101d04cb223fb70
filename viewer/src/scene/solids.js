// All bodies of a run in two draw calls, filled faces and edges. Vertices stand in the axes of their body; the poses of
// the bodies lie in a small texture, the only thing that changes from picture to picture.
import * as THREE from 'three';
import { place } from './poses.js';
import { theme } from '../theme.js';

const TINTS = 8;              // that bodies take in turn, after the ground's
const GRID = 1 + TINTS, TONES = GRID + 1;
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
  constructor(run, opacity = 1) {
    this.run = run;
    const { bodies } = run.scene;
    this.texture = new THREE.DataTexture(new Float32Array(8 * bodies.length), 2, bodies.length, THREE.RGBAFormat, THREE.FloatType);
    const faces = new Pile(), edges = new Pile(), add = run.isPlanar ? addFlat : addSolid, round = bodies.length > MANY ? 14 : 28;
    bodies.forEach((body, b) => {
      const tone = b === 0 ? 0 : 1 + (b - 1) % TINTS;
      for (const shape of body.shapes ?? []) add(shape, { faces, edges, body: b, tone, round, layer: b * run.scene.length * 1e-4, length: run.scene.length, bounds: run.scene.bounds });
    });
    this.materials = [material(this.texture, run.isPlanar ? 0 : 1, opacity), material(this.texture, 0, opacity)];
    this.group = new THREE.Group();
    this.group.add(drawn(new THREE.Mesh(faces.geometry(), this.materials[0])), drawn(new THREE.LineSegments(edges.geometry(), this.materials[1])));
    this.paint();
  }

  set(poses) {
    this.texture.image.data.set(poses.data);
    this.texture.needsUpdate = true;
  }

  paint() {
    const c = theme(), panel = new THREE.Color(c.panel), ink = new THREE.Color(c.ink);
    const plain = (colour) => new THREE.Color(colour).convertLinearToSRGB();
    const tones = [c.ground, ...c.series];
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

function material(texture, lit, opacity) {
  return new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: opacity < 1, depthWrite: opacity === 1, side: THREE.DoubleSide,
    uniforms: { poses: { value: texture }, palette: { value: [] }, light: { value: new THREE.Vector3(0.35, -0.55, 0.76) }, lit: { value: lit }, opacity: { value: opacity } },
  });
}

// Vertices that pile up to one geometry.
class Pile {
  constructor() {
    this.of = { position: [], normal: [], body: [], tone: [], shade: [] };
  }

  push([x, y, z], [nx, ny, nz], body, tone, shade) {
    this.of.position.push(x, y, z);
    this.of.normal.push(nx, ny, nz);
    this.of.body.push(body);
    this.of.tone.push(tone);
    this.of.shade.push(shade);
  }

  geometry() {
    const geometry = new THREE.BufferGeometry();
    for (const [name, list] of Object.entries(this.of)) geometry.setAttribute(name, new THREE.Float32BufferAttribute(list, name === 'position' || name === 'normal' ? 3 : 1));
    return geometry;
  }
}

// --- in the plane: convex outlines, bodies in layers one above the other ---------------------------------------------

function addFlat(shape, to) {
  const outline = flatOutline(shape, to.round);
  if (!outline) return;
  const up = [0, 0, 1], { faces, edges, body, tone, layer } = to, at = ([x, y], lift) => [x, y, layer + lift];
  for (let k = 2; k < outline.length; k++) for (const p of [outline[0], outline[k - 1], outline[k]]) faces.push(at(p, 0), up, body, tone, 1);
  const line = (a, b) => [a, b].forEach((p) => edges.push(at(p, 0.3e-4 * to.length), up, body, tone, 1));
  outline.forEach((p, k) => line(p, outline[(k + 1) % outline.length]));
  // A spoke shows that a round thing turns.
  if (shape.kind === 'sphere' || shape.kind === 'disc') line(place(shape, [0, 0, 0]), place(shape, [shape.radius, 0, 0]));
}

function flatOutline(shape, round) {
  const n = 2 * round, arc = (x, y, r, from, to) => Array.from({ length: n / 2 + 1 }, (_, k) => from + (to - from) * k / (n / 2)).map((a) => [x + r * Math.cos(a), y + r * Math.sin(a), 0]);
  const rectangle = (a, b) => [[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]].map((p) => place(shape, p));
  switch (shape.kind) {
    case 'link': {
      const [x0, y0] = shape.from, [x1, y1] = shape.to, along = Math.atan2(y1 - y0, x1 - x0), r = shape.width / 2;
      return [...arc(x0, y0, r, along + Math.PI / 2, along + 1.5 * Math.PI), ...arc(x1, y1, r, along - Math.PI / 2, along + Math.PI / 2)];
    }
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
  if (shape.kind === 'plane') return addGrid(shape, to);
  const made = solidGeometry(shape, to.round);
  if (!made) return undefined;
  const { geometry, crease, pose } = made, { faces, edges, body, tone } = to;
  const g = geometry.index ? geometry.toNonIndexed() : geometry, p = g.attributes.position, n = g.attributes.normal;
  for (let i = 0; i < p.count; i++) {
    const local = [p.getX(i), p.getY(i), p.getZ(i)], triangle = i - i % 3;
    // Round things have two shades, by octants, so that the eye sees them roll.
    const middle = (get) => get.call(p, triangle) + get.call(p, triangle + 1) + get.call(p, triangle + 2);
    const shade = shape.kind === 'sphere' && middle(p.getX) * middle(p.getY) * middle(p.getZ) > 0 ? 0.8 : 1;
    faces.push(place(pose, local), place({ rotate: pose.rotate }, [n.getX(i), n.getY(i), n.getZ(i)]), body, tone, shade);
  }
  if (!crease) return undefined;
  const lines = new THREE.EdgesGeometry(geometry, crease).attributes.position;
  for (let i = 0; i < lines.count; i++) edges.push(place(pose, [lines.getX(i), lines.getY(i), lines.getZ(i)]), [0, 0, 1], body, tone, 1);
  if (shape.kind === 'disc' || shape.kind === 'cylinder') {
    const top = (shape.length ?? 0.1 * shape.radius) / 2 * 1.01;
    for (const r of [0, shape.radius]) edges.push(place(pose, [r, 0, top]), [0, 0, 1], body, tone, 1);
  }
  return undefined;
}

const AXIS_Z = new THREE.Matrix4().makeRotationX(Math.PI / 2);   // three's cylinders stand along y

function solidGeometry(shape, round) {
  switch (shape.kind) {
    case 'box': return { geometry: new THREE.BoxGeometry(...shape.size), crease: 20, pose: shape };
    case 'sphere': return { geometry: new THREE.SphereGeometry(shape.radius, round - round % 4, Math.max(8, round / 2 - round / 2 % 2)), pose: shape };
    case 'cylinder': return { geometry: new THREE.CylinderGeometry(shape.radius, shape.radius, shape.length, round).applyMatrix4(AXIS_Z), crease: 40, pose: shape };
    case 'disc': return { geometry: new THREE.CylinderGeometry(shape.radius, shape.radius, 0.1 * shape.radius, 2 * round).applyMatrix4(AXIS_Z), crease: 40, pose: shape };
    case 'link': {
      const from = new THREE.Vector3(...shape.from), along = new THREE.Vector3(...shape.to).sub(from), q = new THREE.Quaternion();
      if (along.length() > 0) q.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.clone().normalize());
      const middle = from.addScaledVector(along, 0.5);
      return { geometry: new THREE.CapsuleGeometry(shape.width / 2, along.length(), 4, Math.max(8, round / 2)), pose: { at: middle.toArray(), rotate: [q.w, q.x, q.y, q.z] } };
    }
    default: return null;
  }
}

// An unbounded plane as a grid of round cells under all that moves.
function addGrid(shape, { edges, body, length, bounds }) {
  const [low, high] = body === 0 && bounds ? shadow(shape, bounds) : [[-length, -length], [length, length]];
  const reach = Math.max(high[0] - low[0], high[1] - low[1], length), cell = 10 ** Math.round(Math.log10(reach / 8));
  const from = low.map((v) => Math.floor((v - 0.15 * reach) / cell)), to = high.map((v) => Math.ceil((v + 0.15 * reach) / cell));
  const line = (...ends) => ends.forEach(([u, v]) => edges.push(place(shape, [u * cell, v * cell, 0]), [0, 0, 1], body, GRID, 1));
  for (let k = from[0]; k <= to[0]; k++) line([k, from[1]], [k, to[1]]);
  for (let k = from[1]; k <= to[1]; k++) line([from[0], k], [to[0], k]);
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
