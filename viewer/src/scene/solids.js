// All bodies of a run. Shapes with the same mesh are one instanced draw call for their faces and one for their edges, so that a
// thousand spheres cost as much as one in calls. The poses of the bodies lie in a small texture, the only thing that changes from
// picture to picture.
import * as THREE from 'three';
import { place } from './poses.js';
import { SHAPES } from './shapes.js';
import { facet } from './meshes.js';
import { CASTS } from './light.js';
import { TINTS, TONES, ROW, VERTEX, PLAIN, LIT, DISC, BALL, NUMBER, DISC_NUMBER } from './shaders.js';
import { mixed, squared } from './colours.js';
import { floorPlane, makePatch } from './floor.js';
import { theme } from '../theme.js';
import { madeUp } from './constraints.js';
import { piecesOf, isStraight } from './beams.js';
import { Soft } from './soft.js';

const FACE_OPACITY = 0.16, EDGE_OPACITY = 0.8;    // of a ghost
const FACETS = [[60, 36], [Infinity, 16]];   // so many to a turn, up to so many instances of a mesh
const CROWD = 60;             // spheres above which each is drawn as a disc that faces the eye
const SMALL = 100;            // vertices of a mesh that is written out
const UNBOUNDED = new Set(['plane', 'patch']);
const LAYER = 1e-4;           // of the model's length: how far planar bodies lie above each other

export class Solids {
  constructor(run, light) {
    this.run = run;
    const { bodies } = run.scene, made = madeUp(run), parts = new Map(), pieces = piecesOf(run.scene), rows = Math.ceil((bodies.length + pieces.length) / ROW);
    this.owners = [...bodies.keys(), ...pieces.map(({ body }) => body)];          // the body that each pose belongs to
    this.texture = new THREE.DataTexture(new Float32Array(8 * ROW * rows), 2 * ROW, rows, THREE.RGBAFormat, THREE.FloatType);
    this.quads = [];
    this.group = new THREE.Group();
    bodies.forEach((body, b) => {
      for (const shape of [...(body.shapes ?? []), ...(made.get(b) ?? [])]) {
        if (isStraight(body, shape)) continue;
        if (!UNBOUNDED.has(shape.kind)) this.gather(parts, shape, b);
        else if (!run.isPlanar && shape !== floorPlane(run)) this.addPatch(light, b, shape);
      }
    });
    pieces.forEach(({ body, shape }, p) => this.gather(parts, shape, bodies.length + p, body));
    Object.assign(this, { faceColours: { value: [] }, edgeColours: { value: [] }, lineColour: { value: null }, faceOpacity: { value: 1 }, edgeOpacity: { value: 1 } });
    this.looks = this.makeLooks(light);
    for (const part of parts.values()) this.addPart(part);
    this.soft = new Soft(run, this, run.scene.length * LAYER);
    if (this.soft.objects.length) this.group.add(...this.soft.objects);
    this.haunt(null);
  }

  // One more instance of a mesh. In the plane meshes are outlines in the axes of their body, bodies in layers one above the other.
  gather(parts, shape, slot, body = slot) {
    const kind = SHAPES[shape.kind], planar = this.run.isPlanar;
    if (!(planar ? kind?.outline : kind?.mesh)) return;
    const { from_model: _, ...own } = shape, isGround = body === 0 && !planar, key = planar ? JSON.stringify(own) : `${isGround} ${shape.kind} ${kind.key?.(shape) ?? ''}`;
    if (!parts.has(key)) parts.set(key, { kind, shape, isGround, instances: [] });
    const pose = planar ? { at: [0, 0, body * this.run.scene.length * LAYER] } : kind.pose?.(shape) ?? shape;
    parts.get(key).instances.push({ body: slot, tone: body === 0 ? 0 : 1 + (body - 1) % TINTS, at: pose.at ?? [0, 0, 0], rotate: pose.rotate ?? [1, 0, 0, 0], size: (planar ? null : kind.scale?.(shape)) ?? [1, 1, 1] });
  }

  addPatch(light, body, shape) {
    const quad = makePatch(light, this.run, body, shape);
    this.usesRows ||= shape.kind === 'patch';         // how large it is depends on the motion
    this.quads.push({ body, quad });
    this.group.add(quad.object);
  }

