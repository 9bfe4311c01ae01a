//! What one plain call may ask and keep, in either era. A task's share is the engine's to watch.

use serde_json::Value;

use crate::{context::AskError, server::Limits};

/// How much one plain call may ask and keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    inputs: usize,
    payload: usize,
}

impl Quota {
    pub(super) fn of(limits: &Limits) -> Self {
        Self {
            inputs: limits.inputs_per_task,
            payload: limits.payload_bytes,
        }
    }

    /// Whether one more question may be asked after so many.
    pub(super) fn one_more(self, asked: usize) -> Result<(), AskError> {
        if asked < self.inputs {
            return Ok(());
        }
        Err(AskError::Failed(format!(
            "the call has asked {} questions, which is the limit",
            self.inputs
        )))
    }

    /// Whether a value may be kept beside so many others.
    pub(super) fn keep(self, kept: usize, key: &str, value: &Value) -> Result<(), AskError> {
        if kept >= self.inputs {
            return Err(AskError::Failed(format!(
                "at most {} values are kept for one call",
                self.inputs
            )));
        }
        let size = value.to_string().len();
        if size > self.payload {
            return Err(AskError::Failed(format!(
                "the value of `{key}` has {size} bytes; at most {} are kept",
                self.payload
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_keeps_only_so_many_values_of_such_a_size() {
        let quota = Quota::of(&Limits::default().inputs_per_task(2).payload_bytes(5));
        assert_eq!(quota.keep(1, "a", &json!("abc")), Ok(()));
        for (kept, value, part) in [(2, "abc", "2 values"), (1, "abcd", "`a` has 6 bytes")] {
            let Err(AskError::Failed(reason)) = quota.keep(kept, "a", &json!(value)) else {
                panic!("{value} was kept beside {kept} others");
            };
            assert!(reason.contains(part), "{reason}");
        }
    }
}
