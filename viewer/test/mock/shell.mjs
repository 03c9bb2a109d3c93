// A wheel in a shell that rolls on the floor, as a picture in motion: the kinematics is made up.

import { entries, pageDocument, rotationNames, vectorNames } from "./document.mjs";
import { disk, ellipsoid, plane } from "./meshes.mjs";
import { add, apply, cross, times, transpose, unit } from "./vectors.mjs";

const turnAbout = (axis, angle) => {
  const [x, y, z] = axis;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [
    [c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
    [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
    [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)],
  ];
};

const [SHELL, INNER, WHEEL] = [1, 0.95, 0.3];

export function document() {
  const [t, rows] = [[], []];
  for (let i = 0; i <= 500; i += 1) {
    const time = i / 50;
    const way = [1.6 * Math.sin(0.5 * time), 0.9 * Math.sin(0.9 * time), 0];
    const centre = add(way, [0, 0, SHELL]);
    const R = turnAbout(unit([0.2, 1, 0.1]), 1.6 * Math.sin(0.5 * time));
    const lean = 0.7 * Math.sin(1.3 * time);
    const heading = 0.8 * time;
    const down = [Math.sin(lean) * Math.cos(heading), Math.sin(lean) * Math.sin(heading), -Math.cos(lean)];
    const touch = add(centre, times(INNER, down));
    const wheelCentre = add(centre, times(INNER - WHEEL, down));
    const axis = unit(cross(down, [Math.cos(heading + 1), Math.sin(heading + 1), 0.2]));
    const first = apply(turnAbout(axis, 5 * time), down);
    const W = transpose([first, cross(axis, first), axis]);
    t.push(time);
    rows.push({
      "shell.x": centre[0], "shell.y": centre[1], "wheel.x": wheelCentre[0], "wheel.z": wheelCentre[2], energy: 12.5 + 1e-12 * Math.sin(time),
      ...entries(rotationNames("shell"), R.flat()), ...entries(vectorNames("shell.centre"), centre), ...entries(vectorNames("shell.touch"), apply(transpose(R), [0, 0, -SHELL])),
      ...entries(vectorNames("floor.touch"), way), ...entries(rotationNames("wheel"), W.flat()), ...entries(vectorNames("wheel.centre"), wheelCentre),
      ...entries(vectorNames("wheel.touch"), apply(transpose(W), add(touch, times(-1, wheelCentre)))),
      ...entries(vectorNames("inner.touch"), apply(transpose(R), add(touch, times(-1, centre)))),
    });
  }
  return pageDocument(
    { name: "wheel-in-shell", title: "Wheel inside a shell that rolls on the floor", reference: "asked on the forums of three physics engines", fact: "a thin wheel touches with its rim, a curve: only the energy is constant", text: 'title = "Wheel inside a shell that rolls on the floor"\n' },
    {
      t, rows,
      groups: {
        position: ["shell.x", "shell.y", "wheel.x", "wheel.z"], derived: ["energy"],
        hidden: [...rotationNames("shell"), ...vectorNames("shell.centre"), ...vectorNames("shell.touch"), ...vectorNames("floor.touch"), ...rotationNames("wheel"), ...vectorNames("wheel.centre"), ...vectorNames("wheel.touch"), ...vectorNames("inner.touch")],
      },
      rest: {
        summary: "2 bodies · 6 constraints · 6 degrees of freedom · conservative",
        engine_why: "two contacts at once are computed by the program only",
        parameters: [{ name: "a", value: WHEEL, about: "radius of the wheel", unit: null, formula: null, free: true, why: null, low: 0.1, high: 0.6 }],
        scene: (index) => ({
          up: [0, 0, 1], size: 1, extent: 10,
          meshes: [ellipsoid([SHELL, SHELL, SHELL]), disk(WHEEL, 0.03), plane(10)],
          objects: [
            { name: "shell", role: "body", mesh: 0, rotation: rotationNames("shell").map(index), position: vectorNames("shell.centre").map(index), scale: null, look: "glass", colour: 4, inside: false },
            { name: "wheel", role: "body", mesh: 1, rotation: rotationNames("wheel").map(index), position: vectorNames("wheel.centre").map(index), scale: null, look: "checker", colour: 1, inside: false },
            { name: "ground", role: "ground", mesh: 2, rotation: null, position: null, scale: null, look: "checker", colour: 7, inside: false },
          ],
          contacts: [
            { name: "floor", object: 0, other: 2, on_body: vectorNames("shell.touch").map(index), on_other: vectorNames("floor.touch").map(index), force: null, normal_force: null, mu_required: null },
            { name: "inside", object: 1, other: 0, on_body: vectorNames("wheel.touch").map(index), on_other: vectorNames("inner.touch").map(index), force: null, normal_force: null, mu_required: null },
          ],
          arrows: [], traces: [], rods: [],
        }),
      },
    },
  );
}
