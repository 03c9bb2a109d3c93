//! Plans, shards, and putting them together.
//!
//! A shard that is being run is the file `shard-K-of-N.rows.part`, to which sound blocks are appended; when all its rows are on the disk it is renamed to
//! `shard-K-of-N.rows`. Whoever is killed leaves a part that the next run goes on with.

use super::args::{MergeOptions, PlanOptions, ShardOptions};
use super::progress::{Progress, duration, listen};
use super::{asked, complete, files, picture, read_plan, study_in, summary, threads};
use crate::Refusal;
use crate::output::{emit, emit_json};
use crate::targets::Target;
use polhode::sweep::shard::{self, Found};
use polhode::sweep::{BadShard, Plan, Row, Shard, Study};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Rows are put onto the disk at least so often: what a kill can cost.
const OFTEN: Duration = Duration::from_secs(1);

/// In the beginning sooner, and then after twice the time before: who is killed early has not worked in vain.
const SOON: Duration = Duration::from_millis(10);

/// And at the latest after so many.
const MANY: usize = 4096;

/// More shards that are missing are not named one by one.
const LISTED: usize = 20;

fn bad(message: String) -> Refusal {
    Refusal::BadInput(format!("error: {message}\n"))
}

/// `polhode sweep plan`.
pub(super) fn plan(options: &PlanOptions) -> Result<(), Refusal> {
    let mut plan = asked(&options.study)?;
    let folder = options.study.file.as_deref().and_then(Path::parent);
    let study = study_in(&plan, folder)?;
    // whoever runs a part of it does it in the same way
    plan.spec.engine = Some(study.engine_kind());
    let text = plan.text();
    let target = Target::new("--out", &options.out, "toml");
    files::check_beside(&[target], &plan.spec.model, options.study.file.as_deref())?;
    files::whole(&options.out, |file| file.write_all(text.as_bytes()))?;
    let (name, samples) = (options.out.display(), study.spec.design.len());
    if options.study.changes.json {
        emit_json(&json!({
            "plan": name.to_string(),
            "samples": samples,
            "columns": study.columns(),
            "checksum": plan.checksum(),
        }));
    } else {
        emit(&format!(
            "{samples} motions, {} columns: {name}\n\n  polhode sweep run {name} --shard 1/8      and so on to 8/8, anywhere, in any order\n  \
             polhode sweep merge {name} -o out.parquet\n",
            study.columns().len()
        ));
    }
    Ok(())
}

/// The plan of a path and its folder.
fn known(path: &Path) -> Result<(Plan, Study), Refusal> {
    let plan = complete(read_plan(path)?, path.parent())?;
    let study = study_in(&plan, path.parent())?;
    Ok((plan, study))
}

fn folder(path: &Path, asked: Option<&PathBuf>) -> PathBuf {
    asked.cloned().unwrap_or_else(|| path.with_extension("shards"))
}

/// K and N of `--shard K/N`.
fn part(text: &str) -> Result<(u64, u64), Refusal> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
    parts.filter(|(k, n)| *k >= 1 && k <= n).ok_or_else(|| {
        Refusal::BadInput(format!(
            "error: `--shard {text}` is no part of a whole\n  = the third of eight is --shard 3/8\n"
        ))
    })
}

