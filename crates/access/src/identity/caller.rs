use mediagate_core::{Capability, Reason};

use super::{Assets, Budget, Scope, Subject, ValueLimits};
use crate::refusal::Refusal;

/// A caller with a valid token.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The subject of the token.
    pub subject: Subject,
    /// The capabilities that the caller may use.
    pub scope: Scope,
    /// The limits on the caller's tasks.
    pub budget: Budget,
    /// The limits on the values of the caller's creates.
    pub limits: ValueLimits,
    /// True if the caller's tasks are watched to their end without a subscriber, so that slots are
    /// freed and ends are stored.
    pub watch: bool,
    /// The assets that the caller may use by the upstream's own ids.
    pub assets: Assets,
    /// The expiry of the token, in seconds since 1970. Infinite without a token.
    pub until: f64,
    /// The time at which the token was issued, in seconds since 1970. `None` without a token.
    pub issued_at: Option<f64>,
    /// The token's own id, its `jti`, if it has one.
    pub token_id: Option<String>,
}

impl Caller {
    /// Refuses with 403, code 13, reason `scope`, and `data.capability`.
    pub fn authorize(&self, capability: &Capability) -> Result<(), Refusal> {
        if self.scope.allows(capability) {
            return Ok(());
        }
        let name = capability.name();
        let message = format!("the session token's scope does not allow {name}");
        Err(Refusal::new(Reason::Scope, message).with("capability", name))
    }

    /// Refuses with 403, code 13, reason `scope`.
    pub fn authorize_upload(&self) -> Result<(), Refusal> {
        if self.scope.allows_upload() {
            return Ok(());
        }
        let message = "the session token's scope does not allow upload";
        Err(Refusal::new(Reason::Scope, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::CAPABILITIES;

    #[test]
    fn a_caller_may_do_only_what_its_scope_names() {
        let of = |scope: &str| Caller {
            subject: Subject::default(),
            scope: Scope::new(scope),
            budget: Budget::default(),
            limits: ValueLimits::default(),
            watch: false,
            assets: Assets::default(),
            until: f64::INFINITY,
            issued_at: None,
            token_id: None,
        };
        let assert_refused = |refused: Result<(), Refusal>| {
            let refusal = refused.expect_err("it is not in the scope");
            assert_eq!((refusal.status, refusal.is(Reason::Scope)), (403, true));
            refusal
        };
        for capability in CAPABILITIES {
            assert_eq!(of(capability.name()).authorize(capability), Ok(()));
            let refusal = assert_refused(of("upload").authorize(capability));
            assert_eq!(refusal.data["capability"], capability.name());
        }
        assert_eq!(of("upload").authorize_upload(), Ok(()));
        assert_refused(of("generate:* process:*").authorize_upload());
    }
}
