//! How long a derivation takes, and how large it gets: `cargo bench -p polhode --bench derive`.
//!
//! Times are the best of several runs on one core, since the machine may be shared. Where the
//! checkout's `.venv` has SymPy (`tools/test.sh` installs it), the same derivations are done there in
//! the same run: see `bench/sympy_derive.py`.

use polhode::expr::{AngleBasis, MAX_TERMS, Matrix, Ring};
use polhode::mechanics::Form;
use polhode::prelude::*;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const RUNS: usize = 15;

fn main() {
    println!("{:<58} {:>12} {:>9}", "", "time", "nodes");
    disk();
    five_by_five();
    bicycle();
    reductions();
    models();
    sympy();
}

/// The best time of several runs, with what the last run returned.
fn best<T>(runs: usize, mut f: impl FnMut() -> T) -> (Duration, T) {
    let mut shortest = Duration::MAX;
    let mut last = None;
    for _ in 0..runs {
        let start = Instant::now();
        let value = f();
        shortest = shortest.min(start.elapsed());
        last = Some(value);
    }
    (shortest, last.expect("at least one run"))
}

fn report(what: &str, time: Duration, nodes: Option<usize>) {
    let nodes = nodes.map_or(String::new(), |n| n.to_string());
    println!("{what:<58} {:>9.2} ms {nodes:>9}", time.as_secs_f64() * 1e3);
}

fn parse(name: &str) -> Model {
    let text = builtin::find(name).expect("built in").text;
    Model::parse(name, text, &ParseOptions::default()).expect("a valid model").0
}

fn system(model: &Model) -> System {
    System::new(model).expect("a valid system").0
}

/// Symmetry, frame, connection, curvature, reduced equations and their printed page.
fn reductions() {
    for (name, label) in [
        ("rolling-disk", "disk"),
        ("rolling-disk-centre", "disk, E(2) x SO(2)"),
        ("symmetric-sphere", "ball"),
        ("snakeboard", "snakeboard"),
    ] {
        let base = system(&parse(name));
        let (t, (s, reduction)) = best(RUNS, || {
            let mut s = base.clone();
            let reduction = s.reduction().expect("these models have a symmetry");
            (s, reduction)
        });
        report(&format!("{label}: symmetry, invariant frame, connection"), t, Some(s.graph.len()));
        let (t, _) = best(RUNS, || {
            let mut s = s.clone();
            let poincare = reduction.poincare(&mut s);
            let equations = reduction.equations(&mut s);
            reduction.sections(&mut s, &poincare, &equations)
        });
        report(&format!("{label}: reduced equations, the whole page"), t, None);
    }
}

/// The three accelerations of the rolling disk, simplified, from the text of the model.
fn disk() {
    let (t, model) = best(RUNS, || parse("rolling-disk"));
    report("disk: read the model", t, Some(model.graph.len()));
    let (t, base) = best(RUNS, || system(&model));
    report("disk: check the system", t, Some(base.graph.len()));
    let (t, (s, equations)) = best(RUNS, || {
        let mut s = base.clone();
        let equations = s.equations(Form::Voronets).expect("always applies");
        (s, equations)
    });
    report("disk: derive Voronets' equations", t, Some(s.graph.len()));
    let (t, _) = best(RUNS, || {
        let mut s = s.clone();
        let reading = Reading { parameters: s.parameters.clone() };
        equations.rates.iter().map(|e| s.graph.readable(*e, &reading).expect("small")).collect::<Vec<_>>()
    });
    report("disk: simplify and arrange the three accelerations", t, None);
    let (t, _) = best(RUNS, || {
        let mut s = system(&parse("rolling-disk"));
        let equations = s.equations(Form::Voronets).expect("always applies");
        let reading = Reading { parameters: s.parameters.clone() };
        equations.rates.iter().map(|e| s.graph.readable(*e, &reading).expect("small")).collect::<Vec<_>>()
    });
    report("disk: all of it, text to simplified accelerations", t, None);
    let (t, _) = best(3, || {
        let mut s = system(&parse("rolling-disk"));
        let equations = s.equations(Form::Voronets).expect("always applies");
        Sheet::new(&mut s, &equations).text(&s.graph, 100)
    });
    report("disk: the whole printed sheet, reactions included", t, None);
}

/// The 5×5 system before (2.5) of Cendra and Díaz, solved and cancelled.
fn five_by_five() {
    let (t, _) = best(RUNS, || {
        let mut g = Graph::new();
        let (a, b) = disk_matrix(&mut g);
        let entries: Vec<Expr> = a.entries().iter().chain(b.entries()).copied().collect();
        let mut ring = Ring::new(&mut g, &entries, AngleBasis::Symbols, MAX_TERMS).expect("twelve atoms");
        let fractions = ring.fractions(&mut g, &entries).expect("small");
        let (matrix, rhs) = fractions.split_at(25);
        let rows: Vec<_> = matrix.chunks(5).map(<[_]>::to_vec).collect();
        ring.solve(&rows, rhs).expect("small").expect("regular")
    });
    report("disk: 5×5 system, five accelerations in canonical form", t, None);
}

