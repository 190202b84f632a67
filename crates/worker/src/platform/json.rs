//! Reads untrusted JSON within bounds: a short document may need much memory, or take long to seal.

use mediagate_dialect::parse_json;
use serde_json::Value;

/// Deepest nesting. The reply nests an upstream response once more, so this is well below the limits of JSON parsers.
const MAX_DEPTH: usize = 64;
/// Most values and names in a response of upstream.
pub(crate) const MAX_RESPONSE_VALUES: usize = 100_000;
/// Most values and names in a request: each may occupy some hundred times the bytes that it was written in.
pub(crate) const MAX_REQUEST_VALUES: usize = 10_000;
/// A member's name that the JSON library reserves: it would be read as a number.
const RESERVED: &str = "$serde_json::private::";

/// Reads a document of at most `max_values` values and names, which are counted before anything is parsed.
///
/// # Errors
/// Where it is malformed, or which bound it exceeds.
pub(crate) fn read(bytes: &[u8], max_values: usize) -> Result<Value, String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // What begins a value or a name, or separates two.
    if count_outside_strings(text, |it| matches!(it, b',' | b':' | b'[' | b'{')) > max_values {
        return Err(format!("it has more than {max_values} values"));
    }
    let value = parse_json(text)
        .map_err(|error| format!("at line {} column {}", error.line(), error.column()))?;
    match is_plain(&value, MAX_DEPTH) {
        true => Ok(value),
        false => Err(format!(
            "it is nested deeper than {MAX_DEPTH} levels, or has a name that is not allowed"
        )),
    }
}

/// How many characters of valid JSON, outside its strings, are such.
fn count_outside_strings(text: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            it if !in_string && is_such(*it) => count += 1,
            _ => {}
        }
    }
    count
}

fn is_plain(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(items) => left > 0 && items.iter().all(|it| is_plain(it, left - 1)),
        Value::Object(members) => {
            left > 0
                && members
                    .iter()
                    .all(|(name, it)| !name.starts_with(RESERVED) && is_plain(it, left - 1))
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
        let read = |text: &[u8]| read(text, 1000);
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
            "what is in a string is no value"
        );
        assert!(read(br#"{"a":[{"$serde_json::private::Number":"zz"}]}"#).is_err());
        assert_eq!(read(b"{\"a\":}").unwrap_err(), "at line 1 column 6");
    }
}
