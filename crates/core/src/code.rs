//! The application codes (§7).

use crate::value::{Type, Value};

/// An application code. Holds any number, including one that the document does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub i32);

/// The effect of a failed create on the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde_json",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Outcome {
    /// Nothing was sent upstream, so nothing was charged.
    NotSent,
    /// Upstream rejected it: nothing was charged.
    Rejected,
    /// The outcome is unknown: upstream may have accepted the create and charged for it.
    Unknown,
}

impl Outcome {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::NotSent => "not_sent",
            Outcome::Rejected => "rejected",
            Outcome::Unknown => "unknown",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $constant:ident = $number:literal, $name:literal, $message:literal;)*) => {
        impl Code {
            $($(#[$doc])* pub const $constant: Code = Code($number);)*

            /// Every documented code with its name and its message.
            pub const ALL: &'static [(Code, &'static str, &'static str)] =
                &[$((Code($number), $name, $message)),*];
        }
    };
}

codes! {
    /// Success.
    OK = 0, "ok", "ok";
    /// Request fields are invalid.
    INVALID_INPUT = 12, "invalid_input", "invalid input";
    /// Authentication is required.
    UNAUTHENTICATED = 13, "unauthenticated", "unauthenticated";
    /// The rate limit is exceeded.
    RATE_LIMIT = 16, "rate_limit", "rate limit";
    /// Upstream failed.
    SERVER_ERROR = 99, "server_error", "server error";
    /// Not enough credits.
    INSUFFICIENT_CREDITS = 1401, "insufficient_credits", "insufficient credits";
    /// The asset's category does not fit the operation.
    ASSET_CATEGORY_MISMATCH = 1402, "asset_category_mismatch", "asset category mismatch";
    /// The voice asset is missing.
    VOICE_ASSET_REQUIRED = 1403, "voice_asset_required", "voice asset required";
    /// The underlying provider returned an error.
    PROVIDER_ERROR = 1404, "provider_error", "provider error";
    /// The provider did not respond in time.
    PROVIDER_TIMEOUT = 1405, "provider_timeout", "provider timeout";
    /// The asset is locked.
    ASSET_LOCKED = 1407, "asset_locked", "asset locked";
    /// The asset is expired.
    ASSET_EXPIRED = 1408, "asset_expired", "asset expired";
    /// The account's plan is too low for the model.
    PAID_PLAN_REQUIRED = 1409, "paid_plan_required", "paid plan required";
    /// The model is unknown or unavailable.
    INVALID_MODEL = 1410, "invalid_model", "invalid model";
}

impl Code {
    /// Reads a code: an int32, as a number or as a text of digits. `None` for anything else, such as a fraction.
    pub fn read<V: Value>(value: &V) -> Option<Self> {
        match value.kind() {
            Type::Number => value
                .number()
                .filter(|number| f64::from(*number as i32) == *number)
                .map(|number| Code(number as i32)),
            Type::Text => integer(value.text()?.trim_ascii()).map(Code),
            _ => None,
        }
    }

    /// Returns the documented code of a name, in any case of letters, with spaces or hyphens for underscores.
    pub fn named(name: &str) -> Option<Self> {
        let letters = |name: &str| {
            name.bytes()
                .map(|letter| match letter {
                    b' ' | b'-' => b'_',
                    other => other.to_ascii_lowercase(),
                })
                .collect::<alloc::vec::Vec<u8>>()
        };
        let wanted = letters(name.trim());
        let mut codes = Code::ALL.iter();
        codes
            .find(|code| letters(code.1) == wanted)
            .map(|code| code.0)
    }

    /// Its name, or `unknown`.
    pub fn name(self) -> &'static str {
        self.row().map_or("unknown", |it| it.1)
    }

    /// The names of causes that share a code. None of them passes by itself.
    pub const CAUSES: [&'static str; 3] = ["upstream_credentials", "forbidden", "budget_exceeded"];

    /// The name of an error response's cause: the code's, or one of [`Code::CAUSES`], where the HTTP status or the gateway's
    /// reason says so.
    pub fn cause(self, status: u16, reason: &str) -> &'static str {
        let [upstream_credentials, forbidden, budget_exceeded] = Code::CAUSES;
        match (self, reason) {
            (Code::UNAUTHENTICATED, "upstream_credentials") => upstream_credentials,
            (Code::UNAUTHENTICATED, _) if status == 403 => forbidden,
            (Code::RATE_LIMIT, "budget") => budget_exceeded,
            _ => self.name(),
        }
    }

    /// Its documented message; empty for an unknown code.
    pub fn message(self) -> &'static str {
        self.row().map_or("", |it| it.2)
    }

    /// Whether the document lists it.
    pub fn is_documented(self) -> bool {
        self.row().is_some()
    }

    /// Whether a retried read may succeed: the cause was load, a failure or a timeout.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Code::RATE_LIMIT | Code::SERVER_ERROR | Code::PROVIDER_ERROR | Code::PROVIDER_TIMEOUT
        )
    }

    /// The outcome of a create to which upstream responded with this code.
    pub fn outcome(self) -> Outcome {
        match self.0 {
            12 | 13 | 16 | 1401..=1403 | 1407..=1410 => Outcome::Rejected,
            _ => Outcome::Unknown,
        }
    }

    fn row(self) -> Option<&'static (Code, &'static str, &'static str)> {
        Code::ALL.iter().find(|it| it.0 == self)
    }
}

/// Parses an int32 in decimal.
fn integer(text: &str) -> Option<i32> {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or((1, text), |digits| (-1, digits));
    let is_digits = digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_digits || !(1..=10).contains(&digits.len()) {
        return None;
    }
    let number = digits.bytes().fold(0, |sum: i64, digit| {
        sum.wrapping_mul(10)
            .wrapping_add(i64::from(digit.wrapping_sub(b'0')))
    });
    i32::try_from(sign * number).ok()
}
