//! Equations of motion of Chaplygin's sleigh, in the quasi-velocities of Hamel's form, as LaTeX.

use polhode::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sleigh = builtin::find("chaplygin-sleigh").expect("built in");
    let model = Model::from_text(sleigh.text)?;
    let (mut system, _warnings) = System::new(&model)?;
    println!("{} degrees of freedom", system.degrees_of_freedom());

    let equations = system.equations(Form::Hamel)?;
    let sheet = Sheet::new(&mut system, &equations);
    println!("{}", sheet.latex(&system.graph));

    // every classical form gives the same accelerations, in 50 digits
    assert!(verify(&mut system, 3)?.agrees(1e-45));
    Ok(())
}
