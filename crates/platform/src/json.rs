//! Reads untrusted JSON within bounds. A short document may need much memory, or take long to seal.

use mediagate_core::object;
use mediagate_upstream::{parse_json, parse_response};
use serde_json::{Map, Value};

/// The deepest nesting. A reply wraps the upstream's response in another object, so this is well
/// below the limits of JSON parsers.
const MAX_DEPTH: usize = 64;
const MAX_RESPONSE_VALUES: usize = 100_000;
/// The most values and names in a request. In memory, a value may have a hundred times the bytes of
/// its text.
const MAX_REQUEST_VALUES: usize = 10_000;
/// The start of names that the JSON library reserves. It would read such a member as a number.
const RESERVED: &str = "$serde_json::private::";

/// Reads the body of a request. The error is the position of a syntax error, or the exceeded bound.
pub fn read_request(bytes: &[u8]) -> Result<Value, String> {
    read(bytes, MAX_REQUEST_VALUES, parse_json)
}

/// Reads a response of the upstream, which may be almost JSON: see [`parse_response`].
pub fn read_response(bytes: &[u8]) -> Result<Value, String> {
    read(bytes, MAX_RESPONSE_VALUES, parse_response)
}

/// Counts values and names before the document is parsed.
fn read(
    bytes: &[u8],
    max_values: usize,
    parse: fn(&[u8]) -> serde_json::Result<Value>,
) -> Result<Value, String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Each of these characters begins or separates values or names.
    if count_outside_strings(text, |byte| matches!(byte, b',' | b':' | b'[' | b'{')) > max_values {
        return Err(format!("it has more than {max_values} values"));
    }
    let value = parse(text)
        .map_err(|error| format!("at line {} column {}", error.line(), error.column()))?;
    if is_plain(&value, MAX_DEPTH) {
        Ok(value)
    } else {
        Err(format!(
            "it is nested deeper than {MAX_DEPTH} levels, or has a name that is not allowed"
        ))
    }
}

pub fn present<'a>(
    members: impl IntoIterator<Item = (&'a str, Option<Value>)>,
) -> Map<String, Value> {
    let members = members.into_iter();
    object(members.filter_map(|(name, value)| Some((name.to_owned(), value?))))
}

fn count_outside_strings(text: &[u8], counts: impl Fn(u8) -> bool) -> usize {
    let mut count = 0;
    let mut in_string = false;
    let mut escaped = false;
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            byte if !in_string && counts(*byte) => count += 1,
            _ => {}
        }
    }
    count
}

fn is_plain(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(items) => left > 0 && items.iter().all(|item| is_plain(item, left - 1)),
        Value::Object(members) => {
            left > 0
                && members
                    .iter()
                    .all(|(name, member)| !name.starts_with(RESERVED) && is_plain(member, left - 1))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_beyond_the_bounds_are_refused() {
        let read = |text: &[u8]| read(text, 1000, parse_json);
        assert_eq!(read(b"\xef\xbb\xbf{\"a\":1}"), Ok(json!({"a": 1})));
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(nested(64).as_bytes()).is_ok() && read(nested(65).as_bytes()).is_err());
        assert!(read(nested(100_000).as_bytes()).is_err());
        assert!(read(format!("[{}1]", "1,".repeat(999)).as_bytes()).is_ok());
        assert_eq!(
            read(format!("[{}1]", "1,".repeat(1000)).as_bytes()).unwrap_err(),
            "it has more than 1000 values"
        );
        let prose = json!({"prompt": format!("\\\",:{{[ {}", ",".repeat(5000))});
        assert_eq!(
            read(prose.to_string().as_bytes()),
            Ok(prose),
            "characters in a string do not count"
        );
        assert!(read(br#"{"a":[{"$serde_json::private::Number":"zz"}]}"#).is_err());
        assert_eq!(read(b"{\"a\":}").unwrap_err(), "at line 1 column 6");
    }
}
