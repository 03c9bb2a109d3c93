#!/usr/bin/env bash
# Ellipsoid and rattleback on a plane, ten seconds right to 1e-8; then MuJoCo on the same bodies, where it can be installed
# (into bench/.venv).
set -euo pipefail
cd "$(dirname "$0")/.."

cargo bench --quiet -p polhode --bench rolling
cargo build --quiet --release -p polhode-cli

python=bench/.venv/bin/python
[ -x "$python" ] || python3 -m venv bench/.venv
if "$python" -c 'import mujoco, numpy' 2>/dev/null ||
  "$python" -m pip install --quiet --disable-pip-version-check mujoco numpy; then
  echo
  "$python" bench/rolling_mujoco.py "${CARGO_TARGET_DIR:-target}/release/polhode"
else
  echo "MuJoCo cannot be installed here; the rest was measured."
fi
