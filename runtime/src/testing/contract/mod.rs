//! What every store promises, as code: one function a rule, and a walk of random steps beside a model.

mod changes;
mod claims;
mod facts;
mod kit;
mod model;
mod views;

use std::{fmt, future::Future, sync::Arc};

use crate::store::TaskStore;

/// A promise that a store did not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The rule, in a sentence.
    pub rule: &'static str,
    /// What happened instead.
    pub detail: String,
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the store breaks the rule \"{}\": {}",
            self.rule, self.detail
        )
    }
}

impl std::error::Error for BrokenRule {}

/// Panics if a store does not keep the promises of [`TaskStore`].
///
/// `make_store` gives a new empty store each time it is called. Run it inside a multi-threaded tokio runtime, so that
/// races are real.
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// mcp_tasks::testing::store_contract(|| std::sync::Arc::new(mcp_tasks::store::MemoryStore::new())).await;
/// # }
/// ```
///
/// # Panics
/// On the first broken rule, with a message that names it.
pub async fn store_contract<S: TaskStore>(make_store: impl Fn() -> Arc<S>) {
    if let Err(broken) = check_store(make_store).await {
        panic!("{broken}");
    }
}

/// As [`store_contract`], with the broken rule as an error.
///
/// # Errors
/// The first broken rule.
pub async fn check_store<S: TaskStore>(make_store: impl Fn() -> Arc<S>) -> Result<(), BrokenRule> {
    let store = || make_store() as Arc<dyn TaskStore>;
    rule(
        "a created task is there for every later read, with every fact of it",
        facts::created(store()),
    )
    .await?;
    rule("an id is taken once", facts::taken_once(store())).await?;
    rule(
        "a key is used once in a task's life",
        facts::keys_once(store()),
    )
    .await?;
    rule(
        "every fact of a task survives its updates",
        facts::survives(store()),
    )
    .await?;
    rule(
        "an update needs the version before it",
        changes::versions(store()),
    )
    .await?;
    rule(
        "of updates that race from one version exactly one wins",
        changes::races(store()),
    )
    .await?;
    rule("a terminal task never changes", changes::terminal(store())).await?;
    rule("a task's owner never changes", changes::owner(store())).await?;
    rule("a removed task is gone everywhere", views::removed(store())).await?;
    rule(
        "an expired task is absent everywhere but in `expired`",
        views::expired(store()),
    )
    .await?;
    rule(
        "paging visits each task once while tasks come and go",
        views::paging(store()),
    )
    .await?;
    rule(
        "a listing shows its owner's tasks and no one else's",
        views::owners(store()),
    )
    .await?;
    rule(
        "the number of tasks is known, of all and of each owner",
        views::counted(store()),
    )
    .await?;
    rule(
        "only abandoned tasks are claimed, each by one worker",
        claims::claims(store()),
    )
    .await?;
    for seed in 0..model::WALKS {
        rule(model::RULE, model::walk(store(), seed)).await?;
    }
    Ok(())
}

async fn rule(
    rule: &'static str,
    case: impl Future<Output = Result<(), String>>,
) -> Result<(), BrokenRule> {
    case.await.map_err(|detail| BrokenRule { rule, detail })
}
