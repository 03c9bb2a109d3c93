//! `polhode sweep`: rows, files, shards that are killed, maps, mistakes.

use polhode::table::Table;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn polhode(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polhode"));
    command.current_dir(folder).args(arguments).output().expect("the program runs")
}

/// Standard output of a command that succeeds.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = polhode(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Exit status and standard error of a command that does not.
fn refused(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = polhode(folder, arguments);
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().expect("a status"), String::from_utf8(output.stderr).expect("UTF-8"))
}

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder can be made");
    path
}

const PENDULUM: &str = r#"
title = "Pendulum"
[parameters]
l = 1
g = 9.81
[coordinates]
theta = "angle"
[lagrangian]
kinetic = "l^2*theta'^2/2"
potential = "-g*l*cos(theta)"
[initial]
position = { theta = 0.1 }
[[event]]
name = "lowest"
when = "theta > 0"
"#;

#[test]
fn a_document_with_rows() {
    let folder = folder("document");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let vary = ["sweep", "p.toml", "--vary", "theta=0.01..pi/2:3", "--vary", "l=[1, 4]", "--until", "2*pi", "--json"];
    let text = said(&folder, &[&vary[..], &["--keep", "period(theta), max(theta'), events"]].concat());
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["samples"], 6);
    assert_eq!(document["report"]["status"]["end"], 6);
    let columns: Vec<&str> = document["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let kept = ["period(theta)", "max(theta')", "t_max(theta')", "count(lowest)", "t_event(lowest)"];
    assert_eq!(columns, [&["theta", "l", "status", "reason", "t_end"][..], &kept].concat());
    let rows = document["rows"].as_array().unwrap();
    // small oscillations have the period 2π √(l/g); energy gives the largest velocity
    let period = rows[0]["period(theta)"].as_f64().unwrap();
    assert!((period - std::f64::consts::TAU / 9.81f64.sqrt()).abs() < 1e-4, "{period}");
    for row in rows {
        let (theta, l) = (row["theta"].as_f64().unwrap(), row["l"].as_f64().unwrap());
        let fastest = (2.0 * 9.81 / l * (1.0 - theta.cos())).sqrt();
        assert!((row["max(theta')"].as_f64().unwrap() - fastest).abs() < 1e-11);
        assert_eq!(row["status"], "end");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "beside JSON no file is written unasked");
}

#[test]
fn files_and_failures() {
    let folder = folder("files");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let text =
        said(&folder, &["sweep", "p.toml", "--vary", "l=-1..1:3", "--until", "1", "-o", "a.csv", "-o", "a.parquet"]);
    assert!(text.contains("2 end") && text.contains("1 refused") && text.contains("kinetic energy"), "{text}");
    let csv = std::fs::read_to_string(folder.join("a.csv")).unwrap();
    assert!(csv.starts_with("l,status,reason,t_end,final(theta),final(theta'),"), "{csv}");
    let table = Table::read_parquet(&std::fs::read(folder.join("a.parquet")).unwrap()).unwrap();
    assert_eq!(table.columns()[1].values, [0.0, 3.0, 0.0]);
    let note = |key: &str| table.metadata().iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    assert_eq!((note("status:3"), note("status:0")), (Some("refused"), Some("end")));
    assert!(note("reason:1").unwrap().contains("kinetic energy"));
    // without a wish the table has a name of its own
    let text = said(&folder, &["sweep", "p.toml", "--vary", "l=1..2:2", "--until", "0.1"]);
    assert!(text.contains("written: p-sweep.parquet") && folder.join("p-sweep.parquet").is_file());
}

#[test]
fn flags_and_a_file_say_the_same() {
    let folder = folder("file");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let study = "model = \"p.toml\"\nkeep = [\"max(theta)\"]\nsobol = 16\nseed = 3\n[set]\ng = \"2*5\"\n[run]\nuntil = 1\n\
                 [vary]\ntheta = { from = 0.1, to = 1 }\n\"theta'\" = { from = 1, to = 2, scale = \"log\" }\n";
    std::fs::write(folder.join("study.toml"), study).unwrap();
    said(&folder, &["sweep", "--file", "study.toml", "-o", "a.parquet"]);
    said(
        &folder,
        &[
            "sweep",
            "p.toml",
            "--vary",
            "theta=0.1..1",
            "--vary",
            "theta'=1..2:log",
            "--sobol",
            "16",
            "--seed",
            "3",
            "--set",
            "g=2*5",
            "--until",
            "1",
            "--keep",
            "max(theta)",
            "-o",
            "b.parquet",
            "--threads",
            "3",
        ],
    );
    let [a, b] = ["a", "b"].map(|n| std::fs::read(folder.join(format!("{n}.parquet"))).unwrap());
    assert!(a == b);
}

