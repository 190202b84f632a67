use alloc::string::String;

use mediagate_core::{Envelope, Outcome, Value};

use crate::error::Error;
use crate::platform::{Hint, Platform};
use crate::sync::Lock;

/// The state of a create over all of its attempts. The future that sends them may be dropped, so
/// this is stored outside of it.
pub(crate) struct Attempts {
    pub(crate) key: String,
    state: Lock<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// True if any request may have been sent.
    is_sent: bool,
    is_under_way: bool,
    is_lost: bool,
    /// True if a lost request may have left the machine. Ignores requests without a connection, and
    /// requests sent while the platform reported that it is offline. That report can be wrong, so
    /// the flag counts only if no response names an outcome.
    may_have_left: bool,
    reported: Option<Reported>,
}

impl Attempts {
    pub(crate) fn new(key: String) -> Self {
        Attempts {
            key,
            state: Lock::default(),
        }
    }

    /// Records the start of an attempt. If its future is dropped, the attempt stays under way: the
    /// gateway may have it.
    pub(crate) fn begin(&self) {
        self.state.with(|state| {
            state.is_sent = true;
            state.is_under_way = true;
        });
    }

    pub(crate) fn end(&self) {
        self.state.with(|state| state.is_under_way = false);
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.state.with(|state| state.is_lost)
    }

    /// Records the failure of an attempt. Returns true if the create may be repeated. The gateway
    /// never repeats a create with an unknown outcome, so a repetition by the client would get the
    /// same response. If only the connection to its ledger failed, the ledger has the outcome.
    pub(crate) fn note_failure(&self, reported: Option<Reported>, never_left: bool) -> bool {
        let is_lost = match reported {
            Some(reported) => reported.outcome == Outcome::Unknown,
            None => true,
        };
        self.state.with(|state| {
            state.is_lost |= is_lost;
            state.may_have_left |= is_lost && !never_left;
        });
        !is_lost || reported.is_none_or(|reported| reported.is_in_ledger)
    }

    pub(crate) fn note_reported(&self, reported: Option<Reported>) {
        self.state.with(|state| state.reported = reported);
    }

    pub(crate) fn note_never_left(&self) {
        self.state.with(|state| state.may_have_left = false);
    }

    /// Adds the outcome to the error of the create, and the key if a request was sent.
    pub(crate) fn explain<P: Platform>(&self, mut error: Error<P>) -> Error<P> {
        let state = self.state.with(|state| *state);
        let outcome = match state.reported {
            _ if !state.is_sent => Outcome::NotSent,
            // A refusal from before the ledger is only about its own attempt. After a lost attempt,
            // only an outcome of the ledger is about the create.
            Some(reported) if !state.is_lost || reported.is_of_ledger() => reported.outcome,
            _ if !state.may_have_left && !state.is_under_way => Outcome::NotSent,
            _ => Outcome::Unknown,
        };
        error.outcome = Some(outcome);
        error.idempotency_key = state.is_sent.then(|| self.key.clone());
        if outcome == Outcome::Unknown {
            error.message.push_str("; it may have cost credits");
            error.hints.push(Hint::RepeatCreate);
        }
        error
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported {
    pub(crate) outcome: Outcome,
    /// True if the response names the outcome, which then covers all attempts. Otherwise the
    /// outcome follows from the code, and covers one attempt.
    pub(crate) is_named: bool,
    /// True if the outcome is unknown only because the gateway did not reach its ledger. The ledger
    /// has the outcome.
    pub(crate) is_in_ledger: bool,
}

impl Reported {
    pub(crate) fn read<V: Value>(envelope: &Envelope<V>) -> Self {
        let data = envelope.data.as_ref();
        let stated = data.and_then(|data| data.get("outcome"));
        let named = stated.as_ref().and_then(outcome_named);
        let cause = data.and_then(|data| data.get("cause"));
        Reported {
            outcome: match stated {
                // An outcome of a newer gateway may have cost credits.
                Some(_) => named.unwrap_or(Outcome::Unknown),
                None => envelope.code.outcome(),
            },
            is_named: named.is_some(),
            is_in_ledger: cause.is_some_and(|cause| cause.is("ledger")),
        }
    }

    fn is_of_ledger(self) -> bool {
        self.is_named && self.outcome != Outcome::NotSent
    }
}

fn outcome_named<V: Value>(name: &V) -> Option<Outcome> {
    let mut outcomes = [Outcome::NotSent, Outcome::Rejected, Outcome::Unknown].into_iter();
    outcomes.find(|outcome| name.is(outcome.name()))
}
