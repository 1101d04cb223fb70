// Flat ground with a grid of round cells: the floor, which fades out in the distance, and the parts of other planes that are used. The cells of
// the floor get finer as the eye comes nearer.
import * as THREE from 'three';
import { place } from './poses.js';
import { LIGHT } from './light.js';
import { roundBelow } from '../number.js';
import { theme } from '../theme.js';
import { mixed, squared } from './colours.js';

const CELLS = 9;              // of the grid along a patch
const CELL = 0.13;            // of what the picture is high: the largest cell of the floor
const LEVEL = 0.9999;         // cosine up to which a plane counts as horizontal
const BELOW = 0.05;           // of the model's size: a floor that the model does not have lies so far below all that moves
const AT_ZERO = 0.03;         // of it: or at zero height, where the model comes so near to it and never below
const FADE = [0.7, 2.6];      // of the model's size: where the floor starts to fade and where it is gone
export const HORIZON = 0.75;         // of the picture's height, from above: where the sky ends, as in style.css
const MARGIN = 0.15;          // of what is used of a plane: so much more is drawn

const VERTEX = `
uniform vec3 at, sun; uniform vec4 turned; uniform vec2 low, high; uniform highp vec4 bodyAt, bodyTurned;
uniform float cell;
out vec2 vPlane; out vec3 vMap; flat out float vLight;
${LIGHT.vertex}
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  vPlane = mix(low, high, position.xy) / cell;
  vec3 n = turn(bodyTurned, turn(turned, vec3(0.0, 0.0, 1.0))), world = bodyAt.xyz + turn(bodyTurned, at + turn(turned, vec3(vPlane * cell, 0.0)));
  vMap = inMap(world, n);
  vLight = dot(n, sun);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}`;

// Lines are a pixel wide at any distance, and fade where they would crowd. Far away there is the sky, so that nothing has to be blended.
const FRAGMENT = `
precision highp float;
in vec2 vPlane; in vec3 vMap; flat in float vLight;
uniform vec2 low, high, fade;
uniform vec3 base, line, top, bottom;
uniform float cell, bolder, height;
const float every = 5.0;
out vec4 colour;
${LIGHT.fragment}
void main() {
  vec2 wide = max(fwidth(vPlane), 1e-6), d = abs(fract(vPlane - 0.5) - 0.5) / wide, far = abs(fract(vPlane / every - 0.5) - 0.5) * every / wide;
  float crowd = max(wide.x, wide.y), fine = 0.55 * (1.0 - min(1.0, min(d.x, d.y))) * clamp(1.3 - 2.6 * crowd, 0.0, 1.0), bold = (1.0 - min(1.0, min(far.x, far.y))) * clamp(1.3 - 2.6 * crowd / every, 0.0, 1.0) * bolder;
#ifdef RIM
  vec2 rim = min(vPlane - low / cell, high / cell - vPlane) / wide;
  fine = max(fine, clamp(2.5 - min(rim.x, rim.y), 0.0, 1.0));
#endif
#ifdef OPEN
  if (max(fine, bold) < 0.1) discard;
#endif
  vec3 own = mix(base, line, max(fine, bold)) * (0.78 + 0.28 * max(0.0, vLight));
  own = sqrt(own * (0.5 + 0.5 * sunny(vMap) * step(0.0, vLight)));
#ifndef RIM
  float near = clamp((fade.y - distance(vPlane * cell, 0.5 * (low + high))) / (fade.y - fade.x), 0.0, 1.0), down = clamp((1.0 - gl_FragCoord.y / height) / ${HORIZON}, 0.0, 1.0);
  own = mix(mix(top, bottom, down), own, near * near * (3.0 - 2.0 * near));
#endif
  colour = vec4(own, 1.0);
}`;

const isLevel = (shape) => place({ rotate: shape.rotate }, [0, 0, 1])[2] > LEVEL;

// The ground's own level plane, which is the floor of a model that has one.
export const floorPlane = (run) => (run.isPlanar ? null : (run.scene.bodies[0].shapes ?? []).find((shape) => shape.kind === 'plane' && isLevel(shape)) ?? null);

