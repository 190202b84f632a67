//! Settings of anonymous sessions.

use super::SettingsError;
use super::parse::SettingsReader;
use crate::identity::{Budget, Item, Taking};

/// Uploads for each create of `ANONYMOUS_BUDGET`, where `ANONYMOUS_UPLOADS` is not set.
const UPLOADS_PER_CREATE: u64 = 5;
/// The same for `ANONYMOUS_UPLOAD_BYTES`: 1 GiB.
const UPLOAD_BYTES_PER_CREATE: u64 = 1 << 30;
/// The same for `ANONYMOUS_ESTIMATES`.
const ESTIMATES_PER_CREATE: u64 = 20;

/// Settings of anonymous sessions. What callers may use together is per day; `None` where nothing bounds it.
#[derive(Clone, Debug)]
pub struct AnonymousSettings {
    /// Whether `POST /session` is served.
    pub sessions: bool,
    /// The scope of anonymous tokens; `None` where it is not set.
    pub scope: Option<String>,
    /// Creates that all anonymous callers share; `None` where it is not set.
    pub creates: Option<u32>,
    /// Tasks in flight of all anonymous callers together.
    pub tasks_in_flight: Option<u32>,
    /// Upload URLs that they share.
    pub uploads: Option<u64>,
    /// Bytes of uploads that they share.
    pub upload_bytes: Option<u64>,
    /// Estimates that they share.
    pub estimates: Option<u64>,
    /// Pipelines of all anonymous callers at once.
    pub pipelines: u32,
}

impl AnonymousSettings {
    pub(super) fn read(
        read: &SettingsReader<'_>,
        max_tasks_in_flight: Option<u32>,
    ) -> Result<Self, SettingsError> {
        let creates = read
            .optional_number("ANONYMOUS_BUDGET", 1_000_000)?
            .map(|it| it as u32);
        let share = |setting, per_create: u64| {
            let default = creates.map(|it| u64::from(it) * per_create);
            read.optional_number(setting, 1 << 50)
                .map(|it| it.or(default))
        };
        let in_flight = read
            .optional_number("ANONYMOUS_TASKS_IN_FLIGHT", 100_000)?
            .filter(|it| *it > 0);
        Ok(AnonymousSettings {
            sessions: read.switch("ANONYMOUS_SESSIONS")?,
            scope: read.scope("ANONYMOUS_SCOPE")?,
            creates,
            tasks_in_flight: in_flight.map(|it| it as u32).or(max_tasks_in_flight),
            uploads: share("ANONYMOUS_UPLOADS", UPLOADS_PER_CREATE)?,
            upload_bytes: share("ANONYMOUS_UPLOAD_BYTES", UPLOAD_BYTES_PER_CREATE)?,
            estimates: share("ANONYMOUS_ESTIMATES", ESTIMATES_PER_CREATE)?,
            pipelines: read.number("ANONYMOUS_PIPELINES", 20, 0, 1_000_000)? as u32,
        })
    }

    /// What creates of all anonymous callers are counted against.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            creates: self.creates,
            in_flight: self.tasks_in_flight,
            ..Budget::default()
        }
    }

    /// One more of an item, with the limits on it.
    pub(crate) fn taking(&self, item: Item, bytes: u64) -> Taking {
        match item {
            Item::Upload => Taking {
                item,
                bytes,
                max: self.uploads,
                max_bytes: self.upload_bytes,
            },
            Item::Estimate => Taking {
                item,
                bytes,
                max: self.estimates,
                max_bytes: None,
            },
            Item::PipelineStart => Taking {
                item,
                bytes,
                max: None,
                max_bytes: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn read(settings: &[(&str, &str)]) -> AnonymousSettings {
        let read = Settings::read(|name| {
            let set = settings.iter().find(|it| it.0 == name).map(|it| it.1);
            let value = set.or(match name {
                "UPSTREAM_BASE_URL" => Some("https://api.example.com"),
                "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => {
                    Some("0123456789abcdef0123456789abcdef")
                }
                _ => None,
            });
            value.map(str::to_owned)
        });
        read.expect("complete").anonymous
    }

    /// What all anonymous callers may take in a day: uploads, bytes of uploads, estimates.
    fn shares(settings: &AnonymousSettings) -> [Option<u64>; 3] {
        let (upload, estimate) = (
            settings.taking(Item::Upload, 7),
            settings.taking(Item::Estimate, 0),
        );
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
        let (creates, each) = (("ANONYMOUS_BUDGET", "3"), ("MAX_TASKS_IN_FLIGHT", "2"));
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
    }
}
