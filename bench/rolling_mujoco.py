"""MuJoCo on the ellipsoid of models/ellipsoid-on-plane.toml, ten seconds, against Polhode's motion.

MuJoCo has no contact that rolls without slipping. Its defaults are one row. What comes nearest are the others: Coulomb friction without a
practical bound, elliptic cones, stiff contacts (solref at its limit of two steps, solimp near 1). Polhode's own figures are those of `cargo bench -p polhode --bench rolling`.
"""

import json
import subprocess
import sys
import time

import mujoco
import numpy as np

END = 10.0

SCENE = """
<mujoco>
  <option gravity="0 0 -1" timestep="{step}" integrator="{integrator}" cone="elliptic" iterations="100" tolerance="1e-12" impratio="100"/>
  <worldbody>
    <geom type="plane" size="50 50 1" condim="3" friction="100 0 0" solref="{stiff} 1" solimp="0.9999 0.9999 0.001"/>
    <body name="body">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="{ixx} {iyy} {izz}"/>
      <geom type="ellipsoid" size="2 1.5 1" condim="3" friction="100 0 0" solref="{stiff} 1" solimp="0.9999 0.9999 0.001"/>
    </body>
  </worldbody>
</mujoco>
"""

DEFAULTS = """
<mujoco>
  <option gravity="0 0 -1"/>
  <worldbody>
    <geom type="plane" size="50 50 1"/>
    <body name="body">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="{ixx} {iyy} {izz}"/>
      <geom type="ellipsoid" size="2 1.5 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def polhode(command):
    """Start and end of the motion, exact to the last digits of doubles."""
    run = [command, "run", "ellipsoid-on-plane", "--at", f"0,{END}", "--json"]
    samples = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)["samples"]
    return [{name: value for part in s.values() if isinstance(part, dict) for name, value in part.items()} for s in samples]


def main():
    start, end = polhode(sys.argv[1])
    rotation = np.array(start["R"]).reshape(3, 3)
    spin = np.array(start["Omega"])
    velocity = rotation @ np.cross(start["c"], spin)
    print("MuJoCo", mujoco.__version__, "on the ellipsoid, ten seconds; Polhode's motion is the measure")
    print(f"{'integrator':<14}{'step':>8}{'ms per s':>10}{'position off':>14}{'spin off':>10}{'energy lost':>13}")
    inertia = {"ixx": 0.65, "iyy": 1.0, "izz": 1.25}
    settings = [("defaults", 2e-3, DEFAULTS.format(**inertia))]
    for integrator in ("implicitfast", "RK4"):
        for step in (2e-3, 5e-4, 1e-4):
            settings.append((integrator, step, SCENE.format(step=step, integrator=integrator, stiff=2 * step, **inertia)))
    for integrator, step, scene in settings:
        model = mujoco.MjModel.from_xml_string(scene)
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        data = mujoco.MjData(model)
        data.qpos[:3] = start["x_O"]
        mujoco.mju_mat2Quat(data.qpos[3:7], rotation.flatten())
        data.qvel[:3], data.qvel[3:6] = velocity, spin
        mujoco.mj_forward(model, data)
        energy = data.energy.sum()
        begin = time.process_time()
        while data.time < END - step / 2:
            mujoco.mj_step(model, data)
        cost = (time.process_time() - begin) / END * 1e3
        mujoco.mj_forward(model, data)
        place = np.linalg.norm(data.qpos[:3] - end["x_O"])
        turn = np.linalg.norm(data.qvel[3:6] - end["Omega"]) / np.linalg.norm(end["Omega"])
        lost = (energy - data.energy.sum()) / energy
        print(f"{integrator:<14}{step:>8.0e}{cost:>10.2f}{place:>14.2e}{turn:>10.1%}{lost:>13.2%}")


if __name__ == "__main__":
    main()
