//! `demo`.

use std::{io::Read, process::Command};

use super::Example;

/// However it is told to stop, and whether it still prepares or is on its tour, it leaves nothing behind.
#[test]
fn a_demo_that_is_told_to_stop_leaves_nothing_behind() {
    for signal in ["INT", "TERM"] {
        for moment in ["Serving on", "1. "] {
            let temporary = tempfile::tempdir().unwrap();
            let files = || std::fs::read_dir(temporary.path()).unwrap().count();
            let mut demo =
                Example::start("demo", |command| command.env("TMPDIR", temporary.path()));
            demo.line(moment);
            assert!(
                moment == "Serving on" || files() > 0,
                "nothing to leave behind"
            );
            let pid = demo.process.id().to_string();
            let told = Command::new("kill").args(["-s", signal, &pid]).status();
            assert!(told.unwrap().success());
            let mut rest = String::new();
            demo.output.read_to_string(&mut rest).unwrap();
            let ended = demo.process.wait().unwrap();
            assert!(
                ended.success(),
                "SIG{signal} at `{moment}`: {ended}, {rest}"
            );
            assert!(rest.contains("Stopping."), "{rest}");
            assert_eq!(files(), 0, "SIG{signal} at `{moment}`");
        }
    }
}
