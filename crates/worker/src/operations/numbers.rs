//! A single notation for each number.

use serde_json::{Number, Value};

/// Returns a value with each number in a single notation. In JSON, 5.0, 5e0 and 5 are equal, but to
/// the upstream they may differ, and so would two bodies of one create. Members that are `null`
/// count as absent.
pub(super) fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(notation(number)),
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => {
            let present = members.iter().filter(|(_, member)| !member.is_null());
            let canonical = present.map(|(name, member)| (name.clone(), canonical(member)));
            Value::Object(canonical.collect())
        }
        other => other.clone(),
    }
}

/// Returns an integer if the number is one, or else the float with the shortest text. An integer
/// that no float equals keeps its digits.
fn notation(number: &Number) -> Number {
    if let Some(integer) = number.as_i64() {
        return integer.into();
    }
    if let Some(integer) = number.as_u64() {
        return integer.into();
    }
    let Some(float) = number.as_f64() else {
        return number.clone();
    };
    // A float in this range equals exactly one whole number.
    if float.fract() == 0.0 && float.abs() < MAX_EXACT {
        return (float as i64).into();
    }
    let text = number.to_string();
    let is_integer = text
        .trim_start_matches('-')
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    // As a float, a longer integer would lose digits.
    if is_integer && format!("{float:.0}") != text {
        number.clone()
    } else {
        Number::from_f64(float).unwrap_or_else(|| number.clone())
    }
}

/// The limit below which a float exists for every whole number.
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
                same.iter().all(|number| of(number) == expected),
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
