use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

use super::Secret;

/// The SHA-256 of some strings in hexadecimal. Each is hashed with its length, so no two lists have
/// the same input.
pub fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

pub(super) fn hmac_sha256(key: &[u8], message: &str) -> Vec<u8> {
    // HMAC takes keys of any length, so this can't fail.
    <Hmac<Sha256> as KeyInit>::new_from_slice(key).map_or_else(
        |_| Vec::new(),
        |mac| mac.chain_update(message).finalize().into_bytes().to_vec(),
    )
}

/// Derives a key for one purpose from a secret, by HMAC-SHA512.
pub fn derive_key(secret: &Secret, purpose: &[u8]) -> [u8; 64] {
    // HMAC takes keys of any length, so this can't fail. No caller has an all-zero key.
    let Ok(mut mac) = <Hmac<Sha512> as KeyInit>::new_from_slice(secret.expose().as_bytes()) else {
        return [0; 64];
    };
    mac.update(purpose);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_sha_256_in_hexadecimal_over_each_part_and_its_length() {
        // The hash of nothing is from FIPS 180-4. Python's hashlib computed the second hash.
        assert_eq!(
            hash(&[]),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            hash(&["a", "é"]),
            "9ad218bf27a0c264888ffe9e81250279bec06d245b5fc445965a7a257031da81"
        );
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }

    #[test]
    fn a_key_is_derived_by_hmac_sha_512() {
        // RFC 4231, test case 2.
        let key = derive_key(&Secret::new("Jefe"), b"what do ya want for nothing?");
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = [
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554",
            "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ];
        assert_eq!(hex, expected.concat());
    }
}
