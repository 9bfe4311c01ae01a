//! Counts what is open, overall and for each principal, and says when it is too much.
//!
//! Callers without a principal cannot be told apart, so only the limit on all together holds for them.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::task::Principal;

/// Counts what is open of one kind. Cheap to clone; all clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    each: HashMap<Principal, usize>,
}

/// How many may be open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Overall.
    pub(crate) all: usize,
    /// Of one principal.
    pub(crate) each: usize,
}

/// Why there is no room for one more, with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// There are too many overall.
    All(usize),
    /// The principal has too many.
    Each(usize),
}

/// One open thing; dropping it counts it out.
#[derive(Debug)]
pub(crate) struct Permit {
    gauge: Gauge,
    principal: Option<Principal>,
}

impl Gauge {
    /// Counts one more in, unless that is over a limit.
    pub(crate) fn enter(&self, principal: Option<&Principal>, room: Room) -> Result<Permit, Full> {
        let mut counts = self.0.lock();
        if counts.all >= room.all {
            return Err(Full::All(room.all));
        }
        if let Some(principal) = principal
            && counts.each.get(principal).copied().unwrap_or(0) >= room.each
        {
            return Err(Full::Each(room.each));
        }
        Ok(self.count_in(&mut counts, principal))
    }

    /// Counts one more in, whatever the limits are.
    pub(crate) fn enter_anyway(&self, principal: Option<&Principal>) -> Permit {
        self.count_in(&mut self.0.lock(), principal)
    }

    fn count_in(&self, counts: &mut Counts, principal: Option<&Principal>) -> Permit {
        counts.all += 1;
        if let Some(principal) = principal {
            *counts.each.entry(principal.clone()).or_default() += 1;
        }
        Permit {
            gauge: self.clone(),
            principal: principal.cloned(),
        }
    }

    /// How many are open, overall and of this principal.
    pub(crate) fn count(&self, principal: Option<&Principal>) -> (usize, usize) {
        let counts = self.0.lock();
        let each = principal.and_then(|principal| counts.each.get(principal));
        (counts.all, each.copied().unwrap_or(0))
    }

    /// How many are open.
    pub(crate) fn open(&self) -> usize {
        self.0.lock().all
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.gauge.0.lock();
        counts.all -= 1;
        if let Some(principal) = &self.principal
            && let Some(own) = counts.each.get_mut(principal)
        {
            *own -= 1;
            if *own == 0 {
                counts.each.remove(principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_overall_and_for_each_and_are_given_back() {
        let gauge = Gauge::default();
        let (alice, bob) = (Principal::new("alice"), Principal::new("bob"));
        let enter = |who: &Principal| gauge.enter(Some(who), Room { all: 3, each: 2 });
        let first = enter(&alice).unwrap();
        let _second = enter(&alice).unwrap();
        assert_eq!(enter(&alice).unwrap_err(), Full::Each(2));
        let third = enter(&bob).unwrap();
        assert_eq!(enter(&bob).unwrap_err(), Full::All(3));
        drop(first);
        assert_eq!(gauge.open(), 2);
        drop(third);
        let _again = enter(&alice).unwrap();
        assert_eq!(gauge.open(), 2);
    }

    #[test]
    fn callers_without_a_principal_share_the_overall_limit_only() {
        let gauge = Gauge::default();
        let enter = || gauge.enter(None, Room { all: 3, each: 1 });
        let _three = [enter().unwrap(), enter().unwrap(), enter().unwrap()];
        assert_eq!(enter().unwrap_err(), Full::All(3));
    }

    #[test]
    fn what_enters_anyway_counts_as_well() {
        let gauge = Gauge::default();
        let alice = Principal::new("alice");
        let room = Room { all: 3, each: 1 };
        let two = [(); 2].map(|()| gauge.enter_anyway(Some(&alice)));
        assert_eq!(gauge.enter(Some(&alice), room).unwrap_err(), Full::Each(1));
        drop(two);
        gauge.enter(Some(&alice), room).unwrap();
    }
}
