//! Session tokens for pages that have no backend of their own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use super::hs256::sign;
use super::verifier::{ANONYMOUS_PREFIX, Verifier};
use crate::crypto::{Secret, derive_key, hash};

/// Lifetime of an anonymous token, in seconds.
const LIFETIME_S: u32 = 900;
/// How long after its expiry a token can be exchanged for a new one of the same subject, in seconds: 30 days.
const MAX_RENEWAL_AGE_S: f64 = 30.0 * 86_400.0;
/// How long a subject can be renewed after it was made, in seconds: 90 days.
const MAX_SUBJECT_AGE_S: f64 = 90.0 * 86_400.0;
/// The claim for when the subject was made, in seconds since 1970 (OpenID Connect: when the user was authenticated).
const SINCE: &str = "auth_time";

/// Issues anonymous tokens, signed with a key that no app's backend holds: a token that only claims to be anonymous
/// fails verification.
pub struct AnonymousIssuer {
    key: Secret,
    audience: String,
    scope: String,
}

impl AnonymousIssuer {
    /// The keys of anonymous tokens, derived from the first two of these secrets, the current one first.
    pub fn keys(secrets: &[Secret]) -> Vec<Secret> {
        let encode = |it: &Secret| {
            Secret::new(URL_SAFE_NO_PAD.encode(derive_key(it, b"mediagate anonymous session")))
        };
        secrets.iter().take(2).map(encode).collect()
    }

    /// An issuer that signs with a key, for an audience, with a scope.
    pub fn new(key: Secret, audience: String, scope: String) -> Self {
        AnonymousIssuer {
            key,
            audience,
            scope,
        }
    }

    /// Returns a token and its lifetime in seconds. The subject and the token's id are the previous token's, if that is one of
    /// this gateway's, expired at most 30 days ago, and its subject is at most 90 days old. Otherwise they are new, made of the
    /// random bytes. `now` is in seconds since 1970.
    pub fn issue(
        &self,
        verifier: &Verifier,
        previous: Option<&str>,
        random: [u8; 16],
        now: f64,
    ) -> (String, u32) {
        let new = || Session {
            subject: [ANONYMOUS_PREFIX, &URL_SAFE_NO_PAD.encode(random)].concat(),
            token_id: token_id(&random),
            since: now,
        };
        let session = previous
            .and_then(|token| renewable(verifier, token, &random, now))
            .unwrap_or_else(new);
        let issued = now as u64;
        let claims = json!({
            "sub": session.subject, "aud": self.audience, "scope": self.scope, SINCE: session.since as u64,
            "jti": session.token_id, "iat": issued, "exp": issued + u64::from(LIFETIME_S),
        });
        (sign(&self.key, &claims), LIFETIME_S)
    }
}

/// An anonymous session, which tokens renew.
struct Session {
    subject: String,
    /// The id of its tokens: all of them are revoked together.
    token_id: String,
    /// When the subject was made, in seconds since 1970.
    since: f64,
}

/// Returns the id of a new session's tokens. A hash, since the subject has the random bytes, and is no secret.
fn token_id(random: &[u8; 16]) -> String {
    hash(&["token", &URL_SAFE_NO_PAD.encode(random)])
}

/// Returns the session of a token that may be renewed.
fn renewable(verifier: &Verifier, token: &str, random: &[u8; 16], now: f64) -> Option<Session> {
    let claims = verifier.own_claims(token)?;
    let since = claims.number(SINCE).or_else(|| claims.number("iat"))?;
    let expired_lately = claims
        .number("exp")
        .is_some_and(|expiry| now < expiry + MAX_RENEWAL_AGE_S);
    let subject = claims
        .text("sub")
        .filter(|subject| subject.starts_with(ANONYMOUS_PREFIX))?
        .to_owned();
    let token_id = claims
        .text("jti")
        .map_or_else(|| token_id(random), str::to_owned);
    (expired_lately && now < since + MAX_SUBJECT_AGE_S).then_some(Session {
        subject,
        token_id,
        since,
    })
}
