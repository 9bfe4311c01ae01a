//! What an era says on the wire: requests of one era in, results of that era out. Holds no state of tasks.

pub(crate) mod client;
pub(crate) mod failure;
pub(crate) mod headers;
pub(crate) mod legacy;
mod logging;
pub(crate) mod modern;
pub(crate) mod negotiate;
mod progress;
mod quota;
pub(crate) mod seal;

use serde::Serialize;
use serde_json::Value;

use crate::{
    JsonObject,
    server::RpcError,
    task::Status,
    types::{
        ext_tasks,
        method::{Method, MethodInfo, MethodKind, Sender},
        v2025_11_25,
        v2025_11_25::TaskStatus,
        v2026_07_28,
    },
};

/// The revision of the modern era.
pub(crate) const MODERN: &str = "2026-07-28";

/// The revisions of the legacy era, newest first.
pub(crate) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// The request of this name that a client may send in any era.
pub(crate) fn known_method(method: &str) -> Option<&'static str> {
    let known = |info: &&MethodInfo| {
        info.name == method && info.kind == MethodKind::Request && info.sender != Sender::Server
    };
    let tables = [
        v2025_11_25::methods::ALL,
        v2026_07_28::methods::ALL,
        ext_tasks::methods::ALL,
    ];
    tables
        .into_iter()
        .flatten()
        .find(known)
        .map(|info| info.name)
}

/// Whether a method is of a family that this library answers in one of the eras, so that no fallback may claim it.
pub(crate) fn is_reserved(method: &str) -> bool {
    const OURS: [&str; 5] = [
        ext_tasks::methods::TasksGet::NAME,
        ext_tasks::methods::NotificationsTasks::NAME,
        v2026_07_28::methods::ToolsCall::NAME,
        v2026_07_28::methods::ServerDiscover::NAME,
        v2026_07_28::methods::SubscriptionsListen::NAME,
    ];
    let asked = method.split_once('/').map(|(family, _)| family);
    OURS.into_iter()
        .filter_map(|ours| ours.split_once('/'))
        .any(|(family, _)| asked == Some(family))
}

/// Counts an answered request (`mcp_requests_total`).
pub(crate) fn count(era: &'static str, method: &str, ok: bool) {
    // Clients make up names; only those that exist become labels.
    let method = known_method(method).unwrap_or("other");
    let outcome = if ok { "ok" } else { "error" };
    metrics::counter!("mcp_requests_total", "era" => era, "method" => method, "outcome" => outcome)
        .increment(1);
}

/// A generated type as the object that it is on the wire.
pub(crate) fn plain<T: Serialize>(value: &T) -> Result<JsonObject, RpcError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(RpcError::internal("Internal error: a result is no object")),
        Err(error) => Err(RpcError::internal(format!(
            "Internal error: a result cannot be written: {error}"
        ))),
    }
}

/// Milliseconds as the schemas have them.
pub(crate) fn millis(millis: u64) -> i64 {
    // The largest integer that a double holds exactly.
    const MAX: u64 = (1 << 53) - 1;
    millis.min(MAX) as i64
}

/// A status as the schemas have it.
pub(crate) fn wire_status(status: Status) -> TaskStatus {
    match status {
        Status::Working => TaskStatus::Working,
        Status::InputRequired => TaskStatus::InputRequired,
        Status::Completed => TaskStatus::Completed,
        Status::Failed => TaskStatus::Failed,
        Status::Cancelled => TaskStatus::Cancelled,
    }
}

/// The progress token of a request: a string or a whole number, also one that is written `5.0`.
fn progress_token(meta: &JsonObject) -> Option<Value> {
    /// The whole numbers up to here are all told apart as floats.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let token = meta.get("progressToken")?;
    if token.is_string() || token.is_i64() || token.is_u64() {
        return Some(token.clone());
    }
    let number = token.as_f64()?;
    let whole = number.fract() == 0.0 && number.abs() <= EXACT;
    whole.then(|| token.clone())
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// The code of a file without what is only for tests, and without documentation.
    fn code(text: &str) -> String {
        let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        let lines = text[..end]
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn each_file(dir: &Path, see: &mut impl FnMut(&Path)) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with("test") || name == "kit.rs" {
                continue;
            }
            if path.is_dir() {
                each_file(&path, see);
            } else if name.ends_with(".rs") {
                see(&path);
            }
        }
    }

    #[test]
    fn no_name_of_the_protocol_is_written_by_hand() {
        let tables = [
            v2025_11_25::methods::ALL,
            v2026_07_28::methods::ALL,
            ext_tasks::methods::ALL,
        ];
        let mut names: Vec<_> = tables
            .into_iter()
            .flatten()
            .filter(|info| info.name.contains('/'))
            .flat_map(|info| {
                let (family, _) = info.name.split_once('/').unwrap();
                [format!("\"{}\"", info.name), format!("\"{family}/\"")]
            })
            .collect();
        names.push("\"io.modelcontextprotocol/".to_owned());
        let mut files = 0;
        each_file(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut |path| {
                files += 1;
                let code = code(&fs::read_to_string(path).unwrap());
                for name in &names {
                    assert!(!code.contains(name), "{} has {name}", path.display());
                }
            },
        );
        assert!(files > 50, "only {files} files were looked at");
    }

    #[test]
    fn a_progress_token_is_a_string_or_a_whole_number_however_it_is_written() {
        let token = |token: Value| {
            progress_token(
                serde_json::json!({ "progressToken": token })
                    .as_object()
                    .unwrap(),
            )
        };
        for (given, taken) in [
            (Value::from("5.0"), Some(Value::from("5.0"))),
            (5.into(), Some(5.into())),
            (5.0.into(), Some(5.0.into())),
            ((-1.0).into(), Some((-1.0).into())),
            (u64::MAX.into(), Some(u64::MAX.into())),
            (5.5.into(), None),
            (1e300.into(), None),
            (Value::Null, None),
            (true.into(), None),
        ] {
            assert_eq!(token(given.clone()), taken, "{given}");
        }
    }

    #[test]
    fn families_of_methods_that_we_answer_are_reserved_in_both_eras() {
        for ours in [
            "tasks/x",
            "tools/call",
            "notifications/x",
            "server/x",
            "subscriptions/x",
        ] {
            assert!(is_reserved(ours), "{ours}");
        }
        for other in [
            "tasks",
            "tasksx/get",
            "prompts/list",
            "completion/complete",
            "/",
        ] {
            assert!(!is_reserved(other), "{other}");
        }
    }
}
