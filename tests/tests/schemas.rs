//! `JsonSchema` of the generated types: a schema allows what its definition allows, on random messages and mutants.

use std::{cell::RefCell, collections::HashMap, fs, path::Path};

use jsonschema::Validator;
use mcp_tasks_tests::sampler::{Document, Limit, Plan, Relaxation, report::Problem, run};
use mcp_tasks_types::{ext_tasks, v2025_11_25, v2026_07_28};
use schemars::{JsonSchema, Schema, schema_for};

type Lookup = fn(&str) -> Option<Schema>;

const MODULES: [(&str, Lookup); 3] = [
    ("2025-11-25", v2025_11_25::schemas::json_schema),
    ("2026-07-28", v2026_07_28::schemas::json_schema),
    ("ext-tasks", ext_tasks::schemas::json_schema),
];

fn schema_file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../schema")
        .join(name)
}

#[test]
fn a_schema_allows_what_its_definition_allows() {
    let manifest = fs::read_to_string(schema_file("manifest.toml")).expect("the manifest");
    for (name, lookup) in MODULES {
        let document = Document::read(&schema_file(&format!("{name}.json"))).expect("facts");
        let plan = Plan {
            seed: fastrand::u64(..),
            valid: 15,
            mutants: 15,
            only: None,
            relaxations: Relaxation::of_manifest(&manifest).expect("relaxations"),
            limits: Limit::of_manifest(&manifest).expect("limits"),
        };
        let validators: RefCell<HashMap<String, Validator>> = RefCell::default();
        let mut report = run(&document, &plan, &|definition, text| {
            let mut validators = validators.borrow_mut();
            if !validators.contains_key(definition) {
                let schema = lookup(definition)?;
                let validator = jsonschema::validator_for(schema.as_value()).expect("a schema");
                validators.insert(definition.to_owned(), validator);
            }
            let value = serde_json::from_str(text).expect("JSON");
            Some(if validators[definition].is_valid(&value) {
                Ok(text.to_owned())
            } else {
                Err("refused".to_owned())
            })
        });
        report
            .mismatches
            .retain(|it| it.problem != Problem::PathNotNamed);
        assert!(report.is_clean(), "seed {}: {report}", plan.seed);
        assert!(report.accepted > 500 && report.invalid > 500, "{report}");
    }
}

#[test]
fn the_types_can_be_parts_of_a_schema_and_carry_their_documentation() {
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Mine {
        block: v2026_07_28::ContentBlock,
        older: v2025_11_25::Tool,
        newer: v2026_07_28::Tool,
    }
    let schema = schema_for!(Mine);
    let definitions = schema.get("$defs").expect("definitions");
    let text = &definitions["TextContent"];
    assert_eq!(text["properties"]["type"]["const"], "text");
    assert!(text["description"].is_string(), "{text}");
    assert!(
        definitions["Tool"] != definitions["Tool2"],
        "types of one name are kept apart"
    );
    let one_of = &definitions["ContentBlock"]["anyOf"][0]["$ref"];
    assert!(one_of.as_str().is_some_and(|it| it.starts_with("#/$defs/")));
    assert!(v2026_07_28::schemas::json_schema("NoSuchThing").is_none());
}
