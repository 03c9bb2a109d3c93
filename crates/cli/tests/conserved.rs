//! `polhode conserved`: the examples of its page, exit statuses and the JSON document.
//!
//! A block of `docs/conserved.md` that begins with `$ polhode …` holds what the commands print; `POLHODE_ACCEPT=1` writes what
//! they print now, to be reviewed.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn polhode(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode"))
        .env("COLUMNS", "100")
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn json(arguments: &[&str]) -> Value {
    let out = polhode(arguments);
    serde_json::from_slice(&out.stdout).expect("exactly one JSON document")
}

/// The words of a command line, with double quotes.
fn words(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => out.push(String::new()),
            c => out.last_mut().expect("a word").push(c),
        }
    }
    out
}

#[test]
fn the_page_shows_what_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conserved.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let mut out = String::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" if inside => inside = false,
            line if inside => {
                let Some(command) = line.strip_prefix("$ polhode ") else { continue };
                let words = words(command);
                let run = polhode(&words.iter().map(String::as_str).collect::<Vec<_>>());
                out += &format!("{line}\n{}", String::from_utf8_lossy(&run.stdout));
                continue;
            }
            _ => {}
        }
        out += &format!("{line}\n");
    }
    if std::env::var_os("POLHODE_ACCEPT").is_some() {
        std::fs::write(&path, out).expect("a writable page");
    } else {
        assert!(out == page, "docs/conserved.md is out of date; it should be\n{out}");
    }
}

#[test]
fn exit_statuses() {
    let status = |arguments: &[&str]| polhode(arguments).status.code();
    assert_eq!(status(&["conserved", "chaplygin-ball", "--test", "K", "--test", "energy"]), Some(0));
    assert_eq!(status(&["conserved", "chaplygin-ball", "--test", "Omega[1]"]), Some(1));
    assert_eq!(status(&["conserved", "chaplygin-ball", "--test", "energy", "--test", "Omega", "--json"]), Some(1));
    assert_eq!(status(&["conserved", "chaplygin-ball", "--test", "Omga[1]"]), Some(2));
    assert_eq!(status(&["conserved", "chaplygin-ball", "--basis", "x'"]), Some(2));
    assert_eq!(status(&["conserved", "chaplygin-ball", "--degree", "x"]), Some(2));
    assert_eq!(status(&["conserved", "no-such-model"]), Some(2));
}

#[test]
fn the_document_of_a_test() {
    let document = json(&["conserved", "chaplygin-sleigh", "--test", "energy", "--test", "theta'", "--json"]);
    let tests = &document["tests"];
    assert_eq!(tests[0]["constant"], true);
    assert_eq!(tests[0]["evidence"]["kind"], "prime-field");
    assert_eq!(tests[1]["constant"], false);
    assert_eq!(tests[1]["rate"]["text"], "-m*a*u*w/(I + m*a^2)");
    assert!(document.get("integrals").is_none());
}

#[test]
fn the_document_of_a_search() {
    let document = json(&["conserved", "rolling-disk-centre", "--degree", "1", "--json"]);
    assert_eq!(document["integrals"][0]["kind"], "energy");
    assert_eq!(document["linear_systems"][0]["order"], 2);
    assert_eq!(document["linear_systems"][0]["variable"], "theta");
    assert_eq!(document["measure"]["exists"], true);
    assert_eq!(document["symmetries"][0]["declared"], true);
    let sleigh = json(&["conserved", "chaplygin-sleigh", "--measure", "--json"]);
    assert_eq!(sleigh["measure"]["exists"], false);
    let latex = polhode(&["conserved", "chaplygin-ball", "--measure", "--format", "latex"]);
    assert!(String::from_utf8_lossy(&latex.stdout).contains("\\sqrt"));
}

/// A body whose point of contact is carried: motions decide what algebra cannot.
#[test]
fn carried_contacts_are_watched() {
    let document = json(&["conserved", "torus-on-plane", "--test", "Omega[3]", "--test", "energy", "--json"]);
    assert_eq!(document["tests"][0]["verdict"], "undecided");
    assert_eq!(document["tests"][0]["constant"], false);
    assert!(document["tests"][0]["motions"]["change"].as_f64().expect("a number") > 1e-6);
    assert_eq!(document["tests"][1]["constant"], true);
}

