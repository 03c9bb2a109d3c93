#!/usr/bin/env bash
# Everything that must hold, with all set-up: formatting, lints, tests, documentation, packages, WebAssembly, the independent oracles
# (python-flint, SymPy, NumPy, PyArrow, Polars, DuckDB, Unicorn, KaTeX), and the page in a browser, where they can be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

begin=$SECONDS
step() { printf '\n== %s (after %d s)\n' "$*" $((SECONDS - begin)); }

# Says what is left out; where everything has to be there (CI=true) nothing may be.
skip() {
  echo "SKIPPED: $*"
  [ "${CI:-}" != true ]
}

# Debian's packages, where they can be installed.
debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

set_up() {
  if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv || skip "no virtual environment can be made here"
  fi
  if [ -x .venv/bin/python ]; then
    .venv/bin/python -c 'import flint, sympy, numpy, pyarrow, polars, duckdb, unicorn' 2>/dev/null ||
      .venv/bin/python -m pip install --quiet --disable-pip-version-check python-flint sympy numpy pyarrow polars duckdb unicorn ||
      skip "not all oracles can be installed; the tests that need them will say so"
  fi
  for folder in tools/katex-check tools/gltf-check; do
    if [ ! -d $folder/node_modules ]; then
      (cd $folder && npm install --no-package-lock --no-audit --no-fund --loglevel=error) ||
        skip "$folder cannot be installed; the tests that need it will say so"
    fi
  done
  (cd viewer && npm ci --no-audit --no-fund --loglevel=error) ||
    skip "the packages of viewer/ cannot be installed; the page is neither built nor tested"
  if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    debian chromium || skip "chromium cannot be installed; the tests that need it will say so"
  fi
}

page() {
  if [ ! -d viewer/node_modules ]; then
    return
  fi
  step "the page is what its sources make of it"
  local page=crates/web/assets/page.html committed
  committed=$(mktemp)
  cp $page "$committed"
  (cd viewer && npm run --silent build)
  cmp "$committed" $page
  rm "$committed"

  step "the page in a browser, alone and with the program"
  if [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    (cd viewer && npm test)
  else
    skip "no chromium here; nothing was looked at in a browser"
  fi
}

# The library for a page: with the standard library of rustup, else with the compiler and the sources that Debian has.
webassembly() {
  local target=wasm32-unknown-unknown cargo=(cargo)
  if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    if [ ! -d /usr/lib/rustlib/src/rust ] && ! debian rustc-web cargo-web rust-web-src libstd-rust-web-dev; then
      echo "SKIPPED: there is no standard library for $target here, and none can be installed"
      return
    fi
    cargo=(env RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 PATH="/usr/bin:$PATH" /usr/bin/cargo -Zbuild-std=std,panic_abort)
  fi
  # all of the façade that a page can use, then the symbolic half alone, which is among it
  "${cargo[@]}" check --quiet -p polhode --lib --no-default-features --features simulate --target $target --target-dir target/wasm
  "${cargo[@]}" check --quiet -p polhode --lib --no-default-features --target $target --target-dir target/wasm
}

step "formatting; beside it and the lints the set-up of the oracles, KaTeX, the page and chromium"
cargo fmt --all --check
said=$(mktemp)
set_up >"$said" 2>&1 &
setting_up=$!

step "lints"
cargo clippy --workspace --all-targets --quiet -- -D warnings

step "set-up"
wait $setting_up && ready=true || ready=false
cat "$said"
rm "$said"
$ready

step "tests, doc tests and the examples of the documentation"
cargo test --workspace

# beside the steps that follow where there are cores enough; a browser without one is slow, and its tests say so
beside=
if [ "$(nproc)" -ge 4 ]; then
  said=$(mktemp)
  page >"$said" 2>&1 &
  beside=$!
else
  page
fi

step "tests of the feature cranelift: the order in which compilers are asked"
# with the crate of the compiler, so that it has the features with which it is compiled already
cargo test -p polhode-backend-cranelift -p polhode-simulate -p polhode-sweep \
  --features polhode-simulate/cranelift,polhode-sweep/cranelift --lib -- compilers lanes

step "the library in parts"
cargo check --quiet -p polhode --lib --no-default-features
cargo check --quiet -p polhode --lib --no-default-features --features simulate

step "WebAssembly"
webassembly

step "packages: what a registry would get"
cargo package --workspace --no-verify --allow-dirty --quiet 2>/dev/null || cargo package --workspace --no-verify --allow-dirty

step "API documentation"
# the library and the program have the same name and would write to the same folder at the same time
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude polhode-cli --no-deps --quiet
RUSTDOCFLAGS="-D warnings" cargo doc -p polhode-cli --no-deps --quiet

if [ -n "$beside" ]; then
  wait "$beside" && ready=true || ready=false
  cat "$said"
  rm "$said"
  $ready
fi

printf '\nall passed, after %d s\n' $((SECONDS - begin))