// The cells of a floor, in a picture that shows so many metres from below to above.
export const cellOf = (metres) => roundBelow(CELL * metres);

// Where the floor lies under a box that holds all that moves: {at, size, isReal, isOpen}. Where bodies go below it, only its lines are drawn.
export function floorOf(run, { min, max }) {
  const plane = floorPlane(run), own = Math.max(...max.map((v, k) => v - min[k])), middle = min.map((v, k) => (v + max[k]) / 2);
  const z = plane ? plane.at?.[2] ?? 0 : min[2] >= 0 && min[2] < AT_ZERO * own ? 0 : min[2] - BELOW * own, size = Math.max(own, max[2] - z);
  return { at: [middle[0], middle[1], z], size, isReal: Boolean(plane), isOpen: min[2] < z - BELOW * own };
}

// Quads with a grid. `look` {at, rotate, low, high, cell, fade, isReal, isOpen}; without a cell, it has the floor's
class Quad {
  constructor(light, look) {
    const [w, x, y, z] = look.rotate ?? [1, 0, 0, 0], v2 = (v) => new THREE.Vector2(...v);
    this.material = light.material({
      vertexShader: VERTEX, fragmentShader: (look.fade ? '' : '#define RIM\n') + (look.isOpen ? '#define OPEN\n' : '') + FRAGMENT, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4,
      uniforms: { at: { value: new THREE.Vector3(...look.at ?? [0, 0, 0]) }, turned: { value: new THREE.Vector4(x, y, z, w) }, low: { value: v2(look.low) }, high: { value: v2(look.high) },
        ...(look.cell ? { cell: { value: look.cell } } : {}), bolder: { value: look.isReal ? 1 : 0 }, fade: { value: v2(look.fade ?? [0, 0]) }, base: { value: null }, line: { value: null }, top: { value: null }, bottom: { value: null }, height: { value: 1 },
        bodyAt: { value: new THREE.Vector4() }, bodyTurned: { value: new THREE.Vector4(0, 0, 0, 1) } },
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.object = new THREE.Mesh(geometry, this.material);
    const { height } = this.material.uniforms, size = new THREE.Vector2();
    Object.assign(this.object, { frustumCulled: false, onBeforeRender: (renderer) => { height.value = renderer.getDrawingBufferSize(size).y; } });
    this.paint();
  }

  paint() {
    const c = theme(), { uniforms } = this.material;
    uniforms.top.value = mixed(c.sky, c.sky);
    uniforms.bottom.value = mixed(c.horizon, c.horizon);
    uniforms.base.value = squared(mixed(c.floor, c.panel));
    uniforms.line.value = squared(mixed(c.grid, c.panel));
  }

  // Where its body stands: eight numbers of Poses.
  follow(data, o) {
    this.material.uniforms.bodyAt.value.set(data[o], data[o + 1], data[o + 2], 0);
    this.material.uniforms.bodyTurned.value.set(data[o + 4], data[o + 5], data[o + 6], data[o + 7]);
  }
}

export function makeFloor(light, { at, size, isReal, isOpen }) {
  const whole = FADE[1] * size, centre = at.slice(0, 2);
  return new Quad(light, { at: [0, 0, at[2]], low: centre.map((v) => v - whole), high: centre.map((v) => v + whole), isReal, isOpen, fade: FADE.map((f) => f * size) });
}

// A plane that is no floor, as far as it is used: under what moves, or as far as a patch says.
export function makePatch(light, run, body, shape) {
  const { bounds, length } = run.scene, [low, high] = shape.kind === 'patch' ? [shape.min, shape.max] : body === 0 && bounds ? shadow(shape, bounds) : [[-length, -length], [length, length]];
  const size = Math.max(high[0] - low[0], high[1] - low[1], 0.3 * length), more = MARGIN * size;
  return new Quad(light, { at: shape.at, rotate: shape.rotate, low: low.slice(0, 2).map((v) => v - more), high: high.slice(0, 2).map((v) => v + more), cell: roundBelow(size / CELLS * 1.2) });
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
