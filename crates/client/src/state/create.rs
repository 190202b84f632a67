//! A create, a pipeline, or the estimate of a cost, while files are being uploaded and results moved; and what is known of the
//! outcome.

use mediagate_core::{Capability, Outcome, Value};

use crate::error::{Error, Reported};
use crate::input::Source;
use crate::platform::{Id, Platform};

/// What is known of a create, or of the start of a pipeline, over all of its attempts.
#[derive(Clone, Copy)]
pub(crate) struct Create<V> {
    /// Its idempotency key: the gateway makes one task at most for it, or starts one pipeline, however often it is sent.
    pub(crate) key: V,
    /// Whether any request of it may have been sent.
    pub(crate) is_sent: bool,
    /// Whether a request of it is under way.
    pub(crate) is_under_way: bool,
    /// Whether the outcome of a request is unknown: the upstream may have accepted it.
    pub(crate) is_lost: bool,
    /// The same without the requests that were sent while the platform reported that it is offline, which it may do wrongly:
    /// then alone, and where nothing else is known, it was not sent.
    pub(crate) may_have_left: bool,
}

/// An input that is not ready: files in it are being uploaded, or results of tasks moved.
#[derive(Clone, Copy)]
pub(crate) struct Preparation<V> {
    pub(crate) gateway: Id,
    /// What is created; `None` for a pipeline.
    pub(crate) capability: Option<&'static Capability>,
    /// The input, of which the engine has a copy of its own; for a pipeline the list of its steps, each
    /// `{name, capability, input}`.
    pub(crate) input: V,
    /// The title of a pipeline.
    pub(crate) title: Option<V>,
    /// The create; `None` for an estimate.
    pub(crate) create: Option<Create<V>>,
}

/// An id that is missing in the input of a promise.
#[derive(Clone, Copy)]
pub(crate) struct Missing<V> {
    pub(crate) promise: Id,
    /// The upload or the transfer that brings it.
    pub(crate) by: Id,
    /// What is in its place.
    pub(crate) source: Source<V>,
}

/// What to say of a create whose outcome is unknown, and what to do.
const MAY_HAVE_COST: &str = "; it may have cost credits";
const REPEAT: &str =
    "before creating anew, repeat it with error.idempotencyKey, which makes no second task";

impl<V: Value + Copy> Create<V> {
    /// A create of which nothing has been sent.
    pub(crate) fn new(key: V) -> Self {
        Create {
            key,
            is_sent: false,
            is_under_way: false,
            is_lost: false,
            may_have_left: false,
        }
    }

    /// The error of this create, with its `outcome`, and with the key where a request was sent.
    pub(crate) fn explain<P: Platform<Value = V>>(
        &self,
        platform: &P,
        error: Error<V>,
        reported: Option<Reported>,
    ) -> Error<V> {
        // After a lost attempt only the outcome that the gateway's ledger reports counts: an error from before the
        // ledger is about its own attempt alone.
        let known =
            reported.filter(|it| !self.is_lost || (it.is_named && it.outcome != Outcome::NotSent));
        let outcome = match known {
            _ if !self.is_sent => Outcome::NotSent,
            Some(known) => known.outcome,
            None if !self.may_have_left && !self.is_under_way => Outcome::NotSent,
            None => Outcome::Unknown,
        };
        let error = error.with(platform, "outcome", Some(platform.text(outcome.name())));
        let error = error.with(platform, "idempotencyKey", self.is_sent.then_some(self.key));
        if outcome != Outcome::Unknown {
            return error;
        }
        let message = error
            .value
            .get("message")
            .map(|it| platform.append(it, MAY_HAVE_COST));
        error
            .with(platform, "message", message)
            .with_hint(platform, REPEAT)
    }
}
