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
    type Slots: Slots;
    /// What holds all other members.
    type Rest;

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
pub(crate) trait Keep<'de>: Default {
    fn keep<T: Record, M: Members<'de>>(
        &mut self,
        map: &mut M,
        key: Cow<'de, str>,
    ) -> Result<(), M::Error>;
}

impl<'de> Keep<'de> for JsonObject {
    fn keep<T: Record, M: Members<'de>>(
        &mut self,
        map: &mut M,
        key: Cow<'de, str>,
    ) -> Result<(), M::Error> {
        let value = filled(|slot| map.value(slot))?;
        self.insert(key.into_owned(), value);
        Ok(())
    }
}

impl<'de, V: Decode<'de>> Keep<'de> for BTreeMap<String, V> {
    fn keep<T: Record, M: Members<'de>>(
        &mut self,
        map: &mut M,
        key: Cow<'de, str>,
    ) -> Result<(), M::Error> {
        let value = value_of(map, &key)?;
        self.insert(key.into_owned(), value);
        Ok(())
    }
}

/// No other members are allowed.
#[derive(Default)]
pub(crate) struct Closed;

impl<'de> Keep<'de> for Closed {
    fn keep<T: Record, M: Members<'de>>(
        &mut self,
        _: &mut M,
        key: Cow<'de, str>,
    ) -> Result<(), M::Error> {
        Err(M::Error::unknown_field(&key, T::MEMBERS))
    }
}

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

impl<'de, T> DecodeObject<'de> for T
where
    T: Record,
    T::Slots: FillSlots<'de>,
    T::Rest: Keep<'de>,
{
    fn from_map<M: Members<'de>>(
        mut map: M,
        tag: &str,
        slot: &mut Option<Self>,
    ) -> Result<(), M::Error> {
        let mut open = Open::<T>::new(tag);
        let mut rest = T::Rest::default();
        while let Some(key) = map.next_key()? {
            if !open.read(&key, &mut map)? {
                rest.keep::<T, M>(&mut map, key)?;
            }
        }
        T::check_rest(&rest).map_err(M::Error::custom)?;
        open.close(rest, slot)
    }
}

/// Decodes a record whose other members are those of a union that lies beside it.
pub(crate) fn beside<'de, T, M>(map: M, tag: &str, slot: &mut Option<T>) -> Result<(), M::Error>
where
    T: Record,
    T::Slots: FillSlots<'de>,
    T::Rest: DecodeObject<'de>,
    M: Members<'de>,
{
    let mut open = Open::<T>::new(tag);
    let rest = filled(|slot| {
        let others = Beside {
            map,
            open: &mut open,
        };
        T::Rest::from_map(others, "", slot)
    })?;
    open.close(rest, slot)
}

/// A record of which some members have been read.
struct Open<T: Record> {
    slots: T::Slots,
    /// Which constants were there, a bit each.
    seen: u64,
}

impl<'de, T: Record> Open<T>
where
    T::Slots: FillSlots<'de>,
{
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

    /// Reads the value of the member `key`, if it is one that is known.
    #[inline]
    fn read<M: Members<'de>>(&mut self, key: &str, map: &mut M) -> Result<bool, M::Error> {
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
struct Beside<'a, M, T: Record> {
    map: M,
    open: &'a mut Open<T>,
}

impl<'de, M, T> Members<'de> for Beside<'_, M, T>
where
    M: Members<'de>,
    T: Record,
    T::Slots: FillSlots<'de>,
{
    type Error = M::Error;
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, M::Error> {
        while let Some(key) = self.map.next_key()? {
            if !self.open.read(&key, &mut self.map)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
    fn value<V: Decode<'de>>(&mut self, slot: &mut Option<V>) -> Result<(), M::Error> {
        self.map.value(slot)
    }
}

impl<T: Record> EncodeObject for T
where
    T::Rest: EncodeObject,
{
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (name, constant) in T::CONSTANTS {
            constant.write(map, name)?;
        }
        let (parts, rest) = self.parts();
        T::Slots::write(parts, map, T::MEMBERS)?;
        rest.members(map)
    }
}
