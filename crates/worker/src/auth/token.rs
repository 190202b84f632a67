//! Parses a session token: a JSON Web Token in its compact form (RFC 7515, RFC 7519).
//!
//! Written here because the crates for it either don't build for this target, or let the token choose the algorithm,
//! accept a claim that appears twice, or tolerate padding in base64.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::identity::{Assets, Budget};

/// Longest token that is parsed, in characters.
const MAX_LEN: usize = 8192;

/// Header members that change how a token is verified. None is supported, so a token that has one is refused.
const REFUSED_HEADERS: [&str; 6] = ["crit", "jwk", "jku", "x5u", "x5c", "b64"];

/// A well-formed token. Its signature is not verified yet.
pub(super) struct Token {
    /// The header's `alg`. It selects among this gateway's keys; each key has one algorithm.
    pub(super) algorithm: String,
    /// The header's `kid`; empty where it has none.
    pub(super) key_id: String,
    /// The header's `typ`, in lower case and without `application/`; empty where it has none.
    kind: String,
    /// Header and claims, as they are signed.
    pub(super) signed: String,
    /// The signature.
    pub(super) signature: Vec<u8>,
    /// The bytes of the claims: [`Token::claims`] reads them once the signature is verified.
    payload: Vec<u8>,
}

impl Token {
    /// Parses a token; `None` for a malformed one.
    pub(super) fn parse(token: &str) -> Option<Self> {
        if token.len() > MAX_LEN {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header = object(&decode(header)?)?;
        if REFUSED_HEADERS.iter().any(|it| header.contains_key(*it)) {
            return None;
        }
        let kind = header
            .get("typ")
            .map_or(Some(""), Value::as_str)?
            .to_ascii_lowercase();
        Some(Token {
            kind: kind
                .strip_prefix("application/")
                .unwrap_or(&kind)
                .to_owned(),
            algorithm: header.get("alg")?.as_str()?.to_owned(),
            key_id: header
                .get("kid")
                .map_or(Some(""), Value::as_str)?
                .to_owned(),
            signed: signed.to_owned(),
            signature: decode(signature)?,
            payload: decode(claims)?,
        })
    }

    /// Whether it is an access token that says so (RFC 9068).
    pub(super) fn is_access_token(&self) -> bool {
        self.kind == "at+jwt"
    }

    /// Whether its type does not exclude that it is one: an id token, for example, says what it is (RFC 8725, §3.11).
    pub(super) fn may_be_access_token(&self) -> bool {
        self.is_access_token() || matches!(self.kind.as_str(), "" | "jwt")
    }

    /// Its claims; `None` where they are not one JSON object without repeated names.
    pub(super) fn claims(&self) -> Option<Claims> {
        object(&self.payload).map(Claims)
    }
}

/// The claims of a token.
#[derive(Clone, Debug)]
pub struct Claims(Map<String, Value>);

impl Claims {
    /// A claim that is a string; `None` where it is absent or of another type.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A claim that is a finite number; `None` where it is absent or of another type.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64().filter(|it| it.is_finite())
    }

    /// Whether the optional claims have their types where they are present: a claim that can't be read must not be ignored.
    pub(super) fn are_of_their_types(&self) -> bool {
        let texts = ["iss", "scope", "jti"]
            .iter()
            .all(|it| self.0.get(*it).is_none_or(Value::is_string));
        texts
            && self.0.get("nbf").is_none_or(Value::is_number)
            && self.0.get("watch").is_none_or(Value::is_boolean)
    }

