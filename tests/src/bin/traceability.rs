//! Prints which test covers which requirement; exits with 1 if an id has none (see `mcp_tasks_tests::traceability`).
#![allow(clippy::print_stdout)]

use std::{path::Path, process::ExitCode};

use mcp_tasks_tests::traceability::Report;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    match Report::read(&root) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.problems.is_empty()))
        }
        Err(error) => {
            eprintln!("traceability: cannot read the workspace: {error}");
            ExitCode::from(2)
        }
    }
}
