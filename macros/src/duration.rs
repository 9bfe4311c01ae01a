//! Durations as people write them: `1h30m`, `90s`, `250ms`.

use std::time::Duration;

/// Largest unit first, as they must be written.
const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// Reads a duration, or says how to write one.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let mut rest = text;
    let mut milliseconds: u64 = 0;
    let mut allowed = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.len()
            - tail
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        let (unit, tail) = tail.split_at(letters);
        if let Some(joined) = without_spaces(text) {
            return Err(format!("a duration has no spaces: write `\"{joined}\"`"));
        }
        if number.is_empty() {
            return Err(format!("`{text}` is no duration; {}", how()));
        }
        if tail.starts_with('.') {
            return Err(format!(
                "the numbers of a duration are whole, not `{text}`; {}",
                how()
            ));
        }
        if unit.is_empty() && tail.is_empty() {
            return Err(format!(
                "`{text}` lacks a unit; write `{text}s` for seconds, or another of d, h, m, s, ms"
            ));
        }
        let Some(index) = UNITS.iter().position(|(name, _)| *name == unit) else {
            let unit = if unit.is_empty() { tail } else { unit };
            return Err(format!("`{}` is no unit of time; {}", unit.trim(), how()));
        };
        if index < allowed {
            return Err(format!(
                "units go from large to small and stand once; {}",
                how()
            ));
        }
        allowed = index + 1;
        let part = number
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(UNITS[index].1));
        milliseconds = part
            .and_then(|part| milliseconds.checked_add(part))
            .filter(|sum| *sum <= MOST)
            .ok_or_else(|| format!("`{text}` is longer than a thousand years"))?;
        rest = tail;
    }
    if text.is_empty() {
        return Err(format!("the duration is empty; {}", how()));
    }
    Ok(Duration::from_millis(milliseconds))
}

/// What to write in place of a literal number, with or without a unit.
pub(crate) fn quoted(setting: &str, number: &str) -> String {
    if parse(number).is_ok() {
        return format!("a duration is a string: write `{setting} = \"{number}\"`");
    }
    let seconds = format!("{number}s");
    if parse(&seconds).is_ok() && number.ends_with(|last: char| last.is_ascii_digit()) {
        return format!("say the unit: `{setting} = \"{seconds}\"` for seconds");
    }
    format!("`{number}` is no duration; {}", how())
}

/// The same without its spaces, if that is a duration and there are any.
fn without_spaces(text: &str) -> Option<String> {
    let joined: String = text.split_whitespace().collect();
    (joined != text && !joined.is_empty() && parse(&joined).is_ok()).then_some(joined)
}

const MOST: u64 = 1_000 * 366 * 86_400_000;

fn how() -> &'static str {
    "write numbers with units, such as `\"1h30m\"`, `\"90s\"` or `\"250ms\"`"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        assert_eq!(parse("1h30m"), Ok(Duration::from_secs(5_400)));
        assert_eq!(parse("2d"), Ok(Duration::from_secs(172_800)));
        assert_eq!(parse("1s250ms"), Ok(Duration::from_millis(1_250)));
        assert_eq!(parse("0s"), Ok(Duration::ZERO));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, says) in [
            ("", "empty"),
            ("60", "`60s`"),
            ("1 h", "no spaces: write `\"1h\"`"),
            ("1h 30m", "`\"1h30m\"`"),
            ("5 minutes", "`minutes` is no unit"),
            ("1min", "`min` is no unit"),
            ("h", "no duration"),
            ("1m1h", "large to small"),
            ("1h1h", "stand once"),
            ("1.5h", "whole, not `1.5h`"),
            ("99999999999999999999d", "longer"),
            ("9999999d", "longer"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(says), "{text}: {message}");
        }
    }

    #[test]
    fn a_literal_number_is_answered_with_what_works() {
        for (number, says) in [
            ("60", "`ttl = \"60s\"` for seconds"),
            ("1h", "write `ttl = \"1h\"`"),
            // With an `s` behind it this would be a millisecond.
            ("1m", "write `ttl = \"1m\"`"),
            ("500ms", "write `ttl = \"500ms\"`"),
            ("1.5", "`1.5` is no duration"),
            ("5u8", "`5u8` is no duration"),
            ("1_000", "`1_000` is no duration"),
        ] {
            let message = quoted("ttl", number);
            assert!(message.contains(says), "{number}: {message}");
        }
    }
}
