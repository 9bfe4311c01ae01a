//! Slots: where the members of an object are put together while it is decoded, and how each is written.

use super::*;

/// Where the value of one member is put together.
pub(crate) trait Slot: Default {
    type Value;
    type Part<'a>
    where
        Self: 'a;
    /// The value, if the member was there or need not be.
    fn take<E: DecodeError>(self, name: &'static str) -> Result<Self::Value, E>;
    fn write<M: SerializeMap>(
        part: Self::Part<'_>,
        map: &mut M,
        name: &str,
    ) -> Result<(), M::Error>;
}

/// A slot that can be filled from the input.
pub(crate) trait Fill<'de>: Slot {
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error>;
}

/// A member that must be present.
pub(crate) struct Must<T>(pub(crate) Option<T>);

/// A member that may be absent.
pub(crate) struct May<T>(pub(crate) Option<T>);

impl<T> Default for Must<T> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for May<T> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Serialize> Slot for Must<T> {
    type Value = T;
    type Part<'a>
        = &'a T
    where
        T: 'a;
    #[inline]
    fn take<E: DecodeError>(self, name: &'static str) -> Result<T, E> {
        self.0.ok_or_else(|| E::missing_field(name))
    }
    #[inline]
    fn write<M: SerializeMap>(part: &T, map: &mut M, name: &str) -> Result<(), M::Error> {
        map.serialize_entry(name, part)
    }
}

impl<T: Serialize> Slot for May<T> {
    type Value = Option<T>;
    type Part<'a>
        = &'a Option<T>
    where
        T: 'a;
    #[inline]
    fn take<E: DecodeError>(self, _: &'static str) -> Result<Option<T>, E> {
        Ok(self.0)
    }
    #[inline]
    fn write<M: SerializeMap>(part: &Option<T>, map: &mut M, name: &str) -> Result<(), M::Error> {
        match part {
            Some(value) => map.serialize_entry(name, value),
            None => Ok(()),
        }
    }
}

impl<'de, T: Decode<'de> + Serialize> Fill<'de> for Must<T> {
    #[inline]
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error> {
        field(map, name, &mut self.0)
    }
}

impl<'de, T: Decode<'de> + Serialize> Fill<'de> for May<T> {
    #[inline]
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error> {
        field(map, name, &mut self.0)
    }
}

/// A number that must be present.
#[derive(Default)]
pub(crate) struct MustNumber(pub(crate) Option<f64>);

/// A number that may be absent.
#[derive(Default)]
pub(crate) struct MayNumber(pub(crate) Option<f64>);

impl Slot for MustNumber {
    type Value = f64;
    type Part<'a> = &'a f64;
    fn take<E: DecodeError>(self, name: &'static str) -> Result<f64, E> {
        self.0.ok_or_else(|| E::missing_field(name))
    }
    fn write<M: SerializeMap>(part: &f64, map: &mut M, name: &str) -> Result<(), M::Error> {
        map.serialize_entry(name, &Double(*part))
    }
}

impl Slot for MayNumber {
    type Value = Option<f64>;
    type Part<'a> = &'a Option<f64>;
    fn take<E: DecodeError>(self, _: &'static str) -> Result<Option<f64>, E> {
        Ok(self.0)
    }
    fn write<M: SerializeMap>(part: &Option<f64>, map: &mut M, name: &str) -> Result<(), M::Error> {
        May::write(&part.map(Double), map, name)
    }
}

impl<'de> Fill<'de> for MustNumber {
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error> {
        field(map, name, &mut self.0)
    }
}

impl<'de> Fill<'de> for MayNumber {
    fn fill<M: Members<'de>>(&mut self, map: &mut M, name: &str) -> Result<(), M::Error> {
        field(map, name, &mut self.0)
    }
}

