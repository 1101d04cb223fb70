// Flexible bodies vertex by vertex, as they are deformed: planar solids, and over beams a strip with their stress while that is shown.
import * as THREE from 'three';
import { PLAIN } from './shaders.js';

const STOPS = ['#31408f', '#2a8f9d', '#7cc36a', '#f2c14e', '#d0352b'];    // from no stress to the largest
const OVER = 1.04;            // times the width of a beam: its strip covers it

const VERTEX = `in vec3 tint; out vec3 vColour;
void main() { vColour = tint; gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }`;
const NUMBER = 'precision mediump float; uniform vec3 number; out vec4 colour; void main() { colour = vec4(number, 1.0); }';

const rgb = STOPS.map((text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255));
export const stressScale = `linear-gradient(90deg, ${STOPS.join(', ')})`;

// The colour of a share from 0 to 1 of the largest stress.
export function stressColour(share) {
  const u = Math.min(Math.max(share || 0, 0), 1) * (rgb.length - 1), k = Math.min(Math.floor(u), rgb.length - 2);
  return rgb[k].map((v, c) => v + (u - k) * (rgb[k + 1][c] - v));
}

const material = (fragmentShader, uniforms, isFace) => new THREE.ShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader, uniforms, side: THREE.DoubleSide, polygonOffset: isFace, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });

class Skin {
  constructor(body, count, index, opacity) {
    Object.assign(this, { body, count });
    this.geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'tint']) this.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    this.geometry.setIndex(index);
    const n = body, shown = material(PLAIN, { opacity }, true), number = new THREE.Vector3(n % 256, Math.floor(n / 256) % 256, Math.floor(n / 65536)).divideScalar(255);
    this.faces = new THREE.Mesh(this.geometry, shown);
    this.faces.userData = { shown, numbered: material(NUMBER, { number: { value: number } }, true) };
    this.faces.frustumCulled = false;
  }

  put(poses, p, at, out) {
    this.geometry.attributes.position.array.set(poses.move(this.body, at, out), 3 * p);
  }

  done() {
    for (const name of ['position', 'tint']) this.geometry.attributes[name].needsUpdate = true;
  }
}

class SheetSkin extends Skin {
  constructor(run, body, opacity, edgeOpacity, layer) {
    const { vertices, triangles, rim } = run.scene.bodies[body].solid;
    super(body, vertices.length / 2, triangles, opacity);
    this.layer = body * layer;
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), material(PLAIN, { opacity: edgeOpacity }, false));
    this.lines.geometry.setAttribute('position', this.geometry.attributes.position);
    this.lines.geometry.setAttribute('tint', new THREE.BufferAttribute(new Float32Array(3 * this.count), 3));
    this.lines.geometry.setIndex(rim);
    this.lines.frustumCulled = false;
    this.objects = [this.faces, this.lines];
  }

  set(poses, largest, face, edge) {
    const sheet = poses.sheets[this.body], out = [0, 0, 0], tint = this.geometry.attributes.tint.array, edges = this.lines.geometry.attributes.tint;
    for (let p = 0; p < this.count; p++) {
      this.put(poses, p, [sheet.moved[2 * p], sheet.moved[2 * p + 1], this.layer], out);
      tint.set(largest > 0 ? stressColour(sheet.mises[p] / largest) : face, 3 * p);
      edges.array.set(edge, 3 * p);
    }
    edges.needsUpdate = true;
    this.done();
  }
}

// Four corners about each place of the beam; in the plane two of them are the same as the others.
class BeamSkin extends Skin {
  constructor(run, body, opacity, layer) {
    const { x, width } = run.scene.bodies[body].beam, flat = run.isPlanar, index = [], corners = [[1, 1], [-1, 1], [-1, -1], [1, -1]];
    for (let p = 0; p + 1 < x.length; p++) for (let k = 0; k < 4; k++) index.push(...[0, 4, 1, 1, 4, 5].map((o) => 4 * p + (o < 4 ? (k + o) % 4 : 4 + (k + o) % 4)));
    super(body, 4 * x.length, index, opacity);
    Object.assign(this, { x, layer: flat ? (body + 0.2) * layer : 0, corners: corners.map(([a, b]) => [OVER * a * width / 2, flat ? 0 : OVER * b * width / 2]) });
    this.objects = [this.faces];
  }

  set(poses, largest) {
    const beam = poses.beams[this.body], out = [0, 0, 0], tint = this.geometry.attributes.tint.array;
    this.faces.visible = largest > 0;
    if (!(largest > 0)) return;
    this.x.forEach((x, p) => this.corners.forEach(([a, b], k) => {
      const [u, v, w] = beam.point([x, a, b]);
      this.put(poses, 4 * p + k, [u, v, w + this.layer], out);
      tint.set(stressColour(beam.stressAt(p) / largest), 3 * (4 * p + k));
    }));
    this.done();
  }
}

export class Soft {
  constructor(run, { faceOpacity, edgeOpacity }, layer) {
    this.largest = 0;                                           // the stress of the last colour; 0: bodies have their own colours
    this.skins = run.scene.bodies.flatMap(({ solid, beam }, b) => (solid ? [new SheetSkin(run, b, faceOpacity, edgeOpacity, layer)] : beam?.stress ? [new BeamSkin(run, b, faceOpacity, layer)] : []));
    this.objects = this.skins.flatMap(({ objects }) => objects);
  }

  // `colours(body)`: of faces and edges.
  set(poses, colours, isGhost) {
    for (const skin of this.skins) skin.set(poses, isGhost ? 0 : this.largest, ...colours(skin.body));
  }
}

export const hasStress = ({ bodies }) => bodies.some(({ solid, beam }) => solid || beam?.stress);
