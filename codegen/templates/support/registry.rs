//! Decoding by the name of a definition.

use super::*;

/// Decodes `json` as `T` and encodes it again.
pub(crate) fn round_trip<T: for<'de> Decode<'de> + Serialize>(
    json: &str,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<String, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = T::decode(&mut deserializer)?;
    deserializer.end()?;
    check(&value).map_err(serde_json::Error::custom)?;
    serde_json::to_string(&value)
}
