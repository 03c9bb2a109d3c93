//! `polhode view`: the page in the browser, from a server of this program.

use crate::args::{ViewOptions, WorkerOptions};
use crate::output::{bold, dim, emit, emit_json};
use crate::{Refusal, input, run};
use polhode::prelude::{Plan, RunSettings, builtin, initial_state};
use polhode_web::document;
use polhode_web::server::{Budget, Opening, Server, Settings};
use polhode_web::worker;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Serves until Ctrl-C.
pub(crate) fn run(options: &ViewOptions) -> Result<(), Refusal> {
    let opening = opening(options.model.as_deref())?;
    let settings = Settings { port: options.port, opening, given: given(options)?, budget: budget(options)? };
    let server = Server::bind(settings).map_err(|e| match options.port {
        0 => format!("error: cannot listen on 127.0.0.1: {e}\n"),
        port => {
            format!(
                "error: cannot listen on port {port} of 127.0.0.1: {e}\n  = leave --port out to take any that is free\n"
            )
        }
    })?;
    let address = server.address();
    let stop = server.stop();
    // Without a handler Ctrl-C ends the program at once, as everywhere.
    let _ = ctrlc::set_handler(move || stop.stop());
    if options.changes.json {
        emit_json(&json!({ "address": address }));
    } else {
        emit(&format!("{}\n{}\n", bold(&address), dim("Ctrl-C ends it")));
        if !options.no_open && has_display() {
            open(&address);
        }
    }
    server.serve();
    if !options.changes.json {
        emit("ended\n");
    }
    Ok(())
}

/// What the page begins with.
fn opening(model: Option<&str>) -> Result<Opening, Refusal> {
    let Some(model) = model else { return Ok(Opening::Gallery) };
    let file = input::source(model)?;
    if builtin::find(model).is_some() {
        return Ok(Opening::Builtin(model.to_owned()));
    }
    let name = Path::new(model).file_name().map_or(model.into(), |n| n.to_string_lossy());
    Ok(Opening::File { name: name.into_owned(), text: file.text().to_owned() })
}

/// What the page is to change in its model, as formulas; null where nothing is. Mistakes in them are answered here, as `polhode run` does.
fn given(options: &ViewOptions) -> Result<Value, Refusal> {
    let (changes, settings) = (options.changes.parse_options()?, options.settings.settings()?);
    if changes.parameters.is_empty() && changes.initial.is_empty() && settings == RunSettings::default() {
        return Ok(Value::Null);
    }
    let Some(name) = options.model.as_deref() else {
        return Err(Refusal::BadInput(
            "error: --set, --init and --until belong to a model, and none is named\n  = for example: polhode view rolling-disk --set r=0.5\n".into(),
        ));
    };
    let given = document::given(&changes.parameters, &changes.initial, &settings);
    let plan = Plan { values: changes, ..Plan::of(input::source(name)?).settings(settings) };
    let mut ready = run::read(&plan, |_| Ok(()))?;
    initial_state(&mut ready.system, &ready.model)?;
    Ok(given)
}

/// Workers are this program again.
fn budget(options: &ViewOptions) -> Result<Budget, Refusal> {
    let program = std::env::current_exe().map_err(|e| format!("error: cannot start workers: {e}\n"))?;
    let mut command = vec![program.into_os_string()];
    let (time, memory) = (options.time_limit.to_string(), options.memory_limit.to_string());
    command.extend(["view-worker", "--time", &time, "--memory", &memory].map(OsString::from));
    Ok(Budget { command, time: Duration::from_secs(options.time_limit) })
}

/// Requests from standard input, answers to standard output.
pub(crate) fn worker(options: &WorkerOptions) -> Result<(), Refusal> {
    worker::limit(options.memory << 20);
    worker::serve(std::io::stdin(), &mut std::io::stdout(), Duration::from_secs(options.time))
        .map_err(|e| format!("error: no answer: {e}\n").into())
}

/// Whether there is a screen to open a browser on.
fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    cfg!(any(target_os = "macos", target_os = "windows")) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Opens the address with what the system has for that; the address was printed, so that it is no loss if there is nothing.
fn open(address: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    drop(quiet);
}
