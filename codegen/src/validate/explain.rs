//! A validator's error in words that help: of a union, the alternative that was meant is told, not that
//! none fits.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;

use super::Fault;

/// Adds what `error` means.
pub(super) fn explain(error: &ValidationError<'_>, faults: &mut Vec<Fault>) {
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
        && let Some(meant) = meant(context, error.instance_path().as_str())
    {
        for inner in meant {
            explain(inner, faults);
        }
        return;
    }
    faults.push(Fault {
        pointer: error.instance_path().to_string(),
        message: shortened(&error.masked_with(value_text(error)).to_string()),
    });
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

fn shortened(text: &str) -> String {
    text.replace('\n', " ")
}
