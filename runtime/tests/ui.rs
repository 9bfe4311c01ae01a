//! What users are told when they get `#[task_tool]` wrong: each case with the exact message beside it.
//!
//! `TRYBUILD=overwrite cargo test -p mcp-tasks --test ui` writes the messages anew; read them before committing.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
