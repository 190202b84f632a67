//! A session token taken apart: a JSON Web Token in its compact form (RFC 7515, RFC 7519).
//!
//! Ours because the crates for it either don't build for this target, or let the token choose the algorithm, accept a
//! claim given twice, or tolerate padding in base64.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::Budget;

/// Longest token that is looked at, in characters.
const LONGEST: usize = 8192;

/// Header members that would change what verifying means. None is supported, so none is let by.
const REFUSED_HEADERS: [&str; 6] = ["crit", "jwk", "jku", "x5u", "x5c", "b64"];

/// A token whose form is right. Whether its signature holds is another question.
pub(super) struct Token {
    /// What the header claims the algorithm to be: it selects among our keys, and each key has its own.
    pub(super) algorithm: String,
    /// The header's `kid`; empty where it has none.
    pub(super) key_id: String,
    /// Header and claims as they were signed.
    pub(super) signed: String,
    /// The signature.
    pub(super) signature: Vec<u8>,
    /// The bytes that hold the claims: read by [`Token::claims`], once the signature holds.
    payload: Vec<u8>,
}

impl Token {
    /// Takes a token apart; `None` for what is not exactly one.
    pub(super) fn parse(token: &str) -> Option<Self> {
        if token.len() > LONGEST {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header = object(&decode(header)?)?;
        if REFUSED_HEADERS.iter().any(|it| header.contains_key(*it)) {
            return None;
        }
        Some(Token {
            algorithm: header.get("alg")?.as_str()?.to_owned(),
            key_id: header.get("kid").map_or(Some(""), Value::as_str)?.to_owned(),
            signed: signed.to_owned(),
            signature: decode(signature)?,
            payload: decode(claims)?,
        })
    }

    /// What it says; `None` where that is not one JSON object, no name in it twice.
    pub(super) fn claims(&self) -> Option<Claims> {
        object(&self.payload).map(Claims)
    }
}

/// The claims of a token.
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

    /// Whether the claims that may be left out are what they have to be where they are not: one that was meant and cannot
    /// be read must not be passed over.
    pub(super) fn are_of_their_types(&self) -> bool {
        let texts = ["iss", "scope"].iter().all(|it| self.0.get(*it).is_none_or(Value::is_string));
        texts && self.0.get("nbf").is_none_or(Value::is_number)
    }

    /// The claim `budget`; `None` where it is none.
    pub(super) fn budget(&self) -> Option<Budget> {
        Budget::read(self.0.get("budget"))
    }

    /// Whether `aud` is this audience, or a list that holds it.
    pub(super) fn names_audience(&self, audience: &str) -> bool {
        match self.0.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(many)) => many.iter().any(|it| it == audience),
            _ => false,
        }
    }
}

/// A part in base64url: no padding, no other characters, no stray bits.
fn decode(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

/// One JSON object, no name in it twice.
fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice::<Distinct>(bytes).ok().map(|it| it.0)
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
