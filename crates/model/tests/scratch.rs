#[test]
fn scratch() {
    let mut n = 0;
    for e in std::fs::read_dir("/tmp/refmodels").unwrap() {
        let p = e.unwrap().path();
        let text = std::fs::read_to_string(&p).unwrap();
        n += 1;
        if let Err(r) = polhode_model::Model::parse(&p.to_string_lossy(), &text, &Default::default()) {
            println!("{r}");
        }
    }
    println!("{n}");
}
