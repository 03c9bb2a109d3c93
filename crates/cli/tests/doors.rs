//! One plan, many doors: the command line, a sweep of one sample, the page and the library give the same motion, bit by bit; and a setting means the same
//! in `[run]`, as a flag, in the plan of a sweep and in the request of a page.

use polhode::base::SourceFile;
use polhode::model::run::Takes;
use polhode::model::{RunSettings, Setting};
use polhode::prelude::*;
use polhode::simulate::{Group, Variable};
use polhode::sweep::{Axis, Design, EngineKind, Keep, Points, Spec, Study, Values};
use polhode_web::document::{Motion, Wish};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Far beyond the own end of most models, where a form that was chosen for the user may have failed.
const FAR: &str = "60";

/// Where a motion has come, as bits: time, positions and velocities by column.
#[derive(Debug, PartialEq)]
struct Reached {
    t: u64,
    state: Vec<(String, u64)>,
}

fn state(v: &&Variable) -> bool {
    matches!(v.group, Group::Position | Group::Velocity)
}

impl Reached {
    fn of(motion: &Trajectory) -> Reached {
        let variables = motion.compiled().variables.iter().filter(state);
        let columns = variables.flat_map(|v| v.columns().into_iter().zip(v.numbers.clone()));
        let state = columns.map(|(name, k)| (name, motion.last.number(k).to_bits())).collect();
        Reached { t: motion.report.t.to_bits(), state }
    }
}

fn polhode(arguments: &[&str]) -> (Value, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("the program runs");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    (serde_json::from_slice(&out.stdout).unwrap_or(Value::Null), said)
}

/// What `polhode run` reaches; the state where the motion has one sample at its end.
fn run(name: &str, until: Option<&str>, motion: &Trajectory) -> Reached {
    let mut arguments = vec!["run", name, "--samples", "2", "--json"];
    arguments.extend(until.iter().flat_map(|t| ["--until", t]));
    let (document, said) = polhode(&arguments);
    let t = document["report"]["stop"]["t"].as_f64().unwrap_or_else(|| panic!("{name}: {said}"));
    let last = document["samples"].as_array().and_then(|s| s.last()).expect("a sample");
    let mut state = Vec::new();
    for v in motion.compiled().variables.iter().filter(state_of_end(motion)) {
        let mut numbers = Vec::new();
        flatten(&last["state"][&v.name], &mut numbers);
        state.extend(v.columns().into_iter().zip(numbers));
    }
    Reached { t: t.to_bits(), state }
}

/// A run that ends early has no sample at its very end.
fn state_of_end(motion: &Trajectory) -> impl Fn(&&Variable) -> bool {
    let whole = motion.report.stop == StopReason::End;
    move |v| whole && state(v)
}

fn flatten(value: &Value, out: &mut Vec<u64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, out)),
        number => out.push(number.as_f64().expect("a number").to_bits()),
    }
}

/// Something to vary that stays as it is: a parameter or an initial value, a number that decimals write.
fn unvaried(model: &Model) -> Axis {
    let mut graph = model.graph.clone();
    let starts = model.initial.iter().map(|i| (i.symbol, i.value));
    let mut all = model.parameters.iter().map(|p| (p.symbol, p.value)).chain(starts);
    let found = all.find_map(|(symbol, value)| {
        let x = model.graph.evaluate_f64(value, &Default::default()).ok()?;
        let again = model.formula(&mut graph, &format!("{x:e}")).ok()?;
        let name = model.graph.name(symbol);
        (again == [value] && !name.contains('[')).then(|| Axis { name: name.to_owned(), values: Values::List(vec![x]) })
    });
    found.unwrap_or_else(|| panic!("{}: nothing can be varied", model.name))
}

