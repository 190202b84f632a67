//! Ids leave the gateway sealed: opaque, authenticated, and bound to whom they were given.
//!
//! AES-SIV (RFC 5297) is deterministic, so one id always reads the same, and it authenticates a list of fields each in
//! its own right, so no two subjects can collide, whatever characters they hold.

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha512;

use crate::Secret;
use crate::memo::Memo;
use crate::session::Subject;

/// Longest sealed id that is looked at, in characters.
const LONGEST: usize = 8192;

/// Ids that are remembered each way: whoever waits for a task asks for the same one again and again.
const REMEMBERED: usize = 2_000;
/// Longest id that is remembered, in characters.
const LONGEST_REMEMBERED: usize = 512;

/// Seals and opens ids for one tenant.
pub struct Sealer {
    /// The current key first; the one before it still opens.
    keys: Vec<[u8; 64]>,
    tenant: String,
    sealed: Memo<Vec<u8>, String>,
    opened: Memo<Vec<u8>, String>,
}

impl Sealer {
    /// A sealer with these secrets, current first, for a tenant.
    pub fn new(secrets: &[Secret], tenant: String) -> Self {
        Sealer {
            keys: secrets.iter().take(2).map(|it| derive(it, b"mediagate seal")).collect(),
            tenant,
            sealed: Memo::new(REMEMBERED),
            opened: Memo::new(REMEMBERED),
        }
    }

    /// Seals an id of a kind (`task`, `file`, `asset`, `ticket`) to its owner.
    pub fn seal(&self, subject: &Subject, kind: &str, id: &str) -> String {
        let sealed = remembered(&self.sealed, subject, kind, id, || {
            let key = self.keys.first()?;
            let sealed = Aes256Siv::new(key.into()).encrypt(self.context(subject, kind), id.as_bytes()).ok()?;
            Some(URL_SAFE_NO_PAD.encode(sealed))
        });
        // No key seals nothing that opens: settings without a key are refused long before.
        sealed.unwrap_or_default()
    }

    /// Opens a sealed id, where it is whole and was given to this subject, as this kind, by this tenant.
    pub fn open(&self, subject: &Subject, kind: &str, sealed: &str) -> Option<String> {
        if sealed.len() > LONGEST {
            return None;
        }
        remembered(&self.opened, subject, kind, sealed, || {
            let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
            let open = |key: &[u8; 64]| Aes256Siv::new(key.into()).decrypt(self.context(subject, kind), &bytes).ok();
            String::from_utf8(self.keys.iter().find_map(open)?).ok()
        })
    }

    fn context<'a>(&'a self, subject: &'a Subject, kind: &'a str) -> [&'a [u8]; 6] {
        let fields = ["mediagate 1", &self.tenant, kind, &subject.source, &subject.issuer, &subject.name];
        fields.map(str::as_bytes)
    }
}

/// What is worked out for an id of a subject, or was before. Where nothing comes of it, nothing is remembered.
fn remembered(
    memo: &Memo<Vec<u8>, String>,
    subject: &Subject,
    kind: &str,
    id: &str,
    work: impl FnOnce() -> Option<String>,
) -> Option<String> {
    if id.len() > LONGEST_REMEMBERED {
        return work();
    }
    let name = joined(&[kind, &subject.source, &subject.issuer, &subject.name, id]);
    memo.get(&name).or_else(|| work().inspect(|it| memo.keep(name, it.clone())))
}

/// Some texts as one. Each comes with its length, so no two lists are joined alike.
fn joined(parts: &[&str]) -> Vec<u8> {
    let lengths = parts.iter().flat_map(|it| it.len().to_be_bytes());
    lengths.chain(parts.iter().flat_map(|it| it.bytes())).collect()
}

/// A key for one purpose, from a secret.
pub(crate) fn derive(secret: &Secret, purpose: &[u8]) -> [u8; 64] {
    // HMAC takes keys of any length, so this can't fail; an all-zero key would be one nobody was given.
    let Ok(mut mac) = <Hmac<Sha512> as KeyInit>::new_from_slice(secret.expose().as_bytes()) else { return [0; 64] };
    mac.update(purpose);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealer(secrets: &[&str], tenant: &str) -> Sealer {
        Sealer::new(&secrets.iter().map(|it| Secret::new(*it)).collect::<Vec<_>>(), tenant.into())
    }

    fn subject(issuer: &str, name: &str) -> Subject {
        Subject { source: "hs256".into(), issuer: issuer.into(), name: name.into() }
    }

    #[test]
    fn opens_for_the_same_subject_kind_and_tenant_only() {
        let (a, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        let sealed = a.seal(&alice, "task", "42");
        assert_eq!(sealed, a.seal(&alice, "task", "42"));
        assert_eq!(a.open(&alice, "task", &sealed).as_deref(), Some("42"));
        assert_eq!(a.open(&subject("", "bob"), "task", &sealed), None);
        assert_eq!(a.open(&Subject { source: "anonymous".into(), ..alice.clone() }, "task", &sealed), None);
        assert_eq!(a.open(&alice, "file", &sealed), None);
        assert_eq!(sealer(&["one"], "u").open(&alice, "task", &sealed), None);
        assert_eq!(sealer(&["new", "one"], "t").open(&alice, "task", &sealed).as_deref(), Some("42"));
        assert_eq!(sealer(&["newer", "new", "one"], "t").open(&alice, "task", &sealed), None);
    }

    #[test]
    fn what_is_remembered_is_the_same_and_nobody_elses() {
        let (it, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        let sealed = it.seal(&alice, "task", "42");
        for _ in 0..2 {
            assert_eq!(it.seal(&alice, "task", "42"), sealed);
            assert_eq!(it.open(&alice, "task", &sealed).as_deref(), Some("42"));
            assert_eq!(it.open(&subject("", "bob"), "task", &sealed), None);
            assert_eq!(it.open(&alice, "file", &sealed), None);
            assert_eq!(it.open(&alice, "task", "42"), None);
        }
    }

    #[test]
    fn refuses_every_bit_flip_and_truncation() {
        let (it, alice) = (sealer(&["one"], "t"), subject("", "alice"));
        let sealed = it.seal(&alice, "task", "task-0123456789");
        for end in 0..sealed.len() {
            assert_eq!(it.open(&alice, "task", &sealed[..end]), None);
        }
        for index in 0..sealed.len() {
            for bit in 0..7 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let flipped = String::from_utf8(bytes).expect("ASCII stays ASCII");
                assert_eq!(it.open(&alice, "task", &flipped), None, "{index}.{bit}");
            }
        }
        assert_eq!(it.open(&alice, "task", &format!("{sealed}=")), None);
    }

    proptest! {
        #[test]
        fn subjects_never_collide(a in ".{0,6}", b in ".{0,6}", c in ".{0,6}", d in ".{0,6}", id in ".{0,40}") {
            let it = sealer(&["one"], "t");
            let (left, right) = (subject(&a, &b), subject(&c, &d));
            let sealed = it.seal(&left, "file", &id);
            let opened = it.open(&right, "file", &sealed);
            prop_assert_eq!(opened.is_some(), (a, b) == (c, d));
        }
    }
}
