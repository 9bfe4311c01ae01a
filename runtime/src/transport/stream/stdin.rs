//! Standard input, read by a thread of its own.
//!
//! The runtime's reader keeps the runtime from ending until the next byte comes, so that a server that is done would stay
//! for as long as its client keeps the input open. This thread ends with the process.

use std::{
    io::{self, ErrorKind, Read},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::mpsc,
};

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// Standard input.
pub(super) struct Stdin {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    rest: Bytes,
}

impl Stdin {
    /// Begins to read.
    pub(super) fn open() -> io::Result<Self> {
        Self::over(io::stdin())
    }

    fn over(mut input: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(1);
        std::thread::Builder::new()
            .name("mcp-tasks-stdin".to_owned())
            .spawn(move || {
                let mut chunk = vec![0; CHUNK];
                loop {
                    let read = match input.read(&mut chunk) {
                        Ok(0) => return,
                        Ok(count) => Ok(Bytes::copy_from_slice(&chunk[..count])),
                        Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                        Err(error) => Err(error),
                    };
                    let failed = read.is_err();
                    if sender.blocking_send(read).is_err() || failed {
                        return;
                    }
                }
            })?;
        Ok(Self {
            chunks,
            rest: Bytes::new(),
        })
    }
}

impl AsyncRead for Stdin {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.chunks.poll_recv(context)) {
                Some(chunk) => self.rest = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let count = self.rest.len().min(buffer.remaining());
        buffer.put_slice(&self.rest[..count]);
        self.rest.advance(count);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    /// Gives what it holds, one after another, and then an error if there is one.
    struct Script(Vec<io::Result<Vec<u8>>>);

    impl Read for Script {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let next = self.0.remove(0)?;
            buffer[..next.len()].copy_from_slice(&next);
            Ok(next.len())
        }
    }

    #[tokio::test]
    async fn what_is_read_comes_in_order_and_ends_as_the_input_does() {
        let large = vec![7; CHUNK];
        let interrupted = || Err(io::Error::from(ErrorKind::Interrupted));
        let script = vec![Ok(b"one".to_vec()), interrupted(), Ok(large.clone())];
        let mut read = Vec::new();
        let mut input = Stdin::over(Script(script)).unwrap();
        input.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, [b"one".to_vec(), large].concat());

        let broken = vec![Ok(b"x".to_vec()), Err(io::Error::other("broken"))];
        let mut input = Stdin::over(Script(broken)).unwrap();
        let error = input.read_to_end(&mut Vec::new()).await.unwrap_err();
        assert_eq!(error.to_string(), "broken");
    }
}
