//! HMAC with SHA-256: the keys of the app's backend, and of this gateway's anonymous sessions.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::token::Token;
use crate::Secret;

/// The name of the algorithm, the one that these keys take.
pub(super) const NAME: &str = "HS256";

/// Whether one of the keys made the token's signature; compares in constant time.
pub(super) fn verifies(keys: &[Secret], token: &Token) -> bool {
    keys.iter().any(|it| mac(it, &token.signed).is_some_and(|it| it.verify_slice(&token.signature).is_ok()))
}

/// A token with these claims, signed with a key.
pub(super) fn sign(key: &Secret, claims: &Value) -> String {
    let part = |it: &str| URL_SAFE_NO_PAD.encode(it);
    let signed = format!("{}.{}", part(r#"{"alg":"HS256","typ":"JWT"}"#), part(&claims.to_string()));
    let signature = mac(key, &signed).map(|it| URL_SAFE_NO_PAD.encode(it.finalize().into_bytes()));
    format!("{signed}.{}", signature.unwrap_or_default())
}

fn mac(key: &Secret, signed: &str) -> Option<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.expose().as_bytes()).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}