fn sweep(text: &str, model: &Model, until: Option<&str>) -> Reached {
    let spec = Spec {
        model: model.name.clone(),
        set: Vec::new(),
        init: Vec::new(),
        design: Design::new(vec![unvaried(model)], Points::None, 0).expect("a design"),
        settings: RunSettings { until: until.map(str::to_owned), ..RunSettings::default() },
        engine: Some(EngineKind::Single),
        keep: vec![Keep::Final],
    };
    let study = Study::new(SourceFile::new(format!("{}.toml", model.name), text), spec).expect("a study");
    let mut reached = Reached { t: 0, state: Vec::new() };
    study.run(0..1, 1, &AtomicBool::new(false), &mut |_, rows| {
        reached.t = rows[0].t.to_bits();
        let values = rows[0].values.iter().map(|x| x.to_bits());
        let name = |c: &String| c.trim_start_matches("final(").trim_end_matches(')').to_owned();
        reached.state = study.columns().iter().map(name).zip(values).collect();
        true
    });
    reached
}

fn same_through_all_doors(builtin: &Builtin) {
    let (name, text) = (builtin.name, builtin.text);
    let file = format!("{name}.toml");
    let model = Plan::new(&file, text).read().expect("a model").0;
    for until in [None, Some(FAR)] {
        let mut plan = Plan::new(&file, text);
        plan.settings.until = until.map(str::to_owned);
        let motion = plan.solve().unwrap_or_else(|e| panic!("{name}: {e}"));
        let own = Reached::of(&motion);
        let wish = Wish { settings: plan.settings.clone(), ..Wish::new(&file, text) };
        let page = Motion::of(&wish).unwrap_or_else(|e| panic!("{name}: {:?}", e.diagnostics));
        assert_eq!(Reached::of(&page.trajectory), own, "{name}, the page");
        assert_eq!(sweep(text, &model, until), own, "{name}, a sweep");
        let ran = run(name, until, &motion);
        assert_eq!(ran.t, own.t, "{name}, run");
        if !ran.state.is_empty() {
            assert_eq!(ran, own, "{name}, run");
        }
        if motion.report.stop != StopReason::End {
            // it has ended before its own end: what is asked for later is the same
            break;
        }
    }
}

/// At the own end of every built-in model and at t = 60, except where the motion ends before.
#[test]
fn all_doors_give_the_same_bits() {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(builtin) = builtin::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            same_through_all_doors(builtin);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, work).expect("a thread"))
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
}

/// The words of a flag for each setting.
fn example(setting: Setting) -> Vec<&'static str> {
    match setting {
        Setting::Until => vec!["2*pi/k"],
        Setting::Rtol | Setting::Atol => vec!["1e-9"],
        Setting::Method => vec!["gauss4"],
        Setting::Form => vec!["ldap"],
        Setting::Step => vec!["0.015625"],
        Setting::MaxSteps => vec!["1000"],
        Setting::Precision => vec!["30"],
        Setting::Project | Setting::Reduced => vec!["true"],
        Setting::Lift => vec!["x"],
        Setting::Observe => vec!["twice=2*x", "thrice=3*x"],
        Setting::StopAt | Setting::GoOn => vec!["turn"],
        Setting::At => vec!["0.1", "pi"],
        Setting::Samples => vec!["5"],
    }
}

const OSCILLATOR: &str = "[parameters]\nk = 1\n[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"k*x^2/2\"\n\
                          [initial]\nposition = { x = 1 }\n[[event]]\nname = \"turn\"\nwhen = \"x'\"\n";

/// The setting as a line of a file.
fn line(setting: Setting) -> String {
    let quoted: Vec<String> = example(setting).iter().map(|w| format!("\"{w}\"")).collect();
    let value = match setting.takes() {
        Takes::Formulas | Takes::Texts => format!("[{}]", quoted.join(", ")),
        Takes::Formula | Takes::Word => quoted[0].clone(),
        Takes::Number | Takes::Count | Takes::Switch => example(setting)[0].to_owned(),
    };
    format!("[run]\n{} = {value}\n", setting.name())
}

