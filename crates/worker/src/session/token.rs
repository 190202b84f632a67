//! A session token taken apart: a JSON Web Token in its compact form (RFC 7515, RFC 7519).
//!
//! Ours because the crates for it either don't build for this target, or let the token choose the algorithm, accept a
//! claim given twice, or tolerate padding in base64.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
        let texts = ["iss", "scope", "jti"].iter().all(|it| self.0.get(*it).is_none_or(Value::is_string));
        texts && self.0.get("nbf").is_none_or(Value::is_number) && self.0.get("watch").is_none_or(Value::is_boolean)
    }

    /// The claim `watch`.
    pub(super) fn watch(&self) -> bool {
        self.0.get("watch").and_then(Value::as_bool).unwrap_or_default()
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

/// One JSON object, no name twice at any depth: of two claims with one name, two readers may each believe another. The
/// reader keeps one of them, so it then has fewer members than the text has colons.
fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let told_once = members(&value) == colons(bytes);
    match value {
        Value::Object(members) if told_once => Some(members),
        _ => None,
    }
}

fn members(value: &Value) -> usize {
    match value {
        Value::Object(it) => it.len() + it.values().map(members).sum::<usize>(),
        Value::Array(it) => it.iter().map(members).sum(),
        _ => 0,
    }
}

/// The colons outside strings, of a text that is JSON.
fn colons(text: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b':' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_taken_twice() {
        for once in
            [r#"{}"#, r#"{"a":1}"#, r#"{"a:\":":":\"","b":{"a":[{"a":1},{"a":":"}]}}"#, r#"{"a":{"b":{}}, "b" : 5e3}"#]
        {
            assert!(object(once.as_bytes()).is_some(), "{once}");
        }
        for twice in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"{"b":{"creates":0,"creates":999}}"#,
            r#"{"b":[{"a":1,"a":1}]}"#,
            r#"{"$serde_json::private::Number":"5"}"#,
            r#"{"b":{"$serde_json::private::Number":"5"}}"#,
            "[]",
            "",
            "{",
        ] {
            assert!(object(twice.as_bytes()).is_none(), "{twice}");
        }
    }
}
