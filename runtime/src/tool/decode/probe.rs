//! What a type says of itself to who has no value for it: whether it can do without, and what kinds of value it takes.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde_json::{Value, json};

/// Decodes the absence of a value: `None` for an `Option`, nothing for most other types.
pub(crate) fn from_nothing<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Probe { is_absent: true }).ok()
}

/// The kinds of value that a type asks for. All, if it looks at the value to find out.
pub(crate) fn kinds_of<T: DeserializeOwned>() -> Kinds {
    match T::deserialize(Probe { is_absent: false }) {
        Ok(_) => Kinds::ALL,
        Err(Asked(kinds)) => kinds,
    }
}

/// Kinds of JSON values, as the keyword `type` tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(2);
    const INTEGER: Self = Self(4);
    const NUMBER: Self = Self(4 | 8);
    const STRING: Self = Self(16);
    const ARRAY: Self = Self(32);
    const OBJECT: Self = Self(64);
    const ALL: Self = Self(127);
    /// What is called so in a schema. An integer is a number, so that comes first.
    const NAMES: [(&'static str, Self); 7] = [
        ("number", Self::NUMBER),
        ("integer", Self::INTEGER),
        ("string", Self::STRING),
        ("boolean", Self::BOOLEAN),
        ("array", Self::ARRAY),
        ("object", Self::OBJECT),
        ("null", Self::NULL),
    ];

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What a `type` allows; `None` if it is none that we know.
    pub(crate) fn of_type(kind: &Value) -> Option<Self> {
        match kind {
            Value::String(name) => {
                let known = Self::NAMES.iter().find(|(known, _)| known == name)?;
                Some(known.1)
            }
            Value::Array(kinds) => kinds
                .iter()
                .try_fold(Self(0), |all, kind| Some(all.or(Self::of_type(kind)?))),
            _ => None,
        }
    }

    /// The `type` that allows these.
    pub(crate) fn to_type(self) -> Value {
        let mut rest = self.0;
        let mut names = Vec::new();
        for (name, Self(kind)) in Self::NAMES {
            if rest & kind == kind {
                rest &= !kind;
                names.push(name);
            }
        }
        json!(names)
    }

    /// Whether a value can be of both, null aside if each has more to it.
    pub(crate) fn meet(self, other: Self) -> bool {
        let both = self.0 & other.0;
        let null = Self::NULL.0;
        both & !null != 0 || both == null && (self.0 == null || other.0 == null)
    }
}

/// Stands for a value that is absent, or for one of which nothing is known.
struct Probe {
    is_absent: bool,
}

/// What was asked for.
#[derive(Debug)]
struct Asked(Kinds);

macro_rules! asks {
    ($($kinds:expr => $($deserialize:ident)*;)*) => {$($(
        fn $deserialize<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
            Err(Asked($kinds))
        }
    )*)*};
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Asked;

    asks! {
        Kinds::ALL => deserialize_any deserialize_ignored_any;
        Kinds::BOOLEAN => deserialize_bool;
        Kinds::INTEGER => deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
                          deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128;
        Kinds::NUMBER => deserialize_f32 deserialize_f64;
        Kinds::STRING => deserialize_char deserialize_str deserialize_string deserialize_identifier;
        Kinds::STRING.or(Kinds::ARRAY) => deserialize_bytes deserialize_byte_buf;
        Kinds::NULL => deserialize_unit;
        Kinds::ARRAY => deserialize_seq;
        Kinds::OBJECT => deserialize_map;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Asked> {
        if self.is_absent {
            return visitor.visit_none();
        }
        let asked = visitor.visit_some(self);
        asked.map_err(|Asked(kinds)| Asked(kinds.or(Kinds::NULL)))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Asked> {
        if self.is_absent {
            return Err(Asked(Kinds::ALL));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Kinds::NULL))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Asked> {
        Err(Asked(Kinds::ARRAY))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Kinds::ARRAY))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Kinds::OBJECT))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Kinds::STRING.or(Kinds::OBJECT)))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no value")
    }
}

impl std::error::Error for Asked {}

impl de::Error for Asked {
    /// The type's own words, from which no kind can be told.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(Kinds::ALL)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only asked what it takes")]
    struct Wrapped(Option<i64>);

    #[derive(Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only asked what it takes")]
    enum Either {
        Number(i64),
        Text(String),
    }

    /// Reads what another type takes, and reports in its own words.
    struct Careful;

    impl<'de> Deserialize<'de> for Careful {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            i64::deserialize(deserializer).map_err(|_| de::Error::custom("no number"))?;
            Ok(Self)
        }
    }

    #[test]
    fn a_type_is_asked_what_it_takes() {
        for (kinds, shown) in [
            (kinds_of::<i64>(), json!(["integer"])),
            (kinds_of::<f32>(), json!(["number"])),
            (kinds_of::<Option<bool>>(), json!(["boolean", "null"])),
            (kinds_of::<Wrapped>(), json!(["integer", "null"])),
            (kinds_of::<char>(), json!(["string"])),
            (kinds_of::<(u8, u8)>(), json!(["array"])),
            (kinds_of::<BTreeMap<String, u8>>(), json!(["object"])),
            (kinds_of::<()>(), json!(["null"])),
        ] {
            assert_eq!(kinds.to_type(), shown);
        }
        for all in [
            kinds_of::<Either>(),
            kinds_of::<Value>(),
            kinds_of::<Careful>(),
        ] {
            assert_eq!(all, Kinds::ALL);
        }
    }

    #[test]
    fn kinds_meet_when_a_value_can_be_of_both() {
        let meet = |a: Value, b: Value| {
            let [a, b] = [a, b].map(|kind| Kinds::of_type(&kind).unwrap());
            assert_eq!(a.meet(b), b.meet(a));
            a.meet(b)
        };
        assert!(meet(json!("number"), json!("integer")));
        assert!(meet(json!(["integer", "null"]), json!("integer")));
        assert!(meet(json!(["integer", "null"]), json!("null")));
        assert!(!meet(json!("integer"), json!("string")));
        assert!(!meet(json!("integer"), json!("null")));
        assert!(!meet(json!(["integer", "null"]), json!(["string", "null"])));
        assert!(Kinds::of_type(&json!("text")).is_none());
        assert!(Kinds::of_type(&json!(["string", 1])).is_none());
    }
}
