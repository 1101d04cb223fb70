// What the solids are drawn with. An instance has its body, the number of its colour, a pose on the body and a size; the poses of the
// bodies lie in a texture.
import { LIGHT } from './light.js';

export const TINTS = 8;       // that bodies take in turn, after the ground's
export const TONES = 1 + TINTS;
export const ROW = 64;        // bodies in a row of the texture of poses

const PLACE = `${LIGHT.vertex}
in float body; in float tone; in vec3 at; in vec4 turned; in vec3 size;
uniform highp sampler2D poses;
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 pose(int k) { return texelFetch(poses, ivec2(2 * (int(body) % ${ROW}) + k, int(body) / ${ROW}), 0); }
vec3 number() { int n = int(body); return vec3(n % 256, n / 256 % 256, n / 65536) / 255.0; }
vec3 inWorld() { return pose(0).xyz + turn(pose(1), at + turn(turned, size * position)); }`;

export const VERTEX = `${PLACE}
uniform vec3 palette[${TONES}];
uniform vec3 sun;
out vec3 vColour, vNormal, vEye, vLocal, vMap; flat out vec3 vNumber;
#ifdef GROUND
uniform float cell;
out vec2 vPlane;
#endif
void main() {
  vNumber = number();
  vColour = palette[int(tone)];
  vNormal = normalize(turn(pose(1), turn(turned, normal / size)));
  vLocal = position;
  vec3 world = inWorld();
#ifdef GROUND
  vPlane = world.xy / cell;
#endif
  vEye = toEye(world);
  vMap = inMap(world, dot(vNormal, sun) < 0.0 ? -vNormal : vNormal);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}`;

export const PLAIN = `
precision mediump float;
in vec3 vColour;
uniform float opacity;
out vec4 colour;
void main() { colour = vec4(vColour, opacity); }`;

// A marked surface has eight fields, alternately lighter and darker, with soft borders. On ground that is not steep lies the grid of the floor, which
// shows its relief.
export const LIT = `
precision highp float;
in vec3 vColour, vNormal, vEye, vLocal, vMap;
uniform float opacity, marked;
uniform vec3 sun;
out vec4 colour;
#ifdef GROUND
in vec2 vPlane;
uniform vec3 line;
#endif
${LIGHT.fragment}
void main() {
  vec3 n = normalize(gl_FrontFacing ? vNormal : -vNormal), eye = normalize(vEye), own = vColour;
  if (marked > 0.0) {
    vec3 side = clamp(vLocal / max(fwidth(vLocal), vec3(1e-6)), -1.0, 1.0);
    own *= 0.85 + 0.15 * side.x * side.y * side.z;
  }
#ifdef GROUND
  vec2 wide = max(fwidth(vPlane), 1e-6), d = abs(fract(vPlane - 0.5) - 0.5) / wide;
  own = mix(own, line, (1.0 - min(1.0, min(d.x, d.y))) * clamp(1.3 - 2.6 * max(wide.x, wide.y), 0.0, 1.0) * clamp(4.0 * n.z - 1.0, 0.0, 1.0));
#endif
  colour = vec4(shade(own, dot(n, sun), dot(n, eye), dot(n, normalize(sun + eye)), n.z, sunny(vMap)), opacity);
}`;

// A sphere as an octagon about the circle in which it is seen, in the plane of that circle: everything that does not enter the sphere
// is either before it or behind. Towards the light, which is far away, the same circle casts the shadow. A point of it is (x, y, z) along
// right, up and towards the eye; what a fragment needs of its normal is linear in these, with factors that the sphere has in common.
export const DISC = `${PLACE}
uniform vec3 palette[${TONES}];
uniform vec3 sun;
out vec2 vDisc;
flat out vec3 vColour, vNumber, vSun, vHalf, vUp, vAtMap, vMapX, vMapY, vMapZ, vLocalX, vLocalY, vLocalZ;
void main() {
  vec4 q = pose(1), back = vec4(-(q.w * turned.xyz + turned.w * q.xyz + cross(q.xyz, turned.xyz)), q.w * turned.w - dot(q.xyz, turned.xyz));
  vec3 middle = pose(0).xyz + turn(q, at), eye = toEye(middle), side = normalize(abs(eye.z) < 0.9 ? vec3(-eye.y, eye.x, 0.0) : vec3(0.0, -eye.z, eye.y));
  mat3 axes = mat3(side, cross(eye, side), eye), map = mat3(shadowMatrix) * (size.x + 2.5 * texel);
  float ratio = isOrthographic ? 0.0 : min(0.9, size.x / distance(cameraPosition, middle));
  vDisc = position.xy;
  vColour = palette[int(tone)];
  vNumber = number();
  vSun = sun * axes;
  vHalf = normalize(sun + eye) * axes;
  vUp = vec3(axes[0].z, axes[1].z, axes[2].z);
  vAtMap = inMap(middle, vec3(0.0));
  vMapX = map * axes[0];
  vMapY = map * axes[1];
  vMapZ = map * axes[2];
  vLocalX = vec3(turn(back, axes[0]).x, turn(back, axes[1]).x, turn(back, axes[2]).x);
  vLocalY = vec3(turn(back, axes[0]).y, turn(back, axes[1]).y, turn(back, axes[2]).y);
  vLocalZ = vec3(turn(back, axes[0]).z, turn(back, axes[1]).z, turn(back, axes[2]).z);
  gl_Position = projectionMatrix * viewMatrix * vec4(middle + size.x * (axes * vec3(sqrt(1.0 - ratio * ratio) * vDisc, ratio)), 1.0);
}`;
export const BALL = `
precision highp float;
in vec2 vDisc;
flat in vec3 vColour, vSun, vHalf, vUp, vAtMap, vMapX, vMapY, vMapZ, vLocalX, vLocalY, vLocalZ;
uniform float opacity;
out vec4 colour;
${LIGHT.fragment}
void main() {
  float rest = 1.0 - dot(vDisc, vDisc);
  if (rest < 0.0) discard;
  vec3 p = vec3(vDisc, sqrt(rest));
  float field = dot(p, vLocalX) * dot(p, vLocalY) * dot(p, vLocalZ);
  vec3 own = vColour * (0.7 + 0.3 * step(0.0, field));
  colour = vec4(shade(own, dot(p, vSun), p.z, dot(p, vHalf), dot(p, vUp), sunny(vAtMap + p.x * vMapX + p.y * vMapY + p.z * vMapZ)), opacity);
}`;

// A body's number as a colour, to tell what is under the pointer; `cut` leaves out what is not on a disc.
const numbered = (cut) => `
precision highp float;
${cut ? 'in vec2 vDisc;' : ''} flat in vec3 vNumber;
out vec4 colour;
void main() {
  ${cut ? 'if (dot(vDisc, vDisc) > 1.0) discard;' : ''}
  colour = vec4(vNumber, 1.0);
}`;
export const NUMBER = numbered(false), DISC_NUMBER = numbered(true);
