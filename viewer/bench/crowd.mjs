// Models of n spheres, for the tool: text of a model file.

// In free flight above a floor, `frames` rows.
export const crowdModel = (n = 1000, frames = 60) => `title: ${n} spheres in free flight
parameters: {n: ${n}, r: 35 mm}
bodies:
  ball{i}: {repeat: {i: [1, n]}, mass: 0.1, inertia: 4.9e-5, shape: {sphere: r}}
joints:
  ball{i}: {repeat: {i: [1, n]}, free: [ground, "ball{i}"]}
surfaces:
  floor: {plane: ground}
initial:
  ball{i}:
    repeat: {i: [1, n]}
    q: [1, 0, 0, 0, "0.1*mod(i, 10)", "0.1*mod(floor(i/10), 10)", "0.05 + 0.1*floor(i/100)"]
    u: ["5*sin(1.3*i)", "5*cos(i)", 0, "sin(i)", "sin(2.3*i)", "4 + sin(3.7*i)"]
method: {moreau: {step: 1e-2}}
end: ${frames / 100} s
`;

// Ten to a side in layers, as they fall into a box and come to rest.
export const pileModel = (n = 1000) => `title: ${n} spheres fall into a box
parameters: {n: ${n}, r: 25 mm}
bodies:
  ball{i}: {repeat: {i: [1, n]}, mass: 0.1, inertia: 2.5e-5, shape: {sphere: r}}
joints:
  ball{i}: {repeat: {i: [1, n]}, free: [ground, "ball{i}"]}
surfaces:
  ball{i}: {repeat: {i: [1, n]}, sphere: "ball{i}", radius: r, material: stone}
  floor: {plane: ground, material: stone}
  left:  {box: ground, size: [2 cm, 74 cm, 40 cm], at: [-36 cm, 0, 20 cm], material: stone}
  right: {box: ground, size: [2 cm, 74 cm, 40 cm], at: [36 cm, 0, 20 cm], material: stone}
  front: {box: ground, size: [70 cm, 2 cm, 40 cm], at: [0, -36 cm, 20 cm], material: stone}
  back:  {box: ground, size: [70 cm, 2 cm, 40 cm], at: [0, 36 cm, 20 cm], material: stone}
materials: {stone: {friction: 0.3, restitution: 0.2}}
initial:
  ball{i}:
    repeat: {i: [1, n]}
    q: [1, 0, 0, 0, "-0.27 + 0.06*mod(i, 10) + 0.004*sin(1.7*i)", "-0.27 + 0.06*mod(floor(i/10), 10) + 0.004*sin(2.7*i)", "0.05 + 0.06*floor(i/100)"]
method: {moreau: {step: 2 ms, tolerance: 1e-2}}
record: {bodies: pose, every: 10 ms}
end: 0.8 s
`;
