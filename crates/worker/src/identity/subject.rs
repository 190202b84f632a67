//! Whom a session token names.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::crypto::{Secret, hash};

/// Whom a session token names. Two subjects are the same only where all three parts are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// Whose key signed the token: `hs256` (the app's backend), `jwks` (its identity provider) or `anonymous` (this
    /// gateway). A Worker that embeds the gateway and authenticates callers itself chooses a word of its own.
    pub source: Cow<'static, str>,
    /// The token's `iss`; empty where it has none.
    pub issuer: String,
    /// The token's `sub`.
    pub name: String,
}

impl Subject {
    /// Source of the app's backend, by a shared secret.
    pub(crate) const BACKEND: &'static str = "hs256";
    /// Source of the app's identity provider, by its published keys.
    pub(crate) const PROVIDER: &'static str = "jwks";
    /// Source of this gateway's own anonymous sessions.
    pub(crate) const ANONYMOUS: &'static str = "anonymous";

    /// Whether published keys verified its token: an authorization server's, or an identity provider's.
    pub(crate) fn is_of_provider(&self) -> bool {
        self.source == Subject::PROVIDER
    }

    /// Whether this gateway issued its token.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.source == Subject::ANONYMOUS
    }

    /// A short name for the log. Without the key it can't be traced to the subject, even by trying names.
    pub(crate) fn fingerprint(&self, key: &Secret) -> String {
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
    fn a_fingerprint_is_short_and_differs_by_key_and_by_each_part() {
        let of = |key: &str, source: &'static str, issuer: &str, name: &str| {
            let subject = Subject {
                source: source.into(),
                issuer: issuer.into(),
                name: name.into(),
            };
            subject.fingerprint(&Secret::new(key))
        };
        let all = [
            of("k", "s", "i", "n"),
            of("K", "s", "i", "n"),
            of("k", "S", "i", "n"),
            of("k", "s", "I", "n"),
        ];
        let all: BTreeSet<_> = all
            .into_iter()
            .chain([of("k", "s", "i", "N"), of("k", "s", "in", "")])
            .collect();
        assert_eq!(all.len(), 6);
        assert!(
            all.iter()
                .all(|it| it.len() == 16 && it.bytes().all(|it| it.is_ascii_hexdigit())),
            "{all:?}"
        );
    }

    #[test]
    fn the_source_says_who_issued_the_token() {
        let of = |source: &'static str| Subject {
            source: source.into(),
            ..Subject::default()
        };
        let sources = [
            Subject::BACKEND,
            Subject::PROVIDER,
            Subject::ANONYMOUS,
            "",
            "embedder",
        ]
        .map(of);
        assert_eq!(
            sources.each_ref().map(Subject::is_of_provider),
            [false, true, false, false, false]
        );
        assert_eq!(
            sources.each_ref().map(Subject::is_anonymous),
            [false, false, true, false, false]
        );
    }
}