  addPart({ kind, shape, isGround, instances }) {
    const round = FACETS.find(([most]) => instances.length <= most)[1], { isPlanar, scene } = this.run, isCrowd = !isPlanar && kind.isBall && instances.length > CROWD;
    const { lines, ...face } = isPlanar ? flat(kind, shape, round, scene.length) : isCrowd ? OCTAGON : solid(kind, shape, round);
    const faces = still(new THREE.Mesh(batch(face, instances))), look = isCrowd ? 'disc' : isGround ? 'ground' : kind.isMarked ? 'marked' : 'plain';
    faces.userData = { shown: this.looks[look], numbered: this.looks[isCrowd ? 'discNumber' : 'number'] };
    faces.material = faces.userData.shown;
    this.group.add(faces);
    if (lines?.length) this.group.add(still(new THREE.LineSegments(batch({ position: lines }, instances), this.looks.edge)));
  }

  makeLooks(light) {
    const uniforms = { poses: { value: this.texture }, palette: this.faceColours, opacity: this.faceOpacity }, { isPlanar } = this.run;
    const make = (vertexShader, fragmentShader, more = {}, isFace = true) => light.material({
      vertexShader, fragmentShader, side: THREE.DoubleSide, polygonOffset: isFace, polygonOffsetFactor: 1, polygonOffsetUnits: 1,   // faces lie a little behind the lines on them
      uniforms: { ...uniforms, ...more },
    });
    const lit = (marked) => make(VERTEX, isPlanar ? PLAIN : LIT, { marked: { value: marked } }), ground = [VERTEX, LIT].map((text) => `#define GROUND\n${text}`);
    return { plain: lit(0), ground: make(...ground, { marked: { value: 0 }, line: this.lineColour }), marked: lit(1), disc: make(DISC, BALL), number: make(VERTEX, NUMBER), discNumber: make(DISC, DISC_NUMBER), edge: make(VERTEX, PLAIN, { palette: this.edgeColours, opacity: this.edgeOpacity }, false) };
  }

  // Faces by the numbers of their bodies while `draw` runs: for shadows, and to find what is under the pointer.
  withNumbers(draw) {
    const faces = this.group.children.filter((object) => object.userData.numbered), wear = (which) => faces.forEach((object) => { object.material = object.userData[which]; });
    wear('numbered');
    draw();
    wear('shown');
  }

  // As a ghost: one colour, that of its run (by number; null: solid), a breath of fill, and an outline over all that is solid.
  haunt(ghost, visible = true) {
    this.ghost = ghost;
    this.group.visible = ghost === null || visible;
    this.faceOpacity.value = ghost === null ? 1 : FACE_OPACITY;
    this.edgeOpacity.value = ghost === null ? 1 : EDGE_OPACITY;
    for (const { shown, object } of this.group.children.map((object) => ({ object, shown: object.userData.shown ?? object.material }))) {
      if (this.quads.some(({ quad }) => quad.object === object)) object.visible = ghost === null;
      else Object.assign(shown, { transparent: ghost !== null, depthWrite: ghost === null, depthTest: ghost === null || !this.run.isPlanar });
      if (object.userData.numbered) object.layers[ghost === null ? 'enable' : 'disable'](CASTS);
    }
    this.paint();
  }

  get isGhost() {
    return this.ghost !== null;
  }

  set(poses) {
    this.texture.image.data.set(poses.data);
    this.texture.needsUpdate = true;
    for (const { body, quad } of this.quads) quad.follow(poses.data, 8 * body);
    this.poses = poses;
    this.setSoft();
  }

  setSoft() {
    const tone = (list, body) => list.value[1 + (body - 1) % TINTS].toArray();
    if (this.poses) this.soft.set(this.poses, (body) => [tone(this.faceColours, body), tone(this.edgeColours, body)], this.isGhost);
  }