/// `polhode sweep run`.
pub(super) fn run(options: &ShardOptions) -> Result<(), Refusal> {
    let (k, n) = part(&options.shard)?;
    let (plan, study) = known(&options.plan)?;
    let folder = folder(&options.plan, options.out.as_ref());
    std::fs::create_dir_all(&folder).map_err(|e| bad(format!("cannot make the folder `{}`: {e}", folder.display())))?;
    let shard = Shard {
        plan: plan.checksum(),
        rows: Shard::part(k, n, study.spec.design.len()),
        columns: study.columns().len(),
    };
    let done = folder.join(format!("shard-{k:05}-of-{n:05}.rows"));
    let total = shard.rows.end - shard.rows.start;
    let begin = Instant::now();
    let tell = |before: u64, made: u64| {
        let (name, seconds) = (done.display(), begin.elapsed().as_secs_f64());
        if options.json {
            emit_json(&json!({
                "shard": [k, n], "rows": [shard.rows.start, shard.rows.end], "file": name.to_string(),
                "done_before": before, "done_now": made, "seconds": seconds,
            }));
        } else {
            let before = if before > 0 { format!(", {before} were there") } else { String::new() };
            emit(&format!("{name}: {total} motions, {made} run in {}{before}\n", duration(seconds)));
        }
    };
    if sound(&done, &shard)? {
        tell(total, 0);
        return Ok(());
    }
    let mut file = Part::open(&done, &shard)?;
    let before = file.rows;
    let stop = listen();
    let mut progress = Progress::new(total, before, options.json);
    let mut failure = None;
    study.run(shard.rows.start + before..shard.rows.end, threads(options.threads), stop, &mut |_, rows| {
        progress.done(file.rows + file.waiting.len() as u64 + rows.len() as u64);
        match file.push(rows) {
            Ok(()) => true,
            Err(e) => {
                failure = Some(e);
                false
            }
        }
    });
    progress.end();
    let cannot = |e: io::Error| bad(format!("cannot write `{}`: {e}", done.display()));
    match failure {
        Some(e) => return Err(cannot(e)),
        None => file.flush().map_err(cannot)?,
    }
    let reached = file.rows;
    if reached < total {
        debug_assert!(stop.load(Ordering::Relaxed));
        return Err(Refusal::StoppedEarly(format!(
            "interrupted: {reached} of {total} motions of this shard are done; the same command goes on from there\n"
        )));
    }
    file.finish(&done).map_err(cannot)?;
    tell(before, total - before);
    Ok(())
}

/// Whether the shard is there whole. A damaged one becomes a part again, one of another plan is refused.
fn sound(done: &Path, shard: &Shard) -> Result<bool, Refusal> {
    let bytes = match std::fs::read(done) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(bad(format!("cannot read `{}`: {e}", done.display()))),
    };
    match Shard::read(&bytes) {
        Ok(found) if found.shard != *shard => Err(Refusal::BadInput(format!(
            "error: {}\n  = choose another folder: -o DIR\n",
            BadShard::OtherPlan(done.display().to_string())
        ))),
        Ok(found) if found.rows.len() as u64 == shard.rows.end - shard.rows.start => Ok(true),
        _ => {
            let renamed = std::fs::rename(done, part_of(done));
            renamed.map_err(|e| bad(format!("cannot rename `{}`: {e}", done.display())))?;
            Ok(false)
        }
    }
}

fn part_of(done: &Path) -> PathBuf {
    done.with_extension("rows.part")
}

/// A shard in the making. It is locked, so that nobody else makes it too.
struct Part {
    path: PathBuf,
    file: File,
    first: u64,
    /// Rows on the disk.
    rows: u64,
    waiting: Vec<Row>,
    written: Instant,
    patience: Duration,
}

impl Part {
    /// Opens or begins it; what is not sound at its end is cut off.
    fn open(done: &Path, shard: &Shard) -> Result<Part, Refusal> {
        let path = part_of(done);
        let cannot = |e: io::Error| bad(format!("cannot write `{}`: {e}", path.display()));
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Refusal::BadInput(format!(
                    "error: another process is running this shard (`{}`)\n",
                    path.display()
                )));
            }
            // a file system without locks: then the user has to take care
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        let (rows, end) = match Shard::read(&bytes) {
            Ok(found) if found.shard == *shard => (found.rows.len() as u64, found.sound as u64),
            Ok(_) => {
                return Err(Refusal::BadInput(format!(
                    "error: {}\n  = choose another folder: -o DIR\n",
                    BadShard::OtherPlan(path.display().to_string())
                )));
            }
            Err(_) => {
                let header = shard.header();
                file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&header)).map_err(cannot)?;
                (0, header.len() as u64)
            }
        };
        file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(cannot)?;
        file.sync_all().map_err(cannot)?;
        files::settle(&path);
        Ok(Part {
            path,
            file,
            first: shard.rows.start,
            rows,
            waiting: Vec::new(),
            written: Instant::now(),
            patience: SOON,
        })
    }

    fn push(&mut self, rows: Vec<Row>) -> io::Result<()> {
        self.waiting.extend(rows);
        match self.waiting.len() >= MANY || self.written.elapsed() >= self.patience {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Puts the rows onto the disk.
    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.file.write_all(&shard::encode(self.first + self.rows, &self.waiting))?;
        self.file.sync_data()?;
        self.rows += self.waiting.len() as u64;
        self.waiting.clear();
        self.written = Instant::now();
        self.patience = OFTEN.min(2 * self.patience);
        Ok(())
    }

    /// All rows are there: gives it its name.
    fn finish(self, done: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, done)?;
        files::settle(done);
        Ok(())
    }
}

