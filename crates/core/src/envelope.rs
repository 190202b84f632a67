//! The response envelope `{code, message, data}` (§2).

use crate::code::Code;
use crate::value::{Type, Value};

/// A decoded envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope<V> {
    /// The application code; any int32.
    pub code: Code,
    /// The message, which may be any value; `None` where there is none.
    pub message: Option<V>,
    /// The `data` member; `None` where it is absent or `null`.
    pub data: Option<V>,
}

impl<V: Value> Envelope<V> {
    /// Decodes an envelope: an object whose `code` is an int32, as a number or as a string of digits. `None` for
    /// anything else.
    pub fn decode(body: V) -> Option<Self> {
        Some(Envelope {
            code: Code(code(&body.get("code")?)?),
            message: body.get("message"),
            data: body.get("data").filter(|it| it.kind() != Type::Null),
        })
    }
}

fn code<V: Value>(value: &V) -> Option<i32> {
    match value.kind() {
        Type::Number => value
            .number()
            .filter(|it| f64::from(*it as i32) == *it)
            .map(|it| it as i32),
        Type::Text => integer(value.text()?.trim_ascii()),
        _ => None,
    }
}

/// An int32 in decimal.
fn integer(text: &str) -> Option<i32> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |it| (-1, it));
    let is_short = (1..=10).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit());
    let number = digits.bytes().fold(0, |sum: i64, it| {
        sum.wrapping_mul(10)
            .wrapping_add(i64::from(it.wrapping_sub(b'0')))
    });
    if is_short {
        i32::try_from(sign * number).ok()
    } else {
        None
    }
}
