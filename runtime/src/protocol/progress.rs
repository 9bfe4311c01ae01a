//! Progress of a request, under the token that the request gave.

use parking_lot::Mutex;
use serde_json::Value;

use crate::JsonObject;

/// What a client is told of the progress of one of its requests.
///
/// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/progress>.
#[derive(Debug)]
pub(super) struct Progress {
    token: Value,
    last: Mutex<f64>,
}

impl Progress {
    pub(super) fn new(token: Value) -> Self {
        Self {
            token,
            last: Mutex::new(f64::NEG_INFINITY),
        }
    }

    /// The params of a notification. Progress has to grow, so there are none where it has not; NaN and the infinite are no JSON.
    pub(super) fn params(
        &self,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Option<JsonObject> {
        {
            let mut last = self.last.lock();
            if !done.is_finite() || done <= *last {
                return None;
            }
            *last = done;
        }
        let mut params = JsonObject::new();
        params.insert("progressToken".into(), self.token.clone());
        params.insert("progress".into(), number(done));
        if let Some(total) = total.filter(|total| total.is_finite()) {
            params.insert("total".into(), number(total));
        }
        if let Some(message) = message {
            params.insert("message".into(), message.into());
        }
        Some(params)
    }
}

/// A number, written without a fraction when it has none.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        (value as i64).into()
    } else {
        value.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_progress_that_grows_is_told() {
        let progress = Progress::new(json!("t"));
        let told: Vec<_> = [1.0, 1.0, 0.5, f64::NAN, f64::INFINITY, 1.5, 4.0]
            .into_iter()
            .filter_map(|done| progress.params(done, Some(f64::NAN), None))
            .map(Value::Object)
            .collect();
        let expected = [json!(1), json!(1.5), json!(4)]
            .map(|done| json!({"progressToken": "t", "progress": done}));
        assert_eq!(told, expected);
    }
}
