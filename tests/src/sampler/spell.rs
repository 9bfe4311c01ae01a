//! The many texts of one value: order of members, white space, escapes, ways to write a number.

use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::{Map, Number, Value};

/// Writes `value` as one of its texts, the plain one about every second time.
pub fn spell(value: &Value, rng: &mut Rng) -> String {
    if rng.bool() {
        return value.to_string();
    }
    let mut writer = Writer {
        out: String::new(),
        airy: rng.u8(..4) == 0,
        rng,
    };
    writer.value(value);
    writer.out
}

struct Writer<'r> {
    out: String,
    airy: bool,
    rng: &'r mut Rng,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) {
        self.space();
        match value {
            Value::Null | Value::Bool(_) => self.plain(value),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.out.push('[');
                for (i, item) in items.iter().enumerate() {
                    self.comma(i);
                    self.value(item);
                }
                self.out.push(']');
            }
            Value::Object(members) => self.object(members),
        }
        self.space();
    }

    fn object(&mut self, members: &Map<String, Value>) {
        let mut members: Vec<_> = members.iter().collect();
        self.rng.shuffle(&mut members);
        self.out.push('{');
        for (i, (name, value)) in members.into_iter().enumerate() {
            self.comma(i);
            self.space();
            self.string(name);
            self.space();
            self.out.push(':');
            self.value(value);
        }
        self.out.push('}');
    }

    fn plain(&mut self, value: &Value) {
        let _ = write!(self.out, "{value}");
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
    }

    fn space(&mut self) {
        if self.airy {
            let blanks = ["", "", " ", "\n", "\t", "\r\n  "];
            self.out.push_str(blanks[self.rng.usize(..blanks.len())]);
        }
    }

    fn number(&mut self, number: &Number) {
        let _ = write!(self.out, "{number}");
        let small = number.as_i64().is_some_and(|n| n.unsigned_abs() < 1 << 53);
        if small {
            self.out
                .push_str(["", ".0", "e0", ".000E+0"][self.rng.usize(..4)]);
        }
    }

    fn string(&mut self, text: &str) {
        if self.rng.u8(..30) != 0 {
            return self.plain(&Value::from(text));
        }
        self.out.push('"');
        for unit in text.encode_utf16() {
            let _ = write!(self.out, "\\u{unit:04x}");
        }
        self.out.push('"');
    }
}
