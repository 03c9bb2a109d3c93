#!/usr/bin/env bash
# Many motions of the rolling disk, at equal median error: DOP853 written by hand in C (one and two vectors of lanes at
# a time), heyoka one by one and in batches, and Polhode where it has the benchmark. See bench/README.md. Arguments go
# to ensemble.py. Installs heyoka into bench/.venv.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-bench/.venv/bin/python}
[ -x "$python" ] || python3 -m venv bench/.venv
"$python" -c 'import heyoka' 2>/dev/null ||
  "$python" -m pip install --quiet --disable-pip-version-check heyoka

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
commands=()
for groups in 1 2; do
  gcc -O3 -march=native -fno-math-errno -fno-trapping-math -std=gnu11 -Wall -Wextra -DGROUPS=$groups \
    -o "$built/by-hand-$groups" bench/by_hand/ensemble.c -lm -lpthread
  commands+=("$built/by-hand-$groups")
done
if [ -e crates/polhode/benches/ensemble.rs ]; then
  cargo bench --quiet --no-run -p polhode --bench ensemble
  commands+=("cargo bench --quiet -p polhode --bench ensemble -- --json")
fi
"$python" bench/ensemble.py "$@" "${commands[@]}"
