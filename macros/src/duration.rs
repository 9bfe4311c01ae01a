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
        if number.is_empty() {
            return Err(format!("`{text}` is no duration; {}", how()));
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
            ("1 h", "no unit"),
            ("1min", "`min` is no unit"),
            ("h", "no duration"),
            ("1m1h", "large to small"),
            ("1h1h", "stand once"),
            ("1.5h", "no unit"),
            ("99999999999999999999d", "longer"),
            ("9999999d", "longer"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(says), "{text}: {message}");
        }
    }
}
