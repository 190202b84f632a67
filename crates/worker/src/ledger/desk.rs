//! The gateway's side: which ledger is asked, and what a lost answer means.

use std::time::Duration;

use mediagate_core::{Code, Group, Outcome};
use serde::de::DeserializeOwned;
use worker::Env;

use super::order::{Answer, Ask, Order};
use crate::platform::ask_object_for_text;
use crate::refusal::Refusal;
use crate::session::{Budget, Subject, hash};

/// The name of the binding to the Durable Objects.
pub(crate) const BINDING: &str = "LEDGER";

/// How much longer than the service a ledger may take.
const GRACE: Duration = Duration::from_secs(10);

/// Where the ledgers of one tenant are reached.
pub(crate) struct Desk<'a> {
    env: &'a Env,
    tenant: &'a str,
    /// The deadline of one call to the service.
    timeout: Duration,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(env: &'a Env, tenant: &'a str, timeout: Duration) -> Self {
        Desk { env, tenant, timeout }
    }

    /// Creates a task, at most once for a key.
    pub(crate) async fn create(&self, order: Order) -> Answer {
        let name = self.name(&order.subject);
        self.ask(&name, &Ask::Create(Box::new(order))).await.unwrap_or_else(|| Answer::new(Err(lost())))
    }

    /// Tells the ledger of a subject that a task has ended. Its slot ends by itself where this is lost.
    pub(crate) async fn free(&self, subject: &Subject, group: Group, task: &str) {
        let ask = Ask::Free(group.name().to_owned(), task.to_owned());
        let _: Option<Answer> = self.ask(&self.name(subject), &ask).await;
    }

    /// Counts a create, by a name of its own, against what all anonymous callers share.
    pub(super) async fn reserve(&self, create: &str, most: u32) -> Result<(), Refusal> {
        let budget = Budget { creates: Some(most), ..Budget::default() };
        let answer: Option<Answer> = self.ask(&self.pool(), &Ask::Reserve(create.to_owned(), budget)).await;
        answer.ok_or_else(|| Refusal::internal("ledger"))?.reply().map(drop)
    }

    /// Counts it no more. Where this is lost it goes on counting: too many is refused, too few is never allowed.
    pub(super) async fn release(&self, create: &str) {
        let _: Option<Answer> = self.ask(&self.pool(), &Ask::Release(create.to_owned())).await;
    }

    fn name(&self, subject: &Subject) -> String {
        hash(&["subject", self.tenant, &subject.source, &subject.issuer, &subject.name])
    }

    fn pool(&self) -> String {
        hash(&["anonymous", self.tenant])
    }

    async fn ask<T: DeserializeOwned>(&self, name: &str, ask: &Ask) -> Option<T> {
        let text = ask_object_for_text(self.env, BINDING, name, ask, self.timeout + GRACE).await?;
        serde_json::from_str(&text).ok()
    }
}

/// No ledger answered: with the same key, the truth can be had later.
fn lost() -> Refusal {
    let message = "the gateway lost track of this create; repeat it with the same Idempotency-Key to learn what it did";
    Refusal::new(502, Code::SERVER_ERROR, "ledger", message).of_create(Outcome::Unknown)
}
