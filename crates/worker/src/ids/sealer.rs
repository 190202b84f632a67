//! Seals ids: opaque, authenticated, and bound to the subject they are sealed for.
//!
//! AES-SIV (RFC 5297) is deterministic, so one id always reads the same, and it authenticates each of a
//! list of fields separately, so no two subjects collide, whatever characters they contain.

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::crypto::{Secret, derive_key};
use crate::identity::Subject;
use crate::platform::Memo;

/// Longest sealed id that is unsealed, in characters.
pub(crate) const MAX_SEALED_LEN: usize = 8192;

/// Ids that are cached in each direction: a client that follows a task sends the same id with every poll.
const MAX_CACHED: usize = 2_000;
/// Longest id that is cached, in characters.
const MAX_CACHED_LEN: usize = 512;

/// Seals and unseals ids for one tenant.
pub struct Sealer {
    /// The current key first; the previous one still unseals.
    keys: Vec<[u8; 64]>,
    tenant: String,
    sealed: Memo<Vec<u8>, String>,
    unsealed: Memo<Vec<u8>, String>,
}

impl Sealer {
    /// A sealer with the first two of these secrets, the current one first, for a tenant.
    pub fn new(secrets: &[Secret], tenant: String) -> Self {
        Sealer {
            keys: secrets
                .iter()
                .take(2)
                .map(|it| derive_key(it, b"mediagate seal"))
                .collect(),
            tenant,
            sealed: Memo::new(MAX_CACHED),
            unsealed: Memo::new(MAX_CACHED),
        }
    }

    /// Seals an id of a kind (such as `generate task`, `file`, `asset`, `ticket`) for its owner; empty without a secret.
    pub fn seal(&self, subject: &Subject, kind: &str, id: &str) -> String {
        let sealed = cached(&self.sealed, subject, kind, id, || {
            let key = self.keys.first()?;
            let sealed = Aes256Siv::new(key.into())
                .encrypt(self.context(subject, kind), id.as_bytes())
                .ok()?;
            Some(URL_SAFE_NO_PAD.encode(sealed))
        });
        // Without a key nothing can be sealed: settings without one are refused at start.
        sealed.unwrap_or_default()
    }

    /// Unseals an id; `None` where it is damaged, or sealed for another subject, kind or tenant.
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

    fn context<'a>(&'a self, subject: &'a Subject, kind: &'a str) -> [&'a [u8]; 6] {
        let fields = [
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

/// The cached result for an id of a subject, or a computed one, which is cached where there is one.
fn cached(
    memo: &Memo<Vec<u8>, String>,
    subject: &Subject,
    kind: &str,
    id: &str,
    compute: impl FnOnce() -> Option<String>,
) -> Option<String> {
    if id.len() > MAX_CACHED_LEN {
        return compute();
    }
    let name = joined(&[kind, &subject.source, &subject.issuer, &subject.name, id]);
    memo.get(&name)
        .or_else(|| compute().inspect(|it| memo.insert(name, it.clone())))
}

/// Some strings as one, each with its length, so no two lists are joined alike.
fn joined(parts: &[&str]) -> Vec<u8> {
    let lengths = parts.iter().flat_map(|it| it.len().to_be_bytes());
    lengths
        .chain(parts.iter().flat_map(|it| it.bytes()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(secrets: &[&str], tenant: &str) -> Sealer {
        Sealer::new(
            &secrets
                .iter()
                .map(|it| Secret::new(*it))
                .collect::<Vec<_>>(),
            tenant.into(),
        )
    }

    fn subject(issuer: &str, name: &str) -> Subject {
        Subject {
            source: "hs256".into(),
            issuer: issuer.into(),
            name: name.into(),
        }
    }

    #[test]
    fn unseals_for_the_same_subject_kind_and_tenant_only() {
        let (a, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        let sealed = a.seal(&alice, "task", "42");
        assert_eq!(sealed, a.seal(&alice, "task", "42"));
        assert_eq!(a.unseal(&alice, "task", &sealed).as_deref(), Some("42"));
        assert_eq!(a.unseal(&subject("", "bob"), "task", &sealed), None);
        assert_eq!(
            a.unseal(
                &Subject {
                    source: "anonymous".into(),
                    ..alice.clone()
                },
                "task",
                &sealed
            ),
            None
        );
        assert_eq!(a.unseal(&alice, "file", &sealed), None);
        assert_eq!(sealer(&["one"], "u").unseal(&alice, "task", &sealed), None);
        assert_eq!(
            sealer(&["new", "one"], "t")
                .unseal(&alice, "task", &sealed)
                .as_deref(),
            Some("42")
        );
        assert_eq!(
            sealer(&["newer", "new", "one"], "t").unseal(&alice, "task", &sealed),
            None
        );
    }

    #[test]
    fn a_cached_id_is_the_same_and_still_its_owners() {
        let (it, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        let sealed = it.seal(&alice, "task", "42");
        for _ in 0..2 {
            assert_eq!(it.seal(&alice, "task", "42"), sealed);
            assert_eq!(it.unseal(&alice, "task", &sealed).as_deref(), Some("42"));
            assert_eq!(it.unseal(&subject("", "bob"), "task", &sealed), None);
            assert_eq!(it.unseal(&alice, "file", &sealed), None);
            assert_eq!(it.unseal(&alice, "task", "42"), None);
        }
    }

    #[test]
    fn an_id_of_any_length_is_sealed_that_makes_no_sealed_one_too_long_to_unseal() {
        let (it, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        // Base64 has 4 characters for 3 bytes, of which 16 are not the id's.
        for length in [0, 1, 511, 512, 513, MAX_SEALED_LEN / 4 * 3 - 16] {
            let id = "x".repeat(length);
            let sealed = it.seal(&alice, "task", &id);
            assert_eq!(it.unseal(&alice, "task", &sealed), Some(id), "{length}");
        }
        let longer = it.seal(&alice, "task", &"x".repeat(MAX_SEALED_LEN / 4 * 3 - 15));
        assert!(longer.len() > MAX_SEALED_LEN);
        assert_eq!(it.unseal(&alice, "task", &longer), None);
    }

    #[test]
    fn without_a_secret_nothing_is_sealed() {
        let (it, alice) = (sealer(&[], "t"), subject("", "alice"));
        assert_eq!(it.seal(&alice, "task", "42"), "");
        assert_eq!(it.unseal(&alice, "task", ""), None);
    }

    #[test]
    fn refuses_every_bit_flip_and_truncation() {
        let (it, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        let sealed = it.seal(&alice, "task", "task-0123456789");
        for end in 0..sealed.len() {
            assert_eq!(it.unseal(&alice, "task", &sealed[..end]), None);
        }
        for index in 0..sealed.len() {
            for bit in 0..7 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let flipped = String::from_utf8(bytes).expect("ASCII stays ASCII");
                assert_eq!(it.unseal(&alice, "task", &flipped), None, "{index}.{bit}");
            }
        }
        assert_eq!(it.unseal(&alice, "task", &format!("{sealed}=")), None);
    }
}