    /// The claim `watch`.
    pub(super) fn watch(&self) -> bool {
        self.0
            .get("watch")
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    /// The claim `budget`; `None` where it is malformed.
    pub(super) fn budget(&self) -> Option<Budget> {
        Budget::read(self.0.get("budget"))
    }

    /// The claim `assets`; `None` where it is malformed.
    pub(super) fn assets(&self) -> Option<Assets> {
        Assets::read(self.0.get("assets"))
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

/// Deepest nesting of claims.
const MAX_DEPTH: usize = 64;

/// Reads one JSON object that has no name twice, at any depth: two readers of a repeated claim may each take another value.
fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let raw = serde_json::from_slice(bytes).ok()?;
    match unique_value(raw, MAX_DEPTH).ok()? {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Reads a value whose objects have no name twice. Goes through `RawValue`, since serde_json passes numbers of any precision
/// to a visitor as if they were objects.
fn unique_value(raw: &RawValue, max_depth: usize) -> serde_json::Result<Value> {
    let text = raw.get();
    let is_container = text.starts_with(['{', '[']);
    if is_container && max_depth == 0 {
        return Err(de::Error::custom("nested too deeply"));
    }
    if text.starts_with('{') {
        let UniqueMembers(members) = serde_json::from_str(text)?;
        let read =
            |(name, member): (String, &RawValue)| Ok((name, unique_value(member, max_depth - 1)?));
        return members.into_iter().map(read).collect();
    }
    if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text)?;
        let read = |item: &RawValue| unique_value(item, max_depth - 1);
        return items.into_iter().map(read).collect();
    }
    serde_json::from_str(text)
}

/// The members of an object that has no name twice.
struct UniqueMembers<'a>(BTreeMap<String, &'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for UniqueMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = UniqueMembers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object without repeated names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, member)) = map.next_entry::<String, &RawValue>()? {
            if members.insert(name, member).is_some() {
                return Err(de::Error::custom("a repeated name"));
            }
        }
        Ok(UniqueMembers(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_header(header: &str) -> Option<Token> {
        Token::parse(
            &[
                &URL_SAFE_NO_PAD.encode(header),
                ".",
                &URL_SAFE_NO_PAD.encode("{}"),
                ".AA",
            ]
            .concat(),
        )
    }

    #[test]
    fn a_tokens_type_says_whether_it_may_be_an_access_token() {
        for (kind, expected) in [
            (r#","typ":"at+jwt""#, (true, true)),
            (r#","typ":"application/AT+JWT""#, (true, true)),
            (r#","typ":"JWT""#, (false, true)),
            (r#","typ":"application/jwt""#, (false, true)),
            ("", (false, true)),
            (r#","typ":"id+jwt""#, (false, false)),
            (r#","typ":"at+jwt2""#, (false, false)),
            (r#","typ":"application/application/at+jwt""#, (false, false)),
        ] {
            let token = with_header(&[r#"{"alg":"x""#, kind, "}"].concat()).expect("well-formed");
            assert_eq!(
                (token.is_access_token(), token.may_be_access_token()),
                expected,
                "{kind}"
            );
        }
        assert!(
            with_header(r#"{"alg":"x","typ":5}"#).is_none(),
            "a type that can't be read"
        );
    }

    #[test]
    fn a_token_is_parsed_up_to_a_length() {
        let of_length = |length: usize| {
            let signature = "A".repeat(length - ".e30.".len() - 15);
            let token = [
                &URL_SAFE_NO_PAD.encode(r#"{"alg":"xy"}"#)[..],
                ".e30.",
                &signature,
            ]
            .concat();
            Token::parse(&token[..length.min(token.len())]).is_some()
        };
        // Lengths of base64 leave a remainder of 1 out; these do not have it.
        assert_eq!(
            [MAX_LEN - 1, MAX_LEN, MAX_LEN + 1, MAX_LEN + 2].map(of_length),
            [true, true, false, false]
        );
    }

    #[test]
    fn repeated_names_are_refused() {
        for unique in [
            r#"{}"#,
            r#"{"a":1}"#,
            r#"{"a:\":":":\"","b":{"a":[{"a":1},{"a":":"}]}}"#,
            r#"{"a":{"b":{}}, "b" : 5e3}"#,
            r#"{"b":{"$serde_json::private::Number":"5"}}"#,
        ] {
            assert!(object(unique.as_bytes()).is_some(), "{unique}");
        }
        for repeated in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"{"b":{"creates":0,"creates":999}}"#,
            r#"{"b":[{"a":1,"a":1}]}"#,
            r#"{"$serde_json::private::Number":"5","$serde_json::private::Number":"5"}"#,
            "[]",
            "",
            "{",
        ] {
            assert!(object(repeated.as_bytes()).is_none(), "{repeated}");
        }
    }

    #[test]
    fn no_nesting_exhausts_the_stack() {
        let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(object(nested(MAX_DEPTH - 1).as_bytes()).is_some());
        assert!(object(nested(MAX_DEPTH).as_bytes()).is_none());
        assert!(object(nested(100_000).as_bytes()).is_none());
    }

    #[test]
    fn a_member_that_looks_like_a_number_of_the_json_library_is_an_object() {
        let claims = object(br#"{"b":{"$serde_json::private::Number":"5"}}"#).expect("an object");
        assert!(claims["b"].is_object());
    }
}
