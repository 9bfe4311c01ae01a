//! Puts a tool together from typed parameters: what `#[task_tool]` expands to.
//!
//! Each parameter describes itself to the [`ToolBuilder`] and is read from a call by the [`ToolReader`]. Only the
//! closure that reads and calls is compiled anew for each tool.

use std::{future::Future, sync::Arc, time::Duration};

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::{
    Args, CancelMode, Icon, IntoToolOutput, OnRestart, StateKey, TaskSupport, Tool,
    ToolAnnotations, ToolCall, ToolDescriptor, ToolError, ToolFuture, ToolHandler, ToolOutput,
    checks::{Checks, Field, Whole, missing, property, refusal, unreadable},
    fit::{self, expectation},
    parameter::{Argument, Arguments, Extract, Question},
    schema,
};
use crate::JsonObject;

/// Collects what is known of a tool.
pub struct ToolBuilder {
    descriptor: ToolDescriptor,
    generator: SchemaGenerator,
    properties: JsonObject,
    required: Vec<Value>,
    fields: Vec<Field>,
    whole: Option<Whole>,
    fault: Option<String>,
}

impl ToolBuilder {
    /// A tool of this name, defined at `location`.
    pub fn new(name: &str, location: &'static str) -> Self {
        Self {
            descriptor: ToolDescriptor {
                location,
                ..ToolDescriptor::new(name)
            },
            generator: schema::input_generator(),
            properties: JsonObject::new(),
            required: Vec::new(),
            fields: Vec::new(),
            whole: None,
            fault: None,
        }
    }

    fn change(mut self, change: impl FnOnce(&mut ToolDescriptor)) -> Self {
        change(&mut self.descriptor);
        self
    }

    fn fault(&mut self, fault: impl Into<String>) {
        self.fault.get_or_insert(fault.into());
    }

