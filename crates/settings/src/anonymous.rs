use mediagate_access::identity::{Budget, Credits, Item, Taking};

use serde_json::{Value, json};

use super::parse::{Read, SettingsReader, scope};

/// The default of `ANONYMOUS_UPLOADS`, for each create of `ANONYMOUS_BUDGET`. The next two defaults
/// are also for each create.
const UPLOADS_PER_CREATE: u64 = 5;
const UPLOAD_BYTES_PER_CREATE: u64 = 1 << 30;
const ESTIMATES_PER_CREATE: u64 = 20;

/// Settings of anonymous sessions. The numbers are of all anonymous callers together, within a day.
/// `None` is no limit.
#[derive(Clone, Debug)]
pub struct AnonymousSettings {
    /// True if `POST /session` is served.
    pub sessions: bool,
    pub scope: Option<String>,
    /// Creates of all anonymous callers. `None` if the number is not set.
    pub creates: Option<u32>,
    /// What these creates may cost together. `None` if it is not set.
    pub credits: Option<Credits>,
    pub tasks_in_flight: Option<u32>,
    pub uploads: Option<u64>,
    pub upload_bytes: Option<u64>,
    pub estimates: Option<u64>,
    pub pipelines: u32,
}

impl AnonymousSettings {
    pub(super) fn read(read: &SettingsReader<'_>, max_tasks_in_flight: Option<u32>) -> Read<Self> {
        let budget = read.parsed("ANONYMOUS_BUDGET", pool)?;
        let (creates, credits) = budget.unzip();
        let credits = credits.flatten();
        let share = |setting, per_create: u64| {
            let default = creates.map(|creates| u64::from(creates) * per_create);
            let share = read.optional_number(setting, 0..=1 << 50)?;
            Ok(share.or(default))
        };
        let in_flight = read.optional_number("ANONYMOUS_TASKS_IN_FLIGHT", 0..=100_000)?;
        Ok(AnonymousSettings {
            sessions: read.switch("ANONYMOUS_SESSIONS")?,
            scope: read.parsed("ANONYMOUS_SCOPE", scope)?,
            creates,
            credits,
            tasks_in_flight: in_flight.filter(|tasks| *tasks > 0).or(max_tasks_in_flight),
            uploads: share("ANONYMOUS_UPLOADS", UPLOADS_PER_CREATE)?,
            upload_bytes: share("ANONYMOUS_UPLOAD_BYTES", UPLOAD_BYTES_PER_CREATE)?,
            estimates: share("ANONYMOUS_ESTIMATES", ESTIMATES_PER_CREATE)?,
            pipelines: read.number("ANONYMOUS_PIPELINES", 20, 0..=1_000_000)?,
        })
    }

    pub fn budget(&self) -> Budget {
        Budget {
            creates: self.creates,
            in_flight: self.tasks_in_flight,
            credits: self.credits,
            ..Budget::default()
        }
    }

    /// Returns the taking of one more of an item, with the limits of all anonymous callers.
    pub fn taking(&self, item: Item, bytes: u64) -> Taking {
        let (max, max_bytes) = match item {
            Item::Upload => (self.uploads, self.upload_bytes),
            Item::UploadTicket => (self.uploads, None),
            Item::Estimate => (self.estimates, None),
            Item::PipelineStart => (None, None),
        };
        Taking {
            item,
            count: 1,
            bytes,
            max,
            max_bytes,
        }
    }
}

/// Parses a whole number of creates, or a budget of `creates` and perhaps `credits`. Other limits
/// depend on the number of creates, so it is required.
fn pool(text: &str) -> Result<(u32, Option<Credits>), &'static str> {
    let problem = "is not a whole number from 0 to 1000000, or such a number and credits, as in \
        {\"creates\": 20, \"credits\": 200}";
    let value: Value = serde_json::from_str(text).map_err(|_| problem)?;
    let budget = match value {
        Value::Number(creates) => json!({ "creates": creates }),
        other => other,
    };
    let budget = Budget::read(Some(&budget)).ok_or(problem)?;
    let creates = budget.creates.filter(|creates| *creates <= 1_000_000);
    let only_these = Budget {
        creates,
        credits: budget.credits,
        ..Budget::default()
    };
    match creates {
        Some(creates) if only_these == budget => Ok((creates, budget.credits)),
        _ => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn read(changes: &[(&str, &str)]) -> AnonymousSettings {
        Settings::for_tests(changes).anonymous
    }

    fn shares(settings: &AnonymousSettings) -> [Option<u64>; 3] {
        let upload = settings.taking(Item::Upload, 7);
        let ticket = settings.taking(Item::UploadTicket, 0);
        assert_eq!((ticket.max, ticket.max_bytes), (upload.max, None));
        let estimate = settings.taking(Item::Estimate, 0);
        assert_eq!((upload.item, upload.bytes), (Item::Upload, 7));
        assert_eq!(
            (estimate.item, estimate.bytes, estimate.max_bytes),
            (Item::Estimate, 0, None)
        );
        [upload.max, upload.max_bytes, estimate.max]
    }

    #[test]
    fn shares_follow_from_the_budget_where_they_are_not_set() {
        let gib = 1_073_741_824;
        assert_eq!(shares(&read(&[])), [None, None, None]);
        assert_eq!(
            shares(&read(&[("ANONYMOUS_BUDGET", "3")])),
            [Some(15), Some(3 * gib), Some(60)]
        );
        let all = [
            ("ANONYMOUS_UPLOADS", "1"),
            ("ANONYMOUS_UPLOAD_BYTES", "2"),
            ("ANONYMOUS_ESTIMATES", "0"),
        ];
        assert_eq!(shares(&read(&all)), [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn creates_count_against_the_budget_and_the_tasks_in_flight() {
        let budget = |settings: &[(&str, &str)]| read(settings).budget();
        let bounds = |creates, in_flight| Budget {
            creates,
            in_flight,
            ..Budget::default()
        };
        let creates = ("ANONYMOUS_BUDGET", "3");
        let each = ("MAX_TASKS_IN_FLIGHT", "2");
        assert_eq!(budget(&[creates]), bounds(Some(3), None));
        assert_eq!(budget(&[creates, each]), bounds(Some(3), Some(2)));
        assert_eq!(
            budget(&[each, ("ANONYMOUS_TASKS_IN_FLIGHT", "1")]),
            bounds(None, Some(1))
        );
        assert_eq!(
            budget(&[each, ("ANONYMOUS_TASKS_IN_FLIGHT", "0")]),
            bounds(None, Some(2)),
            "0 is not set"
        );
        let both = budget(&[
            ("ANONYMOUS_BUDGET", r#"{"creates": 3, "credits": 12.5}"#),
            ("PRICES", r#"{"text_to_image": {"credits": 1}}"#),
        ]);
        let credits = Credits::from_number(12.5);
        assert_eq!((both.creates, both.credits), (Some(3), credits));
        let pool = |text: &str| super::pool(text).is_ok();
        assert!(pool(r#"{"creates": 0}"#) && pool("1000000"));
        for wrong in [
            "-1",
            "1.5",
            "1000001",
            r#"{"credits": 2}"#,
            r#"{"creates": 1, "generate": 1}"#,
        ] {
            assert!(!pool(wrong), "{wrong}");
        }
    }
}
