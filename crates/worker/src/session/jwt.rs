//! Session tokens: JSON Web Tokens signed with HS256 (RFC 7515, RFC 7519).
//!
//! Ours because the crates for it either don't build for this target, or read the algorithm from the token, accept a
//! claim given twice, or tolerate padding in base64. The algorithm is pinned by the key: there is one.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use sha2::Sha256;

use super::{Caller, Scope, Subject};
use crate::settings::Settings;
use crate::{Refusal, Secret};

/// Longest token that is looked at, in characters.
const LONGEST: usize = 8192;
/// Longest life of a token, in seconds.
pub(super) const LONGEST_LIFE: f64 = 3600.0;
/// How far clocks may differ, in seconds.
const SKEW: f64 = 60.0;
/// What the subject of an anonymous session begins with, and no other's.
pub(super) const ANONYMOUS: &str = "anon:";

/// Header members that would change what verifying means. None is supported, so none is let by.
const REFUSED_HEADERS: [&str; 6] = ["crit", "jwk", "jku", "x5u", "x5c", "b64"];

/// The claims of a token whose signature holds.
#[derive(Clone, Debug)]
pub struct Claims(Map<String, Value>);

impl Claims {
    /// A claim that is a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A claim that is a finite number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64().filter(|it| it.is_finite())
    }

    fn names_audience(&self, audience: &str) -> bool {
        match self.0.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(many)) => many.iter().any(|it| it == audience),
            _ => false,
        }
    }
}

/// Verifies tokens of the app's backend and of this gateway.
pub struct Verifier {
    backend: Vec<Secret>,
    anonymous: Vec<Secret>,
    audience: String,
    issuer: String,
    not_before: f64,
}

impl Verifier {
    /// A verifier as the settings ask for.
    pub fn new(settings: &Settings, anonymous: Vec<Secret>) -> Self {
        Verifier {
            backend: settings.session_secrets.clone(),
            anonymous,
            audience: settings.session_audience.clone(),
            issuer: settings.session_issuer.clone(),
            not_before: settings.session_not_before,
        }
    }

    /// The caller whom a token names at this moment (seconds since 1970).
    pub fn caller(&self, token: &str, now: f64) -> Result<Caller, Refusal> {
        let (source, claims) = self.claims(token)?;
        self.check(source, &claims, now)?;
        let subject = Subject {
            source,
            issuer: claims.text("iss").unwrap_or_default().to_owned(),
            name: claims.text("sub").unwrap_or_default().to_owned(),
        };
        Ok(Caller { subject, scope: Scope::new(claims.text("scope").unwrap_or_default()) })
    }

    /// The claims of a token whose signature holds, with the source of the key; nothing else is checked.
    pub(super) fn claims(&self, token: &str) -> Result<(&'static str, Claims), Refusal> {
        let invalid = || refuse("invalid_token", "the session token is not valid; fetch a new one");
        if token.len() > LONGEST {
            return Err(invalid());
        }
        let (signed, signature) = token.rsplit_once('.').ok_or_else(invalid)?;
        let (header, claims) = signed.split_once('.').ok_or_else(invalid)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| invalid())?;
        let sources = [("hs256", &self.backend), ("anonymous", &self.anonymous)];
        let signs = |key: &Secret| mac(key, signed).is_some_and(|it| it.verify_slice(&signature).is_ok());
        let source = sources.into_iter().find(|it| it.1.iter().any(signs)).ok_or_else(invalid)?.0;
        let header = object(header).ok_or_else(invalid)?;
        let pinned = header.get("alg").and_then(Value::as_str) == Some("HS256");
        if !pinned || REFUSED_HEADERS.iter().any(|it| header.contains_key(*it)) {
            return Err(invalid());
        }
        Ok((source, Claims(object(claims).ok_or_else(invalid)?)))
    }

    /// Whether it was issued before the cut-off; one that does not say when counts as revoked.
    pub(super) fn is_revoked(&self, claims: &Claims) -> bool {
        claims.number("iat").is_none_or(|it| it < self.not_before)
    }

    fn check(&self, source: &str, claims: &Claims, now: f64) -> Result<(), Refusal> {
        let (issued, expires) = claims
            .number("iat")
            .zip(claims.number("exp"))
            .ok_or_else(|| refuse("invalid_token", "the session token lacks iat or exp"))?;
        let not_before = claims.number("nbf").unwrap_or(issued);
        if now >= expires + SKEW {
            return Err(refuse("expired_token", "the session token has expired; fetch a new one"));
        }
        if issued > now + SKEW || not_before > now + SKEW {
            return Err(refuse("early_token", "the session token is not valid yet; check the clock of its issuer"));
        }
        if expires - issued > LONGEST_LIFE {
            return Err(refuse("long_token", "the session token lives longer than an hour; issue shorter ones"));
        }
        if self.is_revoked(claims) {
            return Err(refuse("revoked_token", "the session token was revoked; fetch a new one"));
        }
        self.check_names(source, claims)
    }

    fn check_names(&self, source: &str, claims: &Claims) -> Result<(), Refusal> {
        if !claims.names_audience(&self.audience) {
            return Err(refuse("wrong_audience", "the session token is for another audience"));
        }
        // Anonymous tokens are this gateway's own: they carry no issuer.
        if source != "anonymous" && !self.issuer.is_empty() && claims.text("iss") != Some(&self.issuer) {
            return Err(refuse("wrong_issuer", "the session token is of another issuer"));
        }
        let subject = claims.text("sub").unwrap_or_default();
        if subject.trim().is_empty() || subject.starts_with(ANONYMOUS) != (source == "anonymous") {
            return Err(refuse("invalid_subject", "the session token names no subject, or one that it may not"));
        }
        Ok(())
    }
}

/// Signs claims with a key.
pub(super) fn sign(key: &Secret, claims: &Value) -> String {
    let part = |it: &str| URL_SAFE_NO_PAD.encode(it);
    let signed = format!("{}.{}", part(r#"{"alg":"HS256","typ":"JWT"}"#), part(&claims.to_string()));
    let signature = mac(key, &signed).map(|it| URL_SAFE_NO_PAD.encode(it.finalize().into_bytes()));
    format!("{signed}.{}", signature.unwrap_or_default())
}

fn refuse(reason: &str, message: &str) -> Refusal {
    Refusal::unauthenticated(reason, message)
}

fn mac(key: &Secret, signed: &str) -> Option<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.expose().as_bytes()).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}

/// A base64url part that holds one JSON object, no name in it twice.
fn object(part: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
    serde_json::from_slice::<Distinct>(&bytes).ok().map(|it| it.0)
}

/// An object that says nothing twice: of two claims with one name, two readers may each believe another.
struct Distinct(Map<String, Value>);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DistinctVisitor)
    }
}

struct DistinctVisitor;

impl<'de> Visitor<'de> for DistinctVisitor {
    type Value = Distinct;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object without duplicate members")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Distinct, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if members.insert(name, value).is_some() {
                return Err(de::Error::custom("duplicate member"));
            }
        }
        Ok(Distinct(members))
    }
}
