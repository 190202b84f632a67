//! The members of the envelope (§2).

use mediagate_core::{Code, Envelope};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failure::code_of;
use super::pointers::Pointers;

/// The places of the envelope's members in a response. A response without a code has no envelope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EnvelopeDialect {
    /// The code: an int32 as a number or a string, or the name of a documented code, such as
    /// `insufficient_credits`.
    pub code: Pointers,
    /// The message.
    pub message: Pointers,
    /// The data.
    pub data: Pointers,
}

impl Default for EnvelopeDialect {
    fn default() -> Self {
        EnvelopeDialect {
            code: Pointers::of(&["/code", "/Code"]),
            message: Pointers::of(&["/message", "/Message"]),
            data: Pointers::of(&["/data", "/Data"]),
        }
    }
}

impl EnvelopeDialect {
    /// Reads the envelope of a response. Returns `None` if the response has no code.
    pub fn read<'a>(&self, body: &'a Value) -> Option<Envelope<&'a Value>> {
        let body = &[body];
        let code = self
            .code
            .find(body, |code| Code::read(&code).or_else(|| code_of(code)))?;
        Some(Envelope {
            code,
            message: self.message.find(body, Some),
            data: self.data.find(body, Some).filter(|data| !data.is_null()),
        })
    }
}
