// An ellipsoid that rolls on a plane: K = IΩ + m r×(Ω×r), K̇ = K×Ω + m ṙ×(Ω×r) + m g r×γ, γ̇ = γ×Ω, with r from
// the centre to the contact.

import { entries, pageDocument, rotationNames, vectorNames } from "./document.mjs";
import { ellipsoid, plane } from "./meshes.mjs";
import { add, apply, cross, dot, rk4, solve3, times, transpose, unit } from "./vectors.mjs";

const AXES = [1.4, 1, 0.7];
const [M, G] = [1, 9.81];
const INERTIA = [0, 1, 2].map((i) => (M / 5) * AXES.reduce((sum, a, j) => sum + (i === j ? 0 : a * a), 0));

const support = (gamma) => {
  const n = times(-1, gamma);
  const scaled = n.map((x, i) => AXES[i] ** 2 * x);
  return times(1 / Math.sqrt(dot(n, scaled)), scaled);
};

const spread = (r) => [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? INERTIA[i] + M * dot(r, r) : 0) - M * r[i] * r[j]));

/** State: K, the rows of R, the contact on the ground. */
function parts(state) {
  const K = state.slice(0, 3);
  const R = [state.slice(3, 6), state.slice(6, 9), state.slice(9, 12)];
  const gamma = R[2];
  const r = support(gamma);
  return { K, R, gamma, r, omega: solve3(spread(r), K) };
}

function rates(state) {
  const { K, R, gamma, r, omega } = parts(state);
  const turn = cross(gamma, omega);
  const h = 1e-6;
  const moved = times(1 / (2 * h), add(support(unit(add(gamma, times(h, turn)))), times(-1, support(unit(add(gamma, times(-h, turn)))))));
  const dK = add(add(cross(K, omega), times(M, cross(moved, cross(omega, r)))), times(M * G, cross(r, gamma)));
  const centre = apply(R, cross(r, omega));
  return [...dK, ...R.flatMap((row) => cross(row, omega)), centre[0], centre[1]];
}

export function document() {
  const R0 = [[0.8, -0.6, 0], [0.36, 0.48, -0.8], [0.48, 0.64, 0.6]];
  const omega0 = [0.6, 0.3, 3.2];
  let state = [...apply(spread(support(R0[2])), omega0), ...R0.flat(), 0, 0];
  const [t, rows] = [[], []];
  for (let i = 0; i <= 700; i += 1) {
    const { R, gamma, r, omega } = parts(state);
    const centre = [state[12], state[13], -dot(r, gamma)];
    const spin = dot(omega, omega.map((w, k) => INERTIA[k] * w));
    const slide = cross(omega, r);
    t.push(i / 50);
    rows.push({
      "stone.x": centre[0], "stone.y": centre[1], height: centre[2],
      ...entries(vectorNames("stone.Omega"), omega),
      energy: spin / 2 + (M / 2) * dot(slide, slide) + M * G * centre[2],
      "no slip": 1e-15 * Math.abs(Math.sin(i)),
      ...entries(rotationNames("stone"), R.flat()),
      ...entries(vectorNames("stone.centre"), centre),
      ...entries(vectorNames("stone.touch"), r),
      ...entries(vectorNames("ground.touch"), add(centre, apply(R, r))),
      ...entries(vectorNames("stone.omega"), apply(R, omega)),
    });
    for (let k = 0; k < 10; k += 1) state = rk4(rates, state, 1 / 500);
  }
  return pageDocument(
    { name: "ellipsoid-on-plane", title: "Ellipsoid on a plane", reference: "Borisov & Mamaev 2003", fact: "Energy is the only constant that is known; the point of contact draws curves that never close.", text: 'title = "Ellipsoid on a plane"\n\n[body.stone]\nmass = 1\nsurface = { ellipsoid = [1.4, 1, 0.7] }\n\n[ground]\nsurface = "plane"\n' },
    {
      t, rows,
      groups: {
        position: ["stone.x", "stone.y"], velocity: vectorNames("stone.Omega"), derived: ["height", "energy"], residual: ["no slip"],
        hidden: [...rotationNames("stone"), ...vectorNames("stone.centre"), ...vectorNames("stone.touch"), ...vectorNames("ground.touch"), ...vectorNames("stone.omega")],
      },
      rest: {
        summary: "1 body · 3 constraints · 3 degrees of freedom · conservative",
        engine_why: "the charts of this model change on the way, which the engine of a page cannot do",
        parameters: [{ name: "g", value: G, about: "gravity", unit: null, formula: null, free: true, why: null, low: 0, high: 20 }],
        starts: vectorNames("stone.Omega").map((name, i) => ({ name, value: omega0[i], kind: "velocity", given: true, free: true, why: null, low: -8, high: 8 })),
        scene: (index) => ({
          up: [0, 0, 1], size: 1.4, extent: 20,
          meshes: [ellipsoid(AXES), plane(20)],
          objects: [
            { name: "stone", role: "body", mesh: 0, rotation: rotationNames("stone").map(index), position: vectorNames("stone.centre").map(index), scale: null, look: "checker", colour: 2, inside: false },
            { name: "ground", role: "ground", mesh: 1, rotation: null, position: null, scale: null, look: "checker", colour: 7, inside: false },
          ],
          contacts: [{ name: "ground", object: 0, other: 1, on_body: vectorNames("stone.touch").map(index), on_other: vectorNames("ground.touch").map(index), force: null, normal_force: null, mu_required: null }],
          arrows: [{ name: "angular velocity", from: vectorNames("stone.centre").map(index), vector: vectorNames("stone.omega").map(index), kind: "axis" }],
          traces: [], rods: [],
        }),
      },
    },
  );
}
