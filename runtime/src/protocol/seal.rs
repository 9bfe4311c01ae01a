//! `requestState`: what a plain call must remember between rounds, sealed so that only we can read or make it.
//!
//! The seal binds the content to the caller, the method and the params of the call (all but the answers), and it
//! expires. Any server with the same key can open it, so the next round may go to another instance.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{JsonObject, Principal, server::RpcError};

const NONCE: usize = 24;
const TIMESTAMP: usize = 8;
const DOMAIN: &[u8] = b"mcp-tasks requestState 1";

/// Members of the params that change from round to round.
const CHANGING: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// Seals and opens `requestState`.
#[derive(Clone)]
pub(crate) struct Sealer {
    cipher: XChaCha20Poly1305,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer")
    }
}

/// What a seal is bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) principal: Option<&'a Principal>,
    pub(crate) method: &'a str,
    pub(crate) params: &'a JsonObject,
}

impl Binding<'_> {
    /// The bytes that must be the same when the seal is opened. Each part is preceded by its length.
    fn bytes(self) -> Vec<u8> {
        let mut bytes = DOMAIN.to_vec();
        let mut part = |text: &[u8]| {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text);
        };
        match self.principal {
            Some(principal) => {
                part(b"principal");
                part(principal.as_str().as_bytes());
            }
            None => part(b"anyone"),
        }
        part(self.method.as_bytes());
        let mut canonical = String::new();
        let bound = self.params.iter().filter(|(name, value)| {
            // A call without arguments may say so or leave them out.
            let says_nothing =
                *name == "arguments" && value.as_object().is_some_and(JsonObject::is_empty);
            !says_nothing && !CHANGING.contains(&name.as_str())
        });
        write_members(bound, &mut canonical);
        part(canonical.as_bytes());
        bytes
    }
}

/// Writes JSON with sorted members, so that a client may order them as it likes.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => write_members(object.iter(), out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn write_members<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>, out: &mut String) {
    let mut members: Vec<_> = members.collect();
    members.sort_by_key(|(name, _)| *name);
    out.push('{');
    for (name, value) in members {
        out.push_str(&Value::from(name.as_str()).to_string());
        out.push(':');
        write_canonical(value, out);
        out.push(',');
    }
    out.push('}');
}

impl Sealer {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self {
            cipher: XChaCha20Poly1305::new(key.into()),
        }
    }

    /// Seals `content` until `expires` (seconds since 1970).
    pub(crate) fn seal<T: Serialize>(
        &self,
        content: &T,
        expires: u64,
        binding: Binding<'_>,
    ) -> Result<String, RpcError> {
        let mut plain = expires.to_le_bytes().to_vec();
        serde_json::to_writer(&mut plain, content).map_err(|error| {
            RpcError::internal(format!("the call's answers cannot be written: {error}"))
        })?;
        let mut sealed = vec![0; NONCE];
        getrandom::fill(&mut sealed).map_err(|error| {
            RpcError::internal(format!(
                "no random bytes from the operating system: {error}"
            ))
        })?;
        let nonce = nonce(&sealed);
        let body = self
            .cipher
            .encrypt(
                &nonce,
                Payload {
                    msg: &plain,
                    aad: &binding.bytes(),
                },
            )
            .map_err(|_| RpcError::internal("the call's answers cannot be sealed"))?;
        sealed.extend(body);
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Opens a seal at the time `now` (seconds since 1970).
    pub(crate) fn open<T: DeserializeOwned>(
        &self,
        sealed: &str,
        now: u64,
        binding: Binding<'_>,
    ) -> Result<T, RpcError> {
        let broken = || {
            RpcError::invalid_params(
                "`requestState` was not issued for this request; send it back unchanged with the same params, or \
                 start again without it",
            )
        };
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| broken())?;
        let (head, body) = bytes.split_at_checked(NONCE).ok_or_else(broken)?;
        let plain = self
            .cipher
            .decrypt(
                &nonce(head),
                Payload {
                    msg: body,
                    aad: &binding.bytes(),
                },
            )
            .map_err(|_| broken())?;
        let (expires, content) = plain.split_first_chunk::<TIMESTAMP>().ok_or_else(broken)?;
        if u64::from_le_bytes(*expires) < now {
            return Err(RpcError::invalid_params(
                "`requestState` has expired; start again without it",
            ));
        }
        serde_json::from_slice(content).map_err(|_| broken())
    }
}

