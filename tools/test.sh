#!/usr/bin/env bash
# Everything that must hold, with all set-up: formatting, lints, tests, documentation,
# the independent oracles (python-flint, SymPy, NumPy, PyArrow, Unicorn, KaTeX), and the page in a browser, where they can be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

# Says what is left out; where everything has to be there (CI=true) nothing may be.
skip() {
  echo "SKIPPED: $*"
  [ "${CI:-}" != true ]
}

step "oracles: python-flint, SymPy, NumPy, PyArrow and Unicorn in .venv"
if [ ! -x .venv/bin/python ]; then
  python3 -m venv .venv || skip "no virtual environment can be made here"
fi
if [ -x .venv/bin/python ]; then
  .venv/bin/python -c 'import flint, sympy, numpy, pyarrow, unicorn' 2>/dev/null ||
    .venv/bin/python -m pip install --quiet --disable-pip-version-check python-flint sympy numpy pyarrow unicorn ||
    skip "not all oracles can be installed; the tests that need them will say so"
fi

step "KaTeX in tools/katex-check"
if [ ! -d tools/katex-check/node_modules ]; then
  (cd tools/katex-check && npm install --no-package-lock --no-audit --no-fund --loglevel=error) ||
    skip "KaTeX cannot be installed; the tests that need it will say so"
fi

step "Node packages of the page, and chromium"
(cd viewer && npm ci --no-audit --no-fund --loglevel=error) ||
  skip "the packages of viewer/ cannot be installed; the page is neither built nor tested"
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } ||
    skip "chromium cannot be installed; the tests that need it will say so"
fi

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --quiet -- -D warnings

step "tests, doc tests and the examples of the documentation"
cargo test --workspace

if [ -d viewer/node_modules ]; then
  step "the page is what its sources make of it"
  page=crates/web/assets/page.html
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
fi

step "tests of the feature cranelift: the order in which compilers are asked"
# the whole workspace, so that nothing it depends on is compiled again
cargo test --workspace --features polhode-simulate/cranelift,polhode-sweep/cranelift --lib -- compilers lanes

step "the library in parts"
cargo check --quiet -p polhode --lib --no-default-features
cargo check --quiet -p polhode --lib --no-default-features --features simulate

step "packages: what a registry would get"
cargo package --workspace --no-verify --allow-dirty --quiet 2>/dev/null || cargo package --workspace --no-verify --allow-dirty

step "API documentation"
# the library and the program have the same name and would write to the same folder at the same time
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude polhode-cli --no-deps --quiet
RUSTDOCFLAGS="-D warnings" cargo doc -p polhode-cli --no-deps --quiet

printf '\nall passed\n'
