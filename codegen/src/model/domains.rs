//! How definitions are spread over files where no manifest says so: by what the protocol is about.

use crate::manifest::matches;

const DOMAINS: &[(&str, &[&str])] = &[
    (
        "jsonrpc",
        &[
            "JSONRPC*",
            "RequestId",
            "Request",
            "Notification",
            "Result",
            "Error",
            "EmptyResult",
            "ResultType",
            "*MetaObject",
            "RequestParams",
            "NotificationParams",
            "JSONValue",
            "JSONObject",
            "JSONArray",
            "Cursor",
            "Paginated*",
            "CacheableResult",
            "*Error",
        ],
    ),
    (
        "messages",
        &[
            "ClientRequest",
            "ClientNotification",
            "ClientResult",
            "ServerRequest",
            "ServerNotification",
            "ServerResult",
        ],
    ),
    (
        "lifecycle",
        &[
            "Initialize*",
            "Initialized*",
            "Discover*",
            "Ping*",
            "Implementation",
            "BaseMetadata",
            "Icon",
            "Icons",
            "ClientCapabilities",
            "ServerCapabilities",
            "Cancelled*",
            "Progress*",
        ],
    ),
    ("tasks", &["CancelledTask", "*Task*"]),
    ("tools", &["ToolUseContent", "ToolResultContent", "*Tool*"]),
    (
        "content",
        &[
            "Annotations",
            "Role",
            "ContentBlock",
            "TextContent",
            "ImageContent",
            "AudioContent",
            "EmbeddedResource",
            "ResourceLink",
        ],
    ),
    ("prompts", &["*Prompt*"]),
    (
        "completion",
        &["Complete*", "PromptReference", "ResourceTemplateReference"],
    ),
    ("resources", &["*Resource*", "Subscribe*", "Unsubscribe*"]),
    (
        "subscriptions",
        &["SubscriptionsListenResultMetaObject", "Subscription*"],
    ),
    (
        "sampling",
        &["CreateMessage*", "Sampling*", "Model*", "ToolChoice"],
    ),
    (
        "elicitation",
        &[
            "Elicit*",
            "URLElicitationRequiredError",
            "PrimitiveSchemaDefinition",
            "*Schema",
        ],
    ),
    ("roots", &["*Root*"]),
    ("logging", &["Logging*", "SetLevel*"]),
    (
        "mrtr",
        &[
            "InputRequest",
            "InputRequests",
            "InputRequiredResult",
            "InputResponse*",
        ],
    ),
];

/// The domain of a definition. An exact name goes before a pattern, an earlier pattern before a later one.
pub(super) fn usual(definition: &str) -> &'static str {
    let find = |fits: &dyn Fn(&str) -> bool| {
        DOMAINS
            .iter()
            .find(|(_, patterns)| patterns.iter().any(|pattern| fits(pattern)))
            .map(|(domain, _)| *domain)
    };
    find(&|pattern| pattern == definition)
        .or_else(|| find(&|pattern| matches(pattern, definition)))
        .unwrap_or("other")
}
