// Camera, controls and the renderer; draws only when something changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const FOOT = 28;              // kept free at the bottom for legend and scale [px]
const EDGE = 0.06;            // of the room, kept free around a spatial model
const SHARPEN = 150;          // after so long without a change a software renderer takes time for smooth edges [ms]

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
  constructor(host, { canvas, context, soft }, draw) {
    this.host = host;
    this.draw = draw;
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.soft = soft;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    if (this.ratio !== 1) this.renderer.setPixelRatio(this.ratio);
    host.prepend(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.eyes = {};
    this.matrix = new THREE.Matrix4();
    new ResizeObserver(() => this.resize()).observe(host);
  }

  // At a planar model face-on, at a spatial one from anywhere; `bounds` is the box to fit.
  look(planar, bounds) {
    this.bounds = bounds;
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
    const camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(32);
    camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    const controls = new OrbitControls(camera, this.renderer.domElement);
    Object.assign(controls, { enableRotate: !planar, zoomToCursor: true, screenSpacePanning: true });
    if (planar) {
      controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
    controls.addEventListener('change', () => this.invalidate());
    controls.addEventListener('start', () => { this.fitted = false; });
    return { camera, controls };
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!this.camera || !w || !h || (w === this.width && h === this.height)) return;
    if (this.half && this.height) this.half *= h / this.height;      // metres a pixel stay
    [this.width, this.height] = [w, h];
    this.renderer.setSize(w, h, false);
    if (this.planar) this.frustum();
    else this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (this.fitted) this.fit();
    this.invalidate();
  }

  frustum() {
    const half = this.half ?? 1, aspect = this.width / this.height;
    Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
  }

  // All that moves, with a margin; spatial models from where they show their widest face.
  fit() {
    const { min, max } = this.bounds, middle = min.map((v, k) => (v + max[k]) / 2), size = max.map((v, k) => v - min[k]);
    const { camera, controls, planar } = this, reach = Math.max(1e-9, Math.hypot(...size));
    controls.target.set(...middle);
    camera.near = planar ? -100 * reach : reach / 500;
    camera.far = 100 * reach;
    if (planar) {
      const { metres, x, y } = this.room(size);
      this.half = metres * this.height / 2;
      camera.zoom = 1;
      camera.position.set(middle[0] + x * metres, middle[1] + y * metres, reach);
      controls.target.set(camera.position.x, camera.position.y, middle[2]);
      this.frustum();
    } else {
      const eye = new THREE.Vector3(...direction(size)).normalize();
      const { away, x, y, right, up } = this.stand(eye, size);
      controls.target.addScaledVector(right, x).addScaledVector(up, y);
      camera.position.copy(controls.target).addScaledVector(eye, away);
    }
    camera.updateProjectionMatrix();
    controls.update();
    this.fitted = true;                               // and stays so when the window changes, until moved by hand
    this.invalidate();
  }

  // How far away the eye stands and how far beside the middle of the box it looks, so that the box as the eye sees it fills
  // the part of the picture beside or above the inset, whichever shows it larger. A corner at (x, y, z) along right, up and
  // towards the eye is within [l, r] where l <= (x - shift)/(away - z) <= r; both together give away and shift.
  stand(eye, size) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, eye).normalize(), up = new THREE.Vector3().crossVectors(eye, right), slope = Math.tan(this.camera.fov * Math.PI / 360);
    const corners = [...Array(8).keys()].map((k) => new THREE.Vector3(...size.map((s, n) => (k >> n & 1 ? s : -s) / 2))).map((p) => [p.dot(right), p.dot(up), p.dot(eye)]);
    const span = (axis, l, r) => {
      const high = Math.max(...corners.map((p) => p[axis] + r * p[2])), low = Math.min(...corners.map((p) => p[axis] + l * p[2]));
      return { away: (high - low) / (r - l), shift: (away) => (high + low - (l + r) * away) / 2 };
    };
    const room = (w, h) => {
      const edge = (from, to, whole) => [from, to].map((p) => (2 * p / whole - 1) * slope * whole / this.height), dx = EDGE * w, dy = EDGE * h;
      const across = span(0, ...edge(dx, w - dx, this.width)), along = span(1, ...edge(this.height - h + dy, this.height - dy, this.height)), away = Math.max(across.away, along.away);
      return { away, x: across.shift(away), y: along.shift(away), right, up };
    };
    const { width: w = 0, height: h = 0 } = this.inset ?? {};
    const beside = room(Math.max(60, this.width - w), this.height - FOOT), above = room(this.width, Math.max(60, this.height - Math.max(h, FOOT)));
    return beside.away < above.away ? beside : above;
  }

  // Metres a pixel, and how far to move the eye [px], so that a planar model stands beside or above the inset in the lower
  // right corner, whichever shows it larger.
  room(size) {
    const fit = (w, h) => Math.max(size[0] * 1.12 / Math.max(60, w), size[1] * 1.18 / Math.max(60, h), 1e-12);
    const { width: w = 0, height: h = 0 } = this.inset ?? {};
    const beside = fit(this.width - w, this.height - FOOT), above = fit(this.width, this.height - Math.max(h, FOOT));
    return beside < above ? { metres: beside, x: w / 2, y: -FOOT / 2 } : { metres: above, x: 0, y: -Math.max(h, FOOT) / 2 };
  }

  zoom(factor) {
    const { camera, controls } = this;
    this.fitted = false;
    if (this.planar) camera.zoom /= factor;
    else camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
    camera.updateProjectionMatrix();
    controls.update();
    this.invalidate();
  }

  // Arrows: a planar view moves, a spatial one turns about its middle.
  nudge(x, y) {
    const { camera, controls } = this;
    this.fitted = false;
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
      this.asked = false;
      this.render();
      if (!this.soft) return;
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.render(2), SHARPEN);
    });
  }

  render(ratio = this.ratio) {
    if (!this.width || !this.camera) return;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.camera.updateMatrixWorld();
    this.matrix.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    this.draw();
    this.renderer.render(this.scene, this.camera);
    this.pictures = (this.pictures ?? 0) + 1;
  }

  // World to CSS pixels; null behind the eye.
  project([x, y, z]) {
    const m = this.matrix.elements, w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (w <= 0) return null;
    return [(1 + (m[0] * x + m[4] * y + m[8] * z + m[12]) / w) * this.width / 2, (1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * this.height / 2];
  }

  // Pixels a metre, at the middle of the view.
  get scale() {
    if (this.planar) return this.height / 2 / this.half * this.camera.zoom;
    return this.height / 2 / Math.tan(this.camera.fov * Math.PI / 360) / this.camera.position.distanceTo(this.controls.target);
  }
}

function direction([x, y, z]) {
  const thin = 0.08 * Math.max(x, y, z);
  if (y < thin && x >= thin) return [0.35, -1, 0.25];
  if (x < thin && y >= thin) return [1, -0.35, 0.25];
  if (z < thin && x >= thin && y >= thin) return [0.25, -0.75, 1];
  return [0.62, -1, 0.5];
}
