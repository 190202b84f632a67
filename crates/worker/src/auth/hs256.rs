//! HMAC with SHA-256, which signs the tokens of the app's backend and of anonymous sessions.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use mediagate_access::crypto::Secret;
use serde_json::Value;
use sha2::Sha256;

use super::token::Token;

pub(super) const NAME: &str = "HS256";

/// Returns true if one of the keys made the signature. Compares in constant time.
pub(super) fn verifies(keys: &[Secret], token: &Token) -> bool {
    keys.iter()
        .any(|key| has_signed(key.expose().as_bytes(), token))
}

fn has_signed(key: &[u8], token: &Token) -> bool {
    // `verify_slice` takes equally long for every wrong signature, which gives no hint.
    mac(key, &token.signed).is_some_and(|mac| mac.verify_slice(&token.signature).is_ok())
}

pub(super) fn sign(key: &Secret, claims: &Value) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let signature = mac(key.expose().as_bytes(), &signed)
        .map(|mac| URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()));
    // HMAC takes keys of any length, so there is always a signature.
    format!("{signed}.{}", signature.unwrap_or_default())
}

fn mac(key: &[u8], signed: &str) -> Option<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof_ng_kdf_jose::json_web::TestName::{
        self, JsonWebCrypto, JsonWebKey, JsonWebSignature,
    };

    /// The vectors that this gateway decides differently: file and number.
    const DEVIATIONS: [(TestName, u64); 9] = [
        // Equal to 357, which is valid, since their padding was lost.
        (JsonWebSignature, 367),
        (JsonWebSignature, 370),
        // Valid for a parser that skips characters outside base64; ours refuses them.
        (JsonWebSignature, 372),
        (JsonWebSignature, 373),
        // A set that mixes shared and public keys, which are two settings here.
        (JsonWebCrypto, 47),
        (JsonWebKey, 1),
        // Two keys with one id; shared keys have no id here, so each is tried.
        (JsonWebKey, 4),
        // Keys of 31 bytes and of none; SESSION_SECRET must have 32.
        (JsonWebKey, 10),
        (JsonWebKey, 16),
    ];

    /// A group has one key or a set of keys.
    fn keys(group: &Value) -> Vec<Vec<u8>> {
        let private = &group["private"];
        let set = private["keys"]
            .as_array()
            .map_or(std::slice::from_ref(private), Vec::as_slice);
        let ours = set
            .iter()
            .filter(|key| key["kty"] == "oct" && key["alg"] == NAME);
        ours.filter_map(|key| URL_SAFE_NO_PAD.decode(key["k"].as_str()?).ok())
            .collect()
    }

    fn is_accepted(token: &str, keys: &[Vec<u8>]) -> bool {
        Token::parse(token).is_some_and(|token| {
            token.algorithm == NAME && keys.iter().any(|key| has_signed(key, &token))
        })
    }

    // The payloads of Wycheproof's vectors are no claims, so only signatures are checked.
    #[test]
    fn the_published_vectors_are_decided_as_published() {
        let mut decided = 0;
        for name in [JsonWebSignature, JsonWebCrypto, JsonWebKey] {
            let file: Value = serde_json::from_str(name.json_data()).expect("JSON");
            for group in file["testGroups"].as_array().expect("groups") {
                let keys = keys(group);
                let tests = group["tests"]
                    .as_array()
                    .expect("tests")
                    .iter()
                    .filter(|_| !keys.is_empty());
                for (test, token) in tests.filter_map(|test| Some((test, test["jws"].as_str()?))) {
                    let number = test["tcId"].as_u64().expect("a number");
                    let deviates = DEVIATIONS.contains(&(name, number));
                    let agrees = is_accepted(token, &keys) == (test["result"] == "valid");
                    assert_eq!(agrees, !deviates, "{name:?} {number}: {}", test["comment"]);
                    decided += 1;
                }
            }
        }
        assert_eq!(decided, 66, "no vector is skipped");
    }
}
