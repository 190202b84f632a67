//! Parses a session token: a JSON Web Token in its compact form (RFC 7515, RFC 7519).
//!
//! No crate is used because each one has a defect here: it does not build for this target, lets the
//! token choose the algorithm, accepts a repeated claim, or tolerates padding in base64.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mediagate_access::identity::{Assets, Budget, Scope, ValueLimits};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The longest token that is parsed, in characters.
const MAX_LEN: usize = 8192;

/// Header members that change the verification of a token. Tokens with one are refused, since none
/// is supported.
const REFUSED_HEADERS: [&str; 6] = ["crit", "jwk", "jku", "x5u", "x5c", "b64"];

/// A well-formed token. Its signature is not verified yet.
pub(super) struct Token {
    /// The header's `alg`. It only selects among this gateway's keys, of which each has one
    /// algorithm.
    pub(super) algorithm: String,
    /// Empty without a `kid`.
    pub(super) key_id: String,
    /// `typ` in lower case and without `application/`. Empty without one.
    kind: String,
    /// Header and claims, as they are signed.
    pub(super) signed: String,
    pub(super) signature: Vec<u8>,
    /// The bytes of the claims, until the signature is verified.
    payload: Vec<u8>,
}

impl Token {
    pub(super) fn parse(token: &str) -> Option<Self> {
        // Checked first, since a caller without a valid token must not cause much work.
        if token.len() > MAX_LEN {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header = object(&decode(header)?)?;
        if REFUSED_HEADERS
            .iter()
            .any(|name| header.contains_key(*name))
        {
            return None;
        }
        let optional = |name: &str| header.get(name).map_or(Some(""), Value::as_str);
        let kind = optional("typ")?.to_ascii_lowercase();
        let kind = kind.strip_prefix("application/").unwrap_or(&kind);
        Some(Token {
            kind: kind.to_owned(),
            algorithm: header.get("alg")?.as_str()?.to_owned(),
            key_id: optional("kid")?.to_owned(),
            signed: signed.to_owned(),
            signature: decode(signature)?,
            payload: decode(claims)?,
        })
    }

    /// Returns true if the type is explicitly an access token (RFC 9068).
    pub(super) fn is_access_token(&self) -> bool {
        self.kind == "at+jwt"
    }

    /// Returns false for another kind of token, such as an id token (RFC 8725, §3.11).
    pub(super) fn may_be_access_token(&self) -> bool {
        self.is_access_token() || matches!(self.kind.as_str(), "" | "jwt")
    }

    /// Parses the claims. Returns `None` unless they are one JSON object without repeated names.
    pub(super) fn claims(&self) -> Option<Claims> {
        object(&self.payload).map(Claims)
    }
}

/// The claims of a token.
#[derive(Clone, Debug)]
pub struct Claims(Map<String, Value>);

impl Claims {
    /// Returns a claim that is a string, or `None` if it is absent or has another type.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Returns a claim that is a finite number, or `None` if it is absent or has another type.
    pub fn number(&self, name: &str) -> Option<f64> {
        finite(self.0.get(name)?)
    }

    /// Returns true if each optional claim is absent or has its type. An unreadable claim must not
    /// be ignored, since it may restrict the token.
    pub(super) fn are_of_their_types(&self) -> bool {
        let is =
            |name: &str, is_of_type: fn(&Value) -> bool| self.0.get(name).is_none_or(is_of_type);
        ["iss", "scope", "jti"]
            .iter()
            .all(|name| is(name, Value::is_string))
            && is("nbf", |value| finite(value).is_some())
            && is("watch", Value::is_boolean)
    }

    pub(super) fn scope(&self) -> Scope {
        Scope::new(self.text("scope").unwrap_or_default())
    }

    pub(super) fn watch(&self) -> bool {
        self.0.get("watch").and_then(Value::as_bool) == Some(true)
    }

    pub(super) fn budget(&self) -> Option<Budget> {
        Budget::read(self.0.get("budget"))
    }

    pub(super) fn limits(&self) -> Option<ValueLimits> {
        ValueLimits::read(self.0.get("limits"))
    }

    pub(super) fn assets(&self) -> Option<Assets> {
        Assets::read(self.0.get("assets"))
    }

    /// `aud` may be a list.
    pub(super) fn names_audience(&self, audience: &str) -> bool {
        match self.0.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(many)) => many.iter().any(|one| one == audience),
            _ => false,
        }
    }
}

/// `None` also for a number that is out of range, such as `1e999`.
fn finite(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite())
}

