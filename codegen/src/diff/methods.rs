//! How the requests and notifications of two schemas differ.

use super::{Breaks, Change, Kind};
use crate::shapes::{Method, Shapes, methods_of};

/// How the methods differ. A method whose definition stayed is a rename, which is found with the
/// definition's member `method`.
pub(super) fn changes(old: &Shapes<'_>, new: &Shapes<'_>) -> Vec<Change> {
    let (before, after) = (methods_of(old), methods_of(new));
    let mut changes = Vec::new();
    let kept = |method: &Method, other: &Shapes<'_>| {
        method.definitions.iter().any(|name| {
            matches!(other.resolved(name).as_slice(), [shape] if shape.tag("method").is_some())
        })
    };
    let sent = |method: &Method| -> Option<String> {
        let unions: Vec<&str> = method.sent_as.iter().map(String::as_str).collect();
        (!unions.is_empty()).then(|| unions.join(", "))
    };
    for (name, method) in &before {
        match after.get(name) {
            None if kept(method, new) => {}
            None => {
                let mut change = Change::new(Kind::MethodRemoved, name, "", Breaks::WRITER);
                change.old = sent(method);
                changes.push(change);
            }
            Some(now) if now.sent_as != method.sent_as => {
                let mut change = Change::new(Kind::MethodMoved, name, "", Breaks::BOTH);
                change.old = sent(method).or_else(|| Some("no message union".to_owned()));
                change.new = sent(now).or_else(|| Some("no message union".to_owned()));
                changes.push(change);
            }
            Some(_) => {}
        }
    }
    for (name, method) in &after {
        if !before.contains_key(name) && !kept(method, old) {
            let mut change = Change::new(Kind::MethodAdded, name, "", Breaks::NONE);
            change.new = sent(method);
            changes.push(change);
        }
    }
    changes
}
