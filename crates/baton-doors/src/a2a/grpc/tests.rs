//! That the generated code is what its description gives.

use std::fs;
use std::path::Path;

#[test]
fn the_generated_code_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let described = protox::compile([root.join("proto/a2a.proto")], [root.join("proto")]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    tonic_prost_build::configure()
        .build_client(false)
        .codec_path("crate::a2a::grpc::codec::MessageCodec")
        .disable_comments(["."])
        .out_dir(folder.path())
        .compile_fds(described)
        .unwrap();
    let generated = fs::read_to_string(folder.path().join("lf.a2a.v1.rs")).unwrap();
    let kept = root.join("src/a2a/grpc/generated.rs");
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(&kept, &generated).unwrap();
    }
    assert!(
        fs::read_to_string(&kept).unwrap() == generated,
        "{} is not what proto/a2a.proto gives: run this test with BATON_BLESS=1",
        kept.display()
    );
}