  // Planar faces are pale, so that symbols on them can be read; lit ones have their full colour, linear.
  paint() {
    const c = theme(), { isPlanar } = this.run;
    const tones = this.isGhost ? Array(TONES).fill(c.series[this.ghost % TINTS]) : [isPlanar ? c.ground : c.slab, ...c.series];
    for (const { quad } of this.quads) quad.paint();
    this.lineColour.value = squared(mixed(c.slab, c.ink, 0.3));
    this.faceColours.value = tones.map((t) => (isPlanar ? mixed(t, c.panel, c.dark ? 0.42 : 0.5) : squared(c.dark ? mixed(t, '#000000', 0.2) : mixed(t, '#ffffff', 0.22))));
    this.edgeColours.value = tones.map((t) => mixed(t, c.ink, isPlanar ? 0.35 : c.dark ? 0.2 : 0.6));
    this.setSoft();
  }
}

const OCTAGON = { position: Float32Array.from([...Array(8).keys()].flatMap((k) => [Math.cos((k + 0.5) * Math.PI / 4), Math.sin((k + 0.5) * Math.PI / 4), 0].map((v) => v / Math.cos(Math.PI / 8)))), index: Uint32Array.of(0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6, 0, 6, 7) };

// Drawn wherever it is: its vertices do not tell.
function still(object) {
  object.frustumCulled = false;
  return object;
}

const EACH = { body: [1, (i) => [i.body]], tone: [1, (i) => [i.tone]], at: [3, ({ at: [x, y, z] }) => [x, y, z ?? 0]], turned: [4, ({ rotate: [w, x, y, z] }) => [x, y, z, w]], size: [3, (i) => i.size] };

// All instances of a mesh as one draw call. Where there is no graphics card an instance costs as much as a call of its own: small
// meshes are written out as often as they are needed instead.
function batch(mesh, instances) {
  if (instances.length === 1 || mesh.position.length > 3 * SMALL) return instanced(mesh, instances, instances.length);
  const n = mesh.position.length / 3, all = instances.length, repeated = (list) => {
    const whole = new Float32Array(list.length * all);
    for (let k = 0; k < all; k++) whole.set(list, k * list.length);
    return whole;
  };
  const index = mesh.index && Uint32Array.from({ length: mesh.index.length * all }, (_, k) => mesh.index[k % mesh.index.length] + n * Math.floor(k / mesh.index.length));
  return instanced({ position: repeated(mesh.position), normal: mesh.normal && repeated(mesh.normal), index }, instances.flatMap((i) => Array(n).fill(i)), 0);
}

// `count` 0: the instances are one per vertex.
function instanced({ position, normal, index }, instances, count) {
  const geometry = count ? new THREE.InstancedBufferGeometry() : new THREE.BufferGeometry(), Attribute = count ? THREE.InstancedBufferAttribute : THREE.BufferAttribute;
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(normal ?? new Float32Array(position.length), 3));
  if (index) geometry.setIndex(new THREE.BufferAttribute(index, 1));
  for (const [name, [width, of]] of Object.entries(EACH)) geometry.setAttribute(name, new Attribute(Float32Array.from(instances.flatMap(of)), width));
  if (count) geometry.instanceCount = count;
  return geometry;
}

function solid(kind, shape, round) {
  const made = facet(kind.mesh(shape, round), kind.crease), lines = kind.spoke ? [...made.lines, 0, 0, kind.spoke, 1, 0, kind.spoke] : made.lines;
  return { ...made, lines: Float32Array.from(lines) };
}

// A filled outline, its rim a little above it, and a spoke that shows that a round thing turns.
function flat(kind, shape, round, length) {
  const outline = kind.outline(shape, round), triangles = THREE.ShapeUtils.triangulateShape(outline.map(([x, y]) => new THREE.Vector2(x, y)), []), above = 0.3 * LAYER * length, lines = [];
  const line = (a, b) => lines.push(a[0], a[1], above, b[0], b[1], above);
  outline.forEach((p, k) => line(p, outline[(k + 1) % outline.length]));
  if (kind.arm) line(place(shape, [0, 0, 0]), place(shape, [kind.arm(shape), 0, 0]));
  return { position: Float32Array.from(outline.flatMap(([x, y]) => [x, y, 0])), index: Uint32Array.from(triangles.flat()), lines: Float32Array.from(lines) };
}
