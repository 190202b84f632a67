use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::crypto::{Secret, hash};

/// Subjects are equal only if all three parts are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The signer of the token: a constant of this type, or the own word of a Worker that embeds
    /// the gateway and authenticates callers itself.
    pub source: Cow<'static, str>,
    /// The token's `iss`. Empty without one.
    pub issuer: String,
    /// The token's `sub`.
    pub name: String,
}

impl Subject {
    /// The app's backend, with a shared secret.
    pub const BACKEND: &'static str = "hs256";
    /// The app's identity provider, with published keys.
    pub const PROVIDER: &'static str = "jwks";
    /// This gateway's own anonymous sessions.
    pub const ANONYMOUS: &'static str = "anonymous";

    /// Returns true if published keys verified the token: keys of an identity provider or of an
    /// authorization server.
    pub fn is_of_provider(&self) -> bool {
        self.source == Subject::PROVIDER
    }

    /// Returns true if this gateway issued the token.
    pub fn is_anonymous(&self) -> bool {
        self.source == Subject::ANONYMOUS
    }

    /// Returns a hash of `parts` and the subject, for the name of an object.
    pub fn hash_with(&self, parts: &[&str]) -> String {
        hash(&[parts, &[&self.source, &self.issuer, &self.name]].concat())
    }

    /// A short name for the log. Without the key, nobody can find its subject, even by trying.
    pub fn pseudonym(&self, key: &Secret) -> String {
        let mut name = hash(&[key.expose(), &self.source, &self.issuer, &self.name]);
        name.truncate(16);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_pseudonym_is_short_and_differs_by_key_and_by_each_part() {
        let all = [
            ("k", "s", "i", "n"),
            ("K", "s", "i", "n"),
            ("k", "S", "i", "n"),
            ("k", "s", "I", "n"),
            ("k", "s", "i", "N"),
            ("k", "s", "in", ""),
        ]
        .map(|(key, source, issuer, name)| {
            let subject = Subject {
                source: source.into(),
                issuer: issuer.into(),
                name: name.into(),
            };
            subject.pseudonym(&Secret::new(key))
        });
        let is_short =
            |name: &String| name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(all.iter().all(is_short), "{all:?}");
        assert_eq!(BTreeSet::from(all).len(), 6);
    }
}
