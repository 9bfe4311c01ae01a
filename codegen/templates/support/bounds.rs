//! Checks of bounds. Each gives a message that says what was expected.

use std::fmt;

use super::{BTreeMap, DecodeError, at};

/// Checks the bounds of a number.
pub(crate) fn within<T: PartialOrd + fmt::Display>(
    value: T,
    min: Option<T>,
    max: Option<T>,
) -> Result<(), String> {
    match (min, max) {
        (Some(min), _) if value < min => {
            Err(format!("invalid value: {value}, expected at least {min}"))
        }
        (_, Some(max)) if value > max => {
            Err(format!("invalid value: {value}, expected at most {max}"))
        }
        _ => Ok(()),
    }
}

/// Checks the bounds of a number that it must not reach.
pub(crate) fn between(value: f64, above: Option<f64>, below: Option<f64>) -> Result<(), String> {
    match (above, below) {
        (Some(above), _) if value <= above => Err(format!(
            "invalid value: {value}, expected more than {above}"
        )),
        (_, Some(below)) if value >= below => Err(format!(
            "invalid value: {value}, expected less than {below}"
        )),
        _ => Ok(()),
    }
}

/// Checks that a number is in a list.
pub(crate) fn among<T: PartialEq + fmt::Display>(value: T, list: &[T]) -> Result<(), String> {
    if list.contains(&value) {
        return Ok(());
    }
    let list: Vec<String> = list.iter().map(T::to_string).collect();
    Err(format!(
        "invalid value: {value}, expected one of {}",
        list.join(", ")
    ))
}

/// Checks a number of items or characters.
pub(crate) fn sized(count: usize, min: Option<usize>, max: Option<usize>) -> Result<(), String> {
    match (min, max) {
        (Some(min), _) if count < min => {
            Err(format!("invalid length {count}, expected at least {min}"))
        }
        (_, Some(max)) if count > max => {
            Err(format!("invalid length {count}, expected at most {max}"))
        }
        _ => Ok(()),
    }
}

/// Checks each item of an array.
pub(crate) fn each_item<T>(
    items: &[T],
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<(), String> {
    let mut items = items.iter().enumerate();
    items.try_for_each(|(index, item)| {
        check(item).map_err(|message| inside(&format!("[{index}]"), message))
    })
}

/// Checks each value of a map.
pub(crate) fn each_value<T>(
    values: &BTreeMap<String, T>,
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<(), String> {
    let mut values = values.iter();
    values.try_for_each(|(key, value)| check(value).map_err(|message| inside(key, message)))
}

/// Puts the place of a part before what is said of it.
#[cold]
fn inside(part: &str, message: String) -> String {
    at(part, serde::de::value::Error::custom(message)).to_string()
}
