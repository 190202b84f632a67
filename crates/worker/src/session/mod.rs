//! Who is calling, and what they may do.

mod anonymous;
mod budget;
mod hs256;
mod jwks;
mod scope;
mod token;
pub(crate) mod turnstile;
mod verifier;

pub use anonymous::Anonymous;
pub use budget::Budget;
pub use scope::Scope;
pub use token::Claims;
pub use verifier::Verifier;
pub(crate) use verifier::can_be_listed;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Secret;

/// Who a session token names. Two subjects are the same only where all three parts are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// Whose key signed the token: `hs256` (the app's backend), `jwks` (its identity provider) or `anonymous` (this
    /// gateway). An embedding Worker with its own authentication gives its own word.
    pub source: Cow<'static, str>,
    /// The token's `iss`; empty where it has none.
    pub issuer: String,
    /// The token's `sub`.
    pub name: String,
}

/// A caller with a valid token.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who it is.
    pub subject: Subject,
    /// What it may create.
    pub scope: Scope,
    /// How much of it.
    pub budget: Budget,
    /// Whether its tasks are watched to their end though nobody listens: their slots are freed, and the end is kept.
    pub watch: bool,
    /// When it has to come again with a new token, in seconds since 1970; infinite where there is none.
    pub until: f64,
}

impl Subject {
    /// Whether an authorization server's keys, or another provider's, stand for it.
    pub(crate) fn is_of_provider(&self) -> bool {
        self.source == verifier::PROVIDER
    }

    /// Whether this gateway itself named it.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.source == verifier::ANONYMOUS
    }
}

/// A short name for a subject in the log, from which nobody without the key can tell who it is, even by trying names.
pub(crate) fn fingerprint(key: &Secret, subject: &Subject) -> String {
    let mut name = hash(&[key.expose(), &subject.source, &subject.issuer, &subject.name]);
    name.truncate(16);
    name
}

/// SHA-256 of some texts in hexadecimal. Each counts with its length, so no two lists are hashed alike.
pub(crate) fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digits = hash.finalize().into_iter().flat_map(|it| [it >> 4, it & 15]);
    digits.filter_map(|it| char::from_digit(it.into(), 16)).collect()
}