/// K and N of a file `shard-K-of-N.rows` or, in the making, `shard-K-of-N.rows.part`.
fn numbers_of(path: &Path) -> Option<(u64, u64)> {
    let name = path.file_name()?.to_str()?;
    let numbers = name.strip_prefix("shard-")?.trim_end_matches(".part").strip_suffix(".rows")?;
    let (k, n) = numbers.split_once("-of-")?;
    Some((k.parse().ok()?, n.parse().ok()?))
}

/// Which commands are still to be given, if the files of a folder say into how many shards the plan was divided.
fn what_is_left(names: &[PathBuf], options: &MergeOptions) -> String {
    let found: Vec<(u64, u64)> = names.iter().filter_map(|path| numbers_of(path)).collect();
    let folder = options.folder.as_ref().map(|folder| format!(" -o {}", folder.display())).unwrap_or_default();
    let run = |shard: &str| format!("polhode sweep run {} --shard {shard}{folder}", options.plan.display());
    let Some(&(_, n)) = found.first().filter(|(_, n)| found.iter().all(|(_, other)| other == n)) else {
        return format!("  = run the shards that are not there: {}\n", run("K/N"));
    };
    let is_whole = |path: &&PathBuf| path.extension().is_some_and(|e| e == "rows");
    let whole: BTreeSet<u64> = names.iter().filter(is_whole).filter_map(|path| Some(numbers_of(path)?.0)).collect();
    let left: Vec<u64> = (1..=n).filter(|k| !whole.contains(k)).take(LISTED + 1).collect();
    let Some(first) = left.first() else { return String::new() };
    let mut words: Vec<String> = left.iter().take(LISTED).map(u64::to_string).collect();
    if left.len() > LISTED {
        words.push("…".to_owned());
    }
    let goes_on = if found.len() > whole.len() { "; what is begun goes on where it was" } else { "" };
    format!("  = to be run, of {n}: {}\n  = {}{goes_on}\n", words.join(", "), run(&format!("{first}/{n}")))
}

/// `polhode sweep merge`.
pub(super) fn merge(options: &MergeOptions) -> Result<(), Refusal> {
    let begin = Instant::now();
    let (plan, study) = known(&options.plan)?;
    let outputs = files::outputs(&options.outputs, &plan, options.json)?;
    files::check(&outputs, options.map.map.as_deref(), &plan.spec, Some(&options.plan))?;
    let picture = picture::check(&options.map, &study)?;
    let folder = folder(&options.plan, options.folder.as_ref());
    let cannot = |e: io::Error| bad(format!("cannot read the folder `{}`: {e}", folder.display()));
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&folder).map_err(cannot)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    let ends = |path: &Path, end: &str| path.to_string_lossy().ends_with(end);
    let mut parts: Vec<(String, Found)> = Vec::new();
    for path in names.iter().filter(|p| ends(p, ".rows")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(path).map_err(|e| bad(format!("cannot read `{}`: {e}", path.display())))?;
        let found = Shard::read(&bytes).map_err(|e| bad(format!("`{name}`: {e}")))?;
        parts.push((name, found));
    }
    let rows = shard::merge(&plan.checksum(), study.spec.design.len(), parts).map_err(|e| {
        let help = match &e {
            BadShard::Missing(_) => what_is_left(&names, options),
            BadShard::Damaged(_) => "  = run the shard again: it keeps what is sound\n".to_owned(),
            BadShard::Overlap(..) => "  = leave the shards of one division, and remove the others\n".to_owned(),
            BadShard::Header | BadShard::OtherPlan(_) => "  = every plan has a folder of its own\n".to_owned(),
        };
        Refusal::BadInput(format!("error: {e}\n{help}"))
    })?;
    let mut table = polhode::sweep::table(&study.spec, &plan.spec.model, study.columns(), &rows);
    table.note("title", &study.title);
    let mut written = files::write(&outputs, &table)?;
    if let Some(picture) = picture {
        written.push(picture.write(&study.title, &table)?);
    }
    let told = summary::Told {
        study: &study,
        rows: &rows,
        table: &table,
        written: &written,
        compile: begin.elapsed().as_secs_f64(),
        seconds: 0.0,
        threads: 0,
    };
    told.tell(options.json, outputs.is_empty());
    Ok(())
}
