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
    pub(crate) const BACKEND: &'static str = "hs256";
    /// The source of the app's identity provider, with published keys.
    pub(crate) const PROVIDER: &'static str = "jwks";
    /// The source of this gateway's own anonymous sessions.
    pub(crate) const ANONYMOUS: &'static str = "anonymous";

    /// Returns true if published keys verified the token: keys of an identity provider or of an
    /// authorization server.
    pub(crate) fn is_of_provider(&self) -> bool {
        self.source == Subject::PROVIDER
    }

    /// Returns true if this gateway issued the token.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.source == Subject::ANONYMOUS
    }

    /// Returns a short name for the log. Without the key, nobody can find the subject of a name,
    /// even by trying subjects.
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
                .all(|name| name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())),
            "{all:?}"
        );
    }

    #[test]
    fn the_source_tells_the_issuer_of_the_token() {
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
