//! The bounds of the claims of a session token, for the gateway that reads them and the backend
//! that writes them.

use crate::AssetCategory;

/// The longest lifetime of a page's token, in seconds.
pub const MAX_LIFETIME_S: u32 = 3600;

/// The most days for which the gateway's operator can let an agent's token live.
pub const MAX_AGENT_DAYS: u32 = 366;

/// The beginning of the subject of an anonymous session. No other subject may begin with it.
pub const ANONYMOUS_PREFIX: &str = "anon:";

/// The most bytes of a token's id.
pub const MAX_TOKEN_ID: usize = 128;

/// The limits of a budget.
pub const LIMITS: [&str; 5] = ["creates", "generate", "process", "in_flight", "credits"];

/// The limits on the values of creates.
pub const VALUE_LIMITS: [&str; 5] = [
    "models",
    "max_seconds",
    "clarities",
    "max_pixels",
    "max_prompt_chars",
];

/// The limits of [`VALUE_LIMITS`] that are lists of the allowed values. The others are numbers.
pub const LISTED_LIMITS: [&str; 2] = ["models", "clarities"];

impl AssetCategory {
    /// The categories of an asset in the claim.
    pub const ALL: [AssetCategory; 2] = [AssetCategory::Avatar, AssetCategory::Voice];

    /// The name in the claim.
    pub const fn name(self) -> &'static str {
        match self {
            AssetCategory::Avatar => "avatar",
            AssetCategory::Voice => "voice",
        }
    }
}
