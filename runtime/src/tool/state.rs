//! State that all calls share, kept by type.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt,
    sync::Arc,
};

/// A value shared by all calls, given to the server when it is built.
///
/// ```
/// use mcp_tasks::tool::State;
///
/// #[derive(Clone)]
/// struct Db;
///
/// async fn count(State(db): State<Db>) {
///     let _: Db = db;
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<T>(pub T);

impl<T> std::ops::Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A type that some tool wants from the [`StateMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateKey {
    id: TypeId,
    name: &'static str,
}

impl StateKey {
    /// The key of a type.
    pub fn of<T: 'static>() -> Self {
        Self {
            id: TypeId::of::<T>(),
            name: type_name::<T>(),
        }
    }

    /// The type's name, for messages.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// Values shared by all calls, one for each type. Cheap to clone.
#[derive(Clone, Default)]
pub struct StateMap(Arc<HashMap<TypeId, Value>>);

/// A value and its type's name.
type Value = (&'static str, Arc<dyn Any + Send + Sync>);

impl StateMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value, in place of an earlier one of the same type.
    pub fn insert<T: Clone + Send + Sync + 'static>(&mut self, value: T) {
        Arc::make_mut(&mut self.0).insert(TypeId::of::<T>(), (type_name::<T>(), Arc::new(value)));
    }

    /// The value of this type.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.1.downcast_ref()
    }

    /// Whether there is a value for `key`.
    pub fn contains(&self, key: &StateKey) -> bool {
        self.0.contains_key(&key.id)
    }
}

impl fmt::Debug for StateMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.0.values().map(|(name, _)| name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_type_and_replaced() {
        let mut map = StateMap::new();
        map.insert(1_u32);
        map.insert("x");
        let before = map.clone();
        map.insert(2_u32);
        assert_eq!(map.get::<u32>(), Some(&2));
        assert_eq!(before.get::<u32>(), Some(&1));
        assert!(map.contains(&StateKey::of::<&str>()));
        assert!(!map.contains(&StateKey::of::<String>()));
        assert_eq!(map.get::<String>(), None);
    }
}
