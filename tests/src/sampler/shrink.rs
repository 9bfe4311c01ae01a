//! The smallest message that still shows a mismatch.

use serde_json::{Map, Value, json};

use super::valid::{Step, at_mut};

/// Tries smaller and simpler values as long as `still` holds of them, at most `tries` times.
pub fn shrink(mut value: Value, mut tries: usize, still: &mut dyn FnMut(&Value) -> bool) -> Value {
    'again: loop {
        let mut paths = Vec::new();
        walk(&value, &mut Vec::new(), &mut paths);
        for path in paths {
            for simpler in simpler(&value, &path) {
                if tries == 0 {
                    return value;
                }
                tries -= 1;
                if still(&simpler) {
                    value = simpler;
                    continue 'again;
                }
            }
        }
        return value;
    }
}

/// All paths of a value, outer before inner.
fn walk(value: &Value, path: &mut Vec<Step>, out: &mut Vec<Vec<Step>>) {
    out.push(path.clone());
    let steps: Vec<(Step, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, v)| (Step::Item(i), v))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(k, v)| (Step::Member(k.clone()), v))
            .collect(),
        _ => return,
    };
    for (step, value) in steps {
        path.push(step);
        walk(value, path, out);
        path.pop();
    }
}

/// Copies of `root` that are simpler at `path`, the boldest first.
fn simpler(root: &Value, path: &[Step]) -> Vec<Value> {
    let mut all = Vec::new();
    if let Some((last, parent)) = path.split_last() {
        let mut copy = root.clone();
        match (at_mut(&mut copy, parent), last) {
            (Some(Value::Object(members)), Step::Member(name)) => {
                members.remove(name);
            }
            (Some(Value::Array(items)), Step::Item(index)) => {
                items.remove(*index);
            }
            _ => return all,
        }
        all.push(copy);
    }
    let mut copy = root.clone();
    let Some(target) = at_mut(&mut copy, path) else {
        return all;
    };
    let plain = match target {
        Value::Null => return all,
        Value::Bool(_) => json!(false),
        Value::Number(n) if n.is_f64() && n.as_f64().is_some_and(|f| f.fract() != 0.0) => {
            json!(0.5)
        }
        Value::Number(n) if n.is_f64() => json!(1.0),
        Value::Number(_) => json!(0),
        Value::String(_) => json!(""),
        Value::Array(_) => json!([]),
        Value::Object(_) => Value::Object(Map::new()),
    };
    if *target != plain {
        *target = plain;
        all.push(copy);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_keeps_what_matters_and_drops_the_rest() {
        let value = json!({"a": [1, {"b": "long text", "c": 7.25}], "d": {"e": null}});
        let small = shrink(value, 1000, &mut |v| !v["a"][1]["c"].is_null());
        assert_eq!(small, json!({"a": [0, {"c": 0.5}]}));
        let small = shrink(small, 1000, &mut |v| v.to_string().contains("0.5"));
        assert_eq!(small, json!({"a": [{"c": 0.5}]}));
    }
}
