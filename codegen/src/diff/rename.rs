//! Finds out what was renamed: of definitions and members that are gone and those that are new, the
//! pairs that mean the same by their content and their names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::shapes::schema_text;
use crate::shapes::{Member, Shape, Shapes};

/// Old name -> new name of definitions that were renamed.
pub(super) fn definitions(old: &Shapes<'_>, new: &Shapes<'_>) -> BTreeMap<String, String> {
    let gone: Vec<&String> = old
        .definitions
        .all
        .keys()
        .filter(|name| !new.definitions.all.contains_key(*name))
        .collect();
    let fresh: Vec<&String> = new
        .definitions
        .all
        .keys()
        .filter(|name| !old.definitions.all.contains_key(*name))
        .collect();
    let marks = |of: &Shapes<'_>, names: &[&String]| -> Vec<BTreeSet<String>> {
        names.iter().map(|name| content(of, name)).collect()
    };
    let (old_marks, new_marks) = (marks(old, &gone), marks(new, &fresh));
    let mut pairs = Vec::new();
    for (i, before) in gone.iter().enumerate() {
        for (j, after) in fresh.iter().enumerate() {
            let content = overlap(&old_marks[i], &new_marks[j]);
            let name = overlap(&words(before), &words(after));
            // Few marks are shared by chance; then the names have to speak for it.
            let enough = old_marks[i].len() + new_marks[j].len() >= 6;
            if (content >= 0.6 && name >= 0.5) || (content > 0.99 && name > 0.0 && enough) {
                pairs.push((content + name, i, j));
            }
        }
    }
    best(pairs)
        .into_iter()
        .map(|(i, j)| (gone[i].clone(), fresh[j].clone()))
        .collect()
}

/// Old name -> new name of members that were renamed in one object.
pub(super) fn members(
    old: (&Shapes<'_>, &BTreeMap<String, Member>),
    new: (&Shapes<'_>, &BTreeMap<String, Member>),
) -> BTreeMap<String, String> {
    let gone: Vec<&String> = old
        .1
        .keys()
        .filter(|name| !new.1.contains_key(*name))
        .collect();
    let fresh: Vec<&String> = new
        .1
        .keys()
        .filter(|name| !old.1.contains_key(*name))
        .collect();
    let mut pairs = Vec::new();
    for (i, before) in gone.iter().enumerate() {
        for (j, after) in fresh.iter().enumerate() {
            let name = likeness(before, after);
            let kinds = overlap(
                &kinds(old.0, &old.1[*before].schema),
                &kinds(new.0, &new.1[*after].schema),
            );
            if name >= 0.5 && kinds >= 0.5 {
                pairs.push((name + kinds, i, j));
            }
        }
    }
    best(pairs)
        .into_iter()
        .map(|(i, j)| (gone[i].clone(), fresh[j].clone()))
        .collect()
}

/// The best pairs, each side used once.
fn best(mut pairs: Vec<(f64, usize, usize)>) -> Vec<(usize, usize)> {
    pairs.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (_, i, j) in pairs {
        if out.iter().all(|(a, b)| *a != i && *b != j) {
            out.push((i, j));
        }
    }
    out
}

/// What a definition is recognised by: its members with their types, its values, its variants.
fn content(definitions: &Shapes<'_>, name: &str) -> BTreeSet<String> {
    let mut marks = BTreeSet::new();
    mark(
        definitions,
        alternatives_of(definitions, name),
        "",
        0,
        &mut marks,
    );
    marks
}

fn mark(
    definitions: &Shapes<'_>,
    shapes: Vec<Shape>,
    at: &str,
    depth: usize,
    marks: &mut BTreeSet<String>,
) {
    for Shape {
        reference,
        kind,
        values,
        members,
        items,
        ..
    } in shapes
    {
        marks.extend(reference.map(|name| format!("{at} = {name}")));
        marks.extend(
            values
                .into_iter()
                .flatten()
                .map(|value| format!("{at} = {value}")),
        );
        marks.extend(items.map(|it| format!("{at}[]: {}", schema_text(definitions, &it))));
        marks.extend(kind.map(|kind| format!("{at}: {kind}")));
        for (member, it) in members {
            let place = format!("{at}.{member}");
            if depth < 3 {
                mark(
                    definitions,
                    definitions.spread(&it.schema),
                    &place,
                    depth + 1,
                    marks,
                );
            }
            marks.insert(place);
        }
    }
}

fn alternatives_of(definitions: &Shapes<'_>, name: &str) -> Vec<Shape> {
    let Some(schema) = definitions.definitions.get(name) else {
        return Vec::new();
    };
    let shapes = definitions.alternatives(schema);
    match shapes.as_slice() {
        [
            Shape {
                reference: Some(name),
                ..
            },
        ] => definitions.resolved(name),
        _ => shapes,
    }
}

fn kinds(definitions: &Shapes<'_>, schema: &Value) -> BTreeSet<String> {
    definitions
        .spread(schema)
        .into_iter()
        .map(|shape| shape.kind.unwrap_or_else(|| "any".to_owned()))
        .collect()
}

fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "sets of a few names")]
    let share = one.intersection(other).count() as f64 / all as f64;
    share
}

/// The words of a name in camel case, lower-cased.
fn words(name: &str) -> BTreeSet<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let after_small = index > 0 && !letters[index - 1].is_uppercase();
        let before_small = letters
            .get(index + 1)
            .is_some_and(|next| next.is_lowercase());
        let starts = letter.is_uppercase() && (after_small || before_small);
        if (starts || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

fn likeness(one: &str, other: &str) -> f64 {
    let (a, b) = (words(one), words(other));
    // `ttl` -> `ttlMs`: one name continues the other.
    let continues =
        one.len() >= 3 && other.starts_with(one) || other.len() >= 3 && one.starts_with(other);
    if continues { 0.9 } else { overlap(&a, &b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        let split = |name| words(name).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(split("JSONRPCErrorResponse"), "error jsonrpc response");
        assert_eq!(split("pollIntervalMs"), "interval ms poll");
        assert_eq!(split("_meta"), "meta");
    }

    #[test]
    fn a_continued_name_is_alike_and_another_is_not() {
        assert!(likeness("ttl", "ttlMs") > 0.5);
        assert!(likeness("pollInterval", "pollIntervalMs") > 0.5);
        assert!(likeness("cursor", "name") < 0.5);
    }
}
