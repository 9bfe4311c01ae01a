//! Equality of JSON texts. Numbers are compared by their digits, not as doubles:
//! `1`, `1.0` and `10e-1` are equal, 9007199254740993 and 9007199254740992 are not.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// How two texts compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Equality {
    /// The same value.
    Equal,
    /// The same, but for integers past 2^53 that came back as the nearest double.
    NearestDouble,
    /// Another value.
    Different,
}

/// Compares two JSON texts. A text that is no JSON is different from everything.
#[must_use]
pub fn compare(a: &str, b: &str) -> Equality {
    let (a, b) = (a.trim(), b.trim());
    match (a.as_bytes().first(), b.as_bytes().first()) {
        (Some(b'{'), Some(b'{')) => {
            let (Some(a), Some(b)) = (object(a), object(b)) else {
                return Equality::Different;
            };
            if a.len() != b.len() || !a.keys().eq(b.keys()) {
                return Equality::Different;
            }
            worst(a.values().zip(b.values()))
        }
        (Some(b'['), Some(b'[')) => {
            let (Some(a), Some(b)) = (array(a), array(b)) else {
                return Equality::Different;
            };
            if a.len() != b.len() {
                return Equality::Different;
            }
            worst(a.iter().zip(&b))
        }
        (Some(b'-' | b'0'..=b'9'), Some(b'-' | b'0'..=b'9')) => numbers(a, b),
        (Some(x), Some(y)) if x == y => {
            let parse = |t| serde_json::from_str::<serde_json::Value>(t).ok();
            let same = a == b || parse(a).is_some_and(|a| Some(a) == parse(b));
            if same {
                Equality::Equal
            } else {
                Equality::Different
            }
        }
        _ => Equality::Different,
    }
}

fn object(text: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

fn array(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}

fn worst<'a>(pairs: impl Iterator<Item = (&'a &'a RawValue, &'a &'a RawValue)>) -> Equality {
    pairs
        .map(|(a, b)| compare(a.get(), b.get()))
        .max()
        .unwrap_or(Equality::Equal)
}

fn numbers(a: &str, b: &str) -> Equality {
    if a == b || digits(a) == digits(b) {
        return Equality::Equal;
    }
    let (Ok(x), Ok(y)) = (a.parse::<f64>(), b.parse::<f64>()) else {
        return Equality::Different;
    };
    #[allow(clippy::float_cmp)] // both are the nearest doubles; only the very same counts
    match x == y {
        true if is_integer(a) && x.abs() > 9e15 => Equality::NearestDouble,
        true => Equality::Equal,
        false => Equality::Different,
    }
}

fn is_integer(text: &str) -> bool {
    text.parse::<i128>().is_ok()
}

/// A number as sign, significant digits and power of ten; zero has no digits.
fn digits(text: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let (whole, fraction) = mantissa
        .trim_start_matches('-')
        .split_once('.')
        .unwrap_or((mantissa.trim_start_matches('-'), ""));
    let all = format!("{whole}{fraction}");
    let kept = all.trim_end_matches('0');
    let power = exponent.parse::<i64>().ok()? - i64::try_from(fraction.len()).ok()?
        + i64::try_from(all.len() - kept.len()).ok()?;
    let kept = kept.trim_start_matches('0');
    Some(if kept.is_empty() {
        (false, String::new(), 0)
    } else {
        (negative, kept.to_owned(), power)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_not_by_spelling() {
        for (a, b) in [
            ("1", "1.0"),
            ("10e-1", "1"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("0.80", "0.8"),
            ("100", "1E2"),
        ] {
            assert_eq!(compare(a, b), Equality::Equal, "{a} {b}");
        }
        for (a, b) in [
            ("1", "2"),
            ("0.8", "0.800000011920929"),
            ("1", "\"1\""),
            ("1", "-1"),
            ("10", "1"),
        ] {
            assert_eq!(compare(a, b), Equality::Different, "{a} {b}");
        }
        assert_eq!(
            compare("9007199254740993", "9007199254740992.0"),
            Equality::NearestDouble
        );
        assert_eq!(
            compare("9223372036854775807", "9223372036854775807"),
            Equality::Equal
        );
        assert_eq!(compare("1e20", "100000000000000000000"), Equality::Equal);
    }

    #[test]
    fn objects_are_equal_whatever_their_order_and_present_nulls_count() {
        assert_eq!(
            compare(
                r#"{"a":[1,"\u0061"],"b":{}}"#,
                r#"{ "b": {}, "a": [1.0, "a"] }"#
            ),
            Equality::Equal
        );
        assert_eq!(compare(r#"{"a":null}"#, "{}"), Equality::Different);
        assert_eq!(compare("[]", "[[]]"), Equality::Different);
        assert_eq!(compare("{}", "[]"), Equality::Different);
    }
}
