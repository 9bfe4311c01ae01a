//! Walks two schemas side by side and notes what differs. Definitions are compared one by one; a
//! reference is followed only where it was replaced by something else.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Breaks, Change, Kind, rename};
use crate::shapes::{Member, Shape, Shapes, schema_text, shapes_text};

/// Compares all definitions. `renamed` leads from old names to new ones.
pub(super) fn definitions(
    old: &Shapes<'_>,
    new: &Shapes<'_>,
    renamed: &BTreeMap<String, String>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, before) in &old.definitions.all {
        let now = renamed.get(name).unwrap_or(name);
        let Some(after) = new.definitions.get(now) else {
            changes.push(Change::new(
                Kind::DefinitionRemoved,
                name,
                "",
                Breaks::WRITER,
            ));
            continue;
        };
        if now != name {
            let change = Change::new(Kind::DefinitionRenamed, now, "", Breaks::NONE);
            changes.push(change.old(name).new_text(now));
        }
        let mut pair = Pair {
            old,
            new,
            renamed,
            subject: now,
            open: Vec::new(),
        };
        changes.extend(pair.schemas("", before, after));
    }
    for name in new.definitions.all.keys() {
        let known = old.definitions.all.contains_key(name) || renamed.values().any(|it| it == name);
        if !known {
            changes.push(Change::new(Kind::DefinitionAdded, name, "", Breaks::NONE));
        }
    }
    changes
}

/// One definition in both schemas.
pub(super) struct Pair<'a> {
    pub(super) old: &'a Shapes<'a>,
    pub(super) new: &'a Shapes<'a>,
    renamed: &'a BTreeMap<String, String>,
    subject: &'a str,
    /// Pairs of definitions whose comparison has begun.
    open: Vec<(String, String)>,
}

