// The disk that rolls on a plane [Cendra & Díaz 2006], computed here so that the page can be tried without the
// program. The equations are those of models/rolling-disk.toml in Voronets' form.

import { readFileSync } from "node:fs";
import { entries, pageDocument, rotationNames, vectorNames } from "./document.mjs";
import { disk, plane } from "./meshes.mjs";
import { add, apply, cross, rk4, times, transpose } from "./vectors.mjs";

export const VALUES = { M: 1, r: 1, g: 9.81 };
export const STARTS = { theta: 1, phi: 0, psi: 0, x: 0, y: 0, "theta'": 0.2, "phi'": 1.5, "psi'": 2.5 };

/** The rates of (θ, φ, ψ, x, y, θ', φ', ψ'). */
export function rates({ M, r, g }, [theta, phi, , , , dtheta, dphi, dpsi]) {
  const [I1, I3] = [(M * r * r) / 4, (M * r * r) / 2];
  const [s, c] = [Math.sin(theta), Math.cos(theta)];
  const w = dpsi + dphi * c;
  const ddtheta = -(M * g * r * c + dphi * s * ((I3 + M * r * r) * w - I1 * dphi * c)) / (I1 + M * r * r);
  const ddphi = (dtheta * (I3 * w - 2 * I1 * dphi * c)) / (I1 * s);
  const dw = (M * r * r * dtheta * dphi * s) / (I3 + M * r * r);
  const ddpsi = dw - ddphi * c + dphi * dtheta * s;
  return [dtheta, dphi, dpsi, -r * Math.cos(phi) * dpsi, -r * Math.sin(phi) * dpsi, ddtheta, ddphi, ddpsi];
}

function pose({ r }, [theta, phi, psi, x, y]) {
  const axis = [Math.sin(theta) * Math.sin(phi), -Math.sin(theta) * Math.cos(phi), Math.cos(theta)];
  const spoke = [-Math.cos(theta) * Math.sin(phi), Math.cos(theta) * Math.cos(phi), Math.sin(theta)];
  const ahead = [Math.cos(phi), Math.sin(phi), 0];
  const side = cross(axis, ahead);
  const first = add(times(Math.cos(psi), ahead), times(Math.sin(psi), side));
  const R = transpose([first, cross(axis, first), axis]);
  const centre = add([x, y, 0], times(r, spoke));
  return { R, centre, touch: apply(transpose(R), times(-r, spoke)), axis };
}

function row(values, state) {
  const { M, r, g } = values;
  const [theta, phi, psi, x, y, dtheta, dphi, dpsi] = state;
  const rate = rates(values, state);
  const { R, centre, touch } = pose(values, state);
  const h = 1e-5;
  const move = (k) => pose(values, rk4((q) => rates(values, q), state, k * h)).centre;
  const [before, after] = [move(-1), move(1)];
  const speed = times(1 / (2 * h), add(after, times(-1, before)));
  const acceleration = centre.map((c, i) => (after[i] - 2 * c + before[i]) / (h * h));
  const force = times(M, add(acceleration, [0, 0, g]));
  const w = dpsi + dphi * Math.cos(theta);
  const kinetic = (M / 2) * speed.reduce((sum, v) => sum + v * v, 0) + ((M * r * r) / 8) * (dtheta ** 2 + (dphi * Math.sin(theta)) ** 2) + ((M * r * r) / 4) * w * w;
  return {
    theta, phi, psi, x, y, "theta'": dtheta, "phi'": dphi, "psi'": dpsi, "x'": rate[3], "y'": rate[4],
    height: centre[2], normal_force: force[2], mu_required: Math.hypot(force[0], force[1]) / force[2],
    energy: kinetic + M * g * centre[2],
    "no slip x": rate[3] + r * Math.cos(phi) * dpsi, "no slip y": 1e-16 * Math.sin(7 * psi),
    ...entries(vectorNames("force"), force),
    ...entries(rotationNames("disk"), R.flat()),
    ...entries(vectorNames("disk.centre"), centre),
    ...entries(vectorNames("disk.touch"), touch),
    ...entries(vectorNames("ground.touch"), [x, y, 0]),
    ...entries(vectorNames("disk.scale"), [r, r, r]),
  };
}

export const GROUPS = {
  position: ["theta", "phi", "psi", "x", "y"],
  velocity: ["theta'", "phi'", "psi'", "x'", "y'"],
  derived: ["height", "energy", "normal_force", "mu_required", ...vectorNames("force")],
  residual: ["no slip x", "no slip y"],
  hidden: [...rotationNames("disk"), ...vectorNames("disk.centre"), ...vectorNames("disk.touch"), ...vectorNames("ground.touch"), ...vectorNames("disk.scale")],
};

