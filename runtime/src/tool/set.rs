//! The tools of a server, by name.

use std::{collections::HashMap, sync::Arc};

use crate::types::ext_tasks::methods::{Method, NotificationsTasks, TasksGet};

use super::{StateKey, StateMap, TaskOptions, Tool};

/// Longest name that hosts are asked to take.
const MAX_NAME: usize = 128;

/// Methods whose beginnings belong to the protocol.
const RESERVED: [&str; 2] = [TasksGet::NAME, NotificationsTasks::NAME];

/// What a name begins with that belongs to the protocol.
fn reserved(name: &str) -> Option<&'static str> {
    RESERVED
        .into_iter()
        .filter_map(|method| method.split_inclusive('/').next())
        .find(|prefix| name.starts_with(prefix))
}

/// Why a tool was not registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is taken.
    #[error(
        "two tools are called `{name}`: one defined at {first}, one at {second}; \
         give one of them another name with `#[task_tool(name = \"...\")]`"
    )]
    Duplicate {
        /// The name.
        name: String,
        /// Where the tool that has the name was defined.
        first: String,
        /// Where the refused tool was defined.
        second: String,
    },
    /// The name belongs to the protocol.
    #[error(
        "the tool `{name}` defined at {location} cannot be registered: names that start with `{prefix}` belong to the protocol"
    )]
    Reserved {
        /// The name.
        name: String,
        /// What it may not start with.
        prefix: &'static str,
        /// Where the tool was defined.
        location: String,
    },
    /// The name cannot be used.
    #[error(
        "the tool `{name}` defined at {location} cannot be registered: a name has 1 to 128 letters, digits, `_`, `-` and `.`"
    )]
    BadName {
        /// The name.
        name: String,
        /// Where the tool was defined.
        location: String,
    },
    /// The definition does not hold together.
    #[error("the tool `{name}` defined at {location} cannot be registered: {fault}")]
    Faulty {
        /// The name.
        name: String,
        /// Where the tool was defined.
        location: String,
        /// What is wrong.
        fault: String,
    },
    /// The tool needs state that the server does not have.
    #[error(
        "the tool `{name}` defined at {location} takes `State<{state}>`, but the server has no state of this type; add it to the builder with `.state(..)`"
    )]
    MissingState {
        /// The name.
        name: String,
        /// Where the tool was defined.
        location: String,
        /// The type.
        state: &'static str,
    },
}

/// The tools of a server, in the order of registration, and by name.
#[derive(Clone, Debug, Default)]
pub struct ToolSet {
    tools: Vec<Tool>,
    by_name: HashMap<Arc<str>, usize>,
}

impl ToolSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    ///
    /// # Errors
    ///
    /// When its name is taken, reserved or unusable, or the definition does not hold together.
    pub fn add(&mut self, tool: Tool) -> Result<(), RegisterError> {
        let name = tool.name().to_owned();
        let location = place(&tool);
        if let Some(prefix) = reserved(&name) {
            return Err(RegisterError::Reserved {
                name,
                prefix,
                location,
            });
        }
        if !is_usable(&name) {
            return Err(RegisterError::BadName { name, location });
        }
        let fault = tool.fault.clone();
        if let Some(fault) = fault.or_else(|| fault_of(&tool.descriptor.options)) {
            return Err(RegisterError::Faulty {
                name,
                location,
                fault,
            });
        }
        if let Some(taken) = self.get(&name) {
            return Err(RegisterError::Duplicate {
                name,
                first: place(taken),
                second: location,
            });
        }
        self.by_name.insert(name.into(), self.tools.len());
        self.tools.push(tool);
        Ok(())
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|&index| &self.tools[index])
    }

    /// All tools, in the order of registration.
    pub fn iter(&self) -> std::slice::Iter<'_, Tool> {
        self.tools.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Checks that every tool finds its state.
    ///
    /// # Errors
    ///
    /// Names the first tool that does not, and the missing type.
    pub fn check_state(&self, state: &StateMap) -> Result<(), RegisterError> {
        for tool in &self.tools {
            let missing = tool
                .descriptor
                .state
                .iter()
                .find(|key| !state.contains(key));
            if let Some(key) = missing.map(StateKey::name) {
                return Err(RegisterError::MissingState {
                    name: tool.name().to_owned(),
                    location: place(tool),
                    state: key,
                });
            }
        }
        Ok(())
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a Tool;
    type IntoIter = std::slice::Iter<'a, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn place(tool: &Tool) -> String {
    match tool.descriptor.location {
        "" => "an unknown place".to_owned(),
        known => known.to_owned(),
    }
}

