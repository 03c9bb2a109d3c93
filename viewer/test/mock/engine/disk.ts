// The engine of the mock disk, in AssemblyScript: the interface of the program's own WebAssembly with classical
// Runge–Kutta steps in place of its solver. Compiled to disk.wasm by
//   asc disk.ts -o disk.wasm -O3 --runtime stub --use abort= --initialMemory 24
// (AssemblyScript 0.28). The columns are those of ../disk.mjs.

const PARAMETERS: usize = 65536; // M r g
const POSITIONS: usize = 65600; // theta phi psi x y
const VELOCITIES: usize = 65680; // theta' phi' psi' x' y'
const ROWS: usize = 65760; // 2 × 6
const STATE: usize = 65880; // 8
const TIME: usize = 65960;
const STATISTICS: usize = 65984;
const EVENT_LOG: usize = 66048;
const TIMES: usize = 66304;
const REPORTS: usize = 82304; // 1500 times before it
const WIDTH: i32 = 40;

const y0 = new StaticArray<f64>(8);
const k1 = new StaticArray<f64>(8);
const k2 = new StaticArray<f64>(8);
const k3 = new StaticArray<f64>(8);
const k4 = new StaticArray<f64>(8);
const y1 = new StaticArray<f64>(8);
const centre = new StaticArray<f64>(3);

@inline function p(i: i32): f64 { return load<f64>(PARAMETERS + 8 * i); }

function rates(y: StaticArray<f64>, out: StaticArray<f64>): void {
  const M = p(0), r = p(1), g = p(2);
  const I1 = M * r * r / 4, I3 = M * r * r / 2, J = M * r * r;
  const s = Math.sin(y[0]), c = Math.cos(y[0]);
  const w = y[7] + y[6] * c;
  const ddphi = y[5] * (I3 * w - 2 * I1 * y[6] * c) / (I1 * s);
  out[0] = y[5];
  out[1] = y[6];
  out[2] = y[7];
  out[3] = -r * Math.cos(y[1]) * y[7];
  out[4] = -r * Math.sin(y[1]) * y[7];
  out[5] = -(M * g * r * c + y[6] * s * ((I3 + J) * w - I1 * y[6] * c)) / (I1 + J);
  out[6] = ddphi;
  out[7] = J * y[5] * y[6] * s / (I3 + J) - ddphi * c + y[6] * y[5] * s;
}

