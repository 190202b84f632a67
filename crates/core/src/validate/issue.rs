//! What is wrong with a request, or doubtful.

use alloc::string::String;

use crate::code::Code;

/// Whether an issue stops a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The document forbids it: the request is refused.
    Error,
    /// The document leaves it open: the request passes.
    Warning,
}

impl Severity {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One thing that is wrong with a request, or doubtful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The path of the value, such as `prompt` or `segments[1].end_time`; empty for the body itself.
    pub path: String,
    /// The reason, as a stable identifier: `missing`, `empty`, `unknown_field`, `wrong_type`, `out_of_range`, `malformed` or
    /// `order`.
    pub reason: &'static str,
    /// What is wrong, and what is valid. Never contains a value from the request.
    pub message: String,
    /// Whether it stops the request.
    pub severity: Severity,
}

/// The number of errors after which the validator stops reading members and items, so that a hostile body is cheap. The
/// known fields may add a few more. Warnings beyond this number are dropped.
pub const MAX_ISSUES: usize = 100;

/// Whether a request with these issues passes: it has no error.
pub fn is_valid(issues: &[Issue]) -> bool {
    !issues.iter().any(|it| it.severity == Severity::Error)
}

/// The code of a refusal for these issues: 12, except that the document has its own where a voice is all that is missing
/// (1403, §7).
pub fn code_of(issues: &[Issue]) -> Code {
    let mut errors = issues.iter().filter(|it| it.severity == Severity::Error);
    let is_voice = |it: &Issue| {
        it.path == "voice_asset_id" && (it.reason == "missing" || it.reason == "empty")
    };
    match (errors.next(), errors.next()) {
        (Some(it), None) if is_voice(it) => Code::VOICE_ASSET_REQUIRED,
        _ => Code::INVALID_INPUT,
    }
}
