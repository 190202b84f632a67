//! One notation for each number.

use serde_json::{Number, Value};

/// The same value with each number in one notation: to JSON 5.0, 5e0 and 5 are the same, to the upstream they may differ,
/// and so would two bodies of one create. Members that are `null` count as absent.
pub(super) fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(notation(number)),
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => {
            let there = members.iter().filter(|it| !it.1.is_null());
            Value::Object(
                there
                    .map(|(name, it)| (name.clone(), canonical(it)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// An integer where it is one, else the shortest text of the float. An integer that no float holds keeps its digits.
fn notation(number: &Number) -> Number {
    if let Some(it) = number.as_i64() {
        return it.into();
    }
    if let Some(it) = number.as_u64() {
        return it.into();
    }
    let Some(float) = number.as_f64() else {
        return number.clone();
    };
    if float.fract() == 0.0 && float.abs() < MAX_EXACT {
        return (float as i64).into();
    }
    let text = number.to_string();
    let is_integer = text
        .trim_start_matches('-')
        .bytes()
        .all(|it| it.is_ascii_digit());
    match is_integer && format!("{float:.0}") != text {
        true => number.clone(),
        false => Number::from_f64(float).unwrap_or_else(|| number.clone()),
    }
}

/// Up to here every whole number has a float of its own.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_notation() {
        let of = |text: &str| canonical(&serde_json::from_str(text).expect(text)).to_string();
        for (expected, same) in [
            ("0", ["-0", "0.0", "-0.0", "0e5"]),
            ("5", ["5.0", "5e0", "50e-1", "5.00"]),
            ("0.5", ["5e-1", "0.50", "0.5e0", "50e-2"]),
        ] {
            assert!(
                same.iter().all(|it| of(it) == expected),
                "{expected}: {:?}",
                same.map(of)
            );
        }
        assert_eq!(of("1e20"), of("100000000000000000000"));
        assert_eq!(of("18446744073709551615"), "18446744073709551615");
        assert_eq!(
            of("123456789012345678901234567891"),
            "123456789012345678901234567891",
            "no digit is lost"
        );
        assert_eq!(of(r#"{"a": [1.0, null], "b": null}"#), r#"{"a":[1,null]}"#);
    }
}
