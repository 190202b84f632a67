//! Seals ids. A sealed id is opaque, authenticated, and bound to its subject.
//!
//! AES-SIV (RFC 5297) is deterministic, so an id has one sealed form. It authenticates each of a
//! list of fields separately, so no two subjects collide, even with unusual characters.

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mediagate_access::crypto::{Secret, derive_key};
use mediagate_access::identity::Subject;
use mediagate_platform::Memo;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub const MAX_SEALED_LEN: usize = 8192;

/// The most cached ids in each direction. A client that follows a task sends its id again and
/// again.
const MAX_CACHED: usize = 2_000;
const MAX_CACHED_LEN: usize = 512;

pub struct Sealer {
    /// The current key, then the previous key if there is one, which only unseals.
    keys: Vec<[u8; 64]>,
    tenant: String,
    sealed: Memo<Vec<u8>, String>,
    unsealed: Memo<Vec<u8>, String>,
}

impl Sealer {
    /// Takes the first two secrets. The first is the current one.
    pub fn new(secrets: &[Secret], tenant: String) -> Self {
        Sealer {
            keys: secrets
                .iter()
                .take(2)
                .map(|secret| derive_key(secret, b"mediagate seal"))
                .collect(),
            tenant,
            sealed: Memo::new(MAX_CACHED),
            unsealed: Memo::new(MAX_CACHED),
        }
    }

    /// Seals an id of a kind, such as `generate task`, `file` or `asset`. Returns an empty text
    /// without a secret.
    pub fn seal(&self, subject: &Subject, kind: &str, id: &str) -> String {
        let sealed = cached(&self.sealed, subject, kind, id, || {
            let key = self.keys.first()?;
            let sealed = Aes256Siv::new(key.into())
                .encrypt(self.context(subject, kind), id.as_bytes())
                .ok()?;
            Some(URL_SAFE_NO_PAD.encode(sealed))
        });
        // Settings without a secret are refused at the start, so there is always a key.
        sealed.unwrap_or_default()
    }

    /// Returns `None` if the id is damaged, or sealed for another subject, kind or tenant.
    pub fn unseal(&self, subject: &Subject, kind: &str, sealed: &str) -> Option<String> {
        if sealed.len() > MAX_SEALED_LEN {
            return None;
        }
        cached(&self.unsealed, subject, kind, sealed, || {
            let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
            let decrypt = |key: &[u8; 64]| {
                Aes256Siv::new(key.into())
                    .decrypt(self.context(subject, kind), &bytes)
                    .ok()
            };
            String::from_utf8(self.keys.iter().find_map(decrypt)?).ok()
        })
    }

    /// Seals a value for everybody, as a part of a URL that a page loads without a token.
    pub(super) fn seal_for_all(&self, kind: &str, value: &impl Serialize) -> String {
        // Serialising strings and numbers into memory can't fail.
        let text = serde_json::to_string(value).unwrap_or_default();
        self.seal(&Subject::default(), kind, &text)
    }

    pub(super) fn unseal_for_all<T: DeserializeOwned>(
        &self,
        kind: &str,
        sealed: &str,
    ) -> Option<T> {
        serde_json::from_str(&self.unseal(&Subject::default(), kind, sealed)?).ok()
    }

    fn context<'a>(&'a self, subject: &'a Subject, kind: &'a str) -> [&'a [u8]; 6] {
        let fields = [
            // The version of this list.
            "mediagate 1",
            &self.tenant,
            kind,
            &subject.source,
            &subject.issuer,
            &subject.name,
        ];
        fields.map(str::as_bytes)
    }
}

fn cached(
    memo: &Memo<Vec<u8>, String>,
    subject: &Subject,
    kind: &str,
    id: &str,
    compute: impl FnOnce() -> Option<String>,
) -> Option<String> {
    // Callers choose the ids to unseal, and could fill the memory with long ones.
    if id.len() > MAX_CACHED_LEN {
        return compute();
    }
    let name = joined(&[kind, &subject.source, &subject.issuer, &subject.name, id]);
    if let Some(result) = memo.get(&name) {
        return Some(result);
    }
    let result = compute()?;
    memo.insert(name, result.clone());
    Some(result)
}

