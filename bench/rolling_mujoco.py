"""MuJoCo on the ellipsoid and the rattleback of models/, ten seconds, against Polhode's motion.

MuJoCo has no contact that rolls without slipping. Its defaults are one row. What comes nearest are the others: Coulomb
friction without a practical bound, elliptic cones, stiff contacts (solref at its limit of two steps, solimp near 1).
Times are those of the processor, the least of three runs, each one call of the library. Polhode's own figures are those of
`cargo bench -p polhode --bench rolling`.
"""

import json
import subprocess
import sys
import time

import mujoco
import numpy as np

END = 10.0
RUNS = 3

SCENE = """
<mujoco>
  <option gravity="0 0 -{gravity}" {option}/>
  <default><geom {contact}/></default>
  <worldbody>
    <geom type="plane" size="50 50 1"/>
    <body name="body">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" fullinertia="{inertia}"/>
      <geom type="ellipsoid" size="{axes}" pos="{centre}"/>
    </body>
  </worldbody>
</mujoco>
"""
OPTION = 'timestep="{step}" integrator="{integrator}" cone="elliptic" iterations="100" tolerance="1e-12" impratio="100"'
CONTACT = 'condim="3" friction="100 0 0" solref="{stiff} 1" solimp="0.9999 0.9999 0.001"'
DEFAULT_STEP = 2e-3

BODIES = {
    "ellipsoid-on-plane": {"gravity": 1, "inertia": "0.65 1 1.25 0 0 0", "axes": "2 1.5 1", "centre": "0 0 0"},
    "rattleback": {
        "gravity": 9.81,
        "inertia": "2e-4 16e-4 17e-4 2e-5 0 0",
        "axes": "0.2 0.03 0.02",
        "centre": "0 0 0.01",
    },
}


def polhode(command, model):
    """Start and end of the motion, exact to the last digits of doubles."""
    run = [command, "run", model, "--at", f"0,{END}", "--json"]
    samples = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)["samples"]
    return [{name: value for part in s.values() if isinstance(part, dict) for name, value in part.items()} for s in samples]


def follow(scene, step, start):
    """Seconds of the run; centre and spin at its end, and the part of the energy that was lost."""
    model = mujoco.MjModel.from_xml_string(scene)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    rotation, spin = np.array(start["R"]).reshape(3, 3), np.array(start["Omega"])
    data.qpos[:3] = start["x_O"]
    mujoco.mju_mat2Quat(data.qpos[3:7], rotation.flatten())
    data.qvel[:3], data.qvel[3:6] = rotation @ np.cross(start["c"], spin), spin
    mujoco.mj_forward(model, data)
    energy = data.energy.sum()
    begin = time.process_time()
    mujoco.mj_step(model, data, nstep=round(END / step))
    seconds = time.process_time() - begin
    mujoco.mj_forward(model, data)
    return seconds, data.qpos[:3].copy(), data.qvel[3:6].copy(), (energy - data.energy.sum()) / energy


def main():
    for name, body in BODIES.items():
        start, end = polhode(sys.argv[1], name)
        print(f"MuJoCo {mujoco.__version__} on {name}, ten seconds; Polhode's motion is the measure")
        print(f"{'integrator':<14}{'step':>8}{'ms per s':>10}{'position off':>14}{'spin off':>10}{'energy lost':>13}")
        settings = [("defaults", DEFAULT_STEP, SCENE.format(option="", contact="", **body))]
        for integrator in ("implicitfast", "RK4"):
            for step in (2e-3, 5e-4, 1e-4):
                option = OPTION.format(step=step, integrator=integrator)
                scene = SCENE.format(option=option, contact=CONTACT.format(stiff=2 * step), **body)
                settings.append((integrator, step, scene))
        for integrator, step, scene in settings:
            runs = [follow(scene, step, start) for _ in range(RUNS)]
            cost = min(run[0] for run in runs) / END * 1e3
            _, place, spin, lost = runs[0]
            place = np.linalg.norm(place - end["x_O"])
            turn = np.linalg.norm(spin - end["Omega"]) / np.linalg.norm(end["Omega"])
            print(f"{integrator:<14}{step:>8.0e}{cost:>10.2f}{place:>14.2e}{turn:>10.1%}{lost:>13.2%}")
        print()


if __name__ == "__main__":
    main()