/// Motions go side by side where they can; the plan says so, and whoever runs it does.
#[test]
fn plans_name_their_engine() {
    let folder = folder("engine");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let sweep =
        ["p.toml", "--vary", "theta=-3..3:20", "--vary", "l=0.5..2:15", "--until", "3", "--keep", "final, max(theta)"];
    said(&folder, &[&["sweep", "plan"], &sweep[..], &["-o", "plan.toml"]].concat());
    assert!(std::fs::read_to_string(folder.join("plan.toml")).unwrap().contains("engine = \"batch\""));
    for shard in ["1/2", "2/2"] {
        said(&folder, &["sweep", "run", "plan.toml", "--shard", shard, "-o", "parts"]);
    }
    said(&folder, &["sweep", "merge", "plan.toml", "parts", "-o", "parts.parquet"]);
    said(&folder, &[&["sweep"], &sweep[..], &["-o", "plain.parquet"]].concat());
    let [parts, plain] = ["parts", "plain"].map(|n| std::fs::read(folder.join(format!("{n}.parquet"))).unwrap());
    assert!(parts == plain);
    let single = said(&folder, &[&["sweep"], &sweep[..], &["--engine", "single", "--json"]].concat());
    let document: Value = serde_json::from_str(&single).unwrap();
    assert_eq!(document["report"]["engine"], "single");
    // an event is kept, which is found motion by motion
    let events = [&["sweep"], &sweep[..7], &["--keep", "events", "--engine", "batch"]].concat();
    let (status, error) = refused(&folder, &events);
    assert!(status == 2 && error.contains("cannot go side by side: events"), "{error}");
}