    /// A name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.change(|tool| tool.title = Some(title.into()))
    }

    /// What the tool does.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        let text = schema::tidy(&text.into());
        self.change(|tool| tool.description = Some(text))
    }

    /// Hints about the tool's effects.
    #[must_use]
    pub fn annotations(self, change: fn(&mut ToolAnnotations)) -> Self {
        self.change(|tool| change(tool.annotations.get_or_insert_default()))
    }

    /// A picture.
    #[must_use]
    pub fn icon(self, src: &str, mime_type: Option<&str>, sizes: &[&str]) -> Self {
        let mut icon = Icon::new(src);
        icon.mime_type = mime_type.map(str::to_owned);
        icon.sizes =
            (!sizes.is_empty()).then(|| sizes.iter().map(|&size| size.to_owned()).collect());
        self.change(|tool| tool.icons.push(icon))
    }

    /// The tool's `_meta`.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Value>) -> Self {
        match meta.into() {
            Value::Object(meta) => self.descriptor.meta.get_or_insert_default().extend(meta),
            other => self.fault(format!("its `meta` is no object: {other}")),
        }
        self
    }

    /// Whether calls become tasks.
    #[must_use]
    pub fn task(self, task: TaskSupport) -> Self {
        self.change(|tool| tool.options.task = task)
    }

    /// How long a task is kept.
    #[must_use]
    pub fn ttl(self, ttl: Duration) -> Self {
        self.change(|tool| tool.options.ttl = Some(ttl))
    }

    /// How often clients should ask.
    #[must_use]
    pub fn poll_interval(self, interval: Duration) -> Self {
        self.change(|tool| tool.options.poll_interval = Some(interval))
    }

    /// How long to wait for a result before handing out a handle.
    #[must_use]
    pub fn inline_for(self, wait: Duration) -> Self {
        self.change(|tool| tool.options.inline_for = Some(wait))
    }

    /// How long a call may run.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        self.change(|tool| tool.options.timeout = Some(timeout))
    }

    /// What cancelling does.
    #[must_use]
    pub fn cancel(self, cancel: CancelMode) -> Self {
        self.change(|tool| tool.options.cancel = cancel)
    }

    /// What a restart of the server does.
    #[must_use]
    pub fn on_restart(self, on_restart: OnRestart) -> Self {
        self.change(|tool| tool.options.on_restart = on_restart)
    }

    /// How many calls may run at once.
    #[must_use]
    pub fn concurrency(self, calls: usize) -> Self {
        self.change(|tool| tool.options.concurrency = Some(calls))
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument<T: 'static>(mut self, argument: &Argument<T>) -> Self {
        let mut property = (argument.schema)(&mut self.generator);
        property.extend(argument.keywords.clone());
        let optional = argument.absent().is_some();
        if !optional {
            self.required.push(json!(argument.name));
        }
        if let Some(fault) = &argument.fault {
            self.fault(fault);
        }
        if let Some(fault) = argument.contradiction(&property) {
            self.fault(fault);
        }
        let decode = argument.decode;
        self.fields.push(Field {
            name: argument.name,
            expects: expectation(&property),
            optional,
            has_default: argument.default.is_some(),
            check: Box::new(move |value| decode(value).map(drop)),
        });
        if self
            .properties
            .insert(argument.name.to_owned(), Value::Object(property))
            .is_some()
        {
            self.fault(format!(
                "two of its arguments are called `{}`",
                argument.name
            ));
        }
        self
    }

    /// Takes all arguments as one value.
    #[must_use]
    pub fn arguments<T: 'static>(mut self, arguments: &Arguments<T>) -> Self {
        let decode = arguments.decode;
        self.whole = Some(Whole {
            root: (arguments.schema)(&mut self.generator),
            check: Box::new(move |object| decode(object).map(drop)),
        });
        self
    }

    /// Adds a question.
    #[must_use]
    pub fn question<T>(mut self, question: &Question<T>) -> Self {
        if let Err(fault) = &question.form {
            self.fault(format!("the question `{}`: {fault}", question.ask.name));
        }
        self.change(|tool| tool.asks.push(question.ask.clone()))
    }

    /// Adds something that surrounds the call.
    #[must_use]
    pub fn extract<T>(self, extract: &Extract<T>) -> Self {
        let key: Option<StateKey> = extract.state;
        self.change(|tool| tool.state.extend(key))
    }

    /// The type of the result.
    #[must_use]
    pub fn output<R>(self, output: &Output<R>) -> Self {
        self.change(|tool| tool.output_schema = (output.schema)())
    }

    /// The tool, with the closure that reads a call's parameters and starts the function.
    pub fn build(
        mut self,
        start: impl Fn(ToolReader) -> Result<ToolFuture, ToolError> + Send + Sync + 'static,
    ) -> Tool {
        let checks = match self.whole.take() {
            None => {
                self.write_schema();
                self.check_defaults();
                Checks::Fields(self.fields)
            }
            Some(whole) => {
                let mut root = whole.root;
                schema::attach_definitions(&mut root, &mut self.generator);
                if let Err(fault) = schema::close_root(&mut root) {
                    self.fault.get_or_insert(fault);
                }
                let known = schema::known_members(&root);
                self.descriptor.input_schema = root;
                Checks::Whole {
                    known,
                    check: whole.check,
                }
            }
        };
        let descriptor = Arc::new(self.descriptor);
        let handler = Handler {
            descriptor: Arc::clone(&descriptor),
            checks,
            start: Box::new(start),
        };
        Tool {
            descriptor,
            handler: Arc::new(handler),
            fault: self.fault,
        }
    }

    fn write_schema(&mut self) {
        let root = &mut self.descriptor.input_schema;
        root.insert(
            "properties".into(),
            Value::Object(std::mem::take(&mut self.properties)),
        );
        if !self.required.is_empty() {
            root.insert(
                "required".into(),
                Value::Array(std::mem::take(&mut self.required)),
            );
        }
        schema::attach_definitions(root, &mut self.generator);
    }

    /// A default is shown to clients, so that they may send it.
    fn check_defaults(&mut self) {
        let root = &self.descriptor.input_schema;
        let faulty = self
            .fields
            .iter()
            .filter(|field| field.has_default)
            .find_map(|field| {
                let property = property(root, field.name)?;
                let default = property.get("default")?;
                let problem = field.problem(root, default)?;
                let problem = fit::no_such_number(problem);
                Some(format!(
                    "the default of one of its arguments breaks its schema: {problem}"
                ))
            });
        if let Some(fault) = faulty {
            self.fault(fault);
        }
    }
}

