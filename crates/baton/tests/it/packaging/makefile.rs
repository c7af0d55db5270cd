//! The Makefile builds what Cargo.lock names and nothing newer.

const BUILDS: [&str; 7] = ["build", "run", "nextest run", "clippy", "doc", "bench", "install"];

#[test]
fn everything_the_makefile_builds_is_locked() {
    let makefile = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Makefile")).unwrap();
    let builds: Vec<_> = makefile
        .lines()
        .filter(|line| BUILDS.iter().any(|word| line.contains(&format!("$(CARGO) {word} "))))
        .collect();
    assert!(builds.len() >= 10, "{builds:#?}");
    for line in builds {
        assert!(line.contains("--locked"), "{line}");
    }
    assert!(makefile.contains("$(CARGO) metadata --locked"), "before cargo-fuzz, which has no such option");
}
