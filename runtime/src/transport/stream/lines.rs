//! Lines of bounded length. A line that is too long is skipped to its end, so that the next one can be read.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// What was read.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// A line without its end.
    Text(&'a [u8]),
    /// A line that was longer than allowed.
    TooLong { limit: usize },
    /// The input has ended.
    End,
}

/// Reads lines.
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
    line: Vec<u8>,
    state: State,
}

/// Where reading stands, so that a read that was given up can be taken up again.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Inside,
    Skipping,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            line: Vec::new(),
            state: State::Start,
        }
    }

    /// The next line. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> io::Result<Line<'_>> {
        if self.state == State::Start {
            self.line.clear();
            // A line of many megabytes is not held on to.
            self.line.shrink_to(1 << 20);
            self.state = State::Inside;
        }
        loop {
            let chunk = self.input.fill_buf().await?;
            if chunk.is_empty() {
                let skipped = self.state == State::Skipping;
                self.state = State::Start;
                return Ok(match (skipped, self.line.is_empty()) {
                    (true, _) => Line::TooLong { limit: self.limit },
                    (false, true) => Line::End,
                    (false, false) => Line::Text(&self.line),
                });
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if self.state == State::Inside {
                if self.line.len() + part.len() > self.limit {
                    self.state = State::Skipping;
                    self.line = Vec::new();
                } else {
                    self.line.extend_from_slice(part);
                }
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                let skipped = self.state == State::Skipping;
                self.state = State::Start;
                return Ok(if skipped {
                    Line::TooLong { limit: self.limit }
                } else {
                    Line::Text(&self.line)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    async fn read(input: &[u8], capacity: usize, limit: usize) -> Vec<Result<String, usize>> {
        let mut lines = Lines::new(BufReader::with_capacity(capacity, input), limit);
        let mut read = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::Text(text) => read.push(Ok(String::from_utf8(text.to_vec()).unwrap())),
                Line::TooLong { limit } => read.push(Err(limit)),
                Line::End => return read,
            }
        }
    }

    /// covers: X-STD-1
    #[tokio::test]
    async fn a_line_that_is_too_long_does_not_spoil_the_next() {
        for capacity in [1, 3, 64] {
            let read = read(b"abc\n\nabcd\nabcdefghij\nxyz", capacity, 4).await;
            let text = |text: &str| Ok(text.to_owned());
            assert_eq!(
                read,
                [text("abc"), text(""), text("abcd"), Err(4), text("xyz")],
                "{capacity}"
            );
        }
    }

    #[tokio::test]
    async fn the_last_line_may_lack_its_end_or_be_too_long() {
        assert_eq!(read(b"", 8, 4).await, []);
        assert_eq!(read(b"a\n", 8, 4).await, [Ok("a".to_owned())]);
        assert_eq!(read(b"abcdefgh", 2, 4).await, [Err(4)]);
    }
}
