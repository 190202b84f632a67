//! A caller with a valid token.

use mediagate_core::{Capability, Reason};

use super::{Assets, Budget, Scope, Subject};
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
    /// Assets that it may use by the upstream's own ids.
    pub assets: Assets,
    /// When the token expires, in seconds since 1970; infinite where there is none.
    pub until: f64,
    /// When the token was issued, in seconds since 1970; `None` where there is none.
    pub issued_at: Option<f64>,
    /// The token's own id, its `jti`, where it has one.
    pub token_id: Option<String>,
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
        Err(Refusal::new(Reason::Scope, message).with("capability", name))
    }

    /// Requires that the scope allows uploads.
    ///
    /// # Errors
    /// 403, code 13, reason `scope`.
    pub fn authorize_upload(&self) -> Result<(), Refusal> {
        match self.scope.allows_upload() {
            true => Ok(()),
            false => Err(Refusal::new(
                Reason::Scope,
                "the session token's scope does not allow upload",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::CAPABILITIES;

    #[test]
    fn a_caller_may_do_what_its_scope_names_and_nothing_else() {
        let of = |scope: &str| Caller {
            subject: Subject::default(),
            scope: Scope::new(scope),
            budget: Budget::default(),
            watch: false,
            assets: Assets::default(),
            until: f64::INFINITY,
            issued_at: None,
            token_id: None,
        };
        for capability in CAPABILITIES {
            assert_eq!(of(capability.name()).authorize(capability), Ok(()));
            let refusal = of("upload")
                .authorize(capability)
                .expect_err("it is not in the scope");
            assert_eq!(
                (refusal.status, &refusal.data["reason"]),
                (403, &"scope".into())
            );
            assert_eq!(refusal.data["capability"], capability.name());
        }
        assert_eq!(of("upload").authorize_upload(), Ok(()));
        let refusal = of("generate:* process:*")
            .authorize_upload()
            .expect_err("it is not in the scope");
        assert_eq!(
            (refusal.status, &refusal.data["reason"]),
            (403, &"scope".into())
        );
    }
}