/// Starts a shard and does not wait for it.
fn start(folder: &Path, shard: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polhode"));
    command.current_dir(folder).args(["sweep", "run", "plan.toml", "--threads", "1", "--shard", shard, "-o", "killed"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs")
}

/// Shards that are killed again and again at odd moments, and go on, make the same file as a sweep that nobody disturbs; so does any division.
#[test]
fn killed_shards_lose_nothing() {
    let folder = folder("killed");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    // long enough that a third of it outlasts several blocks on the disk, the first of which comes after 10 ms
    let sweep = [
        "p.toml",
        "--vary",
        "theta=-3..3:20",
        "--vary",
        "l=0.5..2:15",
        "--until",
        "40",
        "--keep",
        "final, max(theta'), events",
    ];
    said(&folder, &[&["sweep", "plan"], &sweep[..], &["-o", "plan.toml"]].concat());
    let begin = Instant::now();
    said(&folder, &["sweep", "run", "plan.toml", "--threads", "1", "-o", "whole"]);
    let whole_takes = begin.elapsed();
    said(&folder, &["sweep", "merge", "plan.toml", "whole", "-o", "whole.parquet"]);
    let whole = std::fs::read(folder.join("whole.parquet")).unwrap();

    let (mut kills, mut resumed, mut moment) = (0, 0, 12345u32);
    for shard in ["2/3", "1/3", "3/3"] {
        let name =
            folder.join("killed").join(format!("shard-{:05}-of-00003.rows", &shard[..1].parse::<u32>().unwrap()));
        let part = name.with_extension("rows.part");
        let size = || std::fs::metadata(&part).map_or(0, |m| m.len());
        for kill in 0..6 {
            let before = size();
            let mut child = start(&folder, shard);
            moment = moment.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let random = f64::from(moment >> 16) / 65536.0;
            if kill % 2 == 0 {
                // anywhere in the first half of the time that an untouched shard needs on this machine, be it before it has begun
                std::thread::sleep(whole_takes.mul_f64(random / 6.0));
            } else {
                // soon after a block came onto the disk
                while size() <= before.max(200) && child.try_wait().expect("a child").is_none() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(5).mul_f64(random));
            }
            if child.try_wait().expect("a child").is_none() {
                child.kill().expect("SIGKILL");
                kills += 1;
            }
            child.wait().expect("it has ended");
        }
        // a block that was cut off in the middle, as a crash of the machine leaves it
        if let Ok(bytes) = std::fs::read(&part) {
            std::fs::write(&part, &bytes[..bytes.len() - bytes.len().min(5)]).unwrap();
        }
        let last = said(&folder, &["sweep", "run", "plan.toml", "--shard", shard, "-o", "killed"]);
        resumed += usize::from(last.contains("were there"));
        let before = std::fs::read(&name).unwrap();
        let again = said(&folder, &["sweep", "run", "plan.toml", "--shard", shard, "-o", "killed"]);
        assert!(
            again.contains("0 run") && before == std::fs::read(&name).unwrap(),
            "running again changes nothing: {again}"
        );
    }
    assert!(kills >= 3, "only {kills} of 18 processes were killed before they were done");
    assert!(resumed >= 1, "no process has gone on with what another had left");
    said(&folder, &["sweep", "merge", "plan.toml", "killed", "-o", "killed.parquet"]);
    assert!(whole == std::fs::read(folder.join("killed.parquet")).unwrap());
    said(&folder, &[&["sweep"], &sweep[..], &["-o", "plain.parquet"]].concat());
    assert!(whole == std::fs::read(folder.join("plain.parquet")).unwrap());

    // what is missing, doubled or damaged is named
    std::fs::copy(folder.join("whole/shard-00001-of-00001.rows"), folder.join("killed/shard-00001-of-00001.rows"))
        .unwrap();
    let (status, error) = refused(&folder, &["sweep", "merge", "plan.toml", "killed", "-o", "x.parquet"]);
    assert!(status == 2 && error.contains("have samples in common"), "{error}");
    std::fs::remove_file(folder.join("killed/shard-00001-of-00001.rows")).unwrap();
    let third = folder.join("killed/shard-00003-of-00003.rows");
    let mut bytes = std::fs::read(&third).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&third, &bytes).unwrap();
    let (status, error) = refused(&folder, &["sweep", "merge", "plan.toml", "killed", "-o", "x.parquet"]);
    assert!(status == 2 && error.contains("`shard-00003-of-00003.rows` is damaged"), "{error}");
    std::fs::remove_file(&third).unwrap();
    let (status, error) = refused(&folder, &["sweep", "merge", "plan.toml", "killed", "-o", "x.parquet"]);
    assert!(status == 2 && error.contains("samples 200 … 299 are missing"), "{error}");
    let help = "  = to be run, of 3: 3\n  = polhode sweep run plan.toml --shard 3/3 -o killed\n";
    assert!(error.ends_with(help), "{error}");
    assert!(!folder.join("x.parquet").exists());

    // another model, another plan
    std::fs::write(folder.join("p.toml"), PENDULUM.replace("9.81", "9.80")).unwrap();
    let (status, error) = refused(&folder, &["sweep", "run", "plan.toml", "--shard", "3/3", "-o", "killed"]);
    assert!(status == 2 && error.contains("is not the one that the plan was made for"), "{error}");
    said(&folder, &[&["sweep", "plan"], &sweep[..], &["-o", "plan.toml"]].concat());
    let (status, error) = refused(&folder, &["sweep", "run", "plan.toml", "--shard", "1/3", "-o", "killed"]);
    assert!(status == 2 && error.contains("belongs to another plan"), "{error}");
}

