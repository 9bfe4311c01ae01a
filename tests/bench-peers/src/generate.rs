//! Generating: all our inputs with their documentation, and typify's library on the one of them that it can handle.
//!
//! Prints `ratio generate.NAME ours/typify VALUE` on stdout, and the times on stderr.
//! Arguments: the number of rounds. Works from the project's root.

mod measure;

use std::hint::black_box;
use std::path::Path;

use mcp_codegen::manifest::Manifest;
use mcp_codegen::plan::Plan;
use measure::{Contender, measure};
use typify::{TypeSpace, TypeSpaceSettings};

/// What `mcp-codegen generate` does before it writes files.
fn ours() -> usize {
    let manifest = Manifest::read(Path::new("schema/manifest.toml")).expect("the manifest");
    let plan = Plan::from_manifest(&manifest).expect("a plan");
    plan.files.iter().map(|(_, text)| text.len()).sum()
}

/// What `cargo typify` does, with prettyplease in place of a rustfmt process.
fn peer() -> usize {
    let text = std::fs::read_to_string("schema/2026-07-28.json").expect("the schema");
    let schema: schemars::schema::RootSchema = serde_json::from_str(&text).expect("a schema");
    let mut settings = TypeSpaceSettings::default();
    let mut space = TypeSpace::new(settings.with_struct_builder(true));
    space.add_root_schema(schema).expect("types");
    let file = syn::parse2(space.to_stream()).expect("Rust");
    prettyplease::unparse(&file).len()
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(20);
    eprintln!("generate: ours {} bytes, typify {} bytes", ours(), peer());
    let contender = |name, run: fn() -> usize| Contender {
        name,
        run: Box::new(move || {
            black_box(run());
        }),
    };
    let mut contenders = [
        contender("ours, three inputs", ours),
        contender("typify, one input", peer),
    ];
    let times = measure(&mut contenders, rounds);
    for (contender, time) in contenders.iter().zip(&times) {
        eprintln!("generate: {}: {:.3} s", contender.name, time / 1e9);
    }
    println!(
        "ratio generate.three_inputs_to_one ours/typify {:.3}",
        times[0] / times[1]
    );
}
