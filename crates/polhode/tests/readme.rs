//! The README's model and its error message are what the program reads and says.

use polhode::prelude::*;

const README: &str = include_str!("../../../README.md");

/// The first fenced block of a kind.
fn block(kind: &str) -> &'static str {
    let start = README.find(&format!("```{kind}\n")).expect("a block of this kind") + kind.len() + 4;
    let end = README[start..].find("```").expect("the end of the block") + start;
    &README[start..end]
}

#[test]
fn the_model_of_the_readme_is_the_chaplygin_sleigh() {
    let (model, warnings) =
        Model::parse("sleigh.toml", block("toml"), &ParseOptions::default()).expect("a valid model");
    assert!(warnings.is_empty());
    let (mut system, _) = System::new(&model).expect("a valid system");
    assert_eq!(system.degrees_of_freedom(), 2);
    assert!(verify(&mut system, 3).expect("defined").agrees(1e-45));
}

#[test]
fn the_error_message_of_the_readme_is_what_is_said() {
    let wrong = block("toml").replace("I/2*theta'^2", "I/2*thta'^2");
    let rejected = Model::parse("sleigh.toml", &wrong, &ParseOptions::default()).expect_err("a misspelt name");
    let said = rejected.diagnostics.render(&rejected.source, Style::Plain);
    assert_eq!(said.trim_end(), block("text").trim_end());
}
