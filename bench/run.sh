#!/usr/bin/env bash
# One motion, the rolling disk to t = 1000, in Polhode, heyoka and SciPy in one run; then the time of one
# evaluation. Installs its competitors into bench/.venv.
set -euo pipefail
cd "$(dirname "$0")/.."

python=bench/.venv/bin/python
[ -x "$python" ] || python3 -m venv bench/.venv
"$python" -c 'import heyoka, numba, scipy' 2>/dev/null ||
  "$python" -m pip install --quiet --disable-pip-version-check heyoka numba scipy

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
cargo bench --quiet -p polhode --bench run -- --json >"$lines"
"$python" bench/one_motion.py "$lines"

echo
cargo bench --quiet -p polhode-backend-simd --bench evaluate
