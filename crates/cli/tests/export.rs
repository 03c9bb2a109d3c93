//! `polhode export` and `polhode report`: pages that need nothing but themselves.

use crate::common::interrupt;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn polhode(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polhode"));
    command.current_dir(folder).args(arguments).output().expect("the program runs")
}

/// Standard output of a command that succeeds.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = polhode(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Standard error of a command that is refused as bad input.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = polhode(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder can be made");
    path
}

/// The data of a page.
fn data(page: &str) -> Value {
    let begin = page.find("id=\"polhode-data\">").expect("data") + "id=\"polhode-data\">".len();
    let rest = &page[begin..];
    serde_json::from_str(&rest[..rest.find("</script>").expect("an end")]).expect("JSON")
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let folder = folder("alone");
    let said = said(&folder, &["export", "rolling-disk", "--html", "disk.html", "--set", "M=2", "--until", "2*pi"]);
    let page = std::fs::read_to_string(folder.join("disk.html")).unwrap();
    assert_eq!(said, format!("wrote disk.html ({} kB)\n", page.len().div_ceil(1000)));
    assert!(page.len() <= 1_500_000, "{} bytes", page.len());
    // the names of SVG and MathML are no addresses
    let elsewhere = |text: &&str| !text.starts_with("//www.w3.org/");
    let addresses = page.split("https:").skip(1).chain(page.split("http:").skip(1));
    assert_eq!(addresses.filter(elsewhere).map(|t| &t[..40]).next(), None);
    let data = data(&page);
    assert_eq!(data["mode"], "alone");
    let document = &data["documents"][0];
    assert_eq!((&document["ok"], &document["model"]["name"]), (&Value::Bool(true), &Value::from("rolling-disk")));
    assert_eq!(document["until"].as_f64(), Some(2.0 * std::f64::consts::PI));
    assert_eq!(document["parameters"][0]["value"].as_f64(), Some(2.0));
    assert!(document["engine"]["wasm"].as_str().is_some_and(|wasm| wasm.starts_with("AGFzbQ")));
    assert!(!document["scene"]["objects"].as_array().unwrap().is_empty());
    let forms = document["equations"].as_array().unwrap();
    assert_eq!(forms.len(), 6);
    assert!(forms.iter().filter(|f| f["applies"] == true).count() >= 4);
    assert!(!document["facts"]["conserved"].as_array().unwrap().is_empty());
}

#[test]
fn a_scene_is_a_gltf_file() {
    let folder = folder("scene");
    let said = said(&folder, &["export", "rattleback", "--gltf", "stone.glb", "--until", "1"]);
    assert!(said.starts_with("wrote stone.glb"), "{said}");
    let bytes = std::fs::read(folder.join("stone.glb")).unwrap();
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert_eq!(json["asset"]["version"], "2.0");
    assert!(!json["animations"].as_array().unwrap().is_empty());
}

