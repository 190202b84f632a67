//! Hashes of lists of strings, and keys derived for one purpose.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

use super::Secret;

/// SHA-256 of some strings in hexadecimal. Each is hashed with its length, so no two lists have the same input.
pub(crate) fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digits = hash.finalize().into_iter().flat_map(|it| [it >> 4, it & 15]);
    digits.filter_map(|it| char::from_digit(it.into(), 16)).collect()
}

/// A key for one purpose, from a secret: HMAC-SHA512.
pub(crate) fn derive_key(secret: &Secret, purpose: &[u8]) -> [u8; 64] {
    // HMAC takes keys of any length, so this can't fail; an all-zero key is one that no caller has.
    let Ok(mut mac) = <Hmac<Sha512> as KeyInit>::new_from_slice(secret.expose().as_bytes()) else { return [0; 64] };
    mac.update(purpose);
    mac.finalize().into_bytes().into()
}
