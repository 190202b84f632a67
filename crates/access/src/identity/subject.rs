//! The subject of a session token.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::crypto::{Secret, hash};

/// The subject of a session token. Two subjects are equal only if all three parts are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The signer of the token: `hs256` (the app's backend), `jwks` (its identity provider) or
    /// `anonymous` (this gateway). A Worker that embeds the gateway and authenticates callers
    /// itself chooses its own word.
    pub source: Cow<'static, str>,
    /// The token's `iss`. Empty without one.
    pub issuer: String,
    /// The token's `sub`.
    pub name: String,
}

impl Subject {
    /// The source of the app's backend, with a shared secret.
    pub const BACKEND: &'static str = "hs256";
    /// The source of the app's identity provider, with published keys.
    pub const PROVIDER: &'static str = "jwks";
    /// The source of this gateway's own anonymous sessions.
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

    /// Returns a hash of some strings and the subject, for the name of an object.
    pub fn hash_with(&self, parts: &[&str]) -> String {
        hash(&[parts, &[&self.source, &self.issuer, &self.name]].concat())
    }

    /// Returns a short name for the log. Without the key, nobody can find the subject of a name,
    /// even by trying subjects.
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