#[test]
fn a_setting_means_the_same_wherever_it_is_said() {
    let folder = std::env::temp_dir().join(format!("polhode-doors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (model, plan) = (path("m.toml"), path("plan.toml"));
    std::fs::write(&model, OSCILLATOR).expect("written");
    for setting in Setting::ALL {
        let words: Vec<String> = example(setting).iter().map(|w| (*w).to_owned()).collect();
        let mut meant = RunSettings::default();
        meant.put(setting, &words).expect("a setting");
        let in_file = Model::parse("m.toml", &format!("{OSCILLATOR}{}", line(setting)), &ParseOptions::default());
        assert_eq!(in_file.expect("a model").0.run, meant, "{} in [run]", setting.name());
        let text = format!("model = \"m.toml\"\n{}[vary]\nx = [1]\n", line(setting));
        let in_plan = polhode::sweep::Plan::read(&SourceFile::new("plan.toml", text)).expect("a plan");
        assert_eq!(in_plan.spec.settings, meant, "{} in a plan", setting.name());
        let request = json!({ "text": OSCILLATOR, "given": polhode_web::document::given(&[], &[], &meant) });
        assert_eq!(Wish::from_json(&request).expect("a request").settings, meant, "{} in a request", setting.name());
        // the flags of a run that says when it is reported, and the plan that is written of the others
        let flags = meant.flags();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        match setting {
            Setting::At | Setting::Samples => {
                let (document, said) = polhode(&[&["run", &model, "--json"][..], &flags].concat());
                let count = if setting == Setting::At { 2 } else { 5 };
                assert_eq!(document["samples"].as_array().map(Vec::len), Some(count), "{said}");
            }
            // what makes no sense alone is said with what it belongs to
            Setting::Lift | Setting::Form | Setting::Reduced | Setting::Method | Setting::Step => {
                let (_, said) = polhode(&[&["run", "--help"][..]].concat());
                assert_eq!(said, "");
            }
            _ => {
                let begin = ["sweep", "plan", &model, "--vary", "x=[1]", "-o", &plan];
                let (_, said) = polhode(&[&begin[..], &flags].concat());
                let written = std::fs::read_to_string(&plan).unwrap_or_else(|_| panic!("{}: {said}", setting.name()));
                let again = polhode::sweep::Plan::read(&SourceFile::new("plan.toml", written)).expect("a plan");
                assert_eq!(again.spec.settings, meant, "{} as a flag", setting.name());
                std::fs::remove_file(&plan).expect("removed");
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// A file may ask for whatever a flag may.
#[test]
fn what_flags_ask_for_files_ask_for_too() {
    let folder = std::env::temp_dir().join(format!("polhode-asked-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let sleigh = builtin::find("chaplygin-sleigh").expect("built in").text;
    let cases: [(&[&str], &str); 4] = [
        (&["--method", "gauss4", "--step", "0.01"], "method = \"gauss4\"\nstep = 0.01"),
        (&["--method", "auto"], "method = \"auto\""),
        (&["--form", "ldap"], "form = \"ldap\""),
        (&["--precision", "30"], "precision = 30"),
    ];
    for (flags, lines) in cases {
        let path = folder.join("sleigh.toml");
        let (before, after) = sleigh.split_once("[run]\n").unwrap_or((sleigh, ""));
        std::fs::write(&path, format!("{before}\n[run]\n{lines}\n{after}")).expect("written");
        let path = path.to_str().expect("a path");
        let asked = ["--at", "1", "--until", "1", "--json"];
        let (by_flag, said) = polhode(&[&["run", "chaplygin-sleigh"][..], &asked, flags].concat());
        assert!(by_flag["samples"][0]["state"].is_object(), "{flags:?}: {said}");
        let (by_file, said) = polhode(&[&["run", path][..], &asked].concat());
        assert_eq!(by_file["samples"], by_flag["samples"], "{lines}: {said}");
        assert_eq!(by_file["report"]["method"], by_flag["report"]["method"]);
        // and the page goes the same way
        let text = std::fs::read_to_string(path).expect("written");
        let mut wish = Wish::new("sleigh.toml", &text);
        wish.settings.until = Some("1".into());
        let motion = Motion::of(&wish).expect("a motion").trajectory;
        let x = by_flag["samples"][0]["state"]["x"].as_f64().expect("x");
        assert_eq!(motion.last["x"].to_bits(), x.to_bits(), "{lines}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
