//! What a client does while the server lives: starts tasks, looks at them, answers, cancels.

use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::{
    Broken, Round,
    client::{Era, Trouble, Wire},
    ledger::{Entry, Kind},
};

/// Unfinished tasks that a client has at most.
const OPEN: usize = 12;

/// A client that lives through all rounds.
pub(super) struct Player {
    number: usize,
    era: Era,
    rng: Rng,
    made: usize,
    open: Vec<Entry>,
    over: Vec<Entry>,
}

/// Why a client stops.
enum Stop {
    /// The server was killed.
    Killed,
    Broken(Broken),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl Player {
    pub(super) fn new(number: usize, era: Era, rng: Rng) -> Self {
        Self {
            number,
            era,
            rng,
            made: 0,
            open: Vec::new(),
            over: Vec::new(),
        }
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.open.iter().chain(&self.over)
    }

    pub(super) fn known(&self) -> usize {
        self.open.len() + self.over.len()
    }

    pub(super) fn over(&self) -> usize {
        self.over.len()
    }

    pub(super) fn answers(&self) -> usize {
        self.entries().map(Entry::answers).sum()
    }

    pub(super) fn cancels(&self) -> usize {
        self.entries().filter(|entry| entry.cancelled()).count()
    }

    /// Plays until the server is killed.
    pub(super) async fn play(&mut self, round: &Round) -> Result<(), Broken> {
        let mut wire = round.wire(self.era);
        let outcome = async {
            check(round, wire.open().await)?;
            loop {
                self.step(round, &wire).await?;
            }
        };
        match outcome.await {
            Ok(()) | Err(Stop::Killed) => Ok(()),
            Err(Stop::Broken(broken)) => Err(broken),
        }
    }

    async fn step(&mut self, round: &Round, wire: &Wire) -> Result<(), Stop> {
        let choice = self.rng.u8(..100);
        if self.open.len() < OPEN && (choice < 40 || self.open.is_empty()) {
            self.create(round, wire).await
        } else if choice < 90 || self.over.is_empty() {
            let index = self.rng.usize(..self.open.len().max(1));
            match self.open.is_empty() {
                true => Ok(()),
                false => self.advance(round, wire, index, true).await,
            }
        } else {
            let index = self.rng.usize(..self.over.len());
            look(round, wire, self.era, &mut self.over[index])
                .await
                .map(drop)
        }
    }

    async fn create(&mut self, round: &Round, wire: &Wire) -> Result<(), Stop> {
        self.made += 1;
        let name = format!("report-{}-{}", self.number, self.made);
        let kind = if self.rng.u8(..3) == 0 {
            Kind::Fragile
        } else {
            Kind::Durable
        };
        let questions = match self.era {
            Era::Modern => self.rng.usize(..4),
            Era::Legacy => 0,
        };
        let tool = match kind {
            Kind::Durable => "durable_report",
            Kind::Fragile => "fragile_report",
        };
        let arguments = json!({"name": name, "questions": questions, "pause": self.rng.u64(..200)});
        let mut params = json!({"name": tool, "arguments": arguments});
        if self.era == Era::Legacy {
            params["task"] = json!({});
        }
        let handle = check(round, wire.ask("tools/call", params).await)?;
        let task = if self.era == Era::Modern {
            &handle
        } else {
            &handle["task"]
        };
        let Some(id) = task["taskId"].as_str() else {
            return Err(Broken(format!("a call gave no handle: {handle}")).into());
        };
        self.open.push(Entry::new(
            id.to_owned(),
            name,
            kind,
            self.era,
            round.pid,
            questions,
        ));
        Ok(())
    }

    /// Looks at an unfinished task and does what it needs, or something else.
    async fn advance(
        &mut self,
        round: &Round,
        wire: &Wire,
        index: usize,
        playful: bool,
    ) -> Result<(), Stop> {
        let entry = &mut self.open[index];
        let mut keys = look(round, wire, self.era, entry).await?;
        if entry.is_over() {
            let entry = self.open.swap_remove(index);
            self.over.push(entry);
            return Ok(());
        }
        if playful && self.rng.u8(..100) < 7 {
            return cancel(round, wire, entry).await;
        }
        if playful && !keys.is_empty() && self.rng.bool() {
            self.rng.shuffle(&mut keys);
            keys.truncate(1);
        }
        if keys.is_empty() {
            return Ok(());
        }
        let mut responses = Map::new();
        for key in &keys {
            let answer = format!("answer-{:08x}", self.rng.u32(..));
            entry.answering(round.pid, key, &answer);
            responses.insert(
                key.clone(),
                json!({"action": "accept", "content": {"value": answer}}),
            );
        }
        let params = json!({"taskId": entry.id, "inputResponses": responses});
        check_on(round, entry, wire.ask("tasks/update", params).await)?;
        entry.answered(round.pid, &keys);
        Ok(())
    }

    /// Brings every task to its end, and looks at each once more.
    pub(super) async fn finish(&mut self, round: &Round, deadline: Instant) -> Result<(), Broken> {
        let outcome = async {
            let mut wire = round.wire(self.era);
            check(round, wire.open().await)?;
            while !self.open.is_empty() {
                for index in (0..self.open.len()).rev() {
                    self.advance(round, &wire, index, false).await?;
                }
                if let Some(entry) = self.open.first()
                    && Instant::now() > deadline
                {
                    return Err(Stop::Broken(entry.broken("it does not come to an end")));
                }
                tokio::time::sleep(Duration::from_millis(20)).await; // the pace of polling, as a client has one
            }
            for entry in &mut self.over {
                look(round, &wire, self.era, entry).await?;
            }
            Ok(())
        };
        match outcome.await {
            Ok(()) => Ok(()),
            Err(Stop::Killed) => Err(Broken("the last server went away".to_owned())),
            Err(Stop::Broken(broken)) => Err(broken),
        }
    }
}

async fn cancel(round: &Round, wire: &Wire, entry: &mut Entry) -> Result<(), Stop> {
    entry.cancelling(round.pid);
    match wire.ask("tasks/cancel", json!({"taskId": entry.id})).await {
        // The legacy era refuses to cancel what is over.
        Err(Trouble::Refused(why)) if why.contains("-32602") && why.contains("already") => {}
        reply => {
            check_on(round, entry, reply)?;
            entry.cancel_acknowledged(round.pid);
        }
    }
    Ok(())
}

/// Gets a task and holds it against what is known.
async fn look(
    round: &Round,
    wire: &Wire,
    era: Era,
    entry: &mut Entry,
) -> Result<Vec<String>, Stop> {
    let params = json!({"taskId": entry.id});
    let mut task = check_on(round, entry, wire.ask("tasks/get", params.clone()).await)?;
    if era == Era::Legacy && task["status"] == "completed" {
        task["payload"] = check_on(round, entry, wire.ask("tasks/result", params).await)?;
    }
    Ok(entry.see(round.pid, &task)?)
}

/// The reply to a request that cannot be refused. That the server has gone is fine once it was killed.
fn check<T>(round: &Round, reply: Result<T, Trouble>) -> Result<T, Stop> {
    match reply {
        Ok(value) => {
            round
                .answered
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(value)
        }
        Err(Trouble::Gone(_)) if round.killed() => Err(Stop::Killed),
        Err(trouble) => Err(Stop::Broken(trouble.broken())),
    }
}

/// The same for a request on a task.
fn check_on(round: &Round, entry: &Entry, reply: Result<Value, Trouble>) -> Result<Value, Stop> {
    check(round, reply).map_err(|stop| match stop {
        Stop::Broken(Broken(why)) => Stop::Broken(entry.broken(&why)),
        stop => stop,
    })
}