/// Values that make an obstruction vanish: said without `--at-values`, put in with it.
#[test]
fn measures_at_special_values() {
    let suslov = ["conserved", "suslov", "--measure", "--json", "--set", "I13=0", "--set", "I23=0"];
    let general = &json(&suslov)["measure"];
    assert_eq!(general["exists"], false);
    assert_eq!(general["vanishes_where_zero"][0]["text"], "I13");
    assert_eq!(general["at_the_values_of_the_model"]["exists"], true);
    let special = &json(&[&suslov[..], &["--at-values"]].concat())["measure"];
    assert_eq!((&special["exists"], &special["at_values"]), (&Value::from(true), &Value::from(true)));
    let text = polhode(&["conserved", "chaplygin-sleigh", "--measure", "--set", "a=0"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("a = 0") && text.contains("it vanishes at the values of the model"), "{text}");
}

/// A quasi-velocity that the program chose is defined where it is used.
#[test]
fn quasi_velocities_are_defined() {
    let folder = std::env::temp_dir().join(format!("polhode-conserved-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("turning.toml");
    let model = "[coordinates]\nx = \"real\"\ny = \"real\"\nth = \"angle\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + th'^2)/2\"\n\
                 [constraints]\nblade = \"-(x' + y)*sin(th) + (y' - x)*cos(th) = 0\"\n";
    std::fs::write(&path, model).expect("a model");
    let path = path.to_str().expect("a path");
    let page = polhode(&["conserved", path, "--measure"]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(page.contains("du₁") && page.contains("\n  u₁ = "), "{page}");
    let document = json(&["conserved", path, "--measure", "--json"]);
    let velocities = document["measure"]["velocities"].as_array().expect("names");
    let chosen = velocities.iter().filter_map(Value::as_str).find(|v| v.starts_with('u')).expect("one is chosen");
    assert!(document["quasi_velocities"][chosen]["text"].as_str().expect("a formula").contains("x'"));
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// `--test` is asked about a function; the advice for an equation can be followed.
#[test]
fn an_equation_is_no_function() {
    let refused = polhode(&["conserved", "chaplygin-sleigh", "--test", "x' = y'"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("the difference of both") && !said.contains("=="), "{said}");
    assert_eq!(polhode(&["conserved", "chaplygin-sleigh", "--test", "x' - y'"]).status.code(), Some(1));
}

/// "Not constant" is meant for letters: where the values of the model are special, the page says so, and `--at-values` decides there.
#[test]
fn tests_at_special_values() {
    let asked = ["conserved", "chaplygin-sleigh", "--set", "a=0", "--test", "theta'"];
    let general = polhode(&asked);
    let page = String::from_utf8_lossy(&general.stdout).into_owned();
    assert_eq!(general.status.code(), Some(1));
    assert!(
        page.contains("for parameters in general") && page.contains("at the values of the model it is constant"),
        "{page}"
    );
    let said = String::from_utf8_lossy(&general.stderr).into_owned();
    assert!(said.contains("at the values of the model it is"), "{said}");
    assert_eq!(json(&[&asked[..], &["--json"]].concat())["tests"][0]["constant_at_values"], true);

    let special = polhode(&[&asked[..], &["--at-values"]].concat());
    let page = String::from_utf8_lossy(&special.stdout).into_owned();
    assert_eq!(special.status.code(), Some(0), "{page}");
    assert!(page.contains("at the values") && page.contains("a = 0") && page.contains("theta' is constant"), "{page}");

    let other = json(&["conserved", "chaplygin-sleigh", "--test", "theta'", "--json"]);
    assert_eq!(other["tests"][0]["constant_at_values"], false);
    let hint = json(&["conserved", "chaplygin-sleigh", "--set", "a=0", "--json"]);
    assert!(hint["more_at_values"].as_u64().expect("a number") > 0);
}

/// With `--at-values` a page has numbers and no letters of parameters.
#[test]
fn values_and_letters_are_not_mixed() {
    let document = json(&["conserved", "chaplygin-sleigh", "--set", "a=0", "--at-values", "--json"]);
    let formulas = document["integrals"].as_array().expect("integrals").iter().map(|i| &i["formula"]["text"]);
    let all: Vec<&str> = formulas.filter_map(Value::as_str).collect();
    assert!(!all.is_empty());
    let letters = |f: &&&str| f.split(|c: char| !c.is_alphanumeric()).any(|w| ["m", "I", "a"].contains(&w));
    assert!(!all.iter().any(|f| letters(&f)), "{all:?}");
}

#[test]
fn the_energy_is_a_name_in_formulas() {
    let status = |f: &str| polhode(&["conserved", "chaplygin-sleigh", "--test", f]).status.code();
    assert_eq!(status("energy/2 + energy^2"), Some(0));
    assert_eq!(status("energy - theta'"), Some(1));
    assert_eq!(status("enrgy - theta'"), Some(2));
}

/// A degree that is out of reach is not passed over in silence.
#[test]
fn the_degree_that_was_reached() {
    let page = polhode(&["conserved", "ball-on-turntable", "--degree", "4", "--search"]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(page.contains("those of degree 4 are too many"), "{page}");
}

/// Where constraints come and go integrals are those between jumps, and the page says so.
#[test]
fn integrals_between_jumps() {
    for model in ["ball-smooth-rough", "ball-rough-wall"] {
        let page = polhode(&["conserved", model, "--test", "energy"]);
        assert!(String::from_utf8_lossy(&page.stdout).contains("between jumps"), "{model}");
        assert_eq!(json(&["conserved", model, "--test", "energy", "--json"])["between_jumps"], true);
    }
    let d = json(&["conserved", "rolling-disk", "--test", "energy", "--json"]);
    assert!(d.get("between_jumps").is_none());
}

/// Of a rate that is too long to be read the value where the model starts is given.
#[test]
fn a_long_rate_has_a_value() {
    let test = "Omega[3]^3*Omega[1]";
    let page = polhode(&["conserved", "rattleback", "--test", test]);
    let shown = String::from_utf8_lossy(&page.stdout);
    assert!(shown.contains("−1221.35 where the model starts"), "{shown}");
    // d/dt of the same along a motion that has just begun
    let run = json(&[
        "run",
        "rattleback",
        "--until",
        "1e-8",
        "--observe",
        &format!("f={test}"),
        "--at",
        "0",
        "--at",
        "1e-8",
        "--json",
    ]);
    let f =
        |k: usize| run["samples"][k]["state"]["f"].as_f64().or(run["samples"][k]["derived"]["f"].as_f64()).expect("f");
    let rate = json(&["conserved", "rattleback", "--test", test, "--json"])["tests"][0]["rate_at_start"]
        .as_f64()
        .expect("a value");
    assert!(((f(1) - f(0)) / 1e-8 - rate).abs() < 1e-4 * rate.abs(), "{} and {rate}", (f(1) - f(0)) / 1e-8);
}