fn nonce(bytes: &[u8]) -> XNonce {
    let mut nonce = [0; NONCE];
    nonce.copy_from_slice(&bytes[..NONCE]);
    nonce.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn params(value: Value) -> JsonObject {
        value.as_object().unwrap().clone()
    }

    fn bind<'a>(
        principal: Option<&'a Principal>,
        method: &'a str,
        params: &'a JsonObject,
    ) -> Binding<'a> {
        Binding {
            principal,
            method,
            params,
        }
    }

    #[test]
    fn what_was_sealed_is_opened_by_any_server_with_the_key() {
        let call = params(
            json!({"name": "t", "arguments": {"a": 1, "b": [1, {"c": null}]}, "_meta": {"x": 1}}),
        );
        let retry = params(
            json!({"requestState": "s", "inputResponses": {}, "arguments": {"b": [1, {"c": null}], "a": 1},
                                  "name": "t", "_meta": {"x": 2}}),
        );
        let alice = Principal::new("alice");
        let sealed = Sealer::new(&[7; 32])
            .seal(
                &json!({"q": 1}),
                100,
                bind(Some(&alice), "tools/call", &call),
            )
            .unwrap();
        let opened: Value = Sealer::new(&[7; 32])
            .open(&sealed, 100, bind(Some(&alice), "tools/call", &retry))
            .unwrap();
        assert_eq!(opened, json!({"q": 1}));
    }

    #[test]
    fn no_arguments_and_empty_ones_are_one_call() {
        let without = params(json!({"name": "t"}));
        let empty = params(json!({"name": "t", "arguments": {}}));
        let sealer = Sealer::new(&[7; 32]);
        for (first, then) in [(&without, &empty), (&empty, &without)] {
            let sealed = sealer
                .seal(&1, 100, bind(None, "tools/call", first))
                .unwrap();
            let opened = sealer.open(&sealed, 1, bind(None, "tools/call", then));
            assert_eq!(opened, Ok(1));
        }
        let inside = params(json!({"name": "t", "arguments": {"arguments": {}}}));
        assert_ne!(
            bind(None, "tools/call", &inside).bytes(),
            bind(None, "tools/call", &empty).bytes()
        );
    }

    #[test]
    fn a_seal_is_good_for_its_caller_method_params_key_and_time_only() {
        let call = params(json!({"name": "t", "arguments": {"a": 1}}));
        let other = params(json!({"name": "t", "arguments": {"a": 2}}));
        let (alice, bob) = (Principal::new("alice"), Principal::new("bob"));
        let sealer = Sealer::new(&[7; 32]);
        let sealed = sealer
            .seal(&1, 100, bind(Some(&alice), "tools/call", &call))
            .unwrap();
        let open =
            |sealer: &Sealer, text: &str, now, binding| sealer.open::<u8>(text, now, binding);
        assert_eq!(
            open(
                &sealer,
                &sealed,
                100,
                bind(Some(&alice), "tools/call", &call)
            ),
            Ok(1)
        );
        let late = open(
            &sealer,
            &sealed,
            101,
            bind(Some(&alice), "tools/call", &call),
        )
        .unwrap_err();
        assert!(late.message.contains("expired"), "{late}");
        let tampered = format!("{sealed}-TAMPERED");
        let mut flipped = sealed.clone().into_bytes();
        flipped[40] = if flipped[40] == b'A' { b'B' } else { b'A' };
        let flipped = String::from_utf8(flipped).unwrap();
        for result in [
            open(&sealer, &sealed, 1, bind(Some(&bob), "tools/call", &call)),
            open(&sealer, &sealed, 1, bind(None, "tools/call", &call)),
            open(
                &sealer,
                &sealed,
                1,
                bind(Some(&alice), "prompts/get", &call),
            ),
            open(
                &sealer,
                &sealed,
                1,
                bind(Some(&alice), "tools/call", &other),
            ),
            open(
                &Sealer::new(&[8; 32]),
                &sealed,
                1,
                bind(Some(&alice), "tools/call", &call),
            ),
            open(
                &sealer,
                &tampered,
                1,
                bind(Some(&alice), "tools/call", &call),
            ),
            open(
                &sealer,
                &flipped,
                1,
                bind(Some(&alice), "tools/call", &call),
            ),
            open(&sealer, "", 1, bind(Some(&alice), "tools/call", &call)),
            open(&sealer, "%%%", 1, bind(Some(&alice), "tools/call", &call)),
        ] {
            assert_eq!(result.unwrap_err().code, -32602);
        }
    }

    #[test]
    fn the_same_content_never_looks_the_same_twice() {
        let call = params(json!({"name": "t"}));
        let sealer = Sealer::new(&[7; 32]);
        let one = sealer
            .seal(&1, 100, bind(None, "tools/call", &call))
            .unwrap();
        assert_ne!(
            one,
            sealer
                .seal(&1, 100, bind(None, "tools/call", &call))
                .unwrap()
        );
    }
}
