//! The response envelope `{code, message, data}` (§2).

use crate::code::Code;
use crate::value::{Type, Value};

/// A decoded envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope<V> {
    /// The application code; any int32.
    pub code: Code,
    /// The message; empty where there is none.
    pub message: String,
    /// The `data` member; `None` where it is absent or `null`.
    pub data: Option<V>,
}

impl<V: Value> Envelope<V> {
    /// Decodes an envelope: an object whose `code` is an int32, as a number or as a string of digits. `None` for
    /// anything else.
    pub fn decode(body: &V) -> Option<Self> {
        Some(Envelope {
            code: Code(code(&body.get("code")?)?),
            message: body.get("message").and_then(|it| it.text().map(Into::into)).unwrap_or_default(),
            data: body.get("data").filter(|it| it.kind() != Type::Null),
        })
    }
}

fn code<V: Value>(value: &V) -> Option<i32> {
    match value.kind() {
        Type::Number => value.number().filter(|it| f64::from(*it as i32) == *it).map(|it| it as i32),
        Type::Text => value.text()?.trim().parse().ok(),
        _ => None,
    }
}
