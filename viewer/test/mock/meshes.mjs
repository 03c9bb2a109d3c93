// Meshes of the mock models, as the program would send them.

import { f32, u32 } from "./pack.mjs";
import { unit } from "./vectors.mjs";

/** Points of a function on a grid of (u, v), with normals from another function. */
function grid(point, normal, nu, nv, u, v) {
  const [positions, normals, indices] = [[], [], []];
  for (let i = 0; i < nu; i += 1) {
    for (let j = 0; j < nv; j += 1) {
      const a = u[0] + ((u[1] - u[0]) * i) / (nu - 1);
      const b = v[0] + ((v[1] - v[0]) * j) / (nv - 1);
      positions.push(...point(a, b));
      normals.push(...normal(a, b));
      if (i < nu - 1 && j < nv - 1) {
        const k = i * nv + j;
        indices.push(k, k + nv, k + 1, k + 1, k + nv, k + nv + 1);
      }
    }
  }
  return { positions: f32(positions), normals: f32(normals), indices: u32(indices), lines: null, surface: null };
}

export function ellipsoid([a, b, c]) {
  const place = (u, v) => [Math.sin(u) * Math.cos(v), Math.sin(u) * Math.sin(v), Math.cos(u)];
  return grid(
    (u, v) => place(u, v).map((x, i) => x * [a, b, c][i]),
    (u, v) => unit(place(u, v).map((x, i) => x / [a, b, c][i])),
    49, 97, [0, Math.PI], [0, 2 * Math.PI],
  );
}

/** A flat cylinder about the third axis. */
export function disk(radius, thickness) {
  const [positions, normals, indices, lines] = [[], [], [], []];
  const n = 96;
  const at = (i) => [Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)];
  for (const side of [1, -1]) {
    const first = positions.length / 3;
    positions.push(0, 0, (side * thickness) / 2);
    normals.push(0, 0, side);
    for (let i = 0; i <= n; i += 1) {
      const [x, y] = at(i);
      positions.push(radius * x, radius * y, (side * thickness) / 2);
      normals.push(0, 0, side);
      if (i < n) indices.push(first, first + 1 + i + (side < 0 ? 1 : 0), first + 2 + i - (side < 0 ? 1 : 0));
    }
  }
  const first = positions.length / 3;
  for (let i = 0; i <= n; i += 1) {
    const [x, y] = at(i);
    for (const side of [1, -1]) {
      positions.push(radius * x, radius * y, (side * thickness) / 2);
      normals.push(x, y, 0);
      if (i < n) {
        const [x1, y1] = at(i + 1);
        lines.push(radius * x, radius * y, (side * thickness) / 2, radius * x1, radius * y1, (side * thickness) / 2);
      }
    }
    if (i < n) {
      const k = first + 2 * i;
      indices.push(k, k + 1, k + 2, k + 2, k + 1, k + 3);
    }
  }
  return { positions: f32(positions), normals: f32(normals), indices: u32(indices), lines: f32(lines), surface: null };
}

/** Level ground of half width `half`. */
export function plane(half) {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  return {
    positions: f32(corners.flatMap(([x, y]) => [half * x, half * y, 0])),
    normals: f32(corners.flatMap(() => [0, 0, 1])),
    indices: u32([0, 1, 2, 0, 2, 3]),
    lines: null,
    surface: null,
  };
}
