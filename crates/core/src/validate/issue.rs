use alloc::string::String;

use crate::code::Code;

/// The severity of an issue, which decides if a request passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The document forbids it: the request is refused.
    Error,
    /// The document leaves it open: the request passes.
    Warning,
}

impl Severity {
    /// Returns the name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

macro_rules! issue_reasons {
    ($($variant:ident($name:literal, $meaning:literal, $remedy:literal);)*) => {
        /// The kind of an [`Issue`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum IssueReason {
            $(#[doc = $meaning] $variant,)*
        }

        impl IssueReason {
            /// All reasons.
            pub const ALL: &'static [IssueReason] = &[$(IssueReason::$variant),*];

            /// Returns the name on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    $(IssueReason::$variant => $name,)*
                }
            }

            /// Returns the meaning, for documentation.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(IssueReason::$variant => $meaning,)*
                }
            }

            /// Returns the remedy of an app, for documentation.
            pub const fn remedy(self) -> &'static str {
                match self {
                    $(IssueReason::$variant => $remedy,)*
                }
            }
        }
    };
}

#[rustfmt::skip]
issue_reasons! {
    Missing("missing",
        "A required field is absent, or none of several fields is present.",
        "Have the user enter it.");
    Empty("empty", "A string, a list or a file is empty.", "Have the user enter a value.");
    UnknownField("unknown_field",
        "The capability has no such field. As a warning: the name is near that of one.",
        "Correct its name; `message` may suggest one.");
    WrongType("wrong_type",
        "The value, or the file, is of another type.",
        "Pass the type that `message` names.");
    OutOfRange("out_of_range",
        "A number has a fraction, or is too small or too large; or there are too many of \
         something.",
        "Have the user enter a value within the bounds.");
    Malformed("malformed",
        "A string is not in the expected format, such as `HH:MM:SS`.",
        "Have the user enter the format that `message` names.");
    Order("order",
        "The end of a segment is before its start, or (as a warning) the same.",
        "Have the user correct one of the two.");
    NotOffered("not_offered",
        "The model does not take this value.",
        "Offer those that `message` lists.");
    Limit("limit",
        "The limits of the session do not allow this value, or require one.",
        "Offer what the limits allow: `media.capabilities()` has them.");
    ReferenceMedia("reference_media",
        "The model does not take references of this kind.",
        "Choose another model, or leave them out.");
    AssetCategory("asset_category",
        "The asset is no avatar, or no voice, where one is needed.",
        "Choose another asset.");
    UnknownId("unknown_id",
        "This user has no such file or asset.",
        "Upload the file again, or choose another asset.");
    UnknownStep("unknown_step", "A pipeline has no step of this name.", "Correct the reference.");
    Cycle("cycle", "The steps of a pipeline wait for each other.", "Remove one of the references.");
    UnknownCapability("unknown_capability",
        "There is no capability of this name.",
        "Correct its name.");
}

/// One invalid or doubtful value of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The path of the value, such as `prompt` or `segments[1].end_time`; empty for the body
    /// itself.
    pub path: String,
    /// The kind of problem.
    pub reason: IssueReason,
    /// The problem, and the valid values. Never contains a value from the request.
    pub message: String,
    /// The severity: an error stops the request.
    pub severity: Severity,
}

/// The number of errors after which the validator stops reading members and items, so that a
/// hostile body is cheap. The known fields may add a few more. Warnings beyond this number are
/// dropped.
pub const MAX_ISSUES: usize = 100;

/// Returns true if a request with these issues passes, because none is an error.
pub fn is_valid(issues: &[Issue]) -> bool {
    !issues.iter().any(|issue| issue.severity == Severity::Error)
}

/// Returns the code of a refusal for these issues: 12, or 1403 if the only error is a missing voice
/// (§7).
pub fn code_of(issues: &[Issue]) -> Code {
    let mut errors = issues
        .iter()
        .filter(|issue| issue.severity == Severity::Error);
    let is_voice = |issue: &Issue| {
        issue.path == "voice_asset_id"
            && (issue.reason == IssueReason::Missing || issue.reason == IssueReason::Empty)
    };
    match (errors.next(), errors.next()) {
        (Some(error), None) if is_voice(error) => Code::VOICE_ASSET_REQUIRED,
        _ => Code::INVALID_INPUT,
    }
}
