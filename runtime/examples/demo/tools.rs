//! The demo's tools. Each is a plain `async fn`; `#[task_tool]` makes it a tool whose calls can become tasks.

use std::{collections::HashMap, path::PathBuf};

use mcp_tasks::{Json, TaskContext, ToolError, task_tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{
    fs::File,
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, BufWriter, Lines},
    net::TcpStream,
};

/// What a text file holds.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary {
    lines: u64,
    words: u64,
    /// The longest line, in characters.
    longest_line: usize,
    /// The most frequent words of five letters or more.
    frequent_words: Vec<String>,
}

/// Reads a text file line by line and says what is in it.
#[task_tool(ttl = "10m", poll_interval = "250ms")]
pub(crate) async fn summarise_file(
    /// The file to read
    path: PathBuf,
    ctx: TaskContext,
) -> Result<Json<Summary>, ToolError> {
    let mut lines = open(&path).await?;
    let size = tokio::fs::metadata(&path).await?.len().max(1);
    let mut counts: HashMap<String, u64> = HashMap::new();
    let mut summary = Summary {
        lines: 0,
        words: 0,
        longest_line: 0,
        frequent_words: Vec::new(),
    };
    let mut read = 0;
    while let Some(line) = lines.next_line().await? {
        read += line.len() as u64 + 1;
        summary.lines += 1;
        summary.longest_line = summary.longest_line.max(line.chars().count());
        for word in line.split_whitespace() {
            summary.words += 1;
            if word.len() >= 5 {
                *counts.entry(word.to_lowercase()).or_default() += 1;
            }
        }
        if summary.lines.is_multiple_of(2_000) {
            let percent = read * 100 / size;
            ctx.status(format!("{percent} % read, {} lines", summary.lines))
                .await;
        }
    }
    let mut words: Vec<_> = counts.into_iter().collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    summary.frequent_words = words.into_iter().take(5).map(|(word, _)| word).collect();
    Ok(Json(summary))
}

/// The answer to a question of `replace_in_file`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Consent {
    /// Write the file?
    go_ahead: bool,
}

/// Replaces a word in a copy of a file, after asking whether it should.
#[task_tool(poll_interval = "250ms")]
pub(crate) async fn replace_in_file(
    /// The file to read
    path: PathBuf,
    /// The word to look for
    from: String,
    /// What to put in its place
    to: String,
    ctx: TaskContext,
) -> Result<String, ToolError> {
    let mut found = 0;
    let mut lines = open(&path).await?;
    while let Some(line) = lines.next_line().await? {
        found += line.matches(from.as_str()).count();
    }
    let copy = path.with_extension("replaced.txt");
    let question = format!(
        "`{from}` occurs {found} times. Write {} with `{to}` instead?",
        copy.display()
    );
    let consent = ctx.elicit::<Consent>(question).await?.required()?;
    if !consent.go_ahead {
        return Ok("Nothing was written.".to_owned());
    }
    let mut lines = open(&path).await?;
    let mut out = BufWriter::new(File::create(&copy).await?);
    while let Some(line) = lines.next_line().await? {
        out.write_all(line.replace(from.as_str(), &to).as_bytes())
            .await?;
        out.write_all(b"\n").await?;
    }
    out.flush().await?;
    Ok(format!("Replaced {found} times in {}.", copy.display()))
}

/// Checks that a service answers on a local port. That nothing answers is a fault of the set-up, not something a model
/// can act upon, so it is a JSON-RPC error.
#[task_tool(poll_interval = "250ms")]
pub(crate) async fn check_port(
    /// The port on this machine
    port: u16,
) -> Result<String, ToolError> {
    match TcpStream::connect(("127.0.0.1", port)).await {
        Ok(_) => Ok(format!("Something listens on port {port}.")),
        Err(error) => Err(ToolError::internal(format!(
            "nothing listens on port {port}: {error}"
        ))),
    }
}

async fn open(path: &PathBuf) -> Result<Lines<BufReader<File>>, ToolError> {
    let file = File::open(path)
        .await
        .map_err(|error| ToolError::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(BufReader::new(file).lines())
}
