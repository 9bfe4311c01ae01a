//! Random messages: the generated types agree with a JSON Schema validator.
//!
//! Every run draws other messages. Settings, all optional: `MCP_FIDELITY_SEED` repeats a run,
//! `MCP_FIDELITY_COUNT` sets the valid messages and mutants a definition, `MCP_FIDELITY_ONLY`
//! names one definition.

#![allow(clippy::print_stdout)] // a test that fails shows what it printed

use std::path::Path;

use mcp_tasks_tests::sampler::{Document, Plan, run};

const FILES: [&str; 3] = ["2025-11-25", "2026-07-28", "ext-tasks"];

fn document(name: &str) -> Document {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../schema/{name}.json"));
    Document::read(&file).expect("a schema file")
}

fn plan() -> Plan {
    let set = |name: &str| std::env::var(name).ok();
    let number = |name: &str| set(name).map(|v| v.parse::<u64>().expect("a number"));
    let count = usize::try_from(number("MCP_FIDELITY_COUNT").unwrap_or(75)).expect("fits");
    Plan {
        seed: number("MCP_FIDELITY_SEED").unwrap_or_else(|| fastrand::u64(..)),
        valid: count,
        mutants: count,
        only: set("MCP_FIDELITY_ONLY"),
        relaxations: Vec::new(),
    }
}

#[test]
fn a_decoder_that_takes_everything_is_found_out_in_every_definition() {
    let plan = Plan {
        valid: 5,
        mutants: 20,
        ..plan()
    };
    println!("MCP_FIDELITY_SEED={}", plan.seed);
    for name in FILES {
        let document = document(name);
        let report = run(&document, &plan, &|_, json| Some(Ok(json.to_owned())));
        assert!(report.bad_samples.is_empty(), "{report}");
        assert_eq!(report.equal, report.valid);
        assert_eq!(report.refused, 0);
        assert_eq!(report.mismatches.len(), report.invalid);
        for definition in document.names() {
            let found = report.mismatches.iter().any(|m| m.definition == definition);
            assert!(found, "no mutant of {definition} is invalid");
        }
    }
}
