//! Every requirement has a test, and no test claims what is none.

use std::path::Path;

use mcp_tasks_tests::traceability::Report;

#[test]
fn every_requirement_is_covered_or_listed_as_uncovered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let report = Report::read(&root).expect("the workspace can be read");
    assert!(
        report.covered_by.len() > 80,
        "the tables were not understood: {} ids",
        report.covered_by.len()
    );
    assert!(report.problems.is_empty(), "{}", report.problems.join("\n"));
}
