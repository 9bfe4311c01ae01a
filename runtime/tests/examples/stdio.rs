//! `stdio`.

use super::{built, paste};

/// It shows the command on a terminal only, so the test reads it where it stands.
#[test]
fn the_command_that_it_shows_gets_an_answer() {
    let source = include_str!("../../examples/stdio.rs");
    let command = source
        .split_once("r#\"")
        .and_then(|(_, rest)| rest.split_once("\"#"))
        .unwrap()
        .0;
    let (message, reader) = command.rsplit_once(" | ").unwrap();
    // Cargo is at work already: it runs this test.
    assert_eq!(reader, "cargo run -q -p mcp-tasks --example stdio");
    let reply = paste(&format!("{message} | '{}'", built("stdio").display()));
    assert_eq!(reply["result"]["content"][0]["text"], "5", "{reply}");
}
