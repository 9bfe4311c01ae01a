//! Schemas without a manifest: other revisions, draft-07 as well as 2020-12, become crates that compile
//! without a warning and agree with a JSON Schema validator.
//!
//! The official files of other revisions are no part of the project: `MCP_SPEC_DIR` names a folder that holds
//! them as `REVISION/schema.json`, as the folder `schema` of the specification's repository does.

#![allow(clippy::print_stdout)] // a test that fails shows what it printed

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_tasks_tests::sampler::{Document, Limit, Pipe, Plan, Report, run};
use serde_json::{Value, json};

/// Other revisions, and the modules that they become.
const REVISIONS: [(&str, &str); 4] = [
    ("2024-11-05", "v2024_11_05"),
    ("2025-03-26", "v2025_03_26"),
    ("2025-06-18", "v2025_06_18"),
    ("draft", "draft"),
];

/// A program around a generated crate that speaks as the example `roundtrip` does.
const MAIN: &str = r#"
use std::io::{BufRead, Write};

fn main() {
    let module = std::env::args().nth(1).unwrap();
    let (stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in stdin.lines() {
        let ask: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let (def, json) = (ask["def"].as_str().unwrap(), ask["json"].as_str().unwrap());
        let result = match module.as_str() {
            MODULES
            other => panic!("no module {other}"),
        };
        let answer = match result {
            None => serde_json::json!({ "skip": true }),
            Some(Ok(json)) => serde_json::json!({ "ok": true, "json": json }),
            Some(Err(error)) => serde_json::json!({ "ok": false, "error": error.to_string() }),
        };
        writeln!(stdout, "{answer}").unwrap();
        stdout.flush().unwrap();
    }
}
"#;

/// A schema file and the module that it becomes.
struct Input {
    file: PathBuf,
    module: &'static str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a command and gives what it said; fails with that when the command does.
fn succeed(command: &mut Command) -> String {
    let output = command.output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?} failed:\n{said}");
    said
}

/// Generates one crate from the files and builds it with a program around it; gives the program.
fn build(name: &str, inputs: &[Input], dir: &Path) -> PathBuf {
    let mut generate = Command::new(env!("CARGO"));
    generate
        .args(["run", "--quiet", "--package", "mcp-codegen", "--"])
        .args(["generate", "--registry", "--package", "types", "--schema"])
        .args(inputs.iter().map(|input| &input.file))
        .arg("--out")
        .arg(dir.join("types"))
        .current_dir(root());
    succeed(&mut generate);

    let mut arms = String::new();
    for Input { module, .. } in inputs {
        let _ = writeln!(
            arms,
            "{module:?} => types::{module}::registry::reencode(def, json),"
        );
    }
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nserde_json = \"1\"\ntypes = {{ path = \"types\" }}\n"
    );
    fs::create_dir(dir.join("src")).expect("a folder");
    fs::write(dir.join("Cargo.toml"), manifest).expect("a manifest");
    fs::write(dir.join("src/main.rs"), MAIN.replace("MODULES", &arms)).expect("a program");
    fs::copy(root().join("Cargo.lock"), dir.join("Cargo.lock")).expect("a lock file");

    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--quiet", "--offline"])
        .current_dir(dir);
    let said = succeed(build.env("CARGO_TARGET_DIR", &target));
    assert!(
        !said.contains("warning"),
        "{name} does not compile cleanly:\n{said}"
    );
    target.join("debug").join(name)
}

/// Compares the program's types with a validator.
fn compare(program: &Path, input: &Input) -> Report {
    let pipe = Pipe::start(Command::new(program).arg(input.module)).expect("the program starts");
    let document = Document::read(&input.file).expect("a schema");
    let seed = std::env::var("MCP_FIDELITY_SEED")
        .ok()
        .and_then(|s| s.parse().ok());
    let manifest = fs::read_to_string(root().join("schema/manifest.toml")).expect("the manifest");
    let plan = Plan {
        seed: seed.unwrap_or_else(|| fastrand::u64(..)),
        valid: 40,
        mutants: 40,
        only: std::env::var("MCP_FIDELITY_ONLY").ok(),
        relaxations: Vec::new(),
        limits: Limit::of_manifest(&manifest).expect("the manifest's limits"),
    };
    println!("repeat with MCP_FIDELITY_SEED={}", plan.seed);
    let report = run(&document, &plan, &|def, text| pipe.reencode(def, text));
    println!("{}: {report}", input.module);
    report
}

