#!/usr/bin/env bash
# Instructions of four fixed workloads, by valgrind's callgrind: figures that do not depend on what else the machine
# does, to be compared with those in docs/performance.md. Code is then made for AVX2, since valgrind has no AVX-512.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "valgrind is needed: apt-get install valgrind" >&2; exit 1; }
cargo build --release --quiet -p polhode-cli
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

count() {
  local name=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file="$out/profile" "${CARGO_TARGET_DIR:-target}/release/polhode" "$@" \
    >/dev/null 2>"$out/log"
  awk -v name="$name" '/^(summary|totals):/ { n = $2 } END { printf "| %s | %.1f million |\n", name, n / 1e6 }' "$out/profile"
}

echo "| workload | instructions |"
echo "| --- | ---: |"
count "\`derive rolling-disk\`" derive rolling-disk
count "\`run rolling-disk --until 1000 --json\`" run rolling-disk --until 1000 --json
count "\`run rattleback --method dop853 --until 10 --json\`" run rattleback --method dop853 --until 10 --json
count "\`sweep rolling-disk\`, 1000 motions to t = 10" sweep rolling-disk --vary "psi'=0.1..4:40" --vary "theta=0.2..1.4:25" \
  --until 10 --keep "range(theta)" --threads 1 -o "$out/rows.csv"
