//! Puts every model of this folder into the library, so that a model is built in by being there.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let models = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    println!("cargo:rerun-if-changed={}", models.display());
    let mut names: Vec<String> = fs::read_dir(&models)
        .expect("this folder can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|file| file != "Cargo.toml")
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_string))
        .collect();
    names.sort();
    let mut code = String::from("&[\n");
    for name in names {
        let path = models.join(format!("{name}.toml"));
        println!("cargo:rerun-if-changed={}", path.display());
        code += &format!("    Builtin {{ name: {name:?}, text: include_str!({path:?}) }},\n");
    }
    code += "]\n";
    let out = env::var("OUT_DIR").expect("set by cargo");
    fs::write(Path::new(&out).join("models.rs"), code).expect("OUT_DIR can be written");
}
