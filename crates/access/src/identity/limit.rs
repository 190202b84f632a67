use mediagate_core::{Group, Reason};
use serde::{Deserialize, Serialize};

use super::Credits;
use crate::byte_size::byte_size;
use crate::refusal::Refusal;

/// The limits of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    /// Creates of any capability within 24 hours.
    Creates,
    /// Creates of the group `generate` within 24 hours.
    Generate,
    /// Creates of the group `process` within 24 hours.
    Process,
    /// The credits of creates within 24 hours. The numbers of this limit are millionths.
    Credits,
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
    /// The name in `data.limit` and in the `RateLimit` headers.
    pub const fn name(self) -> &'static str {
        match self {
            LimitName::Creates => "creates",
            LimitName::Generate => "generate",
            LimitName::Process => "process",
            LimitName::Credits => "credits",
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
    /// Refuses with 429, code 16, reason `budget`, with `data.limit`, and a `Retry-After` if
    /// waiting helps.
    pub fn refusal(&self) -> Refusal {
        let (one, of_what) = match self.name {
            LimitName::Credits => return self.too_few_credits(),
            LimitName::InFlight => ("task", "in flight"),
            LimitName::Pipelines => ("pipeline", "at once"),
            LimitName::PipelineStarts => ("pipeline", "of a day"),
            LimitName::Creates => ("create", "of a day"),
            LimitName::Generate => ("create", "of a day for generate"),
            LimitName::Process => ("create", "of a day for process"),
            LimitName::Uploads => ("upload", "of a day that callers without an account share"),
            LimitName::UploadBytes => (
                "byte",
                "of uploads of a day that callers without an account share",
            ),
            LimitName::Estimates => ("estimate", "of a day that callers without an account share"),
        };
        let remedy = match (self.name, self.reset) {
            (_, 0) => "waiting will not change that; sign in, or have the limit raised",
            (LimitName::InFlight | LimitName::Pipelines, _) => "wait until one ends",
            _ => "wait for the time that Retry-After gives",
        };
        let message = match self.max {
            0 => format!("no {one}s {of_what} are allowed; {remedy}"),
            1 => format!("the one {one} {of_what} is used up; {remedy}"),
            max if self.name == LimitName::UploadBytes => {
                format!("the {} {of_what} are used up; {remedy}", byte_size(max))
            }
            max => format!("the {max} {one}s {of_what} are used up; {remedy}"),
        };
        Refusal {
            retry_after: Some(self.reset).filter(|seconds| *seconds > 0),
            ..Refusal::new(Reason::Budget, message)
        }
        .with("limit", self.name.name())
    }

    /// Refuses a create that costs more than is left. `data.left` has the credits that are left.
    fn too_few_credits(&self) -> Refusal {
        let [max, left] = [self.max, self.left].map(Credits::from_millionths);
        let remedy = match self.reset {
            0 => {
                "waiting will not change that; ask for something cheaper, or have the limit raised"
            }
            _ => "wait for the time that Retry-After gives, or ask for something cheaper",
        };
        let message =
            format!("{left} of the {max} credits of a day are left, too few for this; {remedy}");
        Refusal {
            retry_after: Some(self.reset).filter(|seconds| *seconds > 0),
            ..Refusal::new(Reason::Budget, message)
        }
        .with("limit", self.name.name())
        .with("left", left.to_json())
    }

    /// Returns a number of this limit for a header, which has whole credits, rounded down.
    fn whole(&self, number: u64) -> u64 {
        match self.name {
            LimitName::Credits => number / 1_000_000,
            _ => number,
        }
    }

    /// The headers `RateLimit-Policy` and `RateLimit`.
    pub fn headers(limits: &[Limit]) -> Vec<(&'static str, String)> {
        if limits.is_empty() {
            return Vec::new();
        }
        let list =
            |item: fn(&Limit) -> String| limits.iter().map(item).collect::<Vec<_>>().join(", ");
        let policy = list(|limit| match limit.name {
            // Tasks in flight are not counted over a window of time.
            LimitName::InFlight => format!("\"in_flight\";q={}", limit.max),
            name => format!("\"{}\";q={};w=86400", name.name(), limit.whole(limit.max)),
        });
        let left = list(|limit| {
            let name = limit.name.name();
            format!("\"{name}\";r={};t={}", limit.whole(limit.left), limit.reset)
        });
        vec![("ratelimit-policy", policy), ("ratelimit", left)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(name: LimitName, max: u64, reset: u32) -> Limit {
        Limit {
            name,
            max,
            left: 0,
            reset,
        }
    }

    #[test]
    fn a_refusal_says_which_limit_is_used_up_and_when_to_try_again() {
        let generate = Group::Generate.into();
        for (limit, beginning) in [
            (
                limit(LimitName::InFlight, 2, 9),
                "the 2 tasks in flight are used up; wait until one ends",
            ),
            (
                limit(LimitName::Creates, 2, 9),
                "the 2 creates of a day are used up; wait for the time",
            ),
            (
                limit(LimitName::Process, 2, 0),
                "the 2 creates of a day for process are used up; waiting will not change that",
            ),
            (
                limit(generate, 2, 9),
                "the 2 creates of a day for generate are used up",
            ),
            (
                limit(LimitName::UploadBytes, 512 << 20, 86_400),
                "the 512 MiB of uploads of a day",
            ),
            (
                limit(LimitName::Creates, 1, 9),
                "the one create of a day is used up",
            ),
            (
                limit(LimitName::Creates, 0, 0),
                "no creates of a day are allowed; waiting will not change that",
            ),
        ] {
            let refusal = limit.refusal();
            let retry_after = (limit.reset > 0).then_some(limit.reset);
            assert_eq!((refusal.status, refusal.retry_after), (429, retry_after));
            assert!(refusal.is(Reason::Budget));
            assert_eq!(refusal.data["limit"], limit.name.name());
            let message = refusal.message;
            let beginning = format!("rate limit: {beginning}");
            assert!(message.starts_with(&beginning), "{message}");
        }
    }

    #[test]
    fn headers_list_every_limit_and_its_window() {
        let limits = vec![
            limit(LimitName::Creates, 5, 60),
            limit(LimitName::InFlight, 5, 60),
        ];
        let credits = Limit {
            left: 7_900_000,
            ..limit(LimitName::Credits, 200_000_000, 60)
        };
        let limits = [limits, vec![credits]].concat();
        let policy = r#""creates";q=5;w=86400, "in_flight";q=5, "credits";q=200;w=86400"#;
        let left = r#""creates";r=0;t=60, "in_flight";r=0;t=60, "credits";r=7;t=60"#;
        assert_eq!(
            Limit::headers(&limits),
            [
                ("ratelimit-policy", policy.to_owned()),
                ("ratelimit", left.to_owned()),
            ]
        );
        assert_eq!(Limit::headers(&[]), []);
    }
}
