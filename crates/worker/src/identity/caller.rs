//! A caller with a valid token.

use mediagate_core::Capability;

use super::{Budget, Scope, Subject};
use crate::refusal::Refusal;

/// A caller with a valid token.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whom the token names.
    pub subject: Subject,
    /// Which capabilities it may use.
    pub scope: Scope,
    /// How many tasks it may create.
    pub budget: Budget,
    /// Whether its tasks are watched to their end without a subscriber: their slots are freed, and the end is stored.
    pub watch: bool,
    /// When the token expires, in seconds since 1970; infinite where there is none.
    pub until: f64,
}

impl Caller {
    /// Requires that the scope allows a capability.
    ///
    /// # Errors
    /// 403, code 13, reason `scope`, with `data.capability`.
    pub fn authorize(&self, capability: &Capability) -> Result<(), Refusal> {
        if self.scope.allows(capability) {
            return Ok(());
        }
        let name = capability.name();
        let message = format!("the session token's scope does not allow {name}");
        Err(Refusal::forbidden("scope", message).with("capability", name))
    }

    /// Requires that the scope allows uploads.
    ///
    /// # Errors
    /// 403, code 13, reason `scope`.
    pub fn authorize_upload(&self) -> Result<(), Refusal> {
        match self.scope.allows_upload() {
            true => Ok(()),
            false => Err(Refusal::forbidden("scope", "the session token's scope does not allow upload")),
        }
    }
}
