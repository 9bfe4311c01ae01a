//! What a method marker says about its method. Each revision's markers are in its module `methods`.

/// A request or notification, as a type.
pub trait Method {
    /// Name on the wire.
    const NAME: &'static str;
    /// Whether it is answered.
    const KIND: MethodKind;
    /// Who sends it.
    const SENDER: Sender;
    /// The whole message.
    type Message;
    /// Its `params`; an `Option` where they can be left out, `()` where there are none.
    type Params;
    /// What it is answered with; `()` for notifications.
    type Result;
}

/// Whether a message is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// It is.
    Request,
    /// It is not.
    Notification,
}

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either.
    Both,
}

/// A row of a module's table of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// Name on the wire.
    pub name: &'static str,
    /// Whether it is answered.
    pub kind: MethodKind,
    /// Who sends it.
    pub sender: Sender,
}

impl MethodInfo {
    /// The row of a marker.
    #[must_use]
    pub const fn of<M: Method>() -> Self {
        Self {
            name: M::NAME,
            kind: M::KIND,
            sender: M::SENDER,
        }
    }
}
