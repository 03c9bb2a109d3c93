//! The memory of code that nobody holds is given back. A test of its own, since it looks at the whole process.
#![cfg(target_os = "linux")]

use polhode_backend_cranelift::Cranelift;
use polhode_tape::Backend;
use polhode_tape::conformance::wild_tape;

/// Bytes of this process that can be executed and come from no file.
fn executable() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the mappings of this process");
    let size = |line: &str| {
        let mut words = line.split_whitespace();
        let (range, rights, file) = (words.next()?, words.next()?, words.nth(3));
        let (from, to) = range.split_once('-')?;
        let bytes = usize::from_str_radix(to, 16).ok()? - usize::from_str_radix(from, 16).ok()?;
        (rights.contains('x') && file.is_none()).then_some(bytes)
    };
    maps.lines().filter_map(size).sum()
}

#[test]
fn memory_is_given_back() {
    let Ok(cranelift) = Cranelift::new() else { return };
    let tape = wild_tape(1, 300);
    let before = executable();
    let kernel = cranelift.prepare(&tape).expect("a small tape");
    let one = executable() - before;
    assert!(one > 0, "code of a kernel is seen");
    let copies: Vec<_> = (0..10).map(|_| kernel.clone()).collect();
    assert_eq!(executable(), before + one, "copies share it");
    drop(kernel);
    assert_eq!(executable(), before + one, "copies keep it");
    drop(copies);
    assert_eq!(executable(), before);
}
