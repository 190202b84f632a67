//! A create: its idempotency key, and what is known of its outcome.

use std::cell::Cell;

use mediagate_core::{Outcome, Value};

use super::error::Error;
use super::transport::is_header_value;
use crate::host;
use crate::value::Js;

/// The remedy for a create whose outcome is unknown.
const MAY_HAVE_COST: &str =
    "it may have cost credits: before creating anew, repeat it with error.idempotencyKey, which makes no second task";

/// What is known of a create, over all of its attempts.
#[derive(Default)]
pub struct Create {
    /// Its idempotency key: the gateway makes one task at most for it, however often it is sent.
    pub key: String,
    /// Whether any request of it was sent.
    pub sent: Cell<bool>,
    /// Whether the outcome of a request is unknown: the upstream may have accepted it.
    pub lost: Cell<bool>,
}

impl Create {
    /// A create with the options `{idempotencyKey}`. The default key is 32 random hexadecimal digits.
    ///
    /// # Errors
    /// `invalid_argument` for a key that is not a string of 1 to 255 visible ASCII characters, and where there is no key
    /// and the platform has no random numbers.
    pub fn new(options: &Js) -> Result<Self, Error> {
        let Some(key) = options.get("idempotencyKey") else {
            let key = host::random_key()
                .map_err(|cause| Error::argument("this platform has no crypto").with("cause", cause))?;
            return Ok(Create { key, ..Create::default() });
        };
        let key = key.text().filter(|it| is_header_value(it) && it.len() <= 255).map(Into::into);
        let key = key.ok_or_else(|| Error::argument("idempotencyKey is not 1 to 255 visible ASCII characters"))?;
        Ok(Create { key, ..Create::default() })
    }

    /// The error of this create, with its `outcome`, and with the key where a request was sent.
    pub fn explain(&self, error: Error) -> Error {
        let not_sent = Outcome::NotSent.name();
        if !self.sent.get() {
            return error.with("outcome", not_sent);
        }
        // After a lost attempt only the outcome that the gateway's ledger reports counts: an error from before the
        // ledger is about its own attempt alone.
        let known =
            if self.lost.get() { error.reported_outcome().filter(|it| it != not_sent) } else { error.outcome() };
        let outcome = known.as_deref().unwrap_or(Outcome::Unknown.name());
        let error = error.with("outcome", outcome).with("idempotencyKey", host::string(&self.key));
        if outcome == Outcome::Unknown.name() { error.with_remedy(MAY_HAVE_COST) } else { error }
    }
}
