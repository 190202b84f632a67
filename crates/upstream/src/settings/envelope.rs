//! The members of the envelope (§2).

use mediagate_core::{Code, Envelope};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pointers::Pointers;

/// The places of the envelope's members in a response. A response without a code has no envelope.
/// If the list of places of the code is empty, the service has no envelopes, and the HTTP status
/// decides.
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
            code: Pointers::of(&["/code"]),
            message: Pointers::of(&["/message"]),
            data: Pointers::of(&["/data"]),
        }
    }
}

impl EnvelopeDialect {
    /// Returns true if each response must have a code, as the document says (§7).
    pub(crate) fn is_required(&self) -> bool {
        !self.code.is_empty()
    }

    /// Reads the envelope of a response. Returns `None` if the response has no code.
    pub fn read<'a>(&self, body: &'a Value) -> Option<Envelope<&'a Value>> {
        // Of several codes, one that is no success counts.
        let codes = self.code.iter().filter_map(|place| {
            let code = body.pointer(place)?;
            Code::read(&code).or_else(|| Code::named(code.as_str()?))
        });
        let code = codes.reduce(|first, next| if first == Code::OK { next } else { first })?;
        let body = &[body];
        Some(Envelope {
            code,
            message: self.message.find(body, Some),
            data: self.data.find(body, Some).filter(|data| !data.is_null()),
        })
    }
}

/// Returns the code of an error: a documented number other than 0, or its name.
pub(crate) fn code_of(value: &Value) -> Option<Code> {
    let code = Code::read(&value).or_else(|| Code::named(value.as_str()?))?;
    (code.is_documented() && code != Code::OK).then_some(code)
}
