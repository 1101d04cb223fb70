// A model of n spheres in free flight above a floor, for the tool: text of a model file, `frames` rows.
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
