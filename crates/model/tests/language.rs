//! The examples of `docs/model-language.md` are models, and it names what there is.

use polhode_base::Style;
use polhode_model::{Model, ParseOptions};
use std::path::Path;

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model-language.md");
    std::fs::read_to_string(path).expect("the description of the language")
}

/// What fragments may leave out.
const CONTEXT: &[(&str, &str)] = &[
    ("[parameters]", "m = 1\nr = 1\nc = 1\nF = 1\nu = 1\nk = 1\nl = 1"),
    (
        "[coordinates]",
        "x = 'real'\ny = 'real'\ntheta = 'angle'\nphi = 'angle'\npsi = 'angle'\nR = 'SO(3)'\ng = 'SE(3)'",
    ),
    ("[define]", "centre = '[1, 2, 3]'"),
];

/// Code blocks with the words after their fence.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut out: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                out.push((info, String::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let (_, block) = out.last_mut().expect("an open block");
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    out
}

#[test]
fn every_example_is_a_model() {
    let text = document();
    let mut models = 0;
    for (info, block) in blocks(&text) {
        match info {
            "toml" => {
                models += 1;
                match Model::parse("example.toml", &block, &ParseOptions::default()) {
                    Ok((model, warnings)) => {
                        assert!(warnings.is_empty(), "{}", warnings.render(&model.source, Style::Plain));
                        assert!(!model.title.is_empty(), "{block}");
                    }
                    Err(rejected) => panic!("{block}\n{rejected}"),
                }
            }
            "toml fragment" => {
                let mut whole = block.clone();
                for (header, body) in CONTEXT {
                    if !block.contains(header) {
                        whole.push_str(&format!("{header}\n{body}\n"));
                    }
                }
                if let Err(rejected) = Model::parse("fragment.toml", &whole, &ParseOptions::default()) {
                    panic!("{whole}\n{rejected}");
                }
            }
            "text" => {}
            other => panic!("a block of kind {other:?}"),
        }
    }
    assert!(models >= 6);
}

/// The names of functions and messages in the sources are in the description.
#[test]
fn the_description_is_complete() {
    let text = document();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/resolve");
    let read = |name: &str| std::fs::read_to_string(sources.join(name)).expect("a source");
    let functions = read("functions.rs");
    let table = functions.split("const FUNCTIONS").nth(1).and_then(|t| t.split("];").next());
    let names: Vec<&str> = table.unwrap_or("").split("(\"").skip(1).filter_map(|t| t.split('"').next()).collect();
    assert!(names.len() > 30);
    for name in names {
        assert!(text.contains(&format!("`{name}(")), "function {name}");
    }
    for entry in std::fs::read_dir(&sources).expect("the sources") {
        let source = std::fs::read_to_string(entry.expect("an entry").path()).expect("a source");
        for after in source.split("Diagnostic::error(").skip(1) {
            if let Some(code) = after.trim_start().strip_prefix('"') {
                let code = code.split('"').next().unwrap_or("");
                assert!(text.contains(&format!("`{code}`")), "message {code}");
            }
        }
    }
}
