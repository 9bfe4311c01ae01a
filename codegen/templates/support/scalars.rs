//! How scalars, arrays and maps are decoded the way JSON Schema reads them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, SeqAccess, Visitor};

use super::read::{FillSeed, Seed};
use super::*;

impl<'de> Decode<'de> for String {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
    fn from_content<E: DecodeError>(content: Content<'de>) -> Result<Self, E> {
        Cow::from_content(content).map(Cow::into_owned)
    }
}

/// Borrowed where the input allows it.
impl<'de> Decode<'de> for Cow<'de, str> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Cow<'de, str>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
    fn from_content<E: DecodeError>(content: Content<'de>) -> Result<Self, E> {
        match content {
            Content::Text(text) => Ok(text),
            other => Self::decode(other).map_err(E::custom),
        }
    }
}

impl<'de> Decode<'de> for bool {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for f64 {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for () {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for Value {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for JsonObject {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FreeVisitor;
        impl<'de> Visitor<'de> for FreeVisitor {
            type Value = JsonObject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
                let mut object = JsonObject::new();
                while let Some((key, value)) = map.next_entry()? {
                    object.insert(key, value);
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(FreeVisitor)
    }
}

/// Integers: a number without a fraction is one, however it is written.
macro_rules! integer {
    ($type:ty, $method:ident, $expected:literal, $in_range:literal) => {
        impl<'de> Decode<'de> for $type {
            fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct IntegerVisitor;
                impl Visitor<'_> for IntegerVisitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }
                    fn visit_i64<E: DecodeError>(self, value: i64) -> Result<$type, E> {
                        value
                            .try_into()
                            .map_err(|_| E::invalid_value(Unexpected::Signed(value), &$in_range))
                    }
                    fn visit_u64<E: DecodeError>(self, value: u64) -> Result<$type, E> {
                        value
                            .try_into()
                            .map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &$in_range))
                    }
                    fn visit_f64<E: DecodeError>(self, value: f64) -> Result<$type, E> {
                        // As a float, MAX is 2^63 or 2^64, which the type itself does not reach.
                        let range = <$type>::MIN as f64..<$type>::MAX as f64;
                        if value.fract() != 0.0 {
                            Err(E::invalid_value(Unexpected::Float(value), &self))
                        } else if range.contains(&value) {
                            Ok(value as $type)
                        } else {
                            Err(E::invalid_value(Unexpected::Float(value), &$in_range))
                        }
                    }
                }
                deserializer.$method(IntegerVisitor)
            }
        }
    };
}

integer!(i64, deserialize_i64, "an integer", "an integer of 64 bits");
integer!(
    u64,
    deserialize_u64,
    "an integer of 0 or more",
    "an integer of 0 or more and 64 bits"
);

impl<'de, T: Decode<'de>> Decode<'de> for Box<T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::decode(deserializer).map(Self::new)
    }
}

/// The value or null.
impl<'de, T: Decode<'de>> Decode<'de> for Option<T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionVisitor<T>(PhantomData<T>);
        impl<'de, T: Decode<'de>> Visitor<'de> for OptionVisitor<T> {
            type Value = Option<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }
            fn visit_none<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_unit<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_some<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                T::decode(deserializer).map(Some)
            }
        }
        deserializer.deserialize_option(OptionVisitor(PhantomData))
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VecVisitor<T>(PhantomData<T>);
        impl<'de, T: Decode<'de>> Visitor<'de> for VecVisitor<T> {
            type Value = Vec<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
                // Allocators are quick up to about a kilobyte, which is less than four content blocks.
                let first = (1024 / size_of::<T>().max(1)).clamp(1, 4);
                let (mut items, mut slot) = (Vec::new(), None);
                loop {
                    match seq.next_element_seed(FillSeed(&mut slot)) {
                        Ok(Some(())) => {
                            if items.is_empty() {
                                items.reserve_exact(first);
                            }
                            items.extend(slot.take());
                        }
                        Ok(None) => return Ok(items),
                        Err(error) => return Err(at(&format!("[{}]", items.len()), error)),
                    }
                }
            }
        }
        deserializer.deserialize_seq(VecVisitor(PhantomData))
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for BTreeMap<String, T> {
    fn decode<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<T>(PhantomData<T>);
        impl<'de, T: Decode<'de>> Visitor<'de> for MapVisitor<T> {
            type Value = BTreeMap<String, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let value = map
                        .next_value_seed(Seed(PhantomData))
                        .map_err(|error| at(&key, error))?;
                    entries.insert(key, value);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

/// A number that is written without a fraction if it has none, as people and other languages write it.
pub(crate) struct Double(pub(crate) f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}
