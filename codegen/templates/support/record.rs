//! Objects with named members. A type says in a table which members it has; one decoder and one encoder read the tables,
//! which keeps the types short and quick to compile.

use super::*;

/// A type whose values are objects with named members.
pub(crate) trait Record: Sized {
    /// Members that always have the same value. All of them are required.
    const CONSTANTS: &'static [(&'static str, Constant)] = &[];
    /// Names of the members that have a field.
    const MEMBERS: &'static [&'static str] = &[];
    /// What these members hold, in the order of their names.
    type Slots: for<'de> FillSlots<'de>;
    /// What holds all other members.
    type Rest: for<'de> Rest<'de>;

    /// The value made of its members.
    fn build(members: Values<Self>, rest: Self::Rest) -> Self;

    /// The members of the value.
    fn parts(&self) -> (Parts<'_, Self>, &Self::Rest);

    /// Checks the bounds of the member `index`, which has just been read.
    #[inline]
    fn check(_: &Self::Slots, _index: usize) -> Result<(), String> {
        Ok(())
    }

    /// Checks the bounds of the other members.
    #[inline]
    fn check_rest(_: &Self::Rest) -> Result<(), String> {
        Ok(())
    }
}

/// The members of a `Record` with a field, by value.
pub(crate) type Values<T> = <<T as Record>::Slots as Slots>::Values;
/// The members of a `Record` with a field, borrowed.
pub(crate) type Parts<'a, T> = <<T as Record>::Slots as Slots>::Parts<'a>;

/// The value that a member always has.
#[derive(Clone, Copy)]
pub(crate) enum Constant {
    Text(&'static str),
    Integer(i64),
    Boolean(bool),
}

impl Constant {
    /// Reads the member and compares.
    fn expect<'de, M: Members<'de>>(self, map: &mut M, name: &str) -> Result<(), M::Error> {
        match self {
            Self::Text(expected) => constant(map, name, expected),
            Self::Integer(expected) => {
                let found: i64 = value_of(map, name)?;
                self.compare(name, found == expected, Unexpected::Signed(found))
            }
            Self::Boolean(expected) => {
                let found: bool = value_of(map, name)?;
                self.compare(name, found == expected, Unexpected::Bool(found))
            }
        }
    }

    #[inline]
    fn compare<E: DecodeError>(
        self,
        name: &str,
        is_equal: bool,
        found: Unexpected<'_>,
    ) -> Result<(), E> {
        if is_equal {
            return Ok(());
        }
        let expected = match self {
            Self::Text(text) => format!("\"{text}\""),
            Self::Integer(value) => value.to_string(),
            Self::Boolean(value) => value.to_string(),
        };
        Err(at(name, E::invalid_value(found, &expected.as_str())))
    }

    fn write<M: SerializeMap>(self, map: &mut M, name: &str) -> Result<(), M::Error> {
        match self {
            Self::Text(text) => map.serialize_entry(name, text),
            Self::Integer(value) => map.serialize_entry(name, &value),
            Self::Boolean(value) => map.serialize_entry(name, &value),
        }
    }
}

/// Reads a member that can only have the value `expected`.
pub(crate) fn constant<'de, M: Members<'de>>(
    map: &mut M,
    name: &str,
    expected: &'static str,
) -> Result<(), M::Error> {
    let found: Cow<'de, str> = value_of(map, name)?;
    Constant::Text(expected).compare(name, found == expected, Unexpected::Str(&found))
}

// ---- the members without a field

/// What keeps, or refuses, the members that have no field.
pub(crate) trait Rest<'de>: EncodeObject + Sized {
    /// Reads all members: those that have a field into `open`, the others into the value that is returned.
    fn read<T: Record, M: Members<'de>>(map: M, open: &mut Open<T>) -> Result<Self, M::Error>;
}

impl<'de> Rest<'de> for JsonObject {
    #[inline]
    fn read<T: Record, M: Members<'de>>(mut map: M, open: &mut Open<T>) -> Result<Self, M::Error> {
        let mut rest = Self::new();
        while let Some(key) = open.read_until_other(&mut map)? {
            let value = filled(|slot| map.value(slot))?;
            rest.insert(key.into_owned(), value);
        }
        Ok(rest)
    }
}

impl<'de, V: Decode<'de> + Serialize> Rest<'de> for BTreeMap<String, V> {
    fn read<T: Record, M: Members<'de>>(mut map: M, open: &mut Open<T>) -> Result<Self, M::Error> {
        let mut rest = Self::new();
        while let Some(key) = open.read_until_other(&mut map)? {
            let value = value_of(&mut map, &key)?;
            rest.insert(key.into_owned(), value);
        }
        Ok(rest)
    }
}

/// No other members are allowed.
pub(crate) struct Closed;

