//! What the types of this crate share: how objects, unions and scalars are decoded the way JSON Schema reads
//! them, and encoded again. An object is decoded in one pass over its members; what is not known goes to `extra`.

mod bounds;
mod content;
mod error;
mod read;
mod record;
#[cfg(feature = "registry")]
mod registry;
mod scalars;
mod slots;
mod unions;

pub(crate) use serde::de::{Error as DecodeError, Unexpected};
pub(crate) use serde::ser::SerializeMap;
pub(crate) use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub(crate) use serde_json::Value;
pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::BTreeMap;

pub(crate) use bounds::*;
pub(crate) use content::*;
pub use error::{ConversionError, UnknownValue};
pub(crate) use error::{at, listed};
pub(crate) use read::*;
pub(crate) use record::*;
#[cfg(feature = "registry")]
pub(crate) use registry::*;
pub(crate) use scalars::*;
pub(crate) use slots::*;
pub(crate) use unions::*;

/// A JSON object of any content.
pub type JsonObject = serde_json::Map<String, Value>;

/// Implements the traits of serde for objects.
macro_rules! objects {
    ($($name:ident),* $(,)?) => { $(
        impl<'de> Decode<'de> for $name {
            fn fill<D: Deserializer<'de>>(deserializer: D, slot: &mut Option<Self>) -> Result<(), D::Error> {
                object(deserializer, slot)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::decode(deserializer)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                encode(self, serializer)
            }
        }
    )* };
}

/// Implements decoding for unions of different kinds of JSON value.
macro_rules! kinds {
    ($($name:ident),* $(,)?) => { $(
        impl<'de> Decode<'de> for $name {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                kind(deserializer)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                kind(deserializer)
            }
        }
    )* };
}

/// Implements text forms and the traits of serde for lists of strings.
macro_rules! strings {
    ($($name:ident),* $(,)?) => { $(
        impl std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl std::str::FromStr for $name {
            type Err = UnknownValue;
            #[inline]
            fn from_str(text: &str) -> Result<Self, UnknownValue> {
                listed(text, Self::NAMES).map(|index| Self::ALL[index])
            }
        }
        impl<'de> Decode<'de> for $name {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::decode(deserializer)?;
                text.parse().map_err(|_| D::Error::unknown_variant(&text, Self::NAMES))
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::decode(deserializer)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )* };
}

pub(crate) use {kinds, objects, strings};