#[test]
fn models_are_not_written_over() {
    let folder = folder("targets");
    let text = said(&folder, &["show", "chaplygin-sleigh"]);
    std::fs::write(folder.join("mine.toml"), &text).unwrap();
    std::fs::write(folder.join("mine"), &text).unwrap();
    for (target, why) in [
        ("mine.toml", "would overwrite a model file"),
        ("./mine.toml", "would overwrite a model file"),
        ("other.toml", "has the name of a model file"),
    ] {
        let error = refused(&folder, &["export", "mine.toml", "--html", target]);
        assert!(error.contains(why), "{error}");
        assert!(refused(&folder, &["report", "mine.toml", "--output", target]).contains(".html"));
    }
    assert!(refused(&folder, &["export", "mine", "--html", "mine"]).contains("would overwrite"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("mine.toml", folder.join("link.html")).unwrap();
        assert!(refused(&folder, &["report", "heisenberg", "-o", "link.html"]).contains("would overwrite"));
        assert!(refused(&folder, &["export", "heisenberg", "--html", "link.html"]).contains("would overwrite"));
    }
    assert!(refused(&folder, &["export", "mine.toml", "--html", "a.x", "--gltf", "a.x"]).contains("asked for twice"));
    assert!(refused(&folder, &["export", "mine.toml", "--gltf", "a.gltf"]).contains("write --gltf a.glb"));
    assert_eq!(std::fs::read_to_string(folder.join("mine.toml")).unwrap(), text);
    assert!(refused(&folder, &["export", "mine.toml"]).contains("--html mine.html"));
    assert!(refused(&folder, &["export", "mine.toml", "--html", "no/such/folder.html"]).contains("cannot write"));
    assert!(refused(&folder, &["export", "mine.toml", "--html", "a.html", "--set", "mm=1"]).contains("mm"));
    assert!(
        refused(&folder, &["export", "chaplygin-slegh", "--html", "a.html"])
            .contains("did you mean `chaplygin-sleigh`?")
    );
}

#[test]
fn pages_are_small_enough_to_be_sent_around() {
    let folder = folder("small");
    for name in ["ruina-sled", "poinsot-on-sphere", "elliptope-on-plane", "coin-in-funnel", "wheel-in-shell"] {
        said(&folder, &["export", name, "--html", "page.html"]);
        let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
        assert!(page.len() <= 1_500_000, "{name}: {} bytes", page.len());
        let document = &data(&page)["documents"][0];
        // what the page cannot compute again has many samples
        let fewest = if document["engine"].is_null() { 1500 } else { 20 };
        assert!(document["recorded"]["count"].as_u64().unwrap() >= fewest, "{name}");
        assert!(!document["scene"]["objects"].as_array().unwrap().is_empty(), "{name}");
        if name == "ball-on-ball" {
            let friction = document["facts"]["friction"].as_str().unwrap();
            assert!(friction.contains("balls: the normal force vanishes on the way"), "{friction}");
        }
    }
}

#[test]
fn a_motion_that_takes_too_long_is_cut_and_told() {
    let folder = folder("long");
    let arguments = ["rolling-disk", "--until", "1e300", "--time-limit", "1"];
    for (command, flag, file) in
        [("export", "--html", "long.html"), ("export", "--gltf", "long.glb"), ("report", "--output", "long.html")]
    {
        let output = polhode(&folder, &[&[command], &arguments[..], &[flag, file]].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{error}");
        assert!(error.contains("the motion took longer than 1 s") && error.contains("--time-limit"), "{error}");
        assert!(folder.join(file).is_file());
        if let Ok(page) = std::fs::read_to_string(folder.join(file)) {
            let stop = &data(&page)["documents"][0]["recorded"]["stop"];
            assert_eq!(stop["text"], "the motion took longer than 1 s");
            assert!(stop["t"].as_f64().unwrap() < 1e300);
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_export() {
    let folder = folder("interrupted");
    let child = Command::new(env!("CARGO_BIN_EXE_polhode"))
        .current_dir(&folder)
        .args(["export", "rolling-disk", "--until", "1e300", "--html", "long.html"])
        .spawn()
        .expect("the program runs");
    assert!(!interrupt(child).status.success());
    assert!(!folder.join("long.html").exists());
}

#[test]
fn a_report_has_what_the_commands_say() {
    let folder = folder("report");
    let json: Value = serde_json::from_str(&said(
        &folder,
        &["report", "chaplygin-sleigh", "--output", "sleigh.html", "--init", "theta'=1.5", "--json"],
    ))
    .unwrap();
    let page = std::fs::read_to_string(folder.join("sleigh.html")).unwrap();
    assert_eq!(json["files"][0]["bytes"].as_u64(), Some(page.len() as u64));
    let data = data(&page);
    assert_eq!(data["mode"], "report");
    let sections = data["sections"].as_array().unwrap();
    let find = |id: &str| sections.iter().find(|s| s["id"] == id).unwrap_or_else(|| panic!("no section {id}"));
    let text = |id: &str| find(id)["blocks"].to_string();
    assert_eq!(find("check")["command"], "polhode check chaplygin-sleigh --init \"theta'=1.5\"");
    assert!(text("check").contains("by Frobenius"));
    assert!(text("equations").contains("\"latex\""));
    assert!(text("conserved").contains("\"Integrals\""));
    assert!(text("reduction").contains("\\\\begin{aligned}"));
    assert!(text("plots").contains("<svg"));
    assert!(text("events").contains("ends at t = 10"));
    assert!(text("forces").contains("reaction blade"));
    assert!(text("steady").len() > 20);
    let run = text("run");
    assert!(run.contains("energy") && !run.contains(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{run}");
    assert!(text("plots").contains("the energy and the constraints last"));
}

#[test]
fn a_report_says_why_a_form_does_not_apply_and_leaves_no_equation_without_a_formula() {
    let folder = folder("report-forms");
    said(&folder, &["report", "ball-rough-wall", "--output", "ball.html", "--until", "1"]);
    let page = std::fs::read_to_string(folder.join("ball.html")).unwrap();
    assert!(page.len() <= 3_000_000, "{}", page.len());
    let data = data(&page);
    let sections = data["sections"].as_array().unwrap();
    let equations = sections.iter().find(|s| s["id"] == "equations").unwrap()["blocks"].to_string();
    assert!(!equations.contains("nodes)"), "{equations}");
    said(&folder, &["report", "free-rigid-body", "--until", "1"]);
    let page = std::fs::read_to_string(folder.join("free-rigid-body-report.html")).unwrap();
    assert!(page.contains("Does not apply, because "));
}

/// The report of a model, with so many seconds for a section, and how large it is. A motion that ends early has a report all the same.
fn report_size(folder: &Path, model: &str, seconds: &str) -> u64 {
    let file = format!("{model}.html");
    polhode(folder, &["report", model, "--output", &file, "--time-limit", seconds]);
    std::fs::metadata(folder.join(&file)).expect("a report").len()
}

/// The built-in models with the largest reports.
#[test]
fn large_reports_are_not_larger_than_three_megabytes() {
    let folder = folder("large-reports");
    for model in ["wheel-in-shell", "ball-between-plates"] {
        let bytes = report_size(&folder, model, "2");
        assert!((1_000_000..=3_000_000).contains(&bytes), "{model}: {bytes} bytes");
    }
}

/// Minutes: `cargo test --workspace --release --test export -- --ignored`.
#[test]
#[ignore = "reports of all built-in models take minutes"]
fn no_report_of_a_built_in_model_is_larger_than_three_megabytes() {
    let folder = folder("report-sizes");
    for model in polhode::builtin::ALL {
        let bytes = report_size(&folder, model.name, "20");
        assert!(bytes <= 3_000_000, "{}: {bytes} bytes", model.name);
    }
}
