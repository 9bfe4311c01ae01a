//! Names: of tasks, of the people they belong to, and of the processes that run them.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// Bytes of randomness in an id: 160 bits, so that ids cannot be guessed or met twice.
const RANDOM_BYTES: usize = 20;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes a name as it is.
            pub fn new(name: impl Into<Arc<str>>) -> Self {
                Self(name.into())
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        // Same hash and equality as the text, so that maps can be asked with a `&str`.
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self::new(name)
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                Self::new(name)
            }
        }
    };
}

name! {
    /// The id of a task. Ids made here are 32 lower-case letters and digits from 160 random bits of the operating
    /// system: safe in URLs and headers, and not to be guessed.
    TaskId
}

name! {
    /// Who is asking, as found out by your authentication layer. Tasks are bound to it: only requests with an equal
    /// principal find them.
    ///
    /// Put one into the extensions of the HTTP request (an axum `Extension` or a tower layer), by a name that is unique
    /// to it, such as the subject of its token.
    Principal
}

name! {
    /// One running engine, made anew at each start. Unfinished tasks carry it to say who runs them.
    WorkerId
}

impl TaskId {
    /// Makes a new id.
    ///
    /// # Errors
    /// When the operating system has no random numbers to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        random().map(Self)
    }
}

impl WorkerId {
    /// Makes a new name.
    ///
    /// # Errors
    /// When the operating system has no random numbers to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        random().map(Self)
    }
}

fn random() -> Result<Arc<str>, getrandom::Error> {
    let mut bytes = [0u8; RANDOM_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(base32(&bytes).as_str().into())
}

fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let (mut buffer, mut bits) = (0u32, 0u32);
    for byte in bytes {
        buffer = (buffer << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(buffer >> bits) as usize & 31]));
        }
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(buffer << (5 - bits)) as usize & 31]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: T23-L, T23-M
    #[test]
    fn ids_are_long_plain_ascii_and_differ() {
        let ids: std::collections::HashSet<_> = (0..1000)
            .map(|_| TaskId::random().expect("random bytes"))
            .collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            assert_eq!(id.as_str().len(), 32);
            assert!(id.as_str().bytes().all(|b| ALPHABET.contains(&b)), "{id}");
        }
    }

    #[test]
    fn base32_uses_every_bit() {
        assert_eq!(base32(&[0xff; 5]), "77777777");
        assert_eq!(base32(&[0, 0, 0, 0, 1]), "aaaaaaab");
        assert_eq!(base32(&[0x80]), "qa");
    }
}
