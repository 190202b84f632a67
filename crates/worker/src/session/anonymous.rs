//! Sessions for pages that have no backend of their own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use super::hs256::sign;
use super::verifier::{ANONYMOUS_NAME, Verifier};
use crate::Secret;
use crate::seal::derive;

/// Life of an anonymous token, in seconds.
const LIFE: u32 = 900;
/// How long after its end a token still names its subject for a new one, in seconds: 30 days.
const RENEWABLE: f64 = 30.0 * 86_400.0;

/// Issues anonymous tokens, under a key that no app's backend holds: a token that only claims to be anonymous has
/// another signature.
pub struct Anonymous {
    key: Secret,
    audience: String,
    scope: String,
}

impl Anonymous {
    /// Keys for anonymous tokens, one of each of these secrets.
    pub fn keys(secrets: &[Secret]) -> Vec<Secret> {
        let encode = |it: &Secret| Secret::new(URL_SAFE_NO_PAD.encode(derive(it, b"mediagate anonymous session")));
        secrets.iter().take(2).map(encode).collect()
    }

    /// An issuer that signs with a key, for an audience, with a scope.
    pub fn new(key: Secret, audience: String, scope: String) -> Self {
        Anonymous { key, audience, scope }
    }

    /// A token and its life in seconds. The subject is the previous token's, where that is one of ours and not too old;
    /// otherwise a new one, made of the given random bytes.
    pub fn issue(&self, verifier: &Verifier, previous: Option<&str>, random: [u8; 16], now: f64) -> (String, u32) {
        let kept = previous.and_then(|it| renewable(verifier, it, now));
        let subject = kept.unwrap_or_else(|| [ANONYMOUS_NAME, &URL_SAFE_NO_PAD.encode(random)].concat());
        let issued = now as u64;
        let claims = json!({
            "sub": subject, "aud": self.audience, "scope": self.scope,
            "iat": issued, "exp": issued + u64::from(LIFE),
        });
        (sign(&self.key, &claims), LIFE)
    }
}

fn renewable(verifier: &Verifier, token: &str, now: f64) -> Option<String> {
    let claims = verifier.own_claims(token)?;
    let fresh = claims.number("exp").is_some_and(|it| now < it + RENEWABLE);
    let subject = claims.text("sub").filter(|it| it.starts_with(ANONYMOUS_NAME))?;
    fresh.then(|| subject.to_owned())
}
