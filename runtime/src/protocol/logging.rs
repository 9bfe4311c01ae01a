//! Log messages of tools as both eras write them.

use serde_json::Value;

use crate::{JsonObject, context::LogRecord};

/// The params of a log message. The logger is the tool.
pub(super) fn log_params(tool: &str, record: LogRecord) -> JsonObject {
    let mut params = JsonObject::new();
    params.insert("level".into(), record.level.as_str().into());
    params.insert("logger".into(), Value::from(tool));
    params.insert("data".into(), record.data);
    params
}
