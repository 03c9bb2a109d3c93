//! The programs of `examples/` run.

macro_rules! run {
    ($($path:literal $name:ident)*) => {$(
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            $name::main().expect("the example runs");
        }
    )*};
}

run! {
    "../examples/derive.rs" derive
    "../examples/trajectory.rs" trajectory
    "../examples/rolling_body.rs" rolling_body
    "../examples/sweep.rs" sweep
    "../examples/conserved.rs" conserved
    "../examples/impact.rs" impact
}

/// No other program is there that would not run.
#[test]
fn all_of_them() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    assert_eq!(std::fs::read_dir(folder).expect("the folder").count(), 6);
}