impl<'de> Rest<'de> for Closed {
    fn read<T: Record, M: Members<'de>>(mut map: M, open: &mut Open<T>) -> Result<Self, M::Error> {
        match open.read_until_other(&mut map)? {
            Some(key) => Err(M::Error::unknown_field(&key, T::MEMBERS)),
            None => Ok(Self),
        }
    }
}

/// Lets a union whose members lie beside those of a record read what the record has no field for.
macro_rules! beside {
    ($name:ident) => {
        impl<'de> Rest<'de> for $name {
            fn read<T: Record, M: Members<'de>>(
                map: M,
                open: &mut Open<T>,
            ) -> Result<Self, M::Error> {
                filled(|slot| Self::from_map(Beside { map, open }, "", slot))
            }
        }
    };
}

pub(crate) use beside;

impl EncodeObject for JsonObject {
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.iter()
            .try_for_each(|(key, value)| map.serialize_entry(key, value))
    }
}

impl<T: Serialize> EncodeObject for BTreeMap<String, T> {
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.iter()
            .try_for_each(|(key, value)| map.serialize_entry(key, value))
    }
}

impl EncodeObject for Closed {
    fn members<M: SerializeMap>(&self, _: &mut M) -> Result<(), M::Error> {
        Ok(())
    }
}

// ---- decoding and encoding

impl<'de, T: Record> DecodeObject<'de> for T {
    fn from_map<M: Members<'de>>(
        map: M,
        tag: &str,
        slot: &mut Option<Self>,
    ) -> Result<(), M::Error> {
        let mut open = Open::<T>::new(tag);
        let rest = T::Rest::read(map, &mut open)?;
        T::check_rest(&rest).map_err(M::Error::custom)?;
        open.close(rest, slot)
    }
}

/// A record of which some members have been read.
pub(crate) struct Open<T: Record> {
    slots: T::Slots,
    /// Which constants were there, a bit each.
    seen: u64,
}

impl<T: Record> Open<T> {
    #[inline]
    fn new(tag: &str) -> Self {
        const {
            assert!(
                T::CONSTANTS.len() <= 64,
                "an object has more than 64 constants"
            )
        };
        let seen = match position(T::CONSTANTS.iter().map(|(name, _)| *name), tag) {
            Some(index) => 1 << index,
            None => 0,
        };
        Self {
            slots: T::Slots::default(),
            seen,
        }
    }

    /// Reads members that are known until there is one that is not, and gives its name.
    #[inline]
    fn read_until_other<'de, M: Members<'de>>(
        &mut self,
        map: &mut M,
    ) -> Result<Option<Cow<'de, str>>, M::Error> {
        while let Some(key) = map.next_key()? {
            if !self.read(&key, map)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Reads the value of the member `key`, if it is one that is known.
    #[inline]
    fn read<'de, M: Members<'de>>(&mut self, key: &str, map: &mut M) -> Result<bool, M::Error> {
        if let Some(index) = position(T::MEMBERS.iter().copied(), key) {
            let name = T::MEMBERS[index];
            self.slots.fill(index, map, name)?;
            T::check(&self.slots, index).map_err(|message| at(name, M::Error::custom(message)))?;
            return Ok(true);
        }
        if let Some(index) = position(T::CONSTANTS.iter().map(|(name, _)| *name), key) {
            let (name, constant) = T::CONSTANTS[index];
            constant.expect(map, name)?;
            self.seen |= 1 << index;
            return Ok(true);
        }
        Ok(false)
    }

    /// Puts the record together.
    #[inline]
    fn close<E: DecodeError>(self, rest: T::Rest, slot: &mut Option<T>) -> Result<(), E> {
        for (index, (name, _)) in T::CONSTANTS.iter().enumerate() {
            if self.seen & (1 << index) == 0 {
                return Err(E::missing_field(name));
            }
        }
        *slot = Some(T::build(self.slots.take(T::MEMBERS)?, rest));
        Ok(())
    }
}

#[inline]
fn position<'a>(mut names: impl Iterator<Item = &'a str>, key: &str) -> Option<usize> {
    names.position(|name| name == key)
}

/// The members that a record leaves to the union beside it.
pub(crate) struct Beside<'a, M, T: Record> {
    pub(crate) map: M,
    pub(crate) open: &'a mut Open<T>,
}

impl<'de, M: Members<'de>, T: Record> Members<'de> for Beside<'_, M, T> {
    type Error = M::Error;
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, M::Error> {
        self.open.read_until_other(&mut self.map)
    }
    fn value<V: Decode<'de>>(&mut self, slot: &mut Option<V>) -> Result<(), M::Error> {
        self.map.value(slot)
    }
}

impl<T: Record> EncodeObject for T {
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (name, constant) in T::CONSTANTS {
            constant.write(map, name)?;
        }
        let (parts, rest) = self.parts();
        T::Slots::write(parts, map, T::MEMBERS)?;
        rest.members(map)
    }
}
