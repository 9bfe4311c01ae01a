//! What a tool gives back, and which Rust types can be a tool's result.

use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};

use super::{ContentBlock, ToolError, schema};
use crate::{
    JsonObject,
    task::Payload,
    types::{
        v2025_11_25,
        v2026_07_28::{
            AudioContent, CallToolResult, EmbeddedResource, ImageContent, ResourceLink, TextContent,
        },
    },
};

/// What a tool gave back: the era-neutral content of a `CallToolResult`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// Blocks for the model to read.
    pub content: Vec<ContentBlock>,
    /// The result as JSON, fitting the tool's output schema.
    pub structured_content: Option<Value>,
    /// Whether the tool reports an error.
    pub is_error: bool,
    /// The result's `_meta`.
    pub meta: Option<JsonObject>,
    /// Members of the result that the specification does not name.
    pub extra: JsonObject,
}

impl ToolOutput {
    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![TextContent::new(text).into()],
            ..Self::default()
        }
    }

    /// The same as an error report.
    pub fn into_error(mut self) -> ToolError {
        self.is_error = true;
        ToolError::Tool(Box::new(self))
    }

    /// The texts of all text blocks, a line each.
    pub fn joined_text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(block_text).collect();
        texts.join("\n")
    }

    /// The members of the `CallToolResult` object, without `resultType`.
    pub fn into_object(self) -> JsonObject {
        let mut object = self.extra;
        object.insert("content".into(), json!(self.content));
        if let Some(value) = self.structured_content {
            object.insert("structuredContent".into(), value);
        }
        if self.is_error {
            object.insert("isError".into(), Value::Bool(true));
        }
        if let Some(meta) = self.meta {
            object.insert("_meta".into(), Value::Object(meta));
        }
        object
    }
}

impl ToolOutput {
    /// The `CallToolResult` object without `resultType`, written without a copy in between.
    pub(crate) fn to_payload(&self) -> Result<Payload, serde_json::Error> {
        Payload::of(&Written(self))
    }
}

/// The members of [`ToolOutput::into_object`].
struct Written<'a>(&'a ToolOutput);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(output) = self;
        let own = [
            ("content", true),
            ("structuredContent", output.structured_content.is_some()),
            ("isError", output.is_error),
            ("_meta", output.meta.is_some()),
        ];
        let mut object = serializer.serialize_map(None)?;
        for (name, value) in &output.extra {
            if !own.contains(&(name.as_str(), true)) {
                object.serialize_entry(name, value)?;
            }
        }
        object.serialize_entry("content", &output.content)?;
        if let Some(value) = &output.structured_content {
            object.serialize_entry("structuredContent", value)?;
        }
        if output.is_error {
            object.serialize_entry("isError", &true)?;
        }
        if let Some(meta) = &output.meta {
            object.serialize_entry("_meta", meta)?;
        }
        object.end()
    }
}

fn block_text(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text(block) => Some(&block.text),
        _ => None,
    }
}

/// A result given as JSON: `structuredContent`, and the same as text for clients that do not read it.
///
/// The type's schema becomes the tool's `outputSchema`. A value that breaks it ends the call with an internal error, as a
/// float does that is not finite: JSON has no NaN. The legacy era (2025-11-25 and before) allows objects only: its
/// clients get any other value, such as a list, as text alone, and no schema of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// Types that a tool function may return.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a tool's result",
    note = "return `Json<{Self}>` to give it as JSON",
    note = "or return `String`, `()`, `Json<T>` with `T: Serialize + JsonSchema`, a content block, `Vec<ContentBlock>`, \
            `CallToolResult`, or `Result` of one of these and an error that converts to `ToolError`"
)]
pub trait IntoToolOutput {
    /// The output, or the error to report.
    ///
    /// # Errors
    ///
    /// What the function returned as its error, or a result that cannot be written as JSON.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;

    /// JSON Schema of `structuredContent`, for types that have one.
    fn output_schema() -> Option<JsonObject> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for () {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::default())
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for String {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for &'static str {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for std::borrow::Cow<'static, str> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for Vec<ContentBlock> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput {
            content: self,
            ..ToolOutput::default()
        })
    }
}

macro_rules! blocks {
    ($($block:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoToolOutput for $block {
            fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
                Ok(ToolOutput { content: vec![self.into()], ..ToolOutput::default() })
            }
        }
    )*};
}

blocks!(
    ContentBlock,
    TextContent,
    ImageContent,
    AudioContent,
    ResourceLink,
    EmbeddedResource
);

/// A result with `isError: true` is an error that the tool reports. `resultType` is the server's affair.
#[diagnostic::do_not_recommend]
impl IntoToolOutput for CallToolResult {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        let meta = self.meta.map(|meta| match serde_json::to_value(meta) {
            Ok(Value::Object(meta)) => Ok(meta),
            Ok(_) => Err("not an object".to_owned()),
            Err(error) => Err(error.to_string()),
        });
        let meta = meta
            .transpose()
            .map_err(|e| ToolError::internal(format!("the result's `_meta` is no JSON: {e}")))?;
        Ok(ToolOutput {
            content: self.content,
            structured_content: self.structured_content,
            is_error: self.is_error.unwrap_or(false),
            meta,
            extra: self.extra,
        })
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for v2025_11_25::CallToolResult {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput {
            content: self.content,
            structured_content: self.structured_content.map(Value::Object),
            is_error: self.is_error.unwrap_or(false),
            meta: self.meta,
            extra: self.extra,
        })
    }
}

/// Types whose values a tool can return as [`Json`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned as `Json`",
    label = "`{Self}` has no JSON form with a schema",
    note = "add `#[derive(serde::Serialize, schemars::JsonSchema)]` to the type"
)]
pub trait JsonOutput: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> JsonOutput for T {}

impl<T: JsonOutput> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        let value = serde_json::to_value(&self.0).map_err(|e| {
            ToolError::internal(format!("the tool's result cannot be written as JSON: {e}"))
        })?;
        let mut output = ToolOutput::text(value.to_string());
        output.structured_content = Some(value);
        Ok(output)
    }

    fn output_schema() -> Option<JsonObject> {
        Some(schema::of_output::<T>())
    }
}

/// Errors that a tool function may return.
#[diagnostic::on_unimplemented(
    message = "the error `{Self}` does not convert to `ToolError`",
    label = "its error is `{Self}`",
    note = "write `impl From<{Self}> for ToolError`, or add `#[derive(mcp_tasks::ToolError)]` to the error; for \
            `anyhow::Error` turn on the feature `anyhow` of `mcp-tasks`"
)]
pub trait IntoToolError: Into<ToolError> {}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> IntoToolError for E {}

impl<T: IntoToolOutput, E: IntoToolError> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        match self {
            Ok(value) => value.into_tool_output(),
            Err(error) => Err(error.into()),
        }
    }

    fn output_schema() -> Option<JsonObject> {
        T::output_schema()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_what_a_plain_call_gives() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let full = ToolOutput {
            content: vec![TextContent::new("a").into()],
            structured_content: Some(json!({"n": 1.5})),
            is_error: true,
            meta: Some(object(json!({"m": null}))),
            // Members of the same name give way, if there is one to give way to.
            extra: object(json!({"more": [1], "content": 1, "isError": 0, "_meta": 2})),
        };
        let bare = ToolOutput {
            extra: full.extra.clone(),
            ..ToolOutput::default()
        };
        for output in [full, bare, ToolOutput::text("x")] {
            let stored = output.to_payload().unwrap();
            assert_eq!(stored.to_object(), output.into_object());
        }
    }
}
