// Camera, controls and the renderer; draws only when something changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { bestSide } from './cloud.js';
import { Light, CASTS } from './light.js';
import { cellOf } from './floor.js';

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const FIELD = 32, SLOPE = Math.tan(FIELD * Math.PI / 360);      // of view, from below to above [degrees]
const CLOSE = 6;              // radii of a body from the middle of the picture to its rim, when the eye begins to follow it
const HAND = 'hand';          // the reader's own side
const FOOT = 34;              // kept free at the bottom for legend and scale [px]
const EDGE = 0.06;            // of the picture, kept free around a model
const NEAR = 18;              // to an inset: signs of joints and guides stand out so far beyond what moves [px]
const SEEN = 1.2;             // of what the picture shows: how far shadows are drawn where the eye is near
const QUICK = 4e5;            // dots of a picture that moves, in space without a graphics card
const SHARPEN = 150;          // after so long without a change a software renderer takes time for smooth edges [ms]

// Where the eye can be sent to: x to the right and z upwards in a drawing's front view, y upwards in a top view.
export const SIDES = {
  front: { name: 'front', eye: [0, -1, 0] }, right: { name: 'right', eye: [1, 0, 0] }, back: { name: 'back', eye: [0, 1, 0] }, left: { name: 'left', eye: [-1, 0, 0] },
  top: { name: 'top', eye: [0, -1e-5, 1] }, oblique: { name: 'oblique', eye: [1, -1, 0.8165] },
};

// A canvas with its context; null where the browser has none to give. Smooth edges cost a processor too much in each
// picture: without a graphics card they come when the picture stands still, by drawing it at twice the size.
export function openSurface() {
  const make = (antialias) => {
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    return { canvas, context: canvas.getContext('webgl2', { antialias, alpha: true }) };
  };
  const plain = make(false), { context } = plain;
  if (!context) return null;
  const info = context.getExtension('WEBGL_debug_renderer_info');
  if (info && SOFTWARE.test(context.getParameter(info.UNMASKED_RENDERER_WEBGL))) return { ...plain, soft: true };
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return { ...make(true), soft: false };
}