/// The type of a tool function's result, and how to make a tool's output of it.
pub struct Output<R> {
    schema: fn() -> Option<JsonObject>,
    convert: fn(R) -> Result<ToolOutput, ToolError>,
}

/// For functions that return `R`.
pub fn output<R: IntoToolOutput>() -> Output<R> {
    Output {
        schema: R::output_schema,
        convert: R::into_tool_output,
    }
}

impl<R: 'static> Output<R> {
    /// The call's future, made of the function's.
    pub fn of<F: Future<Output = R> + Send + 'static>(&self, future: F) -> ToolFuture {
        let convert = self.convert;
        Box::pin(async move { convert(future.await) })
    }
}

/// Reads the parameters of one call.
pub struct ToolReader {
    call: ToolCall,
    problems: Vec<String>,
    refusal: Option<ToolError>,
}

impl ToolReader {
    /// An argument, or nothing when it does not fit.
    pub fn argument<T>(&mut self, argument: &Argument<T>) -> Option<T> {
        match self.call.arguments.get(argument.name) {
            None => {
                let value = argument.absent();
                if value.is_none() {
                    self.problems.push(missing(argument.name, None));
                }
                value
            }
            Some(value) => match (argument.decode)(value) {
                Ok(value) => Some(value),
                Err(error) => {
                    self.problems.push(unreadable(argument.name, &error));
                    None
                }
            },
        }
    }

    /// All arguments, or nothing when they do not fit.
    pub fn arguments<T>(&mut self, arguments: &Arguments<T>) -> Option<Args<T>> {
        match (arguments.decode)(&self.call.arguments) {
            Ok(value) => Some(Args(value)),
            Err(error) => {
                self.problems.push(unreadable("", &error));
                None
            }
        }
    }

    /// The answer to a question.
    pub fn question<T>(&mut self, question: &Question<T>) -> Option<T> {
        match question.read(&self.call.answers) {
            Ok(value) => Some(value),
            Err(problem) => {
                self.refusal.get_or_insert(ToolError::new(problem));
                None
            }
        }
    }

    /// Something that surrounds the call.
    pub fn extract<T>(&mut self, extract: &Extract<T>) -> Option<T> {
        match (extract.take)(&self.call) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refusal.get_or_insert(error);
                None
            }
        }
    }

    /// Why the call cannot start.
    pub fn refuse(self) -> ToolError {
        match refusal(self.problems) {
            Some(error) => error,
            None => self.refusal.unwrap_or_else(|| {
                ToolError::internal("a parameter of the call could not be read")
            }),
        }
    }
}

/// The code of a tool that was built.
struct Handler {
    descriptor: Arc<ToolDescriptor>,
    checks: Checks,
    start: Start,
}

type Start = Box<dyn Fn(ToolReader) -> Result<ToolFuture, ToolError> + Send + Sync>;

impl ToolHandler for Handler {
    fn check(&self, arguments: &JsonObject) -> Result<(), ToolError> {
        let problems = self
            .checks
            .problems(&self.descriptor.input_schema, arguments);
        refusal(problems).map_or(Ok(()), Err)
    }

    fn start(&self, call: ToolCall) -> Result<ToolFuture, ToolError> {
        if fit::find_in_arguments(&self.descriptor.input_schema, &call.arguments).is_some() {
            self.check(&call.arguments)?;
        }
        let running = (self.start)(ToolReader {
            call,
            problems: Vec::new(),
            refusal: None,
        })?;
        if self.descriptor.output_schema.is_none() {
            return Ok(running);
        }
        let descriptor = Arc::clone(&self.descriptor);
        Ok(Box::pin(async move {
            let output = running.await?;
            check_result(&descriptor, &output)?;
            Ok(output)
        }))
    }
}

/// A result fits its schema, as the protocol demands. Types whose schema is derived do, but for numbers that JSON has not.
fn check_result(descriptor: &ToolDescriptor, output: &ToolOutput) -> Result<(), ToolError> {
    let (Some(schema), Some(value)) = (&descriptor.output_schema, &output.structured_content)
    else {
        return Ok(());
    };
    match fit::find_in_result(schema, value) {
        None => Ok(()),
        Some(misfit) => Err(ToolError::internal(format!(
            "the result of the tool `{}` breaks its output schema: {}",
            descriptor.name,
            misfit.describe_result()
        ))),
    }
}
