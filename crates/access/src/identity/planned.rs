use mediagate_core::Group;
use serde::{Deserialize, Serialize};

use super::{Budget, Limit, LimitName};
use crate::refusal::Refusal;

/// The numbers of planned creates, by group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Creates of `generate`.
    pub generate: u32,
    /// Creates of `process`.
    pub process: u32,
}

impl Planned {
    /// Counts creates by their groups.
    pub fn count(groups: impl Iterator<Item = Group>) -> Self {
        groups.fold(Planned::default(), |mut all, group| {
            match group {
                Group::Generate => all.generate += 1,
                Group::Process => all.process += 1,
            }
            all
        })
    }

    /// Returns the number of creates that a limit counts. Planned creates can wait for each other,
    /// so they need at most one task in flight.
    fn counted_by(self, name: LimitName) -> u32 {
        match name {
            LimitName::Creates => self.generate + self.process,
            LimitName::Generate => self.generate,
            LimitName::Process => self.process,
            LimitName::InFlight => u32::from(self.generate + self.process > 0),
            _ => 0,
        }
    }

    /// The shortage of an unused budget.
    pub fn exceeds(self, budget: &Budget) -> Option<Shortage> {
        let limits = [
            (LimitName::Creates, budget.creates),
            (LimitName::Generate, budget.generate),
            (LimitName::Process, budget.process),
            (LimitName::InFlight, budget.in_flight),
        ];
        limits.into_iter().find_map(|(name, max)| {
            let max = max?.into();
            let unused = Limit {
                name,
                max,
                left: max,
                reset: 0,
            };
            self.shortage(&unused, Planned::default())
        })
    }

    /// Returns the shortage of a limit for these creates. `others` are creates that other pipelines
    /// have planned and that are not counted yet.
    pub fn shortage(self, limit: &Limit, others: Planned) -> Option<Shortage> {
        let needed = u64::from(self.counted_by(limit.name));
        let left = match limit.name {
            // A taken slot becomes free, so only the limit itself matters.
            LimitName::InFlight => limit.max,
            name => limit.left.saturating_sub(others.counted_by(name).into()),
        };
        let reset = if needed > limit.max {
            0
        } else {
            limit.reset.max(OTHERS_RETRY_S)
        };
        (needed > left).then(|| Shortage {
            limit: Limit {
                left,
                reset,
                ..limit.clone()
            },
            needed,
        })
    }
}

/// The seconds after which a caller may retry. Other pipelines may not send all creates that they
/// have planned.
const OTHERS_RETRY_S: u32 = 60;

/// A limit with less left than is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortage {
    /// The limit.
    pub limit: Limit,
    /// The number that is needed.
    pub needed: u64,
}

impl Shortage {
    /// Refuses with 429, code 16, reason `budget`, with `data.limit`, `data.needed` and
    /// `data.left`.
    pub fn refusal(&self) -> Refusal {
        let Shortage { limit, needed } = self;
        let refusal = limit.refusal();
        let of = match limit.name {
            // These limits do not count creates, so fewer steps would not help.
            LimitName::Pipelines | LimitName::PipelineStarts | LimitName::InFlight => {
                return refusal;
            }
            LimitName::Generate => " for generate",
            LimitName::Process => " for process",
            _ => "",
        };
        let remedy = match limit.reset {
            0 => "take out steps, or have the limit raised",
            _ => "take out steps, or wait for the time that Retry-After gives",
        };
        let message = format!(
            "the pipeline needs {needed} creates{of}, and {} of the {} of a day are left; {remedy}",
            limit.left, limit.max
        );
        Refusal { message, ..refusal }
            .with("needed", *needed)
            .with("left", limit.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANNED: Planned = Planned {
        generate: 2,
        process: 1,
    };

    fn limit(name: LimitName, max: u64, left: u64) -> Limit {
        Limit {
            name,
            max,
            left,
            reset: 100,
        }
    }

    #[test]
    fn a_limit_counts_its_own_group_or_all() {
        let groups = [Group::Generate, Group::Process, Group::Generate];
        assert_eq!(Planned::count(groups.into_iter()), PLANNED);
        let none = Planned::default();
        let shortage = |name, max, left, others| {
            let short = PLANNED.shortage(&limit(name, max, left), others)?;
            Some((short.needed, short.limit.left, short.limit.reset))
        };
        for (name, needed) in [
            (LimitName::Creates, 3),
            (LimitName::Generate, 2),
            (LimitName::Process, 1),
        ] {
            assert_eq!(shortage(name, 9, needed, none), None);
            assert_eq!(shortage(name, 9, needed, PLANNED), Some((needed, 0, 100)));
            let one_less = Some((needed, needed - 1, 100));
            assert_eq!(shortage(name, 9, needed - 1, none), one_less);
        }
        // Waiting does not help if a whole day is too little.
        assert_eq!(shortage(LimitName::Creates, 2, 0, none), Some((3, 0, 0)));
        // Slots become free unless there are none.
        assert_eq!(shortage(LimitName::InFlight, 1, 0, PLANNED), None);
        assert!(shortage(LimitName::InFlight, 0, 0, none).is_some());
        let unset = Limit {
            reset: 0,
            ..limit(LimitName::Creates, 3, 3)
        };
        let short = PLANNED.shortage(&unset, PLANNED).expect("short");
        assert_eq!(short.limit.reset, OTHERS_RETRY_S);
    }

    #[test]
    fn a_refusal_says_how_much_is_needed_and_left() {
        let refusal = PLANNED
            .shortage(&limit(LimitName::Generate, 5, 1), Planned::default())
            .expect("short")
            .refusal();
        assert_eq!((refusal.status, refusal.retry_after), (429, Some(100)));
        assert_eq!(refusal.data["needed"], 2);
        assert_eq!(refusal.data["left"], 1);
        assert!(refusal.message.starts_with(
            "the pipeline needs 2 creates for generate, and 1 of the 5 of a day are left"
        ));
    }
}
