//! What was acknowledged about one task, and the rules that every later reply must keep.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Broken, client::Era};

/// What the tool does when its server is restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Runs again.
    Durable,
    /// Fails.
    Fragile,
}

/// A question that a task asked.
#[derive(Debug)]
struct Question {
    key: String,
    /// The last answer that was sent.
    sent: Option<String>,
    /// Whether the server said that it has it.
    acknowledged: bool,
}

/// An acknowledged handle and all that is known of its task.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: String,
    name: String,
    kind: Kind,
    era: Era,
    /// The process that handed it out.
    born: u32,
    /// How many questions it asks.
    questions: usize,
    /// By message.
    asked: BTreeMap<String, Question>,
    /// What the tool made once and for all.
    token: Option<String>,
    /// In which process a cancel was sent first.
    cancel_sent: Option<u32>,
    /// A cancel was acknowledged, and nothing but `cancelled` can follow.
    must_be_cancelled: bool,
    /// A cancel was acknowledged, and it may have come too late.
    may_be_cancelled: bool,
    /// How it ended.
    ended: Option<Value>,
    history: Vec<String>,
}

impl Entry {
    pub(super) fn new(
        id: String,
        name: String,
        kind: Kind,
        era: Era,
        born: u32,
        questions: usize,
    ) -> Self {
        let history = vec![format!(
            "{born}: handle of {name}, {kind:?}, {era:?}, {questions} questions"
        )];
        Self {
            id,
            name,
            kind,
            era,
            born,
            questions,
            asked: BTreeMap::new(),
            token: None,
            cancel_sent: None,
            must_be_cancelled: false,
            may_be_cancelled: false,
            ended: None,
            history,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    pub(super) fn answers(&self) -> usize {
        self.asked
            .values()
            .filter(|question| question.acknowledged)
            .count()
    }

    pub(super) fn cancelled(&self) -> bool {
        self.must_be_cancelled || self.may_be_cancelled
    }

    /// A broken rule, with all that led to it.
    pub(super) fn broken(&self, rule: &str) -> Broken {
        Broken(format!(
            "task {}: {rule}\n  {}",
            self.id,
            self.history.join("\n  ")
        ))
    }

    fn note(&mut self, pid: u32, what: impl std::fmt::Display) {
        self.history.push(format!("{pid}: {what}"));
    }

    /// An answer is about to be sent.
    pub(super) fn answering(&mut self, pid: u32, key: &str, answer: &str) {
        self.note(pid, format!("answers {key} with {answer}"));
        if let Some(question) = self.asked.values_mut().find(|question| question.key == key) {
            question.sent = Some(answer.to_owned());
        }
    }

    /// The server has said that it has the answers to these.
    pub(super) fn answered(&mut self, pid: u32, keys: &[String]) {
        self.note(pid, format!("answers acknowledged: {}", keys.join(" ")));
        for question in self.asked.values_mut() {
            question.acknowledged |= keys.contains(&question.key);
        }
    }

    /// A cancel is about to be sent.
    pub(super) fn cancelling(&mut self, pid: u32) {
        self.note(pid, "cancels");
        self.cancel_sent.get_or_insert(pid);
    }

    /// The server has said that it cancels.
    pub(super) fn cancel_acknowledged(&mut self, pid: u32) {
        self.note(pid, "cancel acknowledged");
        let waits = self
            .asked
            .values()
            .filter(|question| question.sent.is_some())
            .count()
            < self.questions;
        // A fragile task of an earlier process may have failed before the cancel came.
        let own = self.kind == Kind::Durable || self.born == pid;
        if self.era == Era::Legacy || (waits && own) {
            self.must_be_cancelled = true;
        } else if own {
            self.may_be_cancelled = true;
        }
    }

    /// Looks at the task as the server shows it. Gives the keys of the questions that are open.
    pub(super) fn see(&mut self, pid: u32, task: &Value) -> Result<Vec<String>, Broken> {
        let status = task["status"].as_str().unwrap_or_default().to_owned();
        if let Some(ended) = &self.ended {
            return match ended == task {
                true => Ok(Vec::new()),
                false => Err(self.broken(&format!(
                    "a task that is over changed\n  from {ended}\n  to   {task}"
                ))),
            };
        }
        self.note(pid, format!("is {status}"));
        if self.must_be_cancelled && self.era == Era::Legacy && status != "cancelled" {
            return Err(self.broken(&format!("it was cancelled, and is {status} again")));
        }
        match status.as_str() {
            "working" => return Ok(Vec::new()),
            "input_required" => return self.questions_of(task),
            "completed" => self.completed(pid, task)?,
            "failed" => self.failed(pid, task)?,
            "cancelled" if self.cancel_sent.is_some() => {}
            "cancelled" => return Err(self.broken("nobody cancelled it")),
            _ => return Err(self.broken(&format!("it has no known status: {task}"))),
        }
        self.ended = Some(task.clone());
        Ok(Vec::new())
    }

    fn questions_of(&mut self, task: &Value) -> Result<Vec<String>, Broken> {
        let requests = task["inputRequests"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        if requests.is_empty() {
            return Err(self.broken(&format!("it waits for input, and asks nothing: {task}")));
        }
        for (key, request) in &requests {
            let message = request["params"]["message"].as_str().unwrap_or_default();
            self.same_token(message.rsplit(' ').next().unwrap_or_default())?;
            let clash = self
                .asked
                .iter()
                .find(|(other, question)| (question.key == *key) != (other.as_str() == message));
            if let Some((other, question)) = clash {
                let rule = format!(
                    "a question and its key belong together: {key} is for {message:?}, and {} was for {other:?}",
                    question.key
                );
                return Err(self.broken(&rule));
            }
            if self
                .asked
                .get(message)
                .is_some_and(|question| question.acknowledged)
            {
                return Err(self.broken(&format!(
                    "the answer to {message:?} was acknowledged, and it is asked again"
                )));
            }
            self.asked
                .entry(message.to_owned())
                .or_insert_with(|| Question {
                    key: key.clone(),
                    sent: None,
                    acknowledged: false,
                });
        }
        Ok(requests.keys().cloned().collect())
    }

    fn same_token(&mut self, token: &str) -> Result<(), Broken> {
        match &self.token {
            Some(known) if known != token => {
                Err(self.broken(&format!("`once` gave {known}, then {token}")))
            }
            _ => {
                self.token = Some(token.to_owned());
                Ok(())
            }
        }
    }

    fn completed(&mut self, pid: u32, task: &Value) -> Result<(), Broken> {
        if self.must_be_cancelled {
            return Err(self.broken("it was cancelled while it waited for input, and is completed"));
        }
        let result = if self.era == Era::Modern {
            &task["result"]
        } else {
            &task["payload"]
        };
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        self.note(pid, format!("said {text:?}"));
        let mut words = text.split_whitespace();
        if words.next() != Some(self.name.as_str()) {
            return Err(self.broken(&format!("its result is not its own: {result}")));
        }
        self.same_token(words.next().unwrap_or_default())?;
        let ran: u32 = words
            .next()
            .and_then(|pid| pid.parse().ok())
            .unwrap_or_default();
        if self.kind == Kind::Fragile && ran != self.born {
            return Err(self.broken(&format!(
                "it must not run again after a restart, and ran in {ran}"
            )));
        }
        // Messages differ in the number only, so they are in order.
        let sent: Vec<_> = self
            .asked
            .values()
            .filter_map(|question| question.sent.as_deref())
            .collect();
        let got: Vec<_> = words.collect();
        if sent.len() != self.questions || got != sent {
            return Err(self.broken(&format!("it was told {sent:?}, and knows {got:?}")));
        }
        Ok(())
    }

    fn failed(&self, pid: u32, task: &Value) -> Result<(), Broken> {
        let message = match self.era {
            Era::Modern => &task["error"]["message"],
            Era::Legacy => &task["statusMessage"],
        };
        let message = message.as_str().unwrap_or_default();
        if message.is_empty() {
            return Err(self.broken(&format!("it failed without a message: {task}")));
        }
        if self.kind == Kind::Durable {
            return Err(self.broken(&format!(
                "it runs again after a restart, and failed: {task}"
            )));
        }
        if self.born == pid {
            return Err(self.broken(&format!(
                "it failed, and its server was not restarted: {task}"
            )));
        }
        if self.cancelled() {
            return Err(self.broken("it was cancelled, and failed"));
        }
        Ok(())
    }
}