impl Pair<'_> {
    pub(super) fn change(&self, kind: Kind, at: &str, breaks: Breaks) -> Change {
        Change::new(kind, self.subject, at, breaks)
    }

    fn schemas(&mut self, at: &str, old: &Value, new: &Value) -> Vec<Change> {
        if old == new && self.renamed.is_empty() {
            return Vec::new();
        }
        let (before, after) = (self.old.alternatives(old), self.new.alternatives(new));
        self.shapes(at, before, after)
    }

    pub(super) fn same_reference(&self, old: &Shape, new: &Shape) -> bool {
        match (&old.reference, &new.reference) {
            (Some(old), Some(new)) => self.renamed.get(old).unwrap_or(old) == new,
            _ => false,
        }
    }

    fn shapes(&mut self, at: &str, old: Vec<Shape>, new: Vec<Shape>) -> Vec<Change> {
        let text = (shapes_text(self.old, &old), shapes_text(self.new, &new));
        if let ([one], [other]) = (old.as_slice(), new.as_slice()) {
            if self.same_reference(one, other) {
                return Vec::new();
            }
            if one.reference.is_none() && other.reference.is_none() {
                return self.shape(at, one, other, &text);
            }
            return self.replaced(at, one, other, text);
        }
        self.union(at, old, new, &text)
    }

    /// Another definition, or a definition in place of something spelled out, or the reverse.
    fn replaced(
        &mut self,
        at: &str,
        old: &Shape,
        new: &Shape,
        text: (String, String),
    ) -> Vec<Change> {
        if let (Some(a), Some(b)) = (&old.reference, &new.reference) {
            let pair = (a.clone(), b.clone());
            if self.open.contains(&pair) {
                return Vec::new();
            }
            self.open.push(pair);
        }
        let flat = |shapes: &Shapes<'_>, shape: &Shape| match &shape.reference {
            Some(name) => shapes.resolved(name),
            None => vec![shape.clone()],
        };
        let (before, after) = (flat(self.old, old), flat(self.new, new));
        let details = match (before.as_slice(), after.as_slice()) {
            ([one], [other]) => {
                let text = (
                    shapes_text(self.old, &before),
                    shapes_text(self.new, &after),
                );
                self.shape(at, one, other, &text)
            }
            _ => {
                let text = text.clone();
                self.union(at, before, after, &text)
            }
        };
        if details.is_empty() {
            return details;
        }
        let breaks = details
            .iter()
            .fold(Breaks::NONE, |all, it| all.or(it.breaks));
        let mut change = self
            .change(Kind::Retyped, at, breaks)
            .old(text.0)
            .new_text(text.1);
        // A single detail that says the same as its parent adds nothing.
        let repeated = details.len() == 1
            && details[0].kind == Kind::Retyped
            && details[0].details.is_empty()
            && details[0].member == at;
        if !repeated {
            change.details = details;
        }
        vec![change]
    }

    /// Two shapes of which neither is a reference.
    pub(super) fn shape(
        &mut self,
        at: &str,
        old: &Shape,
        new: &Shape,
        text: &(String, String),
    ) -> Vec<Change> {
        if old == new && self.renamed.is_empty() {
            return Vec::new();
        }
        let mut changes = Vec::new();
        let kinds = (old.kind.as_deref(), new.kind.as_deref());
        let retyped = match kinds {
            (a, b) if a == b => None,
            (Some("integer"), Some("number")) | (Some(_), None) => Some(Breaks::READER),
            (Some("number"), Some("integer")) | (None, Some(_)) => Some(Breaks::WRITER),
            _ => Some(Breaks::BOTH),
        };
        if let Some(breaks) = retyped {
            changes.push(
                self.change(Kind::Retyped, at, breaks)
                    .old(&text.0)
                    .new_text(&text.1),
            );
            if breaks == Breaks::BOTH {
                return changes;
            }
        }
        self.values(at, old, new, text, &mut changes);
        self.members(at, old, new, &mut changes);
        self.part(
            &format!("{at}{{}}"),
            &old.rest,
            &new.rest,
            "other members",
            &mut changes,
        );
        self.part(
            &format!("{at}[]"),
            &old.items,
            &new.items,
            "items",
            &mut changes,
        );
        self.rules(at, old, new, &mut changes);
        changes
    }

    fn values(
        &self,
        at: &str,
        old: &Shape,
        new: &Shape,
        text: &(String, String),
        changes: &mut Vec<Change>,
    ) {
        let list = |values: Vec<&String>| {
            values
                .into_iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        match (&old.values, &new.values) {
            (Some(a), Some(b)) => {
                let gone: Vec<&String> = a.difference(b).collect();
                let fresh: Vec<&String> = b.difference(a).collect();
                if a.len() == 1 && b.len() == 1 && !gone.is_empty() {
                    let method = at == "method";
                    let kind = if method {
                        Kind::MethodRenamed
                    } else {
                        Kind::ConstChanged
                    };
                    let change = self.change(kind, at, Breaks::BOTH);
                    changes.push(change.old(list(gone)).new_text(list(fresh)));
                    return;
                }
                if !gone.is_empty() {
                    let change = self.change(Kind::ValuesRemoved, at, Breaks::WRITER);
                    changes.push(change.old(list(gone)));
                }
                if !fresh.is_empty() {
                    let change = self.change(Kind::ValuesAdded, at, Breaks::READER);
                    changes.push(change.new_text(list(fresh)));
                }
            }
            (Some(_), None) => changes.push(
                self.change(Kind::Retyped, at, Breaks::READER)
                    .old(&text.0)
                    .new_text(&text.1),
            ),
            (None, Some(_)) => changes.push(
                self.change(Kind::Retyped, at, Breaks::WRITER)
                    .old(&text.0)
                    .new_text(&text.1),
            ),
            (None, None) => {}
        }
    }

    fn members(&mut self, at: &str, old: &Shape, new: &Shape, changes: &mut Vec<Change>) {
        let renamed = rename::members((self.old, &old.members), (self.new, &new.members));
        let path = |name: &str| {
            if at.is_empty() {
                name.to_owned()
            } else {
                format!("{at}.{name}")
            }
        };
        let described = |shapes: &Shapes<'_>, member: &Member| {
            let need = if member.required {
                "required"
            } else {
                "optional"
            };
            format!("{need} {}", schema_text(shapes, &member.schema))
        };
        for (name, before) in &old.members {
            let now = renamed.get(name).unwrap_or(name);
            let place = path(now);
            let Some(after) = new.members.get(now) else {
                // What a writer goes on sending is no longer understood.
                let breaks = Breaks {
                    reader: before.required,
                    writer: true,
                };
                let change = self.change(Kind::MemberRemoved, &path(name), breaks);
                changes.push(change.old(described(self.old, before)));
                continue;
            };
            if now != name {
                let change = self.change(Kind::MemberRenamed, &place, Breaks::BOTH);
                changes.push(change.old(path(name)).new_text(&place));
            }
            match (before.required, after.required) {
                (false, true) => {
                    changes.push(self.change(Kind::NowRequired, &place, Breaks::WRITER));
                }
                (true, false) => {
                    changes.push(self.change(Kind::NowOptional, &place, Breaks::READER));
                }
                _ => {}
            }
            changes.extend(self.schemas(&place, &before.schema, &after.schema));
        }
        for (name, after) in &new.members {
            if old.members.contains_key(name) || renamed.values().any(|it| it == name) {
                continue;
            }
            let closed = old.rest == Some(Value::Bool(false));
            let breaks = Breaks {
                reader: closed,
                writer: after.required,
            };
            let change = self.change(Kind::MemberAdded, &path(name), breaks);
            changes.push(change.new_text(described(self.new, after)));
        }
    }

    /// Unlisted members or items: free, forbidden or of a type.
    fn part(
        &mut self,
        at: &str,
        old: &Option<Value>,
        new: &Option<Value>,
        what: &str,
        changes: &mut Vec<Change>,
    ) {
        let text = |shapes: &Shapes<'_>, schema: &Option<Value>| match schema {
            None => format!("any {what}"),
            Some(Value::Bool(false)) => format!("no {what}"),
            Some(schema) => format!("{what}: {}", schema_text(shapes, schema)),
        };
        let (kind, breaks) = match (old, new) {
            (a, b) if a == b && self.renamed.is_empty() => return,
            (None, None) => return,
            (Some(Value::Bool(false)), Some(Value::Bool(false))) => return,
            (None, Some(_)) | (Some(_), Some(Value::Bool(false))) => {
                (Kind::Tightened, Breaks::WRITER)
            }
            (Some(_), None) | (Some(Value::Bool(false)), Some(_)) => {
                (Kind::Loosened, Breaks::READER)
            }
            (Some(a), Some(b)) => {
                changes.extend(self.schemas(at, a, b));
                return;
            }
        };
        let change = self.change(kind, at, breaks);
        changes.push(
            change
                .old(text(self.old, old))
                .new_text(text(self.new, new)),
        );
    }

    fn rules(&self, at: &str, old: &Shape, new: &Shape, changes: &mut Vec<Change>) {
        let mut keywords: Vec<&String> = old.rules.keys().chain(new.rules.keys()).collect();
        keywords.sort();
        keywords.dedup();
        for keyword in keywords {
            let (before, after) = (old.rules.get(keyword), new.rules.get(keyword));
            if before == after {
                continue;
            }
            let (kind, breaks) = weigh(keyword, before, after);
            let text = |value: Option<&Value>| value.map(|value| format!("{keyword} {value}"));
            let mut change = self.change(kind, at, breaks);
            (change.old, change.new) = (text(before), text(after));
            changes.push(change);
        }
    }
}

/// Whether a rule that differs allows less, more or something else.
fn weigh(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> (Kind, Breaks) {
    if matches!(
        keyword,
        "format"
            | "default"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "contentEncoding"
            | "contentMediaType"
    ) {
        return (Kind::Annotation, Breaks::NONE);
    }
    let smaller_is_looser = keyword.starts_with("min") || keyword == "exclusiveMinimum";
    let larger_is_looser = keyword.starts_with("max") || keyword == "exclusiveMaximum";
    match (old.and_then(Value::as_f64), new.and_then(Value::as_f64)) {
        (Some(a), Some(b)) if smaller_is_looser || larger_is_looser => {
            if (b < a) == smaller_is_looser {
                (Kind::Loosened, Breaks::READER)
            } else {
                (Kind::Tightened, Breaks::WRITER)
            }
        }
        _ => match (old, new) {
            (None, _) => (Kind::Tightened, Breaks::WRITER),
            (_, None) => (Kind::Loosened, Breaks::READER),
            _ => (Kind::RuleChanged, Breaks::BOTH),
        },
    }
}