/// Joins strings after their lengths, so that different lists have different results.
fn joined(parts: &[&str]) -> Vec<u8> {
    let lengths = parts.iter().flat_map(|part| part.len().to_be_bytes());
    lengths
        .chain(parts.iter().flat_map(|part| part.bytes()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(secrets: &[&str], tenant: &str) -> Sealer {
        let secrets: Vec<_> = secrets.iter().map(|secret| Secret::new(*secret)).collect();
        Sealer::new(&secrets, tenant.into())
    }

    fn subject(source: &'static str, name: &str) -> Subject {
        Subject {
            source: source.into(),
            name: name.into(),
            ..Subject::default()
        }
    }

    #[test]
    fn unseals_only_for_the_subject_kind_and_tenant_of_the_seal() {
        let one = sealer(&["one"], "t");
        let alice = subject("hs256", "alice");
        let sealed = one.seal(&alice, "task", "42");
        let id = Some("42".to_owned());
        // The second time, ids are cached.
        for _ in 0..2 {
            assert_eq!(one.seal(&alice, "task", "42"), sealed);
            assert_eq!(one.unseal(&alice, "task", &sealed), id);
            for other in [subject("hs256", "bob"), subject("anonymous", "alice")] {
                assert_eq!(one.unseal(&other, "task", &sealed), None);
            }
            assert_eq!(one.unseal(&alice, "file", &sealed), None);
            assert_eq!(one.unseal(&alice, "task", "42"), None);
        }
        let unsealed =
            |secrets: &[&str], tenant| sealer(secrets, tenant).unseal(&alice, "task", &sealed);
        assert_eq!(unsealed(&["one"], "u"), None);
        assert_eq!(unsealed(&["new", "one"], "t"), id);
        assert_eq!(unsealed(&["newer", "new", "one"], "t"), None);
    }

    #[test]
    fn a_sealed_id_of_any_length_is_unsealed_up_to_the_longest() {
        let sealer = sealer(&["one"], "t");
        let alice = subject("hs256", "alice");
        // Base64 has 4 characters for 3 bytes, and 16 bytes authenticate the id.
        for length in [0, 1, 511, 512, 513, MAX_SEALED_LEN / 4 * 3 - 16] {
            let id = "x".repeat(length);
            let sealed = sealer.seal(&alice, "task", &id);
            assert_eq!(sealer.unseal(&alice, "task", &sealed), Some(id), "{length}");
        }
        let longer = sealer.seal(&alice, "task", &"x".repeat(MAX_SEALED_LEN / 4 * 3 - 15));
        assert!(longer.len() > MAX_SEALED_LEN);
        assert_eq!(sealer.unseal(&alice, "task", &longer), None);
    }

    #[test]
    fn without_a_secret_nothing_is_sealed() {
        let sealer = sealer(&[], "t");
        let alice = subject("hs256", "alice");
        assert_eq!(sealer.seal(&alice, "task", "42"), "");
        assert_eq!(sealer.unseal(&alice, "task", ""), None);
    }

    #[test]
    fn refuses_every_bit_flip_and_truncation() {
        let sealer = sealer(&["one"], "t");
        let alice = subject("hs256", "alice");
        let sealed = sealer.seal(&alice, "task", "task-0123456789");
        for end in 0..sealed.len() {
            assert_eq!(sealer.unseal(&alice, "task", &sealed[..end]), None);
        }
        for index in 0..sealed.len() {
            for bit in 0..7 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let flipped = String::from_utf8(bytes).expect("ASCII stays ASCII");
                let unsealed = sealer.unseal(&alice, "task", &flipped);
                assert_eq!(unsealed, None, "{index}.{bit}");
            }
        }
        assert_eq!(sealer.unseal(&alice, "task", &format!("{sealed}=")), None);
    }
}
