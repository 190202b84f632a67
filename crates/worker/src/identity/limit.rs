//! A limit and what is left of it.

use mediagate_core::{Group, Reason};
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;

/// The name of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    /// Creates of any capability within 24 hours.
    Creates,
    /// Creates of the group `generate` within 24 hours.
    Generate,
    /// Creates of the group `process` within 24 hours.
    Process,
    /// Tasks that have not ended.
    InFlight,
    /// Pipelines that have not ended.
    Pipelines,
    /// Pipelines that were started within 24 hours.
    PipelineStarts,
    /// Upload URLs within 24 hours.
    Uploads,
    /// Bytes of uploads within 24 hours.
    UploadBytes,
    /// Estimates within 24 hours.
    Estimates,
}

impl From<Group> for LimitName {
    fn from(group: Group) -> Self {
        match group {
            Group::Generate => LimitName::Generate,
            Group::Process => LimitName::Process,
        }
    }
}

impl LimitName {
    /// Returns the name in `data.limit` and in the `RateLimit` headers.
    pub const fn name(self) -> &'static str {
        match self {
            LimitName::Creates => "creates",
            LimitName::Generate => "generate",
            LimitName::Process => "process",
            LimitName::InFlight => "in_flight",
            LimitName::Pipelines => "pipelines",
            LimitName::PipelineStarts => "pipeline_starts",
            LimitName::Uploads => "uploads",
            LimitName::UploadBytes => "upload_bytes",
            LimitName::Estimates => "estimates",
        }
    }
}

/// A limit and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// The name.
    pub name: LimitName,
    /// The limit itself.
    pub max: u64,
    /// The number that is left.
    pub left: u64,
    /// The seconds until more may be left. 0 if that will not change.
    pub reset: u32,
}

impl Limit {
    /// Returns the refusal for a limit that is used up: 429, code 16, reason `budget`, with
    /// `data.limit`. It has a `Retry-After` if waiting helps.
    pub(crate) fn refusal(&self) -> Refusal {
        let what = match self.name {
            LimitName::InFlight => "tasks in flight",
            LimitName::Pipelines => "pipelines at once",
            LimitName::PipelineStarts => "pipelines of a day",
            LimitName::Creates => "creates of a day",
            LimitName::Generate => "creates of a day for generate",
            LimitName::Process => "creates of a day for process",
            LimitName::Uploads => "uploads of a day that callers without an account share",
            LimitName::UploadBytes => {
                "bytes of uploads of a day that callers without an account share"
            }
            LimitName::Estimates => "estimates of a day that callers without an account share",
        };
        let remedy = match (self.name, self.reset) {
            (_, 0) => "waiting will not change that; sign in, or have the limit raised",
            (LimitName::InFlight | LimitName::Pipelines, _) => "wait until one ends",
            _ => "wait for the time that Retry-After gives",
        };
        let message = match self.max {
            0 => format!("no {what} are allowed; {remedy}"),
            max => format!("the {max} {what} are used up; {remedy}"),
        };
        let refusal = Refusal::new(Reason::Budget, message);
        let retry_after = Some(self.reset).filter(|seconds| *seconds > 0);
        Refusal {
            retry_after,
            ..refusal
        }
        .with("limit", self.name.name())
    }

    /// Returns the headers `RateLimit-Policy` and `RateLimit` for some limits. No headers without
    /// limits.
    pub(crate) fn headers(limits: &[Limit]) -> Vec<(&'static str, String)> {
        if limits.is_empty() {
            return Vec::new();
        }
        let list =
            |item: fn(&Limit) -> String| limits.iter().map(item).collect::<Vec<_>>().join(", ");
        let policy = list(|limit| match limit.name {
            // Tasks in flight are not counted over a window of time.
            LimitName::InFlight => format!("\"in_flight\";q={}", limit.max),
            name => format!("\"{}\";q={};w=86400", name.name(), limit.max),
        });
        let left = list(|limit| {
            let name = limit.name.name();
            format!("\"{name}\";r={};t={}", limit.left, limit.reset)
        });
        vec![("ratelimit-policy", policy), ("ratelimit", left)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_BUDGETS: [LimitName; 4] = [
        LimitName::Creates,
        LimitName::Generate,
        LimitName::Process,
        LimitName::InFlight,
    ];
    const ALL: [LimitName; 9] = [
        LimitName::Creates,
        LimitName::Generate,
        LimitName::Process,
        LimitName::InFlight,
        LimitName::Pipelines,
        LimitName::PipelineStarts,
        LimitName::Uploads,
        LimitName::UploadBytes,
        LimitName::Estimates,
    ];

    #[test]
    fn a_refusal_says_which_limit_is_used_up_and_when_to_try_again() {
        for (name, reset) in ALL
            .into_iter()
            .flat_map(|name| [(name, 0), (name, 1), (name, 86_400)])
        {
            let refusal = Limit {
                name,
                max: 73,
                left: 0,
                reset,
            }
            .refusal();
            let retry_after = (reset > 0).then_some(reset);
            assert_eq!(
                (refusal.status, refusal.code, refusal.retry_after),
                (429, mediagate_core::Code::RATE_LIMIT, retry_after)
            );
            assert_eq!(
                (&refusal.data["reason"], &refusal.data["limit"]),
                (&"budget".into(), &name.name().into())
            );
            assert!(refusal.message.contains("73"), "{}", refusal.message);
        }
        let message = |name| {
            Limit {
                name,
                max: 2,
                left: 0,
                reset: 9,
            }
            .refusal()
            .message
        };
        assert!(message(LimitName::InFlight).contains("until one ends"));
        assert!(
            message(LimitName::Creates)
                .starts_with("rate limit: the 2 creates of a day are used up")
        );
        assert!(
            message(LimitName::Process)
                .starts_with("rate limit: the 2 creates of a day for process are used up")
        );
        assert!(
            message(Group::Generate.into())
                .starts_with("rate limit: the 2 creates of a day for generate are used up")
        );
        assert!(
            message(LimitName::UploadBytes)
                .starts_with("rate limit: the 2 bytes of uploads of a day")
        );
        let none = Limit {
            name: LimitName::Creates,
            max: 0,
            left: 0,
            reset: 0,
        }
        .refusal()
        .message;
        assert!(
            none.starts_with(
                "rate limit: no creates of a day are allowed; waiting will not change that"
            ),
            "{none}"
        );
    }

    #[test]
    fn headers_list_every_limit_and_its_window() {
        let limits = OF_BUDGETS.map(|name| Limit {
            name,
            max: 5,
            left: 3,
            reset: 60,
        });
        let expected = [
            (
                "ratelimit-policy",
                concat!(
                    r#""creates";q=5;w=86400, "generate";q=5;w=86400, "#,
                    r#""process";q=5;w=86400, "in_flight";q=5"#
                ),
            ),
            (
                "ratelimit",
                concat!(
                    r#""creates";r=3;t=60, "generate";r=3;t=60, "#,
                    r#""process";r=3;t=60, "in_flight";r=3;t=60"#
                ),
            ),
        ];
        assert_eq!(
            Limit::headers(&limits),
            expected.map(|(name, value)| (name, value.to_owned()))
        );
        assert_eq!(Limit::headers(&[]), []);
    }
}
