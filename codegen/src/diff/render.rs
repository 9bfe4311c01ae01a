//! A comparison as text for a terminal, as Markdown for release notes, as JSON for programs. Changes
//! that are the same in several definitions are told once. Identical schemas give an empty text.

use std::fmt::Write as _;
use std::path::Path;

use super::{Breaks, Change, Diff, Kind};
use crate::import::name_of;

/// A heading, with the changes below it.
struct Section<'a> {
    heading: &'static str,
    groups: Vec<Group<'a>>,
}

/// The same change in one definition or several.
struct Group<'a> {
    change: &'a Change,
    subjects: Vec<&'a str>,
}

/// For programs: everything, also if nothing changed.
#[must_use]
pub fn json(diff: &Diff) -> String {
    // A tree of strings, numbers and booleans cannot fail to be JSON.
    serde_json::to_string_pretty(diff).unwrap_or_default() + "\n"
}

/// For a terminal: one line a change, marked `r` and `w` for whom it breaks.
#[must_use]
pub fn text(diff: &Diff) -> String {
    let mut out = String::new();
    if diff.changes.is_empty() {
        return out;
    }
    let plain = |code: &str| code.to_owned();
    push(
        &mut out,
        &format!("{} -> {}: {}", diff.old, diff.new, counts(diff)),
    );
    push(
        &mut out,
        "r: breaks code for the old schema that reads new messages",
    );
    push(
        &mut out,
        "w: breaks code that writes old messages for a reader of the new schema",
    );
    for section in sections(diff) {
        push(&mut out, &format!("\n{}", section.heading));
        for group in section.groups {
            let mark = |broken: bool, mark: char| if broken { mark } else { '-' };
            let Breaks { reader, writer } = group.change.breaks;
            let line = format!(
                "  {}{}  {}",
                mark(reader, 'r'),
                mark(writer, 'w'),
                sentence(&group, &plain)
            );
            push(&mut out, &line);
            if group.subjects.len() > 1 {
                let lead = if listed(group.change.kind) { "" } else { "in " };
                push(
                    &mut out,
                    &format!("        {lead}{}", group.subjects.join(", ")),
                );
            }
            for detail in detail_lines(group.change, &plain) {
                push(&mut out, &format!("        {detail}"));
            }
        }
    }
    out
}

/// For release notes.
#[must_use]
pub fn markdown(diff: &Diff) -> String {
    let mut out = String::new();
    if diff.changes.is_empty() {
        return out;
    }
    let code = |code: &str| format!("`{}`", code.replace('`', "'"));
    let name = |path: &str| name_of(Path::new(path)).unwrap_or_else(|| path.to_owned());
    push(
        &mut out,
        &format!(
            "## Schema changes from {} to {}\n",
            name(&diff.old),
            name(&diff.new)
        ),
    );
    push(&mut out, &format!("{}.\n", counts(diff)));
    push(
        &mut out,
        "*Readers* know the old schema and are sent new messages; *writers* send old messages to a \
         peer that knows the new schema.",
    );
    for section in sections(diff) {
        push(&mut out, &format!("\n### {}\n", section.heading));
        for group in section.groups {
            let breaks = match group.change.breaks {
                Breaks::NONE => "",
                Breaks::READER => " **Breaks readers.**",
                Breaks::WRITER => " **Breaks writers.**",
                _ => " **Breaks readers and writers.**",
            };
            push(
                &mut out,
                &format!("- {}.{breaks}", capital(&sentence(&group, &code))),
            );
            if group.subjects.len() > 1 {
                let all: Vec<String> = group.subjects.iter().map(|it| code(it)).collect();
                let lead = if listed(group.change.kind) { "" } else { "In " };
                push(&mut out, &format!("  {lead}{}.", all.join(", ")));
            }
            for detail in detail_lines(group.change, &code) {
                push(&mut out, &format!("  - {detail}"));
            }
        }
    }
    out
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn counts(diff: &Diff) -> String {
    let summary = diff.summary;
    let changes = if summary.changes == 1 {
        "change"
    } else {
        "changes"
    };
    format!(
        "{} {changes}, {} breaking for readers, {} breaking for writers",
        summary.changes, summary.breaking_for_readers, summary.breaking_for_writers
    )
}

fn sections(diff: &Diff) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for change in &diff.changes {
        let heading = heading(change);
        let index = sections
            .iter()
            .position(|it| it.heading == heading)
            .unwrap_or_else(|| {
                sections.push(Section {
                    heading,
                    groups: Vec::new(),
                });
                sections.len() - 1
            });
        let groups = &mut sections[index].groups;
        match groups.iter_mut().find(|group| alike(group.change, change)) {
            Some(group) => group.subjects.push(&change.subject),
            None => groups.push(Group {
                change,
                subjects: vec![&change.subject],
            }),
        }
    }
    sections
}

