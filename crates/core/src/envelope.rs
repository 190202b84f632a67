use crate::code::Code;
use crate::value::{Type, Value};

/// A decoded envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope<V> {
    /// The application code; any int32.
    pub code: Code,
    /// The message, which may be any value; `None` if it is absent.
    pub message: Option<V>,
    /// The `data` member; `None` if it is absent or `null`.
    pub data: Option<V>,
}

impl<V: Value> Envelope<V> {
    /// Decodes an envelope: an object whose `code` is an int32, as a number or as a string of
    /// digits. Returns `None` for anything else.
    pub fn decode(body: V) -> Option<Self> {
        Some(Envelope {
            code: Code::read(&body.get("code")?)?,
            message: body.get("message"),
            data: body.get("data").filter(|data| data.kind() != Type::Null),
        })
    }
}
