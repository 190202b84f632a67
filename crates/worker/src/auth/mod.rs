//! Authenticates callers: session tokens, published keys, anonymous sessions, Turnstile.

mod anonymous;
mod hs256;
mod jwks;
mod token;
pub(crate) mod turnstile;
mod verifier;

pub use anonymous::AnonymousIssuer;
pub use token::Claims;
pub use verifier::Verifier;
