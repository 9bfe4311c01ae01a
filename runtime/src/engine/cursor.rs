//! Cursors of listings: a position as one opaque word.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::EngineError;
use crate::{
    store::Position,
    task::{TaskId, Timestamp},
};

pub(super) fn encode(position: &Position) -> String {
    let plain = format!("{:x}.{}", position.created_at.as_millis(), position.id);
    URL_SAFE_NO_PAD.encode(plain)
}

pub(super) fn decode(cursor: &str) -> Result<Position, EngineError> {
    let read = || {
        let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let (millis, id) = plain.split_once('.')?;
        let created_at = Timestamp::from_millis(i64::from_str_radix(millis, 16).ok()?);
        let position = Position {
            created_at,
            id: TaskId::from(id),
        };
        // One spelling each, so that nothing that we did not give out is taken.
        (encode(&position) == cursor && !id.is_empty()).then_some(position)
    };
    read().ok_or(EngineError::BadCursor)
}