fn disk_matrix(g: &mut Graph) -> (Matrix, Matrix) {
    let [m, r, grav, i1, i3] = ["M", "r", "g", "I1", "I3"].map(|n| g.named(n));
    let [theta, phi, a, b, v0] = ["theta", "phi", "a", "b", "v0"].map(|n| g.named(n));
    let (st, ct, sp, cp) = (g.sin(theta), g.cos(theta), g.sin(phi), g.cos(phi));
    let zero = g.zero();
    let one = g.one();
    let rr = g.powi(r, 2);
    let mrr = g.mul(m, rr);
    let mr = g.mul(m, r);
    let j3 = g.add(i3, mrr);
    let j1 = g.add(i1, mrr);
    let mut p = |items: &[Expr]| g.product(items.iter().copied());
    let (j3c, mrcp, mrsp, i3c) = (p(&[j3, ct]), p(&[mr, cp]), p(&[mr, sp]), p(&[i3, ct]));
    let (mrccp, mrcsp, mrssp, mrscp) = (p(&[mr, ct, cp]), p(&[mr, ct, sp]), p(&[mr, st, sp]), p(&[mr, st, cp]));
    let (i1ss, j3cc, rcp, rsp) = (p(&[i1, st, st]), p(&[j3, ct, ct]), p(&[r, cp]), p(&[r, sp]));
    let (vbrs, vbrc) = (p(&[v0, b, r, sp]), p(&[v0, b, r, cp]));
    let (abs, absc, avs) = (p(&[a, b, st]), p(&[a, b, st, ct]), p(&[i3, a, v0, st]));
    let (bbsc, bvs, mgc) = (p(&[b, b, st, ct]), p(&[i3, b, v0, st]), p(&[m, grav, r, ct]));
    let neg = |g: &mut Graph, e: Expr| g.neg(e);
    let (n_mrcp, n_mrsp, n_i3c) = (neg(g, mrcp), neg(g, mrsp), neg(g, i3c));
    let inertia = g.add(i1ss, j3cc);
    let (n_inertia, n_j1, n_mrssp, n_vbrc) = (neg(g, inertia), neg(g, j1), neg(g, mrssp), neg(g, vbrc));
    let matrix = Matrix::from_rows(vec![
        vec![zero, j3c, i3, n_mrcp, n_mrsp],
        vec![zero, n_inertia, n_i3c, mrccp, mrcsp],
        vec![n_j1, zero, zero, n_mrssp, mrscp],
        vec![zero, zero, rcp, one, zero],
        vec![zero, zero, rsp, zero, one],
    ]);
    let two = g.int(2);
    let twice = g.mul(two, mrr);
    let (k1, k2) = (g.add(i3, twice), g.sub(i1, j3));
    let first = g.mul(k1, abs);
    let second = g.product([two, k2, absc]);
    let second = g.sub(second, avs);
    let k3 = g.sub(j3, i1);
    let third = g.mul(k3, bbsc);
    let third = g.sum([third, bvs, mgc]);
    let rhs = Matrix::from_rows(vec![vec![first], vec![second], vec![third], vec![vbrs], vec![n_vbrc]]);
    (matrix, rhs)
}

/// Four rigid bodies, eight coordinates, rolling and holonomic constraints.
fn bicycle() {
    let (t, model) = best(3, || parse("bicycle"));
    report("bicycle: read the model", t, Some(model.graph.len()));
    let (t, base) = best(3, || system(&model));
    report("bicycle: check the system", t, Some(base.graph.len()));
    for form in [Form::Multipliers, Form::Hamel] {
        let (t, (s, equations)) = best(3, || {
            let mut s = base.clone();
            let equations = s.equations(form).expect("applies");
            (s, equations)
        });
        let used = s.graph.reachable(&equations.rates).len();
        report(
            &format!("bicycle: derive {} (nodes of the accelerations: {used})", form.name()),
            t,
            Some(s.graph.len()),
        );
    }
    let (t, nodes) = best(3, || {
        let mut s = system(&parse("bicycle"));
        for form in [Form::Multipliers, Form::Hamel] {
            s.equations(form).expect("applies");
        }
        s.graph.len()
    });
    report("bicycle: all of it, text to both forms", t, Some(nodes));
}

/// Every built-in model, text to the equations in all forms that apply.
fn models() {
    for b in builtin::ALL {
        let (t, nodes) = best(3, || {
            let mut s = system(&parse(b.name));
            for form in Form::ALL {
                let _ = s.equations(form);
            }
            s.graph.len()
        });
        report(&format!("all forms: {}", b.name), t, Some(nodes));
    }
}

/// The same in SymPy, where it is installed.
fn sympy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".venv/bin/python");
    let script = root.join("bench/sympy_derive.py");
    let installed = Command::new(&python).args(["-c", "import sympy"]).output().is_ok_and(|o| o.status.success());
    if !installed {
        println!("SKIPPED: SymPy is not in .venv (tools/test.sh installs it)");
        return;
    }
    println!("\nSymPy, same machine, same run");
    let _ = Command::new(&python).arg(script).status();
}