export class View {
  // isMoving(): whether the next picture follows at once, so that this one needs no smooth edges
  constructor(host, { canvas, context, soft }, draw, isMoving) {
    Object.assign(this, { host, draw, isMoving });
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.soft = soft;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    if (this.ratio !== 1) this.renderer.setPixelRatio(this.ratio);
    host.prepend(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.light = new Light();
    this.casters = null;
    this.isPerspective = true;
    this.side = null;                                   // of SIDES, HAND, or null: the best one
    this.followed = null;
    this.isReady = false;                               // before all of the page is there, no time goes into smooth edges
    this.eyes = {};
    this.matrix = new THREE.Matrix4();
    // A new size empties the canvas: it is filled again before the browser shows it.
    new ResizeObserver(() => this.resize() && this.present()).observe(host);
  }

  // At a planar model face-on, at a spatial one from anywhere; the cloud and the box about it are to be seen.
  look(planar, cloud, bounds) {
    Object.assign(this, { cloud, bounds, whole: cloud });
    if (this.planar === planar) return;
    if (this.controls) this.controls.enabled = false;
    this.planar = planar;
    Object.assign(this, this.eyes[planar] ??= this.makeEye(planar));
    this.controls.enabled = true;
    this.width = 0;
    this.resize();
    this.fit();
  }

  makeEye(planar) {
    const camera = planar || !this.isPerspective ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(FIELD);
    camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    const controls = new OrbitControls(camera, this.renderer.domElement);
    Object.assign(controls, { enableRotate: !planar, zoomToCursor: true, screenSpacePanning: true });
    if (planar) {
      controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
    controls.addEventListener('change', () => this.invalidate());
    controls.addEventListener('start', () => this.byHand());
    return { camera, controls };
  }

  // From now on the reader says where the eye is.
  byHand() {
    this.fitted = false;
    if (this.side === HAND) return;
    this.side = HAND;
    this.onside?.();
  }

  // Another camera at the same place, through which what is looked at is as large as before.
  setPerspective(on) {
    if (on === this.isPerspective) return;
    const { camera: old, controls } = this, { scale } = this, target = controls.target.clone(), eye = old.position.clone().sub(target).normalize();
    this.isPerspective = on;
    if (this.planar) return;
    controls.dispose();
    Object.assign(this, this.eyes[false] = this.makeEye(false));
    this.half = this.height / 2 / scale;
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(eye, this.half / SLOPE);
    this.proportion();
    this.controls.update();
    if (this.fitted) this.fit();
    this.invalidate();
  }

  // The eye keeps its distance and direction to a point that moves (a place in the world now; null: no more). At first it comes near enough to
  // see a ball of some radius about it.
  follow(point, radius = 0) {
    const { camera, controls } = this;
    if (point && !this.followed) {
      const away = camera.position.distanceTo(controls.target), near = Math.min(away, CLOSE * radius / SLOPE || away);
      if (camera.isPerspectiveCamera) camera.position.sub(controls.target).multiplyScalar(near / away).add(controls.target);
      else camera.zoom = Math.max(camera.zoom, this.half / (CLOSE * radius || this.half));
      this.followed = controls.target.toArray();
      this.byHand();
      camera.updateProjectionMatrix();
    }
    if (point) {
      const by = new THREE.Vector3(...point.map((v, k) => v - this.followed[k]));
      camera.position.add(by);
      controls.target.add(by);
      controls.update();
    }
    this.followed = point;
    this.invalidate();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!this.camera || !w || !h || (w === this.width && h === this.height)) return false;
    if (this.half && this.height) this.half *= h / this.height;      // metres a pixel stay
    [this.width, this.height] = [w, h];
    this.renderer.setSize(w, h, false);
    this.proportion();
    if (this.fitted) this.fit();
    this.invalidate();
    return true;
  }

  proportion() {
    const half = this.half ?? 1, aspect = this.width / this.height;
    Object.assign(this.camera, this.camera.isOrthographicCamera ? { left: -half * aspect, right: half * aspect, top: half, bottom: -half } : { aspect });
    this.camera.updateProjectionMatrix();
  }

  // All that moves, or a ball [x, y, z, radius], with a margin; spatial models from where they spread widest.
  fit(ball = null) {
    this.cloud = ball ? [ball] : this.whole;
    const { min, max } = this.bounds, middle = min.map((v, k) => (v + max[k]) / 2), size = max.map((v, k) => v - min[k]);
    const { camera, controls, planar } = this, reach = Math.max(1e-9, Math.hypot(...size));
    if (this.side === HAND) {
      this.side = null;
      this.onside?.();
    }
    if (ball) middle.splice(0, 3, ...ball.slice(0, 3));
    controls.target.set(...middle);
    this.reach = reach;
    if (planar) Object.assign(camera, { near: reach / 10, far: 4 * reach });
    if (planar) {
      const { metres, x, y } = this.choose((room) => this.stretch(room, size));
      this.half = metres * this.height / 2;
      camera.zoom = 1;
      camera.position.set(middle[0] + x * metres, middle[1] + y * metres, reach);
      controls.target.set(camera.position.x, camera.position.y, middle[2]);
    } else {
      const eye = new THREE.Vector3(...SIDES[this.side]?.eye ?? bestSide(this.cloud)).normalize(), how = this.isPerspective ? 'stand' : 'standFar';
      const { away, metres, x, y, right, up } = this.choose((room) => this[how](room, eye, middle));
      this.half = metres * this.height / 2;
      camera.zoom = 1;
      controls.target.addScaledVector(right, x).addScaledVector(up, y);
      camera.position.copy(controls.target).addScaledVector(eye, away);
    }
    this.proportion();
    controls.update();
    this.fitted = true;                               // and stays so when the window changes, until moved by hand
    this.invalidate();
  }

  // The part of the picture that shows the model largest, {left, right, top, bottom} in pixels: beside the inset in the lower
  // right corner, above it, or all, where nothing comes to lie behind the inset.
  choose(how) {
    const { width, height, inset, head = 0 } = this, dx = EDGE * width, dy = EDGE * height;
    const room = (w, h) => ({ left: dx, right: Math.max(dx + 60, w - dx), top: head + dy, bottom: Math.max(head + dy + 60, h - dy) });
    const whole = how(room(width, height - FOOT));
    if (!inset || whole.frees(width - inset.width, height - inset.height)) return whole;
    const beside = how(room(width - inset.width, height - FOOT)), above = how(room(width, height - Math.max(inset.height, FOOT)));
    return beside.metres < above.metres ? beside : above;
  }

  // Metres a pixel, and how far from the model's middle the eye is [px], so that a planar model fills a room.
  stretch({ left, right, top, bottom }, size) {
    const metres = Math.max(size[0] / (right - left), size[1] / (bottom - top), 1e-12), x = (this.width - left - right) / 2, y = (top + bottom - this.height) / 2;
    const middle = this.bounds.min.map((v, k) => (v + this.bounds.max[k]) / 2);
    const behind = ([px, py, , r], l, t) => this.width / 2 + (px + r - middle[0]) / metres - x > l - NEAR && this.height / 2 - (py - r - middle[1]) / metres + y > t - NEAR;
    return { metres, x, y, frees: (l, t) => !this.cloud.some((p) => behind(p, l, t)) };
  }

  // The same for a spatial model seen without perspective.
  standFar({ left, right: end, top, bottom }, eye, middle) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, eye).normalize(), up = new THREE.Vector3().crossVectors(eye, right), dot = (p, u) => (p[0] - middle[0]) * u.x + (p[1] - middle[1]) * u.y + (p[2] - middle[2]) * u.z;
    const seen = this.cloud.map((p) => [dot(p, right), dot(p, up), p[3]]), reach = (axis, sign) => sign * seen.reduce((most, p) => Math.max(most, sign * p[axis] + p[2]), -Infinity);
    const [low, high, down, over] = [reach(0, -1), reach(0, 1), reach(1, -1), reach(1, 1)], metres = Math.max((high - low) / (end - left), (over - down) / (bottom - top), 1e-12);
    const x = (low + high) / 2 + metres * (this.width - left - end) / 2, y = (down + over) / 2 + metres * (top + bottom - this.height) / 2;
    const behind = (p, l, t) => this.width / 2 + (p[0] + p[2] - x) / metres > l - NEAR && this.height / 2 - (p[1] - p[2] - y) / metres > t - NEAR;
    return { metres, away: Math.max(this.reach, metres * this.height), x, y, right, up, frees: (l, t) => !seen.some((p) => behind(p, l, t)) };
  }

  // How far away the eye stands and how far beside the middle it looks, so that a spatial model as the eye sees it fills a
  // room. A point at (x, y, z) along right, up and towards the eye is within slopes [l, r] of the picture where
  // l <= (x - shift)/(away - z) <= r; the outermost points on both sides give away and shift.
  stand(room, eye, middle) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, eye).normalize(), up = new THREE.Vector3().crossVectors(eye, right), slope = SLOPE;
    const dot = (p, u) => (p[0] - middle[0]) * u.x + (p[1] - middle[1]) * u.y + (p[2] - middle[2]) * u.z;
    const seen = this.cloud.map((p) => [dot(p, right), dot(p, up), dot(p, eye), p[3]]);
    const span = (axis, l, r) => {
      let high = -Infinity, low = Infinity;
      for (const p of seen) {
        high = Math.max(high, p[axis] + p[3] + r * p[2]);
        low = Math.min(low, p[axis] - p[3] + l * p[2]);
      }
      return { away: (high - low) / (r - l), shift: (away) => (high + low - (l + r) * away) / 2 };
    };
    const at = (pixel, whole) => (2 * pixel / whole - 1) * slope * whole / this.height;
    const across = span(0, at(room.left, this.width), at(room.right, this.width)), along = span(1, -at(room.bottom, this.height), -at(room.top, this.height));
    const nearest = seen.reduce((most, p) => Math.max(most, p[2] + p[3]), 0), away = Math.max(across.away, along.away, 1.05 * nearest, 1e-9);
    const x = across.shift(away), y = along.shift(away), pixels = (v, p) => v / (away - p[2]) / slope * this.height / 2;
    const behind = (p, l, t) => this.width / 2 + pixels(p[0] + p[3] - x, p) > l - NEAR && this.height / 2 - pixels(p[1] - p[3] - y, p) > t - NEAR;
    return { metres: 2 * away * slope / this.height, away, x, y, right, up, frees: (l, t) => !seen.some((p) => behind(p, l, t)) };
  }

  zoom(factor) {
    const { camera, controls } = this;
    this.byHand();
    if (camera.isOrthographicCamera) camera.zoom /= factor;
    else camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
    camera.updateProjectionMatrix();
    controls.update();
    this.invalidate();
  }

  // Arrows: a planar view moves, a spatial one turns about its middle.
  nudge(x, y) {
    const { camera, controls } = this;
    this.byHand();
    if (this.planar) {
      const by = new THREE.Vector3(x, y, 0).multiplyScalar(0.2 * this.half / camera.zoom);
      camera.position.add(by);
      controls.target.add(by);
    } else {
      const s = new THREE.Spherical(), up = new THREE.Quaternion().setFromUnitVectors(camera.up, new THREE.Vector3(0, 1, 0));
      const offset = camera.position.clone().sub(controls.target).applyQuaternion(up);
      s.setFromVector3(offset);
      s.theta += 0.15 * x;
      s.phi = Math.min(Math.PI - 0.05, Math.max(0.05, s.phi - 0.15 * y));
      camera.position.copy(offset.setFromSpherical(s).applyQuaternion(up.invert())).add(controls.target);
    }
    controls.update();
    this.invalidate();
  }

  invalidate() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      if (this.asked) this.present();
    });
  }

  // Dots a pixel of a picture that the next one follows at once: as many in all as a processor can draw, where there is no graphics card.
  get quickRatio() {
    return this.soft && !this.planar && this.isMoving() ? Math.min(this.ratio, Math.sqrt(QUICK / (this.width * this.height))) : this.ratio;
  }

  present() {
    this.asked = false;
    this.render(this.quickRatio);
    clearTimeout(this.pause);
    if (this.soft && this.isReady && !this.isMoving()) this.pause = setTimeout(() => this.render(2), SHARPEN);
  }

  render(ratio = this.ratio) {
    if (!this.width || !this.camera) return;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    if (!this.planar) this.focus();
    this.camera.updateMatrixWorld();
    this.matrix.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    this.draw();
    if (!this.planar) this.castShadows(ratio);
    this.renderer.render(this.scene, this.camera);
    this.pictures = (this.pictures ?? 0) + 1;
  }

  // Shadows of what `casters` tells: {solids, ball: [x, y, z, radius] about all of it, version}. Where the eye is near, the map holds
  // what can be seen alone. Soft borders cost a processor too much in a picture that moves.
  castShadows(ratio) {
    const { light, casters, controls, soft } = this;
    light.soften(!soft || ratio > this.ratio);
    light.hurry(soft && ratio <= this.ratio && this.isMoving());
    if (!casters) return;
    const { ball, solids, version } = casters, seen = SEEN * Math.hypot(this.width, this.height) / this.scale / 2, target = controls.target.toArray();
    const near = seen < ball[3], cover = near ? [...target, seen] : ball, back = near ? ball[3] + Math.hypot(...target.map((x, k) => x - ball[k])) : ball[3], state = [...cover, back, version, light.size].join();
    if (state === this.shadowed) return;
    this.shadowed = state;
    light.cover(cover, back);
    light.cast(this.renderer, this.scene, solids);
  }

  // Depths about where the eye looks, as near together as the depth of a pixel needs to tell a line from the face it lies on.
  focus() {
    const { camera, controls, reach } = this, away = camera.position.distanceTo(controls.target);
    Object.assign(camera, this.isPerspective ? { near: away / 40, far: away + 20 * reach } : { near: away - 10 * reach, far: away + 10 * reach });
    camera.updateProjectionMatrix();
    this.light.uniforms.cell.value = this.cell = cellOf(this.height / this.scale);
  }

  // The body of `solids` under a place in the picture [CSS px]; -1: none. A picture of one pixel, by the numbers of the bodies.
  bodyAt(solids, x, y) {
    const { camera, renderer } = this, pixel = new Uint8Array(4);
    this.probe ??= new THREE.WebGLRenderTarget(1, 1);
    camera.setViewOffset(this.width, this.height, x, y, 1, 1);
    camera.layers.set(CASTS);
    renderer.setRenderTarget(this.probe);
    solids.withNumbers(() => renderer.render(this.scene, camera));
    renderer.readRenderTargetPixels(this.probe, 0, 0, 1, 1, pixel);
    renderer.setRenderTarget(null);
    camera.layers.set(0);
    camera.clearViewOffset();
    return pixel[3] ? pixel[0] + 256 * pixel[1] + 65536 * pixel[2] : -1;
  }

  // World to CSS pixels; null behind the eye.
  project([x, y, z]) {
    const m = this.matrix.elements, w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (w <= 0) return null;
    return [(1 + (m[0] * x + m[4] * y + m[8] * z + m[12]) / w) * this.width / 2, (1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * this.height / 2];
  }

  // Pixels a metre, at the middle of the view.
  get scale() {
    if (this.camera.isOrthographicCamera) return this.height / 2 / this.half * this.camera.zoom;
    return this.height / 2 / SLOPE / this.camera.position.distanceTo(this.controls.target);
  }
}
