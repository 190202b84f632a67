//! Session tokens for pages that have no backend of their own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use super::hs256::sign;
use super::verifier::{ANONYMOUS_PREFIX, Verifier};
use crate::crypto::{Secret, derive_key};

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
        let encode = |it: &Secret| Secret::new(URL_SAFE_NO_PAD.encode(derive_key(it, b"mediagate anonymous session")));
        secrets.iter().take(2).map(encode).collect()
    }

    /// An issuer that signs with a key, for an audience, with a scope.
    pub fn new(key: Secret, audience: String, scope: String) -> Self {
        AnonymousIssuer { key, audience, scope }
    }

    /// A token and its lifetime in seconds. The subject is the previous token's, where that is one of this gateway's,
    /// expired at most 30 days ago, and its subject is at most 90 days old; otherwise a new one, made of the random bytes.
    /// `now` is in seconds since 1970.
    pub fn issue(&self, verifier: &Verifier, previous: Option<&str>, random: [u8; 16], now: f64) -> (String, u32) {
        let renewed = previous.and_then(|it| renewable_subject(verifier, it, now));
        let new = || ([ANONYMOUS_PREFIX, &URL_SAFE_NO_PAD.encode(random)].concat(), now);
        let (subject, since) = renewed.unwrap_or_else(new);
        let issued = now as u64;
        let claims = json!({
            "sub": subject, "aud": self.audience, "scope": self.scope, SINCE: since as u64,
            "iat": issued, "exp": issued + u64::from(LIFETIME_S),
        });
        (sign(&self.key, &claims), LIFETIME_S)
    }
}

/// The subject of a token that may be renewed, and since when there is that subject.
fn renewable_subject(verifier: &Verifier, token: &str, now: f64) -> Option<(String, f64)> {
    let claims = verifier.own_claims(token)?;
    let since = claims.number(SINCE).or_else(|| claims.number("iat"))?;
    let expired_lately = claims.number("exp").is_some_and(|it| now < it + MAX_RENEWAL_AGE_S);
    let subject = claims.text("sub").filter(|it| it.starts_with(ANONYMOUS_PREFIX))?;
    (expired_lately && now < since + MAX_SUBJECT_AGE_S).then(|| (subject.to_owned(), since))
}