function step(y: StaticArray<f64>, h: f64, out: StaticArray<f64>): void {
  rates(y, k1);
  for (let i = 0; i < 8; i++) y1[i] = y[i] + h / 2 * k1[i];
  rates(y1, k2);
  for (let i = 0; i < 8; i++) y1[i] = y[i] + h / 2 * k2[i];
  rates(y1, k3);
  for (let i = 0; i < 8; i++) y1[i] = y[i] + h * k3[i];
  rates(y1, k4);
  for (let i = 0; i < 8; i++) out[i] = y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

function place(y: StaticArray<f64>): void {
  const r = p(1);
  centre[0] = y[3] - r * Math.cos(y[0]) * Math.sin(y[1]);
  centre[1] = y[4] + r * Math.cos(y[0]) * Math.cos(y[1]);
  centre[2] = r * Math.sin(y[0]);
}

const moved = new StaticArray<f64>(8);
const before = new StaticArray<f64>(3);
const here = new StaticArray<f64>(3);
const after = new StaticArray<f64>(3);
const force = new StaticArray<f64>(3);

function copy3(from: StaticArray<f64>, to: StaticArray<f64>): void {
  for (let i = 0; i < 3; i++) to[i] = from[i];
}

function reportOf(y: StaticArray<f64>, at: usize): void {
  const M = p(0), r = p(1), g = p(2), h = 1e-5;
  step(y, -h, moved); place(moved); copy3(centre, before);
  step(y, h, moved); place(moved); copy3(centre, after);
  place(y); copy3(centre, here);
  let kinetic: f64 = 0;
  for (let i = 0; i < 3; i++) {
    const v = (after[i] - before[i]) / (2 * h);
    kinetic += M / 2 * v * v;
    force[i] = M * ((after[i] - 2 * here[i] + before[i]) / (h * h) + (i == 2 ? g : 0));
  }
  const s = Math.sin(y[0]), c = Math.cos(y[0]), sp = Math.sin(y[1]), cp = Math.cos(y[1]);
  const ss = Math.sin(y[2]), cs = Math.cos(y[2]);
  const w = y[7] + y[6] * c;
  kinetic += M * r * r / 8 * (y[5] * y[5] + y[6] * s * y[6] * s) + M * r * r / 4 * w * w;
  rates(y, k1);
  // axis × ahead is minus the spoke
  const a0 = s * sp, a1 = -s * cp, a2 = c;
  const d0 = -a2 * sp, d1 = a2 * cp, d2 = a0 * sp - a1 * cp;
  const f0 = cs * cp + ss * d0, f1 = cs * sp + ss * d1, f2 = ss * d2;
  const b0 = a1 * f2 - a2 * f1, b1 = a2 * f0 - a0 * f2, b2 = a0 * f1 - a1 * f0;
  const t0 = r * c * sp, t1 = -r * c * cp, t2 = -r * s;
  let n = 0;
  for (let i = 0; i < 5; i++) put(at, n++, y[i]);
  for (let i = 5; i < 8; i++) put(at, n++, y[i]);
  put(at, n++, k1[3]);
  put(at, n++, k1[4]);
  put(at, n++, here[2]);
  put(at, n++, kinetic + M * g * here[2]);
  put(at, n++, force[2]);
  put(at, n++, Math.sqrt(force[0] * force[0] + force[1] * force[1]) / force[2]);
  for (let i = 0; i < 3; i++) put(at, n++, force[i]);
  put(at, n++, k1[3] + r * cp * y[7]);
  put(at, n++, k1[4] + r * sp * y[7]);
  put(at, n++, f0); put(at, n++, b0); put(at, n++, a0);
  put(at, n++, f1); put(at, n++, b1); put(at, n++, a1);
  put(at, n++, f2); put(at, n++, b2); put(at, n++, a2);
  for (let i = 0; i < 3; i++) put(at, n++, here[i]);
  put(at, n++, f0 * t0 + f1 * t1 + f2 * t2);
  put(at, n++, b0 * t0 + b1 * t1 + b2 * t2);
  put(at, n++, a0 * t0 + a1 * t1 + a2 * t2);
  put(at, n++, y[3]); put(at, n++, y[4]); put(at, n++, 0);
  put(at, n++, r); put(at, n++, r); put(at, n++, r);
}

@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + 8 * i, value); }

export function constraints(): void {
  const r = p(1), phi = load<f64>(POSITIONS + 8);
  for (let i = 0; i < 12; i++) put(ROWS, i, 0);
  put(ROWS, 3, 1);
  put(ROWS, 2, r * Math.cos(phi));
  put(ROWS, 10, 1);
  put(ROWS, 8, r * Math.sin(phi));
}

export function enter(): void {
  for (let i = 0; i < 5; i++) put(STATE, i, load<f64>(POSITIONS + 8 * i));
  for (let i = 0; i < 3; i++) put(STATE, 5 + i, load<f64>(VELOCITIES + 8 * i));
}

export function integrate(end: f64, count: i32, rtol: f64, atol: f64, most: i32): i32 {
  for (let i = 0; i < 8; i++) y0[i] = load<f64>(STATE + 8 * i);
  const begin = load<f64>(TIME);
  const inner = max(1, <i32>Math.ceil((end - begin) / (count - 1) / 1e-3));
  const h = (end - begin) / (count - 1) / inner;
  let rows = 0;
  for (let k = 0; k < count; k++) {
    if (k) for (let i = 0; i < inner; i++) step(y0, h, y0);
    if (!(Math.abs(y0[0]) < 1e6)) break;
    store<f64>(TIMES + 8 * k, begin + (end - begin) * k / (count - 1));
    reportOf(y0, REPORTS + 8 * WIDTH * k);
    rows++;
  }
  put(STATISTICS, 0, inner * (count - 1));
  put(STATISTICS, 1, 0);
  put(STATISTICS, 2, 4 * inner * (count - 1));
  put(EVENT_LOG, 0, 0);
  return rows * 16 + (rows < count ? 2 : 0);
}
