//! Session tokens for pages that have no backend of their own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mediagate_access::crypto::{Secret, derive_key, hash};
use mediagate_core::claims::ANONYMOUS_PREFIX;
use serde_json::json;

use super::hs256::sign;
use super::verifier::Verifier;

const LIFETIME_S: u32 = 900;
/// The time after its expiry within which a token can be renewed: 30 days.
const MAX_RENEWAL_AGE_S: f64 = 30.0 * 86_400.0;
/// The time after its creation within which a subject can be renewed: 90 days.
const MAX_SUBJECT_AGE_S: f64 = 90.0 * 86_400.0;
/// The claim with the time at which the subject was created, in seconds since 1970. In OpenID
/// Connect, it is the time at which the user was authenticated.
const SINCE: &str = "auth_time";

/// Issues anonymous tokens. Signs with a key that no app's backend has, so a backend can't issue a
/// token with an anonymous subject.
pub struct AnonymousIssuer {
    key: Secret,
    audience: String,
    scope: String,
}

impl AnonymousIssuer {
    /// Derives the keys of anonymous tokens from the first two secrets, in their order. The first
    /// secret is the current one.
    pub fn keys(secrets: &[Secret]) -> Vec<Secret> {
        // With the previous key, sessions survive a change of the secret.
        secrets.iter().take(2).map(anonymous_key).collect()
    }

    /// Returns an issuer that signs with `key`. Its tokens have this audience and scope.
    pub fn new(key: Secret, audience: String, scope: String) -> Self {
        AnonymousIssuer {
            key,
            audience,
            scope,
        }
    }

    /// Returns a token and its lifetime in seconds. The token continues the session of `previous`
    /// if this gateway issued that token, it expired at most 30 days ago, and its subject is at
    /// most 90 days old. Otherwise the subject and the token's id are new, made of `random`. `now`
    /// is in seconds since 1970.
    pub fn issue(
        &self,
        verifier: &Verifier,
        previous: Option<&str>,
        random: [u8; 16],
        now: f64,
    ) -> (String, u32) {
        let renewed = previous.and_then(|token| renewable(verifier, token, &random, now));
        let session = renewed.unwrap_or_else(|| Session {
            subject: [ANONYMOUS_PREFIX, &URL_SAFE_NO_PAD.encode(random)].concat(),
            token_id: token_id(&random),
            since: now,
        });
        let issued = now as u64;
        let claims = json!({
            "sub": session.subject,
            "aud": self.audience,
            "scope": self.scope,
            SINCE: session.since as u64,
            "jti": session.token_id,
            "iat": issued,
            "exp": issued + u64::from(LIFETIME_S),
        });
        (sign(&self.key, &claims), LIFETIME_S)
    }
}

fn anonymous_key(secret: &Secret) -> Secret {
    let key = derive_key(secret, b"mediagate anonymous session");
    Secret::new(URL_SAFE_NO_PAD.encode(key))
}

struct Session {
    subject: String,
    /// The id of all tokens of the session, which are revoked together.
    token_id: String,
    /// In seconds since 1970.
    since: f64,
}

/// Returns a hash, since the subject contains the random bytes and is not secret.
fn token_id(random: &[u8; 16]) -> String {
    hash(&["token", &URL_SAFE_NO_PAD.encode(random)])
}

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
