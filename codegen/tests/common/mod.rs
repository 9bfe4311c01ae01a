//! Runs the command as a user would, in a directory of its own.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the command said.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) talk: String,
}

/// Runs `mcp-codegen` in `dir` with `args`, and `input` on standard input.
pub(crate) fn run_with(dir: &Path, args: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-codegen"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that does not read its input closes it early; that is no failure.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    Run {
        code: output.status.code().expect("the command exits by itself"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        talk: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs `mcp-codegen` in `dir` with `args`.
pub(crate) fn run(dir: &Path, args: &[&str]) -> Run {
    run_with(dir, args, "")
}

/// The project's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a workspace around it")
        .to_owned()
}

/// An empty directory that goes away with the test.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

/// Writes a file into `dir` and returns its path as text.
pub(crate) fn file(dir: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    fs::write(&path, text).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

/// A copy of what `check` and `generate` need: the schemas, the generated crate, the macro's facts.
pub(crate) fn project() -> tempfile::TempDir {
    let dir = scratch();
    for part in ["schema", "generated/src", "macros/src"] {
        copy(&root().join(part), &dir.path().join(part));
    }
    dir
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("listed") {
        let entry = entry.expect("listed");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("known").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// The directory with the official files, if this machine has them; says so if not.
pub(crate) fn official() -> Option<PathBuf> {
    let dir = std::env::var_os("MCP_SPEC_DIR")
        .map_or_else(|| root().join("../shared/spec"), PathBuf::from);
    if dir.join("2026-07-28/schema.json").is_file() {
        return Some(dir);
    }
    eprintln!(
        "skipped: the official schema files are not at {}; set MCP_SPEC_DIR to a directory with \
         REVISION/schema.json to run this test",
        dir.display()
    );
    None
}