#[test]
fn maps() {
    let folder = folder("maps");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let sweep = ["sweep", "p.toml", "--vary", "theta=0.1..3:5", "--vary", "l=0.1..10:4:log", "--until", "5"];
    let map = ["--map", "a.svg", "--colour", "crossings(theta)", "-o", "a.parquet"];
    said(&folder, &[&sweep[..], &map].concat());
    let svg = std::fs::read_to_string(folder.join("a.svg")).unwrap();
    assert!(svg.contains("crossings") && svg.contains("Pendulum") && svg.contains("data:image/png;base64,"));
    said(&folder, &["sweep", "map", "a.parquet", "--map", "b.png", "--colour", "status"]);
    // twice as wide as the SVG
    let picture = std::fs::read(folder.join("b.png")).unwrap();
    let width = u32::from_be_bytes(picture[16..20].try_into().unwrap());
    assert!(picture.starts_with(b"\x89PNG") && svg.contains(&format!(" width=\"{}\"", width / 2)), "{width}");
    // scattered points, and letters that the font has not
    let points = ["sweep", "p.toml", "--vary", "theta=0.1..3", "--vary", "l=0.1..10", "--sobol", "8", "--until", "1"];
    let map = ["--map", "c.png", "--title", "振子", "-o", "c.parquet"];
    let output = polhode(&folder, &[&points[..], &map].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(error.contains("no `子`, `振`; boxes stand for them"), "{error}");
    assert!(std::fs::read(folder.join("c.png")).unwrap().starts_with(b"\x89PNG"));
    let (status, error) = refused(&folder, &["sweep", "map", "a.parquet", "--map", "b.jpg"]);
    assert!(status == 2 && error.contains("write --map b.svg or --map b.png"), "{error}");
    let (status, error) = refused(&folder, &["sweep", "map", "a.parquet", "--colour", "crossing(theta)"]);
    assert!(status == 2 && error.contains("did you mean `crossings(theta)`?"), "{error}");
    let (status, error) = refused(&folder, &["sweep", "p.toml", "--vary", "l=1..2:2", "--map", "a.svg"]);
    assert!(status == 2 && error.contains("a map has two axes, but 1 are varied: l"), "{error}");
}

#[test]
fn mistakes_are_answered() {
    let folder = folder("mistakes");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let told = |arguments: &[&str]| {
        let (status, error) = refused(&folder, &[&["sweep", "p.toml"], arguments].concat());
        assert_eq!(status, 2, "{error}");
        error
    };
    assert!(told(&["--vary", "thetta=1..2:3"]).contains("did you mean `theta`?"));
    assert!(told(&["--vary", "l=1..2"]).contains("fill ranges: --sobol"));
    assert!(told(&[]).contains("nothing is varied"));
    assert!(told(&["--vary", "l=1..2:3", "--keep", "max(thta)"]).contains("there is no variable `thta`"));
    assert!(told(&["--vary", "l=1..2:3", "--keep", "t_max(theta)"]).contains("write `max(theta)`"));
    assert!(told(&["--vary", "l=1..2:3", "--set", "l=1"]).contains("`l` is varied and has a fixed value too"));
    assert!(told(&["--vary", "l=1..2:3", "-o", "a.xls"]).contains(".parquet, .csv or .npz"));
    assert!(told(&["--vary", "l=1..2:3", "--until", "l"]).contains("is no number that all motions share"));
    assert!(told(&["--vary", "l=1..2:3", "--rtol", "2"]).contains("the tolerance 2 is not between 0 and 1"));
    let (status, error) = refused(&folder, &["sweep", "run", "plan.toml"]);
    assert!(status == 2 && error.contains("cannot read `plan.toml`"), "{error}");
    std::fs::write(folder.join("plan.toml"), "model = \"p.toml\"\n[vary]\nl = { from = 1, too = 2, count = 3 }\n")
        .unwrap();
    let (status, error) = refused(&folder, &["sweep", "run", "plan.toml"]);
    assert!(status == 2 && error.contains("plan.toml:3:17") && error.contains("did you mean `to`?"), "{error}");
    let (status, error) = refused(&folder, &["sweep", "run", "plan.toml", "--shard", "4/3"]);
    assert!(status == 2 && error.contains("no part of a whole"), "{error}");
}

/// A free particle that a post in its way stops.
const POST: &str = r#"
[coordinates]
x = "real"
y = "real"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[initial]
position = { x = -1, y = 0 }
velocity = { x = 1, y = 0 }
[[event]]
name = "hits the post"
when = "x^2 + y^2 < 0.01"
action = "stop"
"#;

/// A skate, and the integral of its x.
const SKATE: &str = r#"
[coordinates]
x = "real"
y = "real"
theta = "angle"
z = "real"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + theta'^2/4"
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
integral = "z' = x"
[quasi_velocities]
u = "x'*cos(theta) + y'*sin(theta)"
w = "theta'"
[initial]
position = { x = 0.5, y = 0.2, theta = 0.3, z = 0 }
velocity = { x = 1.0, theta = 1.0 }
"#;

/// Rows of both engines.
fn of_engines(folder: &Path, arguments: &[&str]) -> [Vec<Value>; 2] {
    ["batch", "single"].map(|engine| {
        let text = said(folder, &[arguments, &["--engine", engine, "--json"]].concat());
        let document: Value = serde_json::from_str(&text).unwrap();
        document["rows"].as_array().unwrap().clone()
    })
}

#[test]
fn engines_stop_at_the_same_events() {
    let folder = folder("post");
    std::fs::write(folder.join("post.toml"), POST).unwrap();
    for method in ["taylor", "dop853"] {
        let vary = ["sweep", "post.toml", "--vary", "y=-0.3..0.3:31", "--vary", "x'=[0.8, 1, 1.2]", "--until", "2"];
        let rows = of_engines(&folder, &[&vary[..], &["--keep", "final", "--method", method]].concat());
        let status = |row: &Value| row["status"].as_str().unwrap().to_owned();
        let [batch, single] = rows.map(|rows| rows.iter().map(status).collect::<Vec<_>>());
        assert_eq!(batch, single, "{method}");
        assert!(single.iter().any(|s| s == "event") && single.iter().any(|s| s == "end"));
    }
}

#[test]
fn engines_agree_on_what_a_turning_frame_carries() {
    let folder = folder("skate");
    std::fs::write(folder.join("skate.toml"), SKATE).unwrap();
    let vary = ["sweep", "skate.toml", "--vary", "theta'=-3..3:7", "--until", "5", "--keep", "final"];
    let [batch, single] = of_engines(&folder, &vary);
    for (a, b) in batch.iter().zip(&single) {
        for name in ["final(x)", "final(y)", "final(z)"] {
            let (a, b) = (a[name].as_f64().unwrap(), b[name].as_f64().unwrap());
            assert!((a - b).abs() < 1e-9, "{name}: {a} and {b}");
        }
    }
}

/// The model is that beside the plan, and is not overwritten by it.
#[test]
fn models_and_plans_are_not_written_over() {
    let folder = folder("targets");
    std::fs::write(folder.join("p.csv"), PENDULUM).unwrap();
    let vary = ["sweep", "p.csv", "--vary", "theta=0.1..1:2", "--vary", "l=1..2:2", "--until", "0.1"];
    let told = |arguments: &[&str]| {
        let (status, error) = refused(&folder, arguments);
        assert_eq!(status, 2, "{error}");
        error
    };
    assert!(told(&[&vary[..], &["-o", "p.csv"]].concat()).contains("would overwrite a model file"));
    assert!(told(&[&vary[..], &["-o", "a.csv", "-o", "./a.csv"]].concat()).contains("is asked for twice"));
    said(&folder, &[&["sweep", "plan"], &vary[1..], &["-o", "plan.csv"]].concat());
    assert!(told(&["sweep", "merge", "plan.csv", "-o", "plan.csv"]).contains("would overwrite what the command reads"));
    assert!(told(&["sweep", "merge", "plan.csv", "-o", "p.csv"]).contains("would overwrite a model file"));
    assert_eq!(std::fs::read_to_string(folder.join("p.csv")).unwrap(), PENDULUM);
}

#[test]
fn a_plan_and_its_model() {
    let folder = folder("beside");
    std::fs::create_dir(folder.join("sub")).unwrap();
    std::fs::write(folder.join("sub/mine.toml"), PENDULUM).unwrap();
    std::fs::write(folder.join("mine.toml"), PENDULUM.replace("g = 9.81", "g = 1.62")).unwrap();
    let plan = ["sweep", "plan", "mine.toml", "--vary", "theta=0.1..1:3", "--until", "1"];
    said(&folder.join("sub"), &[&plan[..], &["-o", "plan.toml"]].concat());
    let beside = said(&folder, &["sweep", "--file", "sub/plan.toml", "--json"]);
    let there = said(&folder.join("sub"), &["sweep", "--file", "plan.toml", "--json"]);
    let rows = |text: &str| serde_json::from_str::<Value>(text).unwrap()["rows"].clone();
    assert_eq!(rows(&beside), rows(&there));
    let (status, error) = refused(&folder.join("sub"), &[&plan[..], &["-o", "mine.toml"]].concat());
    assert!(status == 2 && error.contains("would overwrite a model file"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.join("sub/mine.toml")).unwrap(), PENDULUM);
}

#[test]
fn wide_grids() {
    let folder = folder("wide");
    std::fs::write(folder.join("p.toml"), PENDULUM).unwrap();
    let middle = |range: &str| {
        let vary = format!("l={range}");
        let text = said(&folder, &["sweep", "p.toml", "--vary", &vary, "--until", "0", "--keep", "final", "--json"]);
        serde_json::from_str::<Value>(&text).unwrap()["rows"][1]["l"].as_f64().unwrap()
    };
    assert!((middle("1e-160..1e160:3:log") - 1.0).abs() < 1e-12);
    assert!((middle("1e-100..1e-80:3:log") / 1e-90 - 1.0).abs() < 1e-12);
}
