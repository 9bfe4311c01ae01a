//! Kills the server at random moments, starts it again on the same file, and checks that it kept its promises.
//!
//! Each client keeps a ledger of what was acknowledged to it (`ledger`) and holds every later reply against it. A
//! round is one life of the server process; the clients go through all of them. At the end a last server, which is not
//! killed, has to bring every task to an end.

mod client;
mod ledger;
mod load;
mod process;

use std::{
    fmt::{self, Write as _},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use fastrand::Rng;
use mcp_tasks::{
    store::{Position, SqliteStore, TaskStore as _},
    task::{Status, Timestamp},
};

use self::{
    client::{Era, Wire},
    load::Player,
    process::Process,
};

/// Milliseconds after which a new server may take up the tasks of a dead one. Short, so that a round sees it.
const LEASE: u64 = 400;
/// The longest life of a server, in milliseconds after its first sign of life.
const LONGEST_LIFE: u64 = 1_500;
/// How long the last server may take to bring everything to an end.
const LAST: Duration = Duration::from_secs(90);

/// Lines of the server's log that are shown when a promise is broken.
const LAST_WORDS: usize = 20;

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server's program.
    pub server: PathBuf,
    /// Where the store and the server's log go.
    pub dir: PathBuf,
    /// How many servers are killed.
    pub rounds: u32,
    /// How many clients play at once; the last of them speaks the legacy revision.
    pub clients: usize,
    /// Where all random choices come from. The moments at which things happen are the machine's own.
    pub seed: u64,
}

/// A promise that was not kept.
#[derive(Clone, Debug)]
pub struct Broken(pub String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Broken {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// What the clients share in one round.
pub(crate) struct Round {
    url: String,
    /// The server's process.
    pid: u32,
    /// Set just before the server is killed: from then on it may be gone.
    killed: AtomicBool,
    /// How many requests were answered.
    answered: AtomicUsize,
}

/// Plays all rounds and the end. Says how each went through `tell`.
///
/// # Errors
/// The first broken promise.
pub async fn run(options: &Options, mut tell: impl FnMut(&str)) -> Result<(), Broken> {
    std::fs::create_dir_all(&options.dir)?;
    let mut rng = Rng::with_seed(options.seed);
    let mut players: Vec<_> = (0..options.clients)
        .map(|number| {
            let legacy = number > 0 && number + 1 == options.clients;
            let era = if legacy { Era::Legacy } else { Era::Modern };
            Player::new(number, era, rng.fork())
        })
        .collect();
    for number in 1..=options.rounds {
        let (line, back) = round(options, &mut rng, players).await?;
        players = back;
        tell(&format!("round {number}: {line}"));
    }
    tell(&format!("the end: {}", end(options, players).await?));
    Ok(())
}

/// One life of the server.
async fn round(
    options: &Options,
    rng: &mut Rng,
    players: Vec<Player>,
) -> Result<(String, Vec<Player>), Broken> {
    let mut process = Process::start(&options.server, &options.dir, LEASE)?;
    let pid = process.pid();
    // Some die before they serve: while they open the file, or move it to a new format.
    if rng.u8(..10) == 0 {
        let life = Duration::from_millis(rng.u64(..60));
        let early = tokio::time::timeout(life, process.url()).await;
        if let Ok(Err(error)) = early {
            return Err(error);
        }
        process.kill().await?;
        return Ok((format!("server {pid} killed while it started"), players));
    }
    let url = process.url().await?;
    let round = Arc::new(Round {
        url,
        pid,
        killed: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
    });
    let born = Instant::now();
    let life = Duration::from_millis(rng.u64(..LONGEST_LIFE));
    let playing: Vec<_> = players
        .into_iter()
        .map(|mut player| {
            let round = Arc::clone(&round);
            tokio::spawn(async move {
                let outcome = player.play(&round).await;
                (player, outcome)
            })
        })
        .collect();
    let stopped = tokio::select! {
        () = tokio::time::sleep(life) => None,
        status = process.ended() => Some(status),
    };
    round.killed.store(true, Ordering::SeqCst);
    process.kill().await?;
    let lived = born.elapsed();
    let mut back = Vec::new();
    for player in playing {
        let (player, outcome) = player.await?;
        outcome?;
        back.push(player);
    }
    if let Some(status) = stopped {
        return Err(Broken(format!("server {pid} ended by itself: {status}")));
    }
    let mut line = format!(
        "server {pid} killed after {} ms and {} answers;",
        lived.as_millis(),
        round.answered.load(Ordering::Relaxed)
    );
    let count = |what: fn(&Player) -> usize| back.iter().map(what).sum::<usize>();
    // Writing to a string cannot fail.
    let _ = write!(
        line,
        " {} tasks known, {} over, {} answers and {} cancels acknowledged",
        count(Player::known),
        count(Player::over),
        count(Player::answers),
        count(Player::cancels)
    );
    Ok((line, back))
}

/// The last server: everything comes to an end and stays as it is.
async fn end(options: &Options, players: Vec<Player>) -> Result<String, Broken> {
    let mut process = Process::start(&options.server, &options.dir, LEASE)?;
    let round = Arc::new(Round {
        url: process.url().await?,
        pid: process.pid(),
        killed: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
    });
    let deadline = Instant::now() + LAST;
    let mut finishing = Vec::new();
    for mut player in players {
        let round = Arc::clone(&round);
        finishing.push(tokio::spawn(async move {
            player.finish(&round, deadline).await?;
            Ok::<_, Broken>(player)
        }));
    }
    let mut known = 0;
    for player in finishing {
        known += player.await??.known();
    }
    let store = SqliteStore::open(process::store(&options.dir))?;
    let kept = loop {
        let statuses = statuses(&store).await?;
        let working = statuses.iter().filter(|s| **s == Status::Working).count();
        if working == 0 {
            break statuses.len();
        }
        if Instant::now() > deadline {
            return Err(Broken(format!(
                "{working} tasks of the file stay working, with nobody to run them"
            )));
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // the pace of looking at the file
    };
    if kept < known {
        return Err(Broken(format!(
            "the clients know {known} tasks, the file has {kept}"
        )));
    }
    process.kill().await?;
    Ok(format!(
        "all {known} tasks are over and as they were told; {kept} in the file"
    ))
}

/// The statuses of all tasks in the file, those whose handle got lost included.
async fn statuses(store: &SqliteStore) -> Result<Vec<Status>, Broken> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = store
            .list(None, after.as_ref(), 500, Timestamp::from_millis(0))
            .await?;
        let Some(last) = page.last() else {
            return Ok(all);
        };
        after = Some(Position::of(last));
        all.extend(page.iter().map(|task| task.status()));
    }
}

impl Round {
    fn wire(&self, era: Era) -> Wire {
        Wire::new(self.url.clone(), era)
    }

    fn killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }
}

/// The end of the server's log.
pub fn last_words(options: &Options) -> String {
    let log = std::fs::read(process::log(&options.dir)).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<_> = log.lines().collect();
    let last = &lines[lines.len().saturating_sub(LAST_WORDS)..];
    format!("the server's last words:\n  {}", last.join("\n  "))
}