fn heading(change: &Change) -> &'static str {
    if change.tasks {
        return "Tasks";
    }
    match change.kind {
        Kind::MethodAdded | Kind::MethodRemoved | Kind::MethodRenamed | Kind::MethodMoved => {
            "Methods"
        }
        Kind::DefinitionAdded | Kind::DefinitionRemoved | Kind::DefinitionRenamed => "Definitions",
        _ => "Members and types",
    }
}

/// Whether two changes differ in the definition only.
fn alike(one: &Change, other: &Change) -> bool {
    let named = !one.member.is_empty() || listed(one.kind);
    named
        && one.kind == other.kind
        && one.member == other.member
        && (&one.old, &one.new, one.breaks) == (&other.old, &other.new, other.breaks)
        && one.details.len() == other.details.len()
        && one
            .details
            .iter()
            .zip(&other.details)
            .all(|(a, b)| alike(a, b))
}

/// Changes whose definitions are told as one list.
fn listed(kind: Kind) -> bool {
    matches!(kind, Kind::DefinitionAdded | Kind::DefinitionRemoved)
}

fn sentence(group: &Group<'_>, code: &dyn Fn(&str) -> String) -> String {
    let change = group.change;
    let name = match (group.subjects.len(), change.member.as_str()) {
        (1, "") => code(&change.subject),
        (1, member) => code(
            &format!("{}.{member}", change.subject)
                .replace(".[]", "[]")
                .replace(".{}", "{}"),
        ),
        (_, member) => code(member),
    };
    if listed(change.kind) && group.subjects.len() > 1 {
        return format!("definitions {}", verb(change, code));
    }
    let what = match change.kind {
        Kind::MethodAdded | Kind::MethodRemoved | Kind::MethodMoved => "method ",
        Kind::DefinitionAdded | Kind::DefinitionRemoved | Kind::DefinitionRenamed => "definition ",
        _ => "",
    };
    match change.kind {
        Kind::MethodRenamed => {
            format!("method of {} {}", code(&change.subject), verb(change, code))
        }
        Kind::DefinitionRenamed => format!(
            "definition {} renamed to {name}",
            code(change.old.as_deref().unwrap_or_default())
        ),
        _ => format!("{what}{name} {}", verb(change, code)),
    }
}

fn detail_lines(change: &Change, code: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    for detail in &change.details {
        // The parent has told where; what is below it is told from there.
        let below = detail
            .member
            .strip_prefix(&change.member)
            .unwrap_or(&detail.member);
        let below = below.trim_start_matches('.');
        let name = if below.is_empty() {
            String::new()
        } else {
            format!("{} ", code(below))
        };
        lines.push(format!("{name}{}", verb(detail, code)));
        lines.extend(
            detail_lines(detail, code)
                .into_iter()
                .map(|line| format!("  {line}")),
        );
    }
    lines
}

fn verb(change: &Change, code: &dyn Fn(&str) -> String) -> String {
    let old = change.old.as_deref().map(code);
    let new = change.new.as_deref().map(code);
    let both = |text: &str| match (&old, &new) {
        (Some(old), Some(new)) => format!("{text} from {old} to {new}"),
        (Some(old), None) => format!("{text}: {old} is gone"),
        (None, Some(new)) => format!("{text}: {new} is new"),
        (None, None) => text.to_owned(),
    };
    let list = |text: &str, side: &Option<String>| {
        let mut out = text.to_owned();
        if let Some(side) = side {
            // Writing to a string cannot fail.
            let _ = write!(out, ": {side}");
        }
        out
    };
    match change.kind {
        Kind::MethodAdded | Kind::DefinitionAdded => list("added", &new),
        Kind::MethodRemoved | Kind::DefinitionRemoved => list("removed", &old),
        Kind::MethodRenamed | Kind::DefinitionRenamed => both("renamed"),
        Kind::MethodMoved => both("moved"),
        Kind::MemberAdded => list("added", &new),
        Kind::MemberRemoved => list("removed", &old),
        Kind::MemberRenamed => match &old {
            Some(old) => format!("renamed, was {old}"),
            None => "renamed".to_owned(),
        },
        Kind::NowRequired => "is required now".to_owned(),
        Kind::NowOptional => "is optional now".to_owned(),
        Kind::Retyped => both("retyped"),
        Kind::VariantsAdded => list("accepts more", &new),
        Kind::VariantsRemoved => list("accepts less", &old),
        Kind::ValuesAdded => list("has new values", &new),
        Kind::ValuesRemoved => list("lost values", &old),
        Kind::ConstChanged => both("changed its fixed value"),
        Kind::Tightened => both("is stricter"),
        Kind::Loosened => both("is looser"),
        Kind::RuleChanged => both("changed a rule"),
        Kind::Annotation => both("changed an annotation"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
