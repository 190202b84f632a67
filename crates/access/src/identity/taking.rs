use serde::{Deserialize, Serialize};

use super::{Limit, LimitName};

/// A thing that costs no credits by itself, but is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// An upload of a number of bytes, or the URL for it.
    Upload,
    /// A ticket for an upload that the gateway relays. The upload itself is counted when its bytes
    /// come, because a ticket can be used again.
    UploadTicket,
    /// An estimate of credits.
    Estimate,
    /// A start of a pipeline, or a resume.
    PipelineStart,
}

impl Item {
    /// The name in the storage.
    pub fn name(self) -> &'static str {
        match self {
            Item::Upload => "upload",
            Item::UploadTicket => "upload_ticket",
            Item::Estimate => "estimate",
            Item::PipelineStart => "pipeline_start",
        }
    }
}

/// A request for an item, with the limits of the item within 24 hours. `None` is no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taking {
    /// The item.
    pub item: Item,
    /// The number that is taken: 1, or 0 for the bytes of an upload that has been counted.
    pub count: u64,
    /// The bytes of an upload. 0 for other items.
    pub bytes: u64,
    /// The limit on the number.
    pub max: Option<u64>,
    /// The limit on the sum of bytes.
    pub max_bytes: Option<u64>,
}

impl Taking {
    /// Returns true if nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        self.max.is_none() && self.max_bytes.is_none()
    }

    /// The limit that refuses the request. `taken` and `taken_bytes` were granted before. The first
    /// grant stops counting after `reset` seconds.
    pub fn refused(&self, taken: u64, taken_bytes: u64, reset: u32) -> Option<Limit> {
        let name = match self.item {
            Item::Upload | Item::UploadTicket => LimitName::Uploads,
            Item::Estimate => LimitName::Estimates,
            Item::PipelineStart => LimitName::PipelineStarts,
        };
        let limits = [
            (name, self.max, taken, self.count),
            (
                LimitName::UploadBytes,
                self.max_bytes,
                taken_bytes,
                self.bytes,
            ),
        ];
        limits.into_iter().find_map(|(name, max, taken, more)| {
            let max = max?;
            // If `more` is 0, the limit does not refuse, even if nothing is left.
            let left = max.saturating_sub(taken);
            // Waiting does not help if a whole day is too little.
            let reset = if more > max { 0 } else { reset };
            (more > left).then_some(Limit {
                name,
                max,
                left,
                reset,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upload(bytes: u64) -> Taking {
        Taking {
            item: Item::Upload,
            count: 1,
            bytes,
            max: Some(3),
            max_bytes: Some(100),
        }
    }

    #[test]
    fn the_last_of_an_item_and_the_last_byte_are_granted() {
        for (bytes, taken, taken_bytes, expected) in [
            (10, 2, 90, None),
            (10, 3, 0, Some((LimitName::Uploads, 3, 0, 7))),
            (10, 2, 91, Some((LimitName::UploadBytes, 100, 9, 7))),
            // Waiting does not help.
            (101, 0, 0, Some((LimitName::UploadBytes, 100, 100, 0))),
        ] {
            let expected = expected.map(|(name, max, left, reset)| Limit {
                name,
                max,
                left,
                reset,
            });
            assert!(!upload(bytes).is_unlimited());
            assert_eq!(upload(bytes).refused(taken, taken_bytes, 7), expected);
        }
        let unlimited = Taking {
            max: None,
            max_bytes: None,
            ..upload(5)
        };
        assert!(unlimited.is_unlimited());
        assert_eq!(unlimited.refused(u64::MAX, u64::MAX, 0), None);
    }
}
