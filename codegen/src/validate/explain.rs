//! A validator's error in words that help: of a union, the alternative that was meant is told, not that
//! none fits.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;

use super::Fault;

/// Adds what `error` means.
pub(super) fn explain(error: &ValidationError<'_>, faults: &mut Vec<Fault>) {
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
    {
        if let Some(meant) = meant(context, error.instance_path().as_str()) {
            for inner in meant {
                explain(inner, faults);
            }
            return;
        }
        if let Some(fault) = unknown_tag(context) {
            faults.push(fault);
            return;
        }
    }
    let pointer = error.instance_path().to_string();
    let message = match error.kind() {
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            format!("{} fits none of the alternatives", value_text(error))
        }
        _ => error
            .masked_with(value_text(error))
            .to_string()
            .replace('\n', " "),
    };
    faults.push(Fault { pointer, message });
}

/// All alternatives fix the same member, and the message has another value there.
fn unknown_tag(context: &[Vec<ValidationError<'static>>]) -> Option<Fault> {
    let tag = |branch: &[ValidationError<'static>]| {
        branch.iter().find_map(|error| match error.kind() {
            ValidationErrorKind::Constant { expected_value } => Some((
                error.instance_path().to_string(),
                expected_value.to_string(),
            )),
            _ => None,
        })
    };
    let tags: Vec<(String, String)> = context
        .iter()
        .map(|branch| tag(branch))
        .collect::<Option<_>>()?;
    let (pointer, _) = tags.first()?;
    if tags.iter().any(|(other, _)| other != pointer) {
        return None;
    }
    let known: Vec<&str> = tags.iter().map(|(_, value)| value.as_str()).collect();
    Some(Fault {
        pointer: pointer.clone(),
        message: format!("is none of the known values {}", known.join(", ")),
    })
}

/// The alternative that the message was most likely meant to be: the only one whose fixed values fit,
/// or the only one of the right JSON type.
fn meant<'a>(
    context: &'a [Vec<ValidationError<'static>>],
    at: &str,
) -> Option<&'a [ValidationError<'static>]> {
    let only = |excluded: &dyn Fn(&ValidationError<'_>) -> bool| {
        let mut rest = context.iter().filter(|branch| !branch.iter().any(excluded));
        let first = rest.next()?;
        rest.next().is_none().then_some(first.as_slice())
    };
    let other_type = |error: &ValidationError<'_>| {
        matches!(error.kind(), ValidationErrorKind::Type { .. })
            && error.instance_path().as_str() == at
    };
    let other_value = |error: &ValidationError<'_>| {
        other_type(error)
            || matches!(
                error.kind(),
                ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. }
            )
    };
    only(&other_type).or_else(|| only(&other_value))
}

/// The value that is wrong, cut to a length that fits on a line.
fn value_text(error: &ValidationError<'_>) -> String {
    let text = error.instance().to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let start: String = text.chars().take(57).collect();
    format!("{start}...")
}
