//! Settings of anonymous sessions.

use super::SettingsError;
use super::parse::Reader;
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
}

impl AnonymousSettings {
    pub(super) fn read(read: &Reader<'_>, max_tasks_in_flight: Option<u32>) -> Result<Self, SettingsError> {
        let creates = read.optional_number("ANONYMOUS_BUDGET", 1_000_000)?.map(|it| it as u32);
        let share = |setting, per_create: u64| {
            let default = creates.map(|it| u64::from(it) * per_create);
            read.optional_number(setting, 1 << 50).map(|it| it.or(default))
        };
        let in_flight = read.optional_number("ANONYMOUS_TASKS_IN_FLIGHT", 100_000)?.filter(|it| *it > 0);
        Ok(AnonymousSettings {
            sessions: read.switch("ANONYMOUS_SESSIONS")?,
            scope: read.scope("ANONYMOUS_SCOPE")?,
            creates,
            tasks_in_flight: in_flight.map(|it| it as u32).or(max_tasks_in_flight),
            uploads: share("ANONYMOUS_UPLOADS", UPLOADS_PER_CREATE)?,
            upload_bytes: share("ANONYMOUS_UPLOAD_BYTES", UPLOAD_BYTES_PER_CREATE)?,
            estimates: share("ANONYMOUS_ESTIMATES", ESTIMATES_PER_CREATE)?,
        })
    }

    /// What creates of all anonymous callers are counted against.
    pub(crate) fn budget(&self) -> Budget {
        Budget { creates: self.creates, in_flight: self.tasks_in_flight, ..Budget::default() }
    }

    /// One more of an item, with the limits on it.
    pub(crate) fn taking(&self, item: Item, bytes: u64) -> Taking {
        match item {
            Item::Upload => Taking { item, bytes, max: self.uploads, max_bytes: self.upload_bytes },
            Item::Estimate => Taking { item, bytes, max: self.estimates, max_bytes: None },
        }
    }
}
