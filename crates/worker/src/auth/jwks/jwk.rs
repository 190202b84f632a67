//! A published key (RFC 7517) and its algorithm.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::auth::token::Token;

pub(super) const ALGORITHMS: [&str; 3] = ["ES256", "EdDSA", "RS256"];

/// The shortest RSA modulus: 2048 bits.
const MIN_MODULUS_BYTES: usize = 256;
const SMALL_PRIMES: [u32; 38] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];
const MAX_KEYS: usize = 32;

/// A public key for verifying, with only the members that define it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Jwk {
    pub(super) key_id: String,
    pub(super) algorithm: &'static str,
    pub(super) members: Map<String, Value>,
}

impl Jwk {
    /// Returns true if a token claims to be signed with this key. A token without a key id may be
    /// signed with any key.
    pub(super) fn fits(&self, token: &Token) -> bool {
        self.algorithm == token.algorithm
            && (token.key_id.is_empty() || token.key_id == self.key_id)
    }

    /// Reads a key set. Ignores keys that can't verify. Returns `None` if the document is not a key
    /// set.
    pub(super) fn set(document: &Value) -> Option<Vec<Self>> {
        Some(
            document
                .get("keys")?
                .as_array()?
                .iter()
                .take(MAX_KEYS)
                .filter_map(Jwk::read)
                .collect(),
        )
    }

    fn read(key: &Value) -> Option<Self> {
        let text = |name: &str| key.get(name).and_then(Value::as_str);
        let verifies = match key.get("key_ops") {
            Some(Value::Array(uses)) => uses.iter().any(|operation| operation == "verify"),
            Some(_) => false,
            None => true,
        };
        let (algorithm, names): (_, &[&str]) = match (text("kty")?, text("crv")) {
            ("EC", Some("P-256")) => ("ES256", &["kty", "crv", "x", "y"]),
            ("OKP", Some("Ed25519")) => ("EdDSA", &["kty", "crv", "x"]),
            ("RSA", None) if is_strong(&URL_SAFE_NO_PAD.decode(text("n")?).ok()?) => {
                ("RS256", &["kty", "n", "e"])
            }
            _ => return None,
        };
        let pinned = text("alg")
            .is_none_or(|alg| alg == algorithm || (algorithm == "EdDSA" && alg == "Ed25519"));
        let signs = text("use").is_none_or(|purpose| purpose == "sig");
        if !verifies || !pinned || !signs {
            return None;
        }
        // Only these members are imported. A private key in the set stays out of the gateway.
        let mut members = Map::new();
        for name in names {
            members.insert((*name).to_owned(), Value::from(text(name)?));
        }
        Some(Jwk {
            key_id: text("kid").unwrap_or_default().to_owned(),
            algorithm,
            members,
        })
    }
}

/// Returns false for a modulus that is too short, or vulnerable to ROCA (CVE-2017-15361). Some
/// chips generate a modulus that can be factored: a power of 65537 modulo every small prime. Of
/// other moduli, one in millions is, and is refused, too.
fn is_strong(modulus: &[u8]) -> bool {
    let length = modulus.iter().skip_while(|byte| **byte == 0).count();
    let mut primes = SMALL_PRIMES.iter();
    length >= MIN_MODULUS_BYTES && !primes.all(|prime| is_power_of_65537(modulus, *prime))
}

/// Returns true if the modulus is a power of 65537 modulo a prime.
fn is_power_of_65537(modulus: &[u8], prime: u32) -> bool {
    let mut rest = 0;
    for byte in modulus {
        rest = (rest * 256 + u32::from(*byte)) % prime;
    }
    let mut power = 1;
    for _ in 0..prime {
        if power == rest {
            return true;
        }
        power = power * 65537 % prime;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_public_keys_for_verifying_are_read() {
        let n = URL_SAFE_NO_PAD.encode([255; 256]);
        let padded = URL_SAFE_NO_PAD.encode([[0; 200], [255; 200]].concat());
        let keys = json!({"keys": [
            {"kty": "EC", "crv": "P-256", "x": "a", "y": "b", "kid": "1", "d": "private"},
            {"kty": "OKP", "crv": "Ed25519", "x": "a", "use": "sig"},
            {"kty": "RSA", "n": n, "e": "AQAB", "alg": "RS256", "kid": "3"},
            {"kty": "RSA", "n": "AQAB", "e": "AQAB"},
            {"kty": "RSA", "n": n, "e": "AQAB", "alg": "RS512"},
            {"kty": "RSA", "n": padded, "e": "AQAB"},
            {"kty": "RSA", "n": n, "e": "AQAB", "use": "enc"},
            {"kty": "oct", "k": "AAAA", "alg": "HS256"},
            {"kty": "EC", "crv": "P-384", "x": "a", "y": "b"},
            {"kty": "EC", "crv": "P-256", "x": "a"},
            {"kty": "OKP", "crv": "Ed25519", "x": "a", "key_ops": ["sign"]},
            {
                "kty": "OKP", "crv": "Ed25519", "x": "a", "alg": "Ed25519",
                "key_ops": ["verify"], "kid": "2",
            },
            {"kty": "OKP", "crv": "Ed25519", "x": "a", "alg": "ES256"},
            {"kty": "EC", "crv": "P-256", "x": "a", "y": "b", "alg": "Ed25519"}, {}, 7, null,
        ]});
        let found = Jwk::set(&keys).expect("a set");
        let shown: Vec<_> = found
            .iter()
            .map(|key| (key.key_id.as_str(), key.algorithm, key.members.len()))
            .collect();
        assert_eq!(
            shown,
            [
                ("1", "ES256", 4),
                ("", "EdDSA", 3),
                ("3", "RS256", 3),
                ("2", "EdDSA", 3)
            ]
        );
        assert!(found.iter().all(|key| !key.members.contains_key("d")));
        assert_eq!(Jwk::set(&json!({"keys": {}})), None);
    }

    #[test]
    fn a_key_fits_the_tokens_that_name_it_or_none() {
        let keys = json!({"keys": [{"kty": "EC", "crv": "P-256", "x": "a", "y": "b", "kid": "1"}]});
        let key = Jwk::set(&keys).expect("a set").remove(0);
        let fits = |header: Value| {
            let header = URL_SAFE_NO_PAD.encode(header.to_string());
            key.fits(&Token::parse(&format!("{header}.e30.AA")).expect("well-formed"))
        };
        assert!(fits(json!({"alg": "ES256"})));
        assert!(fits(json!({"alg": "ES256", "kid": "1"})));
        assert!(!fits(json!({"alg": "ES256", "kid": "2"})));
        assert!(!fits(json!({"alg": "EdDSA", "kid": "1"})));
        assert!(!fits(json!({"alg": "EdDSA"})));
    }

    #[test]
    fn a_power_of_65537_is_no_modulus() {
        // n * 65537 is n * 65536 + n.
        let times = |bytes: Vec<u8>| {
            let shifted = [&bytes[..], &[0, 0]].concat();
            let extended = [&[0, 0], &bytes[..]].concat();
            let mut carry = 0;
            let sums = shifted.iter().zip(&extended).rev().map(|(one, two)| {
                carry = u16::from(*one) + u16::from(*two) + (carry >> 8);
                carry as u8
            });
            let mut product: Vec<_> = sums.collect();
            product.reverse();
            product
        };
        let mut weak = (0..130).fold(vec![0, 1], |power, _| times(power));
        assert!(!is_strong(&weak));
        weak[100] ^= 2;
        assert!(is_strong(&weak), "it is long enough, and no power");
    }
}
