//! A method that the specification adds: the compiler says where to implement it, and nowhere else.
//!
//! A copy of the crates and of the schemas gets a made-up method, `tasks/pause`. The copy keeps its place between
//! runs, so that cargo checks it again only where something changed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};

/// Where the runtime implements the extension's methods on tasks.
const PLACE: &str = "runtime/src/protocol/modern/tasks.rs";

/// What the message asks for.
const PAUSE: &str = "
    async fn pause(
        &self,
        _: Answers,
        params: crate::types::ext_tasks::PauseTaskRequestParams,
    ) -> Result<crate::types::ext_tasks::PauseTaskResult, RpcError> {
        self.server.engine.get(&params.task_id, self.owner()).await?;
        Ok(crate::types::ext_tasks::PauseTaskResult::new(true))
    }
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The directory that cargo builds this workspace in; the dependencies are there already.
fn target() -> PathBuf {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    own.parent().expect("a target directory").to_owned()
}

/// Writes a file unless it has this content: cargo goes by the time of the last change.
fn write(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|found| found == content) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, content).expect("a file");
}

/// Files below a folder, as paths relative to it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("below").to_owned());
            }
        }
    }
    found
}

/// Makes `to` a copy of `from`. What is in `kept` stays as it is.
fn mirror(from: &Path, to: &Path, kept: impl Fn(&Path) -> bool) {
    let wanted = files(from);
    for stale in files(to) {
        if !wanted.contains(&stale) && !kept(&stale) {
            fs::remove_file(to.join(stale)).expect("a file of a former run goes");
        }
    }
    for file in wanted.iter().filter(|file| !kept(file)) {
        write(&to.join(file), &fs::read(from.join(file)).expect("a file"));
    }
}

/// A copy of what the runtime is built from.
fn copy() -> PathBuf {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-method");
    // The runtime's manifest names its examples.
    for folder in ["schema", "macros/src", "runtime/src", "runtime/examples"] {
        let ours = |file: &Path| {
            let file = Path::new(folder).join(file);
            file == Path::new(PLACE) || file == Path::new("schema/ext-tasks.json")
        };
        mirror(&root().join(folder), &copy.join(folder), ours);
    }
    for file in ["generated", "macros", "runtime"].map(|name| format!("{name}/Cargo.toml")) {
        write(
            &copy.join(&file),
            &fs::read(root().join(file)).expect("a manifest"),
        );
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let mut workspace: toml::Table = workspace.parse().expect("TOML");
    workspace["workspace"]["members"] = toml::Value::from(vec!["generated", "macros", "runtime"]);
    write(&copy.join("Cargo.toml"), workspace.to_string().as_bytes());
    write(
        &copy.join("Cargo.lock"),
        &fs::read(root().join("Cargo.lock")).expect("a lock file"),
    );
    copy
}

/// The extension's facts with the method.
fn facts() -> Value {
    let text = fs::read_to_string(root().join("schema/ext-tasks.json")).expect("the facts");
    let mut facts: Value = serde_json::from_str(&text).expect("JSON");
    let object = |members: Value| {
        let required: Vec<&String> = members.as_object().expect("members").keys().collect();
        json!({"type": "object", "properties": members, "required": required})
    };
    let params = object(json!({"taskId": {"type": "string"}}));
    facts["$defs"]["PauseTaskRequest"] = json!({"allOf": [
        {"$ref": "#/$defs/JSONRPCRequest"},
        object(json!({"method": {"const": "tasks/pause", "type": "string"}, "params": params})),
    ]});
    facts["$defs"]["PauseTaskResult"] = json!({"allOf": [
        {"$ref": "#/$defs/Result"},
        object(json!({"paused": {"type": "boolean"}, "resultType": {"const": "complete", "type": "string"}})),
    ]});
    facts
}

fn codegen(copy: &Path, command: &str) -> Output {
    Command::new(env!("CARGO"))
        .args([
            "run",
            "--locked",
            "--quiet",
            "-p",
            "mcp-codegen",
            "--",
            command,
            "--manifest",
        ])
        .arg(copy.join("schema/manifest.toml"))
        .current_dir(root())
        .output()
        .expect("cargo runs")
}

/// Checks the runtime of the copy, without parts that do not matter here, and gives its errors.
fn errors(copy: &Path) -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args([
            "check",
            "--offline",
            "--package",
            "mcp-tasks",
            "--no-default-features",
        ])
        .arg("--message-format=json")
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", target())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let errors: Vec<Value> = lines
        .map(|mut line| line["message"].take())
        // What the compiler adds at the end ("aborting due to 1 previous error") has no place.
        .filter(|it| it["level"] == "error" && it["spans"].get(0).is_some())
        .collect();
    assert_eq!(
        errors.is_empty(),
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

#[test]
fn a_method_of_the_schema_that_the_runtime_lacks_is_one_error_that_says_what_to_write() {
    let copy = copy();
    let place = fs::read_to_string(root().join(PLACE)).expect("the implementation");
    write(&copy.join(PLACE), place.as_bytes());
    write(
        &copy.join("schema/ext-tasks.json"),
        facts().to_string().as_bytes(),
    );

    let generated = codegen(&copy, "generate");
    let said = String::from_utf8_lossy(&generated.stderr);
    assert!(generated.status.success(), "{said}");
    let check = codegen(&copy, "check");
    let said = String::from_utf8_lossy(&check.stdout).into_owned()
        + &String::from_utf8_lossy(&check.stderr);
    assert_eq!(check.status.code(), Some(1), "{said}");
    assert!(
        said.contains("tasks/pause"),
        "the missing description is not reported: {said}"
    );

    let errors = errors_at(&copy);
    let [(code, file, text)] = errors.as_slice() else {
        panic!("not one error: {errors:#?}");
    };
    assert_eq!((code.as_str(), file.as_str()), ("E0046", PLACE));
    for part in [
        "missing: `pause`",
        "fn pause(",
        "PauseTaskRequestParams",
        "PauseTaskResult",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }

    let end = place.rfind('}').expect("the implementation ends");
    let implemented = format!("{}{PAUSE}{}", &place[..end], &place[end..]);
    write(&copy.join(PLACE), implemented.as_bytes());
    assert_eq!(
        errors_at(&copy),
        [],
        "with the method written, everything is there"
    );
}

/// The errors of the copy: code, file and text.
fn errors_at(copy: &Path) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |error: &Value| {
        let file = text(&error["spans"][0]["file_name"]);
        (text(&error["code"]["code"]), file, text(&error["rendered"]))
    };
    errors(copy).iter().map(of).collect()
}