fn check(name: &str, inputs: &[Input]) {
    let dir = tempfile::tempdir().expect("a folder");
    let program = build(name, inputs, dir.path());
    let reports: Vec<Report> = inputs
        .iter()
        .map(|input| compare(&program, input))
        .collect();
    assert!(
        reports.iter().all(Report::is_clean),
        "types and validator disagree, see above"
    );
}

/// The official files of other revisions, as far as they are there.
fn official() -> Vec<Input> {
    let Some(dir) = std::env::var_os("MCP_SPEC_DIR").map(PathBuf::from) else {
        println!("skipped: MCP_SPEC_DIR names no folder with official files");
        return Vec::new();
    };
    let input = |(revision, module): (&str, _)| {
        let file = dir.join(revision).join("schema.json");
        if file.exists() {
            return Some(Input { file, module });
        }
        println!("skipped: there is no {}", file.display());
        None
    };
    REVISIONS.into_iter().filter_map(input).collect()
}

#[test]
fn each_official_file_of_another_revision_becomes_a_faithful_crate() {
    for input in official() {
        check("fidelity-official", &[input]);
    }
}

#[test]
fn several_official_files_of_other_revisions_become_one_faithful_crate() {
    let inputs = official();
    if inputs.len() > 1 {
        check("fidelity-several", &inputs);
    }
}

#[test]
fn a_draft_07_file_becomes_a_faithful_crate() {
    let facts = fs::read_to_string(root().join("schema/ext-tasks.json")).expect("the facts");
    let facts = facts.replace("#/$defs/", "#/definitions/");
    let mut facts: Value = serde_json::from_str(&facts).expect("JSON");
    let mut definitions = facts["$defs"].take();
    for definition in definitions
        .as_object_mut()
        .expect("definitions")
        .values_mut()
    {
        definition
            .as_object_mut()
            .expect("a schema")
            .remove("$schema");
    }
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": definitions,
    });
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("older.json");
    fs::write(&file, schema.to_string()).expect("a file");
    check(
        "fidelity-draft-07",
        &[Input {
            file,
            module: "older",
        }],
    );
}

/// Messages that are the frame of JSON-RPC and nothing else, and such that differ from them in one thing each.
#[test]
fn messages_of_every_form_become_a_faithful_crate() {
    let file = root().join("codegen/tests/messages.json");
    check(
        "fidelity-messages",
        &[Input {
            file,
            module: "messages",
        }],
    );
}

/// Definitions and methods with names that the crate itself has, and unions with bounds.
#[test]
fn odd_names_and_bounds_in_unions_become_a_faithful_crate() {
    let file = root().join("codegen/tests/oddities.json");
    check(
        "fidelity-oddities",
        &[Input {
            file,
            module: "oddities",
        }],
    );
}

/// Files, and definitions in them, that are called like what a crate has itself.
#[test]
fn names_that_a_crate_needs_itself_are_given_way() {
    let modules = [
        "bin_types",
        "common_types",
        "convert_types",
        "default_types",
        "lib_types",
        "main_types",
        "message_types",
        "method_types",
        "registry_types",
        "schema_types",
        "self_types",
        "serde_types",
        "std_types",
        "support_types",
        "type_types",
    ];
    let object = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let mut definitions: serde_json::Map<String, Value> = [
        "Hold",
        "Member",
        "Method",
        "Notification",
        "Object",
        "Record",
        "Request",
        "Response",
        "TaskHandler",
        "TaskRequest",
        "TaskResponse",
    ]
    .map(|name| (name.to_owned(), object.clone()))
    .into_iter()
    .collect();
    let method = json!({
        "type": "object",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "$ref": "#/$defs/RequestId" },
            "method": { "const": "tasks/get" },
            "params": { "$ref": "#/$defs/TaskRequest" },
        },
        "required": ["jsonrpc", "id", "method", "params"],
    });
    definitions.insert("RequestId".into(), json!({ "type": ["string", "integer"] }));
    definitions.insert("GetTaskRequest".into(), method);
    definitions.insert(
        "GetTaskResult".into(),
        json!({ "$ref": "#/$defs/TaskResponse" }),
    );
    definitions.insert(
        "ClientRequest".into(),
        json!({ "anyOf": [{ "$ref": "#/$defs/GetTaskRequest" }] }),
    );
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions,
    });
    let dir = tempfile::tempdir().expect("a folder");
    let inputs = modules.map(|module| {
        let stem = module.trim_end_matches("_types");
        let file = match stem {
            // A file of this name is called by its folder.
            "schema" => dir.path().join("schema/schema.json"),
            _ => dir.path().join(format!("{stem}.json")),
        };
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, schema.to_string()).expect("a file");
        Input { file, module }
    });
    check("fidelity-names", &inputs);
}
