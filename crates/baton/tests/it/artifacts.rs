//! Artifacts with the real binary: files through agents and back, over kills, within bounded memory; uploads that are cut,
//! disks that are full, results too long for a reply.

/// Each of these functions as a test, with a hub that keeps artifacts in its folder, and with one that keeps them in a bucket.
macro_rules! in_both_places {
    ($($test:ident),* $(,)?) => {
        mod in_a_folder {
            $(#[test] fn $test() { super::$test(&crate::it::hub::Hub::start()); })*
        }
        mod in_a_bucket {
            $(#[test] fn $test() {
                let s3 = crate::it::artifacts::s3::S3::start();
                super::$test(&s3.hub());
            })*
        }
    };
}

mod bucket;
mod commands;
mod cuts;
mod keeping;
mod moto;
mod relay;
mod results;
mod s3;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::it::http::Client;
use crate::it::hub::baton;

/// `baton` as somebody with this token.
fn command(who: &Client) -> Command {
    let mut command = baton();
    command.env("BATON_HUB", format!("http://{}", who.address));
    command.env("BATON_TOKEN", who.token.as_deref().unwrap());
    command
}

fn run(who: &Client, arguments: &[&str]) -> Output {
    command(who).args(arguments).output().unwrap()
}

/// What a command that succeeds prints, without the line break at its end.
fn output(who: &Client, arguments: &[&str]) -> String {
    let output = run(who, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A file of so many bytes that no compression makes small.
fn file_of(path: &Path, bytes: usize) {
    let mut file = File::create(path).unwrap();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut piece = Vec::with_capacity(1 << 20);
    let mut left = bytes;
    while left > 0 {
        piece.clear();
        while piece.len() < left.min(1 << 20) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            piece.extend_from_slice(&state.to_le_bytes());
        }
        piece.truncate(left.min(1 << 20));
        file.write_all(&piece).unwrap();
        left -= piece.len();
    }
}

/// The SHA-256 of a file, by a program that is not ours.
fn sha256sum(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()[..64].to_owned()
}

fn read(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Every file below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// The most memory a process has had, in MiB.
fn peak_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() / 1024
}
