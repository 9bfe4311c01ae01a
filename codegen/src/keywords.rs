//! What each JSON Schema keyword holds: a schema, several, or a plain value. This is the one place
//! that knows where in a schema file another schema can stand, for draft-07 and 2020-12 alike.

use serde_json::Value;

/// What stands behind a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// One schema (`not`, `additionalProperties`).
    Schema,
    /// One schema or an array of schemas (`items` before 2020-12).
    SchemaOrList,
    /// An array of schemas (`anyOf`).
    List,
    /// An object whose members are schemas, under names of any kind (`properties`).
    Named,
    /// A value that says what is valid (`type`, `const`, `minimum`).
    Fact,
    /// Text for readers, without influence on what is valid (`description`).
    Prose,
}

/// What `keyword` holds, or `None` for a word that JSON Schema does not define.
#[must_use]
pub fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "items" => Holds::SchemaOrList,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Holds::Named,
        "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$recursiveAnchor"
        | "$recursiveRef" | "$ref" | "$schema" | "$vocabulary" | "const" | "contentEncoding"
        | "contentMediaType" | "default" | "dependentRequired" | "deprecated" | "enum"
        | "exclusiveMaximum" | "exclusiveMinimum" | "format" | "id" | "maxContains"
        | "maxItems" | "maxLength" | "maxProperties" | "maximum" | "minContains" | "minItems"
        | "minLength" | "minProperties" | "minimum" | "multipleOf" | "pattern" | "readOnly"
        | "required" | "type" | "uniqueItems" | "writeOnly" => Holds::Fact,
        "$comment" | "description" | "examples" | "title" => Holds::Prose,
        _ => return None,
    })
}

/// Calls `visit(pointer, schema)` for `schema` and for every schema inside it, parents first.
pub fn walk<'a>(schema: &'a Value, visit: &mut dyn FnMut(&str, &'a Value)) {
    descend(schema, &mut String::new(), visit);
}

fn descend<'a>(schema: &'a Value, pointer: &mut String, visit: &mut dyn FnMut(&str, &'a Value)) {
    visit(pointer, schema);
    let Some(members) = schema.as_object() else {
        return;
    };
    for (keyword, value) in members {
        let length = pointer.len();
        push(pointer, keyword);
        match (holds(keyword), value) {
            (Some(Holds::Schema | Holds::SchemaOrList), Value::Object(_) | Value::Bool(_)) => {
                descend(value, pointer, visit);
            }
            (Some(Holds::List | Holds::SchemaOrList), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let length = pointer.len();
                    push(pointer, &index.to_string());
                    descend(item, pointer, visit);
                    pointer.truncate(length);
                }
            }
            (Some(Holds::Named), Value::Object(named)) => {
                for (name, item) in named {
                    let length = pointer.len();
                    push(pointer, name);
                    descend(item, pointer, visit);
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
        pointer.truncate(length);
    }
}

/// Appends one token to a JSON pointer (RFC 6901), escaping `~` and `/`.
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_place_of_a_schema_is_visited_and_no_plain_value() {
        let schema = json!({
            "properties": {"description": {"items": [{}, true]}, "a/b": {"not": {}}},
            "const": {"properties": {"x": {}}},
            "anyOf": [{"additionalProperties": false}],
        });
        let mut seen = Vec::new();
        walk(&schema, &mut |pointer, _| seen.push(pointer.to_owned()));
        assert_eq!(
            seen,
            [
                "",
                "/properties/description",
                "/properties/description/items/0",
                "/properties/description/items/1",
                "/properties/a~1b",
                "/properties/a~1b/not",
                "/anyOf/0",
                "/anyOf/0/additionalProperties",
            ]
        );
    }
}
