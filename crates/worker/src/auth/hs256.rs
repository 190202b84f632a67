//! HMAC with SHA-256: the algorithm of the app's backend and of this gateway's anonymous sessions.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::token::Token;
use crate::crypto::Secret;

/// The algorithm's name in a token's header.
pub(super) const NAME: &str = "HS256";

/// Whether one of the keys made the token's signature; compares in constant time.
pub(super) fn verifies(keys: &[Secret], token: &Token) -> bool {
    keys.iter()
        .any(|it| has_signed(it.expose().as_bytes(), token))
}

fn has_signed(key: &[u8], token: &Token) -> bool {
    mac(key, &token.signed).is_some_and(|it| it.verify_slice(&token.signature).is_ok())
}

/// A token with these claims, signed with a key.
pub(super) fn sign(key: &Secret, claims: &Value) -> String {
    let part = |it: &str| URL_SAFE_NO_PAD.encode(it);
    let signed = format!(
        "{}.{}",
        part(r#"{"alg":"HS256","typ":"JWT"}"#),
        part(&claims.to_string())
    );
    let signature = mac(key.expose().as_bytes(), &signed)
        .map(|it| URL_SAFE_NO_PAD.encode(it.finalize().into_bytes()));
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

    /// Vectors with another result here: file, number and reason.
    const DEVIATIONS: [(TestName, u64, &str); 9] = [
        (
            JsonWebSignature,
            367,
            "the same token as 357, which is valid: its padding was lost",
        ),
        (
            JsonWebSignature,
            370,
            "the same token as 357, which is valid: its padding was lost",
        ),
        (
            JsonWebSignature,
            372,
            "valid to a reader who skips what is no base64, which we do not",
        ),
        (
            JsonWebSignature,
            373,
            "valid to a reader who skips what is no base64, which we do not",
        ),
        (
            JsonWebCrypto,
            47,
            "a set that mixes shared and public keys; ours are two settings",
        ),
        (
            JsonWebKey,
            1,
            "a set that mixes shared and public keys; ours are two settings",
        ),
        (
            JsonWebKey,
            4,
            "two keys with one id; ours have none, each is tried",
        ),
        (
            JsonWebKey,
            10,
            "31 bytes of key; SESSION_SECRET refuses fewer than 32 at start",
        ),
        (
            JsonWebKey,
            16,
            "an empty key; SESSION_SECRET refuses fewer than 32 bytes at start",
        ),
    ];

    /// The HS256 keys of a group of vectors, which has one key or a set of them.
    fn keys(group: &Value) -> Vec<Vec<u8>> {
        let private = &group["private"];
        let set = private["keys"]
            .as_array()
            .map_or(std::slice::from_ref(private), Vec::as_slice);
        let ours = set
            .iter()
            .filter(|it| it["kty"] == "oct" && it["alg"] == NAME);
        ours.filter_map(|it| URL_SAFE_NO_PAD.decode(it["k"].as_str()?).ok())
            .collect()
    }

    fn is_accepted(token: &str, keys: &[Vec<u8>]) -> bool {
        Token::parse(token)
            .is_some_and(|it| it.algorithm == NAME && keys.iter().any(|key| has_signed(key, &it)))
    }

    /// Wycheproof's vectors for HS256. Their payloads are no claims, so this is the signature's part of the decision.
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
                for (test, token) in tests.filter_map(|it| Some((it, it["jws"].as_str()?))) {
                    let number = test["tcId"].as_u64().expect("a number");
                    let deviates = DEVIATIONS.iter().any(|it| (it.0, it.1) == (name, number));
                    let agrees = is_accepted(token, &keys) == (test["result"] == "valid");
                    assert_eq!(agrees, !deviates, "{name:?} {number}: {}", test["comment"]);
                    decided += 1;
                }
            }
        }
        assert_eq!(decided, 66, "no vector is skipped");
    }
}
