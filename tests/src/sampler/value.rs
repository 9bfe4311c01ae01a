//! Arbitrary JSON: the strings, numbers and values that tend to break decoders.

use fastrand::Rng;
use serde_json::{Map, Number, Value};

const TEXTS: &[&str] = &[
    "",
    "a",
    "plain text",
    "ünïcödé",
    "日本語",
    "🦀 crab",
    "\u{0}",
    "\u{1}\u{1f}\u{7f}",
    "line\nbreak\ttab\r",
    "quote \" backslash \\ slash /",
    "\u{2028}\u{2029}\u{feff}",
    "null",
    "true",
    "3.0",
    "{\"type\":\"text\"}",
    " leading and trailing ",
    "https://example.com/a?b=c#d",
    "2025-11-25T10:30:00Z",
    "YWJj",
    "e\u{301}",
];

const KEYS: &[&str] = &[
    "x",
    "x-extra",
    "com.example/key",
    "",
    "é",
    "🦀",
    "a b",
    "quote\"key",
    "back\\slash",
    "extra",
    "meta",
    "__proto__",
    "r#type",
    "0",
];

/// One of `all`.
pub fn one_of<'a, T>(rng: &mut Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(..all.len())]
}

/// A string: mostly short, often awkward.
pub fn text(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0..=5 => (*one_of(rng, TEXTS)).to_owned(),
        6 | 7 => (0..rng.usize(1..12)).map(|_| rng.alphanumeric()).collect(),
        8 => (0..rng.usize(1..6)).map(|_| rng.char(..)).collect(),
        _ => "long ".repeat(rng.usize(1..60)),
    }
}

/// A member's name: awkward ones, and names that schemas use elsewhere.
pub fn key(rng: &mut Rng, names: &[String]) -> String {
    if !names.is_empty() && rng.bool() {
        one_of(rng, names).clone()
    } else {
        (*one_of(rng, KEYS)).to_owned()
    }
}

/// A number without a bound, often at an edge of what machines hold.
pub fn number(rng: &mut Rng) -> Value {
    match rng.u8(..8) {
        0 | 1 => integer(rng),
        2 => Value::from(*one_of(rng, &[0.8, 0.1, -0.5, 1.5, 1e-7, 123_456.789])),
        3 => Value::from(*one_of(
            rng,
            &[1e300, 5e-324, -1e-300, f64::MAX, f64::MIN_POSITIVE],
        )),
        4 => Value::from(*one_of(rng, &[3.0, -0.0, 0.0, 1e15, -7.0])),
        5 => Value::from(rng.f64()),
        _ => finite(f64::from_bits(rng.u64(..))),
    }
}

/// An integer within 64 bits, signed.
pub fn integer(rng: &mut Rng) -> Value {
    match rng.u8(..6) {
        0 | 1 => Value::from(rng.i64(-3..100)),
        2 => Value::from(*one_of(
            rng,
            &[i64::MAX, i64::MIN, (1 << 53) + 1, -(1 << 53) - 1],
        )),
        3 => Value::from(*one_of(
            rng,
            &[i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1, 256],
        )),
        4 => Value::from(*one_of(
            rng,
            &[3.0, -0.0, 42.0, -5.0, 9_007_199_254_740_992.0],
        )),
        _ => Value::from(rng.i64(..)),
    }
}

/// An integer that a signed 64-bit one cannot hold.
pub fn past_64_bits(rng: &mut Rng) -> Value {
    match rng.u8(..3) {
        0 => Value::from(u64::MAX - rng.u64(..1000)),
        1 => Value::from(1e20),
        _ => Value::from(-1e300),
    }
}

/// A number from a double; zero where JSON has no way to write it.
pub fn finite(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::from(0), Value::Number)
}

/// Any JSON value at most `depth` deep; `names` are names to use for members.
pub fn anything(rng: &mut Rng, names: &[String], depth: u32) -> Value {
    let top = if depth == 0 { 6 } else { 10 };
    match rng.u8(..top) {
        0 => Value::Null,
        1 => Value::Bool(rng.bool()),
        2 | 3 => number(rng),
        4 => text(rng).into(),
        5 => one_of(
            rng,
            &[Value::Array(vec![]), Value::Object(Map::new()), "".into()],
        )
        .clone(),
        6 | 7 => (0..rng.usize(..3))
            .map(|_| anything(rng, names, depth - 1))
            .collect(),
        _ => Value::Object(
            (0..rng.usize(..4))
                .map(|_| (key(rng, names), anything(rng, names, depth - 1)))
                .collect(),
        ),
    }
}
