//! Counts what is open, overall and for each principal, and says when it is too much.
//!
//! Callers without a principal cannot be told apart, so only the limit on all together holds for them.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::task::Principal;

use super::RpcError;

/// Counts what is open. Cheap to clone; all clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    each: HashMap<Principal, usize>,
}

/// One open thing; dropping it counts it out.
#[derive(Debug)]
pub(crate) struct Permit {
    gauge: Gauge,
    principal: Option<Principal>,
}

impl Gauge {
    /// Counts one more in, unless that is over a limit.
    pub(crate) fn enter(
        &self,
        principal: Option<&Principal>,
        (all_name, all): (&str, usize),
        (each_name, each): (&str, usize),
    ) -> Result<Permit, RpcError> {
        let mut counts = self.0.lock();
        if counts.all >= all {
            return Err(RpcError::limit(
                all_name,
                format!("the server has {all} streams open, which is its limit; try again later"),
            ));
        }
        if let Some(principal) = principal {
            let own = counts.each.get(principal).copied().unwrap_or(0);
            if own >= each {
                return Err(RpcError::limit(
                    each_name,
                    format!("you have {each} streams open, which is the limit; close one first"),
                ));
            }
            counts.each.insert(principal.clone(), own + 1);
        }
        counts.all += 1;
        drop(counts);
        Ok(Permit {
            gauge: self.clone(),
            principal: principal.cloned(),
        })
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
        let enter =
            |who: &Principal| gauge.enter(Some(who), ("streams", 3), ("streamsPerPrincipal", 2));
        let first = enter(&alice).unwrap();
        let _second = enter(&alice).unwrap();
        let error = enter(&alice).unwrap_err();
        assert_eq!(error.data.unwrap()["limit"], "streamsPerPrincipal");
        let third = enter(&bob).unwrap();
        assert_eq!(enter(&bob).unwrap_err().data.unwrap()["limit"], "streams");
        drop(first);
        assert_eq!(gauge.open(), 2);
        drop(third);
        let _again = enter(&alice).unwrap();
        assert_eq!(gauge.open(), 2);
    }

    #[test]
    fn callers_without_a_principal_share_the_overall_limit_only() {
        let gauge = Gauge::default();
        let enter = || gauge.enter(None, ("streams", 3), ("streamsPerPrincipal", 1));
        let _three = [enter().unwrap(), enter().unwrap(), enter().unwrap()];
        assert_eq!(enter().unwrap_err().data.unwrap()["limit"], "streams");
    }
}