/// Decodes a part in base64url. Refuses padding, other characters, and stray bits.
fn decode(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

const MAX_DEPTH: usize = 64;

/// Reads one JSON object. No name may be repeated at any depth: two parsers of a repeated claim may
/// read different values.
fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let raw = serde_json::from_slice(bytes).ok()?;
    match unique_value(raw, MAX_DEPTH).ok()? {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Reads a value whose objects have no repeated names. `RawValue` is used since serde_json passes
/// numbers of any precision to a visitor as objects.
fn unique_value(raw: &RawValue, max_depth: usize) -> serde_json::Result<Value> {
    let text = raw.get();
    let is_container = text.starts_with(['{', '[']);
    if is_container && max_depth == 0 {
        return Err(de::Error::custom("nested too deeply"));
    }
    if text.starts_with('{') {
        let UniqueMembers(members) = serde_json::from_str(text)?;
        let mut object = Map::new();
        for (name, member) in members {
            object.insert(name, unique_value(member, max_depth - 1)?);
        }
        return Ok(Value::Object(object));
    }
    if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text)?;
        let read = |item: &RawValue| unique_value(item, max_depth - 1);
        return items.into_iter().map(read).collect();
    }
    serde_json::from_str(text)
}

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
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// JSON whose objects may repeat a name. Scalars and names are source text.
    #[derive(Clone, Debug)]
    enum Json {
        Scalar(&'static str),
        Array(Vec<Json>),
        Object(Vec<(&'static str, Json)>),
    }

    impl Json {
        fn text(&self) -> String {
            let list = |items: Vec<String>| items.join(", ");
            match self {
                Json::Scalar(text) => (*text).to_owned(),
                Json::Array(items) => {
                    format!("[{}]", list(items.iter().map(Json::text).collect()))
                }
                Json::Object(members) => {
                    let member = |(name, value): &(&str, Json)| format!("{name}: {}", value.text());
                    format!("{{{}}}", list(members.iter().map(member).collect()))
                }
            }
        }

        fn repeats_a_name(&self) -> bool {
            match self {
                Json::Scalar(_) => false,
                Json::Array(items) => items.iter().any(Json::repeats_a_name),
                Json::Object(members) => {
                    let decoded =
                        |name: &str| serde_json::from_str::<String>(name).expect("a name");
                    let names: BTreeSet<_> =
                        members.iter().map(|(name, _)| decoded(name)).collect();
                    let is_repeated = names.len() < members.len();
                    is_repeated || members.iter().any(|(_, value)| value.repeats_a_name())
                }
            }
        }
    }

    fn members(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Json> {
        let name = prop::sample::select(vec![
            r#""a""#,
            r#""\u0061""#,
            r#""b""#,
            r#""""#,
            r#""a\":\"b""#,
            r#""{\"a\":1""#,
        ]);
        prop::collection::vec((name, value), 0..4).prop_map(Json::Object)
    }

    fn any_object() -> impl Strategy<Value = Json> {
        let scalars = vec![
            "null",
            "true",
            "-0.5e3",
            "18446744073709551616",
            r#""\u00e9:\\""#,
            r#"",{\"a\"""#,
        ];
        let scalar = prop::sample::select(scalars).prop_map(Json::Scalar);
        let value = scalar.prop_recursive(4, 24, 4, |inner| {
            let items = prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array);
            prop_oneof![items, members(inner)]
        });
        members(value)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn without_repeated_names_it_reads_what_a_plain_parser_reads(json in any_object()) {
            let text = json.text();
            let plain: Value = serde_json::from_str(&text).expect("JSON");
            let expected = if json.repeats_a_name() { None } else { plain.as_object().cloned() };
            prop_assert_eq!(object(text.as_bytes()), expected);
        }
    }

    fn with_header(header: &str) -> Option<Token> {
        let header = URL_SAFE_NO_PAD.encode(header);
        Token::parse(&format!("{header}.e30.AA"))
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
            let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"xy"}"#);
            let signature = "A".repeat(length - header.len() - ".e30.".len());
            Token::parse(&format!("{header}.e30.{signature}")).is_some()
        };
        assert_eq!(
            [MAX_LEN - 1, MAX_LEN, MAX_LEN + 1].map(of_length),
            [true, true, false]
        );
    }

    #[test]
    fn a_number_out_of_range_is_of_the_wrong_type() {
        let claims = |text: &str| Claims(object(text.as_bytes()).expect("an object"));
        for (number, expected) in [
            ("1800000000", true),
            ("1.8e9", true),
            ("-1", true),
            ("1e999", false),
            ("-1e999", false),
            ("\"1800000000\"", false),
            ("null", false),
        ] {
            let claims = claims(&format!("{{\"nbf\": {number}}}"));
            assert_eq!(claims.are_of_their_types(), expected, "{number}");
            assert_eq!(claims.number("nbf").is_some(), expected, "{number}");
        }
        assert!(claims("{}").are_of_their_types(), "absent");
    }

    #[test]
    fn only_objects_are_read_also_such_as_a_number_of_the_json_library() {
        let claims = object(br#"{"b":{"$serde_json::private::Number":"5"}}"#).expect("an object");
        assert!(claims["b"].is_object(), "it only looks like a number");
        for other in [
            r#"{"$serde_json::private::Number":"5","$serde_json::private::Number":"5"}"#,
            "[]",
            "",
            "{",
        ] {
            assert!(object(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn no_nesting_exhausts_the_stack() {
        let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(object(nested(MAX_DEPTH - 1).as_bytes()).is_some());
        assert!(object(nested(MAX_DEPTH).as_bytes()).is_none());
        assert!(object(nested(100_000).as_bytes()).is_none());
    }
}
