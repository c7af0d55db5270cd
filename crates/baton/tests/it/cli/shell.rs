//! Completions and man pages.

use super::super::program::baton;

#[test]
fn every_shell_gets_completions_that_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = baton(["completions", shell]).exited(0).stdout;
        // Bash, zsh and fish ask the binary for them.
        let is_dynamic = script.contains("BATON_COMPLETE") && script.contains("baton");
        assert!(is_dynamic || script.contains("reassign") && script.contains("password-stdin"), "{shell}");
        assert_eq!(is_dynamic, ["bash", "zsh", "fish"].contains(&shell));
    }
    baton(["completions", "cmd.exe"]).exited(2);
}

#[test]
fn there_is_a_man_page_and_one_for_every_command() {
    let page = baton(["man"]).exited(0).stdout;
    assert!(page.contains(".TH baton 1") && page.contains("baton\\-send(1)"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("man1");
    baton(["man", "--dir", dir.to_str().unwrap()]).exited(0);
    for name in ["baton.1", "baton-send.1", "baton-network-create.1", "baton-hub-start.1"] {
        assert!(dir.join(name).exists(), "{name}");
    }
    let send = std::fs::read_to_string(dir.join("baton-send.1")).unwrap();
    assert!(send.contains("still open when the wait ended"), "{send}");
    assert!(send.contains("Examples:") && send.contains("baton send coder"), "{send}");
}
