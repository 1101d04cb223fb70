// One light from above with its shadow map, a sky, and a lamp at the eye: what every lit surface of a spatial scene shares.
import * as THREE from 'three';

const SIZE = 1024, QUICK = 512;   // of the shadow map, and of that for a picture that moves where there is no graphics card [texels]
const AWAY = new THREE.Vector3(0.38, -0.48, 0.79).normalize();   // where the light stands
const STEP = 1.08;            // by which the map grows
export const CASTS = 1;       // layer of what throws a shadow

// In a vertex: inMap(world, normal), a place in the shadow map, just off the surface. In a fragment: sunny(place) from 0 in full shadow
// to 1, shade(…) a linear colour as it is shown, by the cosines of its normal with the light, with the line of sight, with the line
// halfway between, and with the vertical. A square root stands for the display's curve: it costs a processor less than the power. With SOFT a
// shadow is the mean over four texels each way. No branches: a processor pays for both sides.
const MAP = `
uniform mat4 shadowMatrix;
uniform float texel;
vec3 inMap(vec3 world, vec3 n) { return (shadowMatrix * vec4(world + n * (2.5 * texel), 1.0)).xyz; }
vec3 toEye(vec3 world) { return isOrthographic ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : normalize(cameraPosition - world); }`;
const SHADE = `
uniform highp sampler2D shadows;
uniform vec3 sky, soil;
float sunny(vec3 p) {
  vec2 off = abs(p.xy - 0.5);
  p.z = min(p.z, 0.9999);                               // behind the map is as dark as its end
  float outside = step(0.5, max(off.x, off.y));
#ifdef SOFT
  vec2 on = p.xy * ${SIZE}.0 - 0.5, part = fract(on);
  ivec2 first = ivec2(floor(on)) - 2;
  float sum = 0.0;
  for (int k = 0; k < 25; k++) {
    ivec2 c = ivec2(k % 5, k / 5);
    vec2 w = mix(vec2(1.0), 1.0 - part, equal(c, ivec2(0))) * mix(vec2(1.0), part, equal(c, ivec2(4)));
    sum += w.x * w.y * step(p.z, texelFetch(shadows, clamp(first + c, ivec2(0), ivec2(${SIZE - 1})), 0).r);
  }
  return max(outside, sum / 16.0);
#else
  return max(outside, step(p.z, texture(shadows, p.xy).r));
#endif
}
vec3 shade(vec3 colour, float direct, float facing, float half_way, float up, float open) {
  float sun = max(0.0, direct) * open, gloss = max(0.0, half_way);
  gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss;
  vec3 light = mix(soil, sky, 0.5 + 0.5 * up) + 0.22 * max(0.0, facing) + vec3(0.76, 0.74, 0.7) * sun;
  return sqrt(min(colour * light + 0.12 * gloss * min(1.0, 8.0 * sun), 1.0));
}`;
export const LIGHT = { vertex: MAP, fragment: SHADE };

export class Light {
  constructor() {
    this.materials = new Set();                         // lit ones
    this.isSoft = true;
    this.targets = new Map();
    this.camera = new THREE.OrthographicCamera();
    this.camera.layers.set(CASTS);
    this.uniforms = { shadows: { value: null }, shadowMatrix: { value: new THREE.Matrix4() }, sun: { value: AWAY }, sky: { value: new THREE.Color() }, soil: { value: new THREE.Color() }, texel: { value: 0 }, cell: { value: 1 } };   // cell: of the grid on floor and ground [m]
    this.hurry(false);
  }

  // The map that is cast and looked up from now on. In a crowd of spheres its texels are most of the work.
  hurry(on) {
    const size = this.size = on ? QUICK : SIZE;
    if (!this.targets.has(size)) this.targets.set(size, new THREE.WebGLRenderTarget(size, size, { depthTexture: new THREE.DepthTexture(size, size), depthBuffer: true, format: THREE.RedFormat }));
    this.target = this.targets.get(size);
    this.uniforms.shadows.value = this.target.depthTexture;
  }

  // A lit surface.
  material(settings) {
    const material = new THREE.ShaderMaterial({ glslVersion: THREE.GLSL3, defines: this.isSoft ? { SOFT: 1 } : {}, ...settings, uniforms: { ...this.uniforms, ...settings.uniforms } });
    this.materials.add(material);
    return material;
  }

  // Whether shadows have soft borders.
  soften(on) {
    if (on === this.isSoft) return;
    this.isSoft = on;
    for (const material of this.materials) Object.assign(material, { defines: on ? { SOFT: 1 } : {}, needsUpdate: true });
  }

  paint(dark) {
    this.uniforms.sky.value.setRGB(...(dark ? [0.27, 0.3, 0.34] : [0.36, 0.38, 0.4]));
    this.uniforms.soil.value.setRGB(...(dark ? [0.13, 0.13, 0.13] : [0.24, 0.23, 0.22]));
  }

  // The map holds a ball [x, y, z, radius], and what stands up to `back` from its middle towards the light. It moves by whole texels
  // and grows by steps, so that shadows at rest do not crawl.
  cover([x, y, z, r], back) {
    const { camera, uniforms } = this, radius = STEP ** Math.ceil(Math.log(Math.max(r, 1e-9)) / Math.log(STEP)), texel = 2 * radius / this.size;
    camera.up.set(0, 0, 1);
    camera.position.copy(AWAY);
    camera.lookAt(0, 0, 0);
    const centre = new THREE.Vector3(x, y, z).applyQuaternion(camera.quaternion.clone().invert());
    centre.set(Math.round(centre.x / texel) * texel, Math.round(centre.y / texel) * texel, centre.z).applyQuaternion(camera.quaternion);
    camera.position.copy(centre).addScaledVector(AWAY, back + radius);
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0, far: back + 3 * radius });
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    uniforms.texel.value = texel;
    uniforms.shadowMatrix.value.set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1).multiply(camera.projectionMatrix).multiply(camera.matrixWorldInverse);
  }

  // Shadows of solids in the scene.
  cast(renderer, scene, solids) {
    renderer.setRenderTarget(this.target);
    solids.withNumbers(() => renderer.render(scene, this.camera));
    renderer.setRenderTarget(null);
  }
}