/** @param {{set?: object, start?: object, until?: number}} [changes] */
export function motion({ set = {}, start = {}, until = 10 } = {}) {
  const values = { ...VALUES, ...set };
  const given = { ...STARTS, ...start };
  let state = ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'"].map((name) => given[name]);
  const count = 601;
  const inner = 12;
  const [t, rows] = [[0], [row(values, state)]];
  for (let i = 1; i < count; i += 1) {
    for (let k = 0; k < inner; k += 1) state = rk4((q) => rates(values, q), state, until / (count - 1) / inner);
    t.push((until * i) / (count - 1));
    rows.push(row(values, state));
  }
  return { t, rows };
}

const free = (name, value, low, high, about = null, unit = null) => ({ name, value, about, unit, formula: null, free: true, why: null, low, high });
const follows = (name, value) => ({ name, value, kind: "velocity", given: false, free: false, why: "follows from the constraints", low: null, high: null });

/** The engine of disk.wasm, in the layout of the program. */
export function engine() {
  const width = Object.values(GROUPS).flat().length;
  return {
    wasm: readFileSync(new URL("./engine/disk.wasm", import.meta.url)).toString("base64"),
    state: ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'"],
    parameters: ["M", "r", "g"],
    positions: GROUPS.position,
    velocities: GROUPS.velocity,
    sizes: { state: 8, parameters: 3, report: width, positions: 5, velocities: 5, constraints: 2, holonomic: 0, events: 0, capacity: 1500 },
    at: { parameters: 65536, positions: 65600, velocities: 65680, rows: 65760, state: 65880, time: 65960, statistics: 65984, event_log: 66048, times: 66304, reports: 82304 },
    units: [],
    events: [],
  };
}

/** @param {{text?: string, changes?: object}} [options] */
export function document({ text, changes } = {}) {
  const source = text ?? readFileSync(new URL("../../../models/rolling-disk.toml", import.meta.url), "utf8");
  const { t, rows } = motion(changes);
  const first = rows[0];
  const said = { theta: { within: [0, Math.PI], about: "axis against the vertical" }, phi: { latex: "\\varphi_{\\mathrm{h}}", about: "heading", unit: "rad" } };
  const start = (name, kind, low, high) => ({ name, value: STARTS[name], kind, given: true, free: true, why: null, low, high, ...said[name] });
  return pageDocument(
    {
      name: "rolling-disk",
      title: "Disk rolling on a horizontal plane",
      reference: "Cendra & Díaz 2006",
      fact: "Rolling upright is stable when the spin exceeds sqrt(I1*M*g*r/(I3*(I3 + M*r^2))): for a disk sqrt(g/(3*r)).",
      text: source,
    },
    {
      t, rows, groups: GROUPS,
      rest: {
        summary: "5 coordinates · 2 constraints · 3 degrees of freedom · conservative · symmetry SO(2)×R²",
        parameters: [
          free("M", 1, 0.1, 5, "mass", "kg"), free("r", 1, 0.2, 2, "radius", "m"), free("g", 9.81, 0, 20, "gravity", "m/s^2"),
          { name: "I1", value: 0.25, about: "inertia about a diameter", unit: null, formula: "M*r^2/4", free: false, why: null, low: null, high: null },
          { name: "I3", value: 0.5, about: "inertia about the axis", unit: null, formula: "M*r^2/2", free: false, why: null, low: null, high: null },
        ],
        starts: [
          start("theta", "position", 0.3, 2.8), start("phi", "position", -3.15, 3.15), start("psi", "position", -3.15, 3.15), start("x", "position", -5, 5), start("y", "position", -5, 5),
          start("theta'", "velocity", -3, 3), start("phi'", "velocity", -6, 6), start("psi'", "velocity", -10, 10), follows("x'", first["x'"]), follows("y'", first["y'"]),
        ],
        engine: engine(),
        said,
        events: [{ t: 3.2, name: "a loose disk would lift off", kind: "crossing", text: "a loose disk would lift off" }],
        scene: (index) => ({
          up: [0, 0, 1], size: 1, extent: 12,
          meshes: [disk(1, 0.08), plane(12)],
          objects: [
            { name: "disk", role: "body", mesh: 0, rotation: rotationNames("disk").map(index), position: vectorNames("disk.centre").map(index), scale: vectorNames("disk.scale").map(index), look: "checker", colour: 0, inside: false },
            { name: "ground", role: "ground", mesh: 1, rotation: null, position: null, scale: null, look: "checker", colour: 7, inside: false },
          ],
          contacts: [{
            name: "ground", object: 0, other: 1, on_body: vectorNames("disk.touch").map(index), on_other: vectorNames("ground.touch").map(index),
            force: vectorNames("force").map(index), normal_force: index("normal_force"), mu_required: index("mu_required"),
          }],
          arrows: [], traces: [], rods: [],
        }),
      },
    },
  );
}
