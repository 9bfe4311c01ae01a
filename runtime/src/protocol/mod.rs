//! What an era says on the wire: requests of one era in, results of that era out. Holds no state of tasks.

pub(crate) mod client;
pub(crate) mod failure;
pub(crate) mod headers;
pub(crate) mod legacy;
mod logging;
pub(crate) mod modern;
pub(crate) mod negotiate;
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
        method::{MethodInfo, MethodKind, Sender},
        v2025_11_25,
        v2025_11_25::TaskStatus,
        v2026_07_28,
    },
};

/// The key of the tasks extension in `capabilities.extensions`.
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The revision of the modern era.
pub(crate) const MODERN: &str = "2026-07-28";

/// The revisions of the legacy era, newest first.
pub(crate) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Whether any era has a request of this name that a client may send.
pub(crate) fn is_known_method(method: &str) -> bool {
    let known = |info: &MethodInfo| {
        info.name == method && info.kind == MethodKind::Request && info.sender != Sender::Server
    };
    let tables = [
        v2025_11_25::methods::ALL,
        v2026_07_28::methods::ALL,
        ext_tasks::methods::ALL,
    ];
    tables.into_iter().flatten().any(known)
}

/// Counts an answered request (`mcp_requests_total`).
pub(crate) fn count(era: &'static str, method: &str, outcome: &Result<JsonObject, RpcError>) {
    // Clients make up names; only those that exist become labels.
    let method = if is_known_method(method) {
        method.to_owned()
    } else {
        "other".to_owned()
    };
    let outcome = if outcome.is_ok() { "ok" } else { "error" };
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
