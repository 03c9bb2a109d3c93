//! Tables in files.

use super::args::Outputs;
use crate::Refusal;
use crate::targets::{self, Target};
use polhode::sweep::Plan;
use polhode::table::Table;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Parquet,
    Csv,
    Npz,
}

/// A file to be written.
pub(super) struct Output {
    path: PathBuf,
    format: Format,
}

/// The files that are asked for. Without a wish the table goes to MODEL-sweep.parquet, and beside JSON into that.
pub(super) fn outputs(options: &Outputs, plan: &Plan, json: bool) -> Result<Vec<Output>, Refusal> {
    let mut paths = options.out.clone();
    if paths.is_empty() && !json {
        let stem = Path::new(&plan.spec.model).file_stem().map(|s| s.to_string_lossy().into_owned());
        paths.push(PathBuf::from(format!("{}-sweep.parquet", stem.unwrap_or_default())));
    }
    let mut outputs: Vec<Output> = Vec::new();
    for path in paths {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let format = match ending.as_deref() {
            Some("parquet") => Format::Parquet,
            Some("csv") => Format::Csv,
            Some("npz") => Format::Npz,
            _ => {
                return Err(Refusal::BadInput(format!(
                    "error: `{}`: what kind of file is that?\n  = it may end in .parquet, .csv or .npz\n",
                    path.display()
                )));
            }
        };
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            // better known before a long sweep than after it
            return Err(Refusal::BadInput(format!(
                "error: cannot write `{}`: there is no folder `{}`\n",
                path.display(),
                folder.display()
            )));
        }
        outputs.push(Output { path, format });
    }
    Ok(outputs)
}

/// May these files and the map be written, beside what the sweep reads: its own file in `plan`, if it has one, and its model?
pub(super) fn check(
    outputs: &[Output],
    map: Option<&Path>,
    spec: &polhode::sweep::Spec,
    plan: Option<&Path>,
) -> Result<(), Refusal> {
    let ending = |format: Format| match format {
        Format::Parquet => "parquet",
        Format::Csv => "csv",
        Format::Npz => "npz",
    };
    let tables = outputs.iter().map(|o| Target::new("--out", &o.path, ending(o.format)));
    let all: Vec<Target> = tables.chain(map.map(|path| Target::new("--map", path, "svg"))).collect();
    check_beside(&all, &spec.model, plan)
}

/// The same for any files. The model may be beside the plan or here.
pub(super) fn check_beside(targets: &[Target], model: &str, plan: Option<&Path>) -> Result<(), Refusal> {
    let beside = plan.map(|path| path.with_file_name(model));
    let sources: Vec<&Path> = [Some(Path::new(model)), plan, beside.as_deref()].into_iter().flatten().collect();
    targets::check(targets, &sources)
}

/// Writes the table; the names of the files.
pub(super) fn write(outputs: &[Output], table: &Table) -> Result<Vec<String>, Refusal> {
    for Output { path, format } in outputs {
        whole(path, |file| match format {
            Format::Parquet => table.write_parquet(file),
            Format::Csv => table.write_csv(file),
            Format::Npz => table.write_npz(file),
        })?;
    }
    Ok(outputs.iter().map(|o| o.path.display().to_string()).collect())
}

/// Writes a file beside its place and moves it there when it is on the disk: it is there whole, or as it was before.
pub(super) fn whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Refusal> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let result = File::create(&beside).and_then(|file| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        std::fs::rename(&beside, path)?;
        settle(path);
        Ok(())
    });
    result.map_err(|e| {
        let _ = std::fs::remove_file(&beside);
        Refusal::BadInput(format!("error: cannot write `{}`: {e}\n", path.display()))
    })
}

/// Puts the entry of a file in its folder onto the disk, where the system lets us.
pub(super) fn settle(path: &Path) {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
