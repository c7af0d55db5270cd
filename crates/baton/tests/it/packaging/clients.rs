//! The client libraries, from a clean copy of the repository's files and the package registries, as whoever tries them out
//! does.

use std::path::Path;
use std::process::Command;

use super::files::root;
use super::packages::done;

/// The files of a folder of the repository that git knows, or would with the next commit, and nothing that a build left there.
fn copy(folder: &str, into: &Path) {
    let list =
        "git ls-files -z --cached --others --exclude-standard -- \"$1\" | xargs -0 cp --parents -t \"$2\"";
    done(Command::new("sh").args(["-c", list, "sh", folder]).arg(into).current_dir(root()));
}

#[test]
fn the_python_library_installs_from_its_folder_with_pip() {
    let folder = tempfile::tempdir().unwrap();
    copy("clients/python", folder.path());
    let environment = folder.path().join("venv");
    done(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let mut pip = Command::new(environment.join("bin/pip"));
    pip.args([
        "install",
        "--quiet",
        "--no-cache-dir",
        "--timeout",
        "30",
        "--retries",
        "2",
        "./clients/python",
    ]);
    done(pip.current_dir(folder.path()));
    let program = "import baton_hub, httpx; print(baton_hub.Client.__name__, baton_hub.AsyncClient.__name__)";
    let mut python = Command::new(environment.join("bin/python"));
    assert_eq!(done(python.args(["-c", program]).current_dir("/")), "Client AsyncClient\n");
}

#[test]
fn the_typescript_library_is_packed_in_a_clean_folder_and_installs() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["clients/typescript", "clients/openapi.json", "docs/errors.md", "LICENSE"] {
        copy(part, folder.path());
    }
    let source = folder.path().join("clients/typescript");
    npm(&source, &["ci", "--ignore-scripts"]);
    npm(&source, &["pack", "--pack-destination", ".."]);
    let clean = folder.path().join("clean");
    std::fs::create_dir(&clean).unwrap();
    std::fs::write(clean.join("package.json"), r#"{"name": "clean", "version": "1.0.0", "private": true}"#)
        .unwrap();
    let packed = std::fs::read_dir(folder.path().join("clients")).unwrap().map(|file| file.unwrap().path());
    let packed =
        packed.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "tgz")).unwrap();
    npm(&clean, &["install", "--ignore-scripts", packed.to_str().unwrap()]);
    let program = "import { Client } from 'baton-hub-client'; console.log(Client.name)";
    let mut node = Command::new("node");
    assert_eq!(done(node.args(["--input-type=module", "-e", program]).current_dir(&clean)), "Client\n");
}

/// With an end to every wait.
fn npm(folder: &Path, words: &[&str]) {
    let mut command = Command::new("npm");
    command.args([
        "--fetch-timeout=30000",
        "--fetch-retries=2",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]);
    done(command.args(words).current_dir(folder));
}