/// The slots of a type.
pub(crate) trait Slots: Default {
    /// How many there are.
    const COUNT: usize;
    type Values;
    type Parts<'a>
    where
        Self: 'a;
    fn take<E: DecodeError>(self, names: &[&'static str]) -> Result<Self::Values, E>;
    fn write<M: SerializeMap>(
        parts: Self::Parts<'_>,
        map: &mut M,
        names: &[&'static str],
    ) -> Result<(), M::Error>;
}

/// Slots that can be filled from the input.
pub(crate) trait FillSlots<'de>: Slots {
    /// Reads the value of the member `index`, which is called `name`.
    fn fill<M: Members<'de>>(
        &mut self,
        index: usize,
        map: &mut M,
        name: &str,
    ) -> Result<(), M::Error>;
}

/// The slots of a type with more members than there are tuples for.
#[derive(Default)]
pub(crate) struct Both<A, B>(pub(crate) A, pub(crate) B);

impl<A: Slots, B: Slots> Slots for Both<A, B> {
    const COUNT: usize = A::COUNT + B::COUNT;
    type Values = (A::Values, B::Values);
    type Parts<'a>
        = (A::Parts<'a>, B::Parts<'a>)
    where
        Self: 'a;
    #[inline]
    fn take<E: DecodeError>(self, names: &[&'static str]) -> Result<Self::Values, E> {
        let (first, second) = names.split_at(A::COUNT);
        Ok((self.0.take(first)?, self.1.take(second)?))
    }
    #[inline]
    fn write<M: SerializeMap>(
        parts: Self::Parts<'_>,
        map: &mut M,
        names: &[&'static str],
    ) -> Result<(), M::Error> {
        let (first, second) = names.split_at(A::COUNT);
        A::write(parts.0, map, first)?;
        B::write(parts.1, map, second)
    }
}

impl<'de, A: FillSlots<'de>, B: FillSlots<'de>> FillSlots<'de> for Both<A, B> {
    #[inline]
    fn fill<M: Members<'de>>(
        &mut self,
        index: usize,
        map: &mut M,
        name: &str,
    ) -> Result<(), M::Error> {
        match index.checked_sub(A::COUNT) {
            None => self.0.fill(index, map, name),
            Some(index) => self.1.fill(index, map, name),
        }
    }
}

macro_rules! tuples {
    ($($count:literal => [$($index:tt $slot:ident),*])*) => { $(
        #[allow(unused_variables, clippy::unused_unit)] // of no members
        impl<$($slot: Slot),*> Slots for ($($slot,)*) {
            const COUNT: usize = $count;
            type Values = ($($slot::Value,)*);
            type Parts<'a> = ($($slot::Part<'a>,)*) where Self: 'a;
            #[inline]
            fn take<E: DecodeError>(self, names: &[&'static str]) -> Result<Self::Values, E> {
                Ok(($(self.$index.take(names[$index])?,)*))
            }
            #[inline]
            fn write<M: SerializeMap>(parts: Self::Parts<'_>, map: &mut M, names: &[&'static str]) -> Result<(), M::Error> {
                $($slot::write(parts.$index, map, names[$index])?;)*
                Ok(())
            }
        }
        #[allow(unused_variables)]
        impl<'de, $($slot: Fill<'de>),*> FillSlots<'de> for ($($slot,)*) {
            #[inline]
            fn fill<M: Members<'de>>(&mut self, index: usize, map: &mut M, name: &str) -> Result<(), M::Error> {
                match index {
                    $($index => self.$index.fill(map, name),)*
                    _ => Ok(()),
                }
            }
        }
    )* };
}

tuples! {
    0 => []
    1 => [0 A]
    2 => [0 A, 1 B]
    3 => [0 A, 1 B, 2 C]
    4 => [0 A, 1 B, 2 C, 3 D]
    5 => [0 A, 1 B, 2 C, 3 D, 4 F]
    6 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G]
    7 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G, 6 H]
    8 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G, 6 H, 7 I]
    9 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G, 6 H, 7 I, 8 J]
    10 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G, 6 H, 7 I, 8 J, 9 K]
    11 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G, 6 H, 7 I, 8 J, 9 K, 10 L]
    12 => [0 A, 1 B, 2 C, 3 D, 4 F, 5 G, 6 H, 7 I, 8 J, 9 K, 10 L, 11 N]
}
