//! Random messages: the generated types agree with a JSON Schema validator.
//!
//! Every run draws other messages. Settings, all optional: `MCP_FIDELITY_SEED` repeats a run,
//! `MCP_FIDELITY_COUNT` sets the valid messages and mutants a definition, `MCP_FIDELITY_ONLY`
//! names one definition.

#![allow(clippy::print_stdout)] // a test that fails shows what it printed

use std::path::{Path, PathBuf};

use mcp_tasks_tests::sampler::{Document, Limit, Plan, Relaxation, Report, run};
use mcp_tasks_types::{ext_tasks, v2025_11_25, v2026_07_28};

type Reencode = fn(&str, &str) -> Option<Result<String, String>>;

const MODULES: [(&str, Reencode); 3] = [
    ("2025-11-25", |def, json| {
        text(v2025_11_25::registry::reencode(def, json))
    }),
    ("2026-07-28", |def, json| {
        text(v2026_07_28::registry::reencode(def, json))
    }),
    ("ext-tasks", |def, json| {
        text(ext_tasks::registry::reencode(def, json))
    }),
];

const AT_LEAST: usize = 20_000;

fn text<E: std::fmt::Display>(answer: Option<Result<String, E>>) -> Option<Result<String, String>> {
    answer.map(|result| result.map_err(|error| error.to_string()))
}

fn schema(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../schema")
        .join(file)
}

fn document(name: &str) -> Document {
    Document::read(&schema(&format!("{name}.json"))).expect("a schema file")
}

fn plan() -> Plan {
    let set = |name: &str| std::env::var(name).ok();
    let number = |name: &str| set(name).map(|v| v.parse::<u64>().expect("a number"));
    let count = usize::try_from(number("MCP_FIDELITY_COUNT").unwrap_or(60)).expect("fits");
    let manifest = std::fs::read_to_string(schema("manifest.toml")).expect("the manifest");
    let plan = Plan {
        seed: number("MCP_FIDELITY_SEED").unwrap_or_else(|| fastrand::u64(..)),
        valid: count,
        mutants: count,
        only: set("MCP_FIDELITY_ONLY"),
        relaxations: Relaxation::of_manifest(&manifest).expect("the manifest's relaxations"),
        limits: Limit::of_manifest(&manifest).expect("the manifest's limits"),
    };
    println!("repeat with MCP_FIDELITY_SEED={}", plan.seed);
    plan
}

#[test]
fn the_types_agree_with_a_validator_on_random_messages_and_mutants() {
    let plan = plan();
    let reports: Vec<Report> = std::thread::scope(|scope| {
        let plan = &plan;
        let threads = MODULES
            .map(|(name, reencode)| scope.spawn(move || run(&document(name), plan, &reencode)));
        threads
            .map(|thread| thread.join().expect("the run ends"))
            .into()
    });
    for report in &reports {
        println!("{report}");
    }
    let agree = reports.iter().all(Report::is_clean);
    assert!(agree, "types and validator disagree, see above");
    if plan.only.is_none() && std::env::var_os("MCP_FIDELITY_COUNT").is_none() {
        let valid: usize = reports.iter().map(|r| r.valid).sum();
        let invalid: usize = reports.iter().map(|r| r.invalid).sum();
        assert!(
            valid >= AT_LEAST && invalid >= AT_LEAST,
            "only {valid} and {invalid} messages"
        );
    }
}

#[test]
fn a_decoder_that_takes_everything_is_found_out_in_every_definition() {
    let plan = Plan {
        valid: 5,
        mutants: 20,
        only: None,
        relaxations: Vec::new(),
        ..plan()
    };
    for (name, _) in MODULES {
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
