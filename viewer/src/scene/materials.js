// How surfaces look. Patterns are computed from the place on the body, so that meshes need no texture
// coordinates: sectors and belts on bodies, squares on the ground.

import { Color, DoubleSide, MeshStandardMaterial, Vector3 } from "three";

/** Surfaces step back a little in depth, so that curves on them are seen. */
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 6 };

/**
 * Adds code to a standard material: the place on the body, divided by `half`, is `vPlace`.
 * @param {MeshStandardMaterial} material
 * @param {Record<string, {value: any}>} uniforms
 * @param {{head?: string, colour?: string, end?: string}} code
 */
function extend(material, uniforms, { head = "", colour = "", end = "" }) {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nuniform vec3 uHalf;\nvarying vec3 vPlace;\nvarying vec3 vWorld;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position / uHalf;\nvWorld = (modelMatrix * vec4(position, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\nvarying vec3 vPlace;\nvarying vec3 vWorld;\n${head}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${colour}`)
      // a surface is lit on the side one sees, whichever way round its triangles are
      .replace("#include <normal_fragment_begin>", "#include <normal_fragment_begin>\nif (dot(normal, vViewPosition) < 0.0) normal = -normal;")
      .replace("#include <opaque_fragment>", `${end}\n#include <opaque_fragment>`);
  };
  material.customProgramCacheKey = () => head + colour + end;
  return material;
}

/** Eight sectors about the third axis and belts of a quarter right angle: 0 or 1, with smooth edges. */
const SECTORS = `
float sectors(vec3 p, float around, float belts) {
  float angle = atan(p.y, p.x);
  float height = atan(p.z, length(p.xy));
  float s = sin(around * angle) * cos(belts * height);
  float w = max(fwidth(s), 1e-4);
  return smoothstep(-w, w, s);
}`;

/** @param {Vector3} half */
const halves = (half) => ({ uHalf: { value: new Vector3(...half.toArray().map((x) => Math.max(x, 1e-9))) } });

/**
 * A body in one colour, or in two that show how it turns.
 * @param {{colour: string, half: Vector3, checker: boolean, dark: boolean}} look
 */
export function bodyMaterial({ colour, half, checker, dark }) {
  const base = new Color(colour);
  const material = new MeshStandardMaterial({ color: base, roughness: 0.52, metalness: 0.02, side: DoubleSide, ...BEHIND });
  if (!checker) return extend(material, halves(half), {});
  const pale = new Color(dark ? "#d9dde2" : "#fbfaf6");
  return extend(material, { ...halves(half), uPale: { value: pale } }, {
    head: `uniform vec3 uPale;\n${SECTORS}`,
    colour: "diffuseColor.rgb = mix(diffuseColor.rgb, uPale, sectors(vPlace, 4.0, 4.0) * 0.92);",
  });
}

/**
 * A shell one looks into: clear where it faces the eye, denser towards its outline. Of a shell with two surfaces the
 * inner one is only a hint, or the glass would be too thick to see what is in it.
 * @param {{colour: string, half: Vector3, dark: boolean, inside: boolean}} look
 */
export function glassMaterial({ colour, half, dark, inside }) {
  const material = new MeshStandardMaterial({
    color: new Color(colour), roughness: 0.2, metalness: 0, side: DoubleSide, transparent: true, depthWrite: false, ...BEHIND,
  });
  const strength = inside ? 0.3 : 1;
  return extend(material, { ...halves(half), uClear: { value: strength * (dark ? 0.14 : 0.09) }, uRim: { value: strength * 0.55 } }, {
    head: `uniform float uClear; uniform float uRim;\n${SECTORS}`,
    end: `float facing = abs(dot(normalize(normal), normalize(vViewPosition)));
      diffuseColor.a = mix(uClear, uRim, pow(1.0 - facing, 2.6)) + ${inside ? "0.0" : "0.06"} * sectors(vPlace, 4.0, 4.0);`,
  });
}

/**
 * The ground when it is curved: quiet, with broad sectors. Normals point out of its material, so that of a bowl one
 * can tell the wall one looks at ("front") from the wall that is in the way ("back"), of which only a veil is drawn.
 * @param {{half: Vector3, dark: boolean, part: "all" | "front" | "back"}} look
 */
export function reliefMaterial({ half, dark, part }) {
  const veil = part === "back";
  const material = new MeshStandardMaterial({
    color: new Color(dark ? "#39424c" : "#e6e3dc"), roughness: 0.9, side: DoubleSide, transparent: veil, depthWrite: !veil, ...BEHIND,
  });
  const facing = "dot(normalize(vNormal), normalize(vViewPosition))";
  return extend(material, { ...halves(half), uOther: { value: new Color(dark ? "#434d58" : "#dbd7ce") } }, {
    head: `uniform vec3 uOther;\n${SECTORS}`,
    colour: `${part === "front" ? `if (${facing} < 0.0) discard;` : veil ? `if (${facing} >= 0.0) discard;` : ""}
      diffuseColor.rgb = mix(diffuseColor.rgb, uOther, sectors(vPlace, 8.0, 8.0));`,
    end: veil ? `diffuseColor.a = mix(0.07, 0.5, pow(1.0 - abs(${facing}), 2.6));` : "",
  });
}

/**
 * Flat ground: squares of side `cell`, fine lines at a fifth of it. Without `plane` it is level ground that fades with
 * the distance from `uFocus`; with it the squares lie along these two axes of the mesh.
 * @param {{cell: number, dark: boolean, see?: boolean, uniforms: {uFocus: {value: Vector3}, uReach: {value: number}}, plane?: [Vector3, Vector3]}} look
 */
export function flatMaterial({ cell, dark, see = false, uniforms, plane }) {
  const material = new MeshStandardMaterial({
    color: new Color(dark ? "#2b323a" : "#eeede9"), roughness: 1, side: DoubleSide, forceSinglePass: true,
    transparent: !plane || see, opacity: see ? 0.45 : 1, depthWrite: !see, ...BEHIND,
  });
  const [e1, e2] = plane ?? [new Vector3(1, 0, 0), new Vector3(0, 1, 0)];
  const own = {
    uE1: { value: e1 },
    uE2: { value: e2 },
    uHalf: { value: new Vector3(1, 1, 1) },
    uCell: { value: cell },
    uOther: { value: new Color(dark ? "#313941" : "#e3e1dc") },
    uRule: { value: new Color(dark ? "#46505b" : "#c9c7c1") },
    ...uniforms,
  };
  return extend(material, own, {
    head: `uniform float uCell; uniform vec3 uOther; uniform vec3 uRule; uniform vec3 uFocus; uniform float uReach; uniform vec3 uE1; uniform vec3 uE2;
      float rule(vec2 p, float wide) {
        vec2 w = fwidth(p);
        vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
        float line = 1.0 - min(min(d.x, d.y) / wide, 1.0);
        return line * (1.0 - smoothstep(0.12, 0.5, max(w.x, w.y)));
      }`,
    colour: `
      vec3 place = ${plane ? "vPlace" : "vWorld"};
      vec2 p = vec2(dot(place, uE1), dot(place, uE2)) / uCell;
      vec2 s = sin(3.14159265 * p);
      float c = s.x * s.y;
      float w = max(fwidth(c), 1e-4);
      float calm = 1.0 - smoothstep(0.25, 0.9, max(fwidth(p.x), fwidth(p.y)));
      diffuseColor.rgb = mix(diffuseColor.rgb, uOther, mix(0.5, smoothstep(-w, w, c), calm));
      diffuseColor.rgb = mix(diffuseColor.rgb, uRule, 0.35 * rule(p * 5.0, 1.0));
      diffuseColor.rgb = mix(diffuseColor.rgb, uRule, 0.85 * rule(p, 1.3));`,
    end: plane ? "" : "diffuseColor.a = 1.0 - smoothstep(0.3, 1.0, length(vWorld.xy - uFocus.xy) / uReach);",
  });
}
