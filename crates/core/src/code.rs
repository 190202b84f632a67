use crate::value::{Type, Value};

/// An application code. Holds any number, also a number that the document does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Code(pub i32);

/// The effect of a failed create on the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde_json",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Outcome {
    /// The create was not sent upstream, so nothing was charged.
    NotSent,
    /// Upstream rejected the create, so nothing was charged.
    Rejected,
    /// Upstream may have accepted the create and charged for it.
    Unknown,
}

impl Outcome {
    /// Returns the name on the wire.
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
    /// Reads a code: an int32, as a number or as a string of digits. Returns `None` for anything
    /// else, such as a fraction.
    pub fn read<V: Value>(value: &V) -> Option<Self> {
        match value.kind() {
            Type::Number => value
                .number()
                // A float cast saturates, so a number outside of int32 differs from its cast.
                .filter(|number| f64::from(*number as i32) == *number)
                .map(|number| Code(number as i32)),
            Type::Text => integer(value.text()?.trim_ascii()).map(Code),
            _ => None,
        }
    }

    /// Returns the documented code with this name. The name may be in any case of letters, with
    /// spaces or hyphens for underscores.
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

    /// Returns the documented name, or `unknown`.
    pub fn name(self) -> &'static str {
        self.row().map_or("unknown", |row| row.1)
    }

    /// The names of causes that share a code. A retry does not help against any of them.
    pub const CAUSES: [&'static str; 3] = ["upstream_credentials", "forbidden", "budget_exceeded"];

    /// Returns the name of an error response's cause: the code's name, or one of [`Code::CAUSES`]
    /// if the HTTP `status` or the gateway's `reason` narrows the code down.
    pub fn cause(self, status: u16, reason: &str) -> &'static str {
        let [upstream_credentials, forbidden, budget_exceeded] = Code::CAUSES;
        match (self, reason) {
            (Code::UNAUTHENTICATED, "upstream_credentials") => upstream_credentials,
            (Code::UNAUTHENTICATED, _) if status == 403 => forbidden,
            (Code::RATE_LIMIT, "budget") => budget_exceeded,
            _ => self.name(),
        }
    }

    /// Returns the documented message; empty for an unknown code.
    pub fn message(self) -> &'static str {
        self.row().map_or("", |row| row.2)
    }

    /// Returns true if the document lists the code.
    pub fn is_documented(self) -> bool {
        self.row().is_some()
    }

    /// Returns true if a retried read may succeed: the cause was load, a failure or a timeout.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Code::RATE_LIMIT | Code::SERVER_ERROR | Code::PROVIDER_ERROR | Code::PROVIDER_TIMEOUT
        )
    }

    /// Returns the outcome of a create to which upstream responded with this code.
    pub fn outcome(self) -> Outcome {
        match self.0 {
            // Codes with which upstream turns a request away before it starts a job. The others
            // (1404, 1405, 99 and unknown ones) may come after the charge.
            12 | 13 | 16 | 1401..=1403 | 1407..=1410 => Outcome::Rejected,
            _ => Outcome::Unknown,
        }
    }

    fn row(self) -> Option<&'static (Code, &'static str, &'static str)> {
        Code::ALL.iter().find(|row| row.0 == self)
    }
}

/// Parses an int32 in decimal. Rejects a plus sign, unlike `str::parse`.
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
