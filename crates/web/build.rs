//! Puts the pictures of `assets/thumbnails/` into the library, so that a picture is shown by being there.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let folder = root.join("assets/thumbnails");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<String> = fs::read_dir(&folder)
        .map(|entries| entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        let Some((name, ending)) = file.rsplit_once('.') else { continue };
        let kind = match ending {
            "webp" => "image/webp",
            "png" => "image/png",
            _ => continue,
        };
        let path = folder.join(&file);
        println!("cargo:rerun-if-changed={}", path.display());
        code += &format!("    Picture {{ name: {name:?}, kind: {kind:?}, bytes: include_bytes!({path:?}) }},\n");
    }
    code += "]\n";
    let out = env::var("OUT_DIR").expect("set by cargo");
    fs::write(Path::new(&out).join("pictures.rs"), code).expect("OUT_DIR can be written");
}