/// What is wrong with settings that were computed; the macro looks at the others.
fn fault_of(options: &TaskOptions) -> Option<String> {
    let durations = [
        ("ttl", options.ttl),
        ("poll_interval", options.poll_interval),
        ("timeout", options.timeout),
    ];
    if let Some((name, _)) = durations
        .into_iter()
        .find(|(_, duration)| duration.is_some_and(|duration| duration.is_zero()))
    {
        return Some(format!(
            "its `{name}` is zero; leave it out to use the server's"
        ));
    }
    if options.concurrency == Some(0) {
        return Some("its `concurrency` is 0, so that it could never run".to_owned());
    }
    match (options.inline_for, options.ttl) {
        (Some(wait), Some(ttl)) if wait >= ttl => Some(format!(
            "its `inline_for` ({wait:?}) is not shorter than its `ttl` ({ttl:?}), so that no task would ever be handed out"
        )),
        _ => None,
    }
}

fn is_usable(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(allowed)
}

/// A type whose methods are tools; `#[task_tools]` implements it.
pub trait Toolbox: Send + Sync + Sized + 'static {
    /// The tools, which share the value.
    fn tools(this: Arc<Self>) -> Vec<Tool>;
}

/// Several tools at once: `tools![a, b]`, a value of a type with `#[task_tools]`, or a list of [`Tool`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no tools",
    label = "neither a list of tools nor a type with tools",
    note = "write `tools![a, b]` for functions, or put `#[task_tools]` on an `impl {Self}` block whose methods are \
            marked `#[task_tool]`"
)]
pub trait IntoTools {
    /// The tools.
    fn into_tools(self) -> Vec<Tool>;
}

#[diagnostic::do_not_recommend]
impl<T: Toolbox> IntoTools for T {
    fn into_tools(self) -> Vec<Tool> {
        T::tools(Arc::new(self))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Toolbox> IntoTools for Arc<T> {
    fn into_tools(self) -> Vec<Tool> {
        T::tools(self)
    }
}

impl IntoTools for Vec<Tool> {
    fn into_tools(self) -> Vec<Tool> {
        self
    }
}

impl<const N: usize> IntoTools for [Tool; N] {
    fn into_tools(self) -> Vec<Tool> {
        self.into()
    }
}

impl IntoTools for ToolSet {
    fn into_tools(self) -> Vec<Tool> {
        self.tools
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        JsonObject,
        tool::{ToolCall, ToolDescriptor, ToolError, ToolFuture, ToolHandler},
    };

    struct Nothing;

    impl ToolHandler for Nothing {
        fn check(&self, _: &JsonObject) -> Result<(), ToolError> {
            Ok(())
        }

        fn start(&self, _: ToolCall) -> Result<ToolFuture, ToolError> {
            Err(ToolError::new("nothing to run"))
        }
    }

    fn tool(name: &str, location: &'static str) -> Tool {
        Tool::new(
            ToolDescriptor {
                location,
                ..ToolDescriptor::new(name)
            },
            Nothing,
        )
    }

    #[test]
    fn a_name_taken_twice_is_refused_with_both_places() {
        let mut set = ToolSet::new();
        set.add(tool("greet", "a.rs:1")).unwrap();
        let error = set.add(tool("greet", "b.rs:7")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("a.rs:1") && text.contains("b.rs:7"), "{text}");
        assert_eq!(set.len(), 1);
    }

    /// covers: T25
    #[test]
    fn names_of_the_protocol_are_refused() {
        let mut set = ToolSet::new();
        for name in ["tasks/get", "notifications/tasks/x"] {
            let error = set.add(tool(name, "")).unwrap_err();
            assert!(matches!(error, RegisterError::Reserved { .. }), "{error}");
        }
    }

    #[test]
    fn names_that_hosts_do_not_take_are_refused() {
        let mut set = ToolSet::new();
        for name in ["", "two words", "a,b", "ä", &"x".repeat(129)] {
            let error = set.add(tool(name, "")).unwrap_err();
            assert!(matches!(error, RegisterError::BadName { .. }), "{error}");
        }
        for name in [
            "getUser",
            "DATA_EXPORT_v2",
            "admin.tools-list",
            &"x".repeat(128),
        ] {
            set.add(tool(name, "")).unwrap();
        }
        assert_eq!(set.iter().count(), 4);
        assert_eq!(set.get("getUser").map(Tool::name), Some("getUser"));
    }

    #[test]
    fn a_tool_without_its_state_is_named() {
        let mut wanting = ToolDescriptor::new("query");
        wanting.state.push(StateKey::of::<u16>());
        let mut set = ToolSet::new();
        set.add(Tool::new(wanting, Nothing)).unwrap();
        let mut state = StateMap::new();
        assert!(
            set.check_state(&state)
                .unwrap_err()
                .to_string()
                .contains("State<u16>")
        );
        state.insert(7_u16);
        assert_eq!(set.check_state(&state), Ok(()));
    }
}
