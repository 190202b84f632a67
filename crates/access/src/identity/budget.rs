use mediagate_core::Group;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Credits;

/// Limits on creates within the last 24 hours, and on tasks in flight. An absent limit does not
/// restrict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Creates of any group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creates: Option<u32>,
    /// Creates of `generate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<u32>,
    /// Creates of `process`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
    /// Tasks that have not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u32>,
    /// What creates may cost together. A create without a known price is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits: Option<Credits>,
}

impl Budget {
    /// Reads a claim such as `{"creates": 20, "generate": 5, "in_flight": 2}`. Returns `None` for
    /// an unreadable limit, which must not be ignored.
    pub fn read(claim: Option<&Value>) -> Option<Self> {
        let Some(claim) = claim else {
            return Some(Budget::default());
        };
        // Otherwise `null` would be read as an absent limit.
        let is_limit = |(name, limit): (&String, &Value)| match name.as_str() {
            "credits" => limit.is_number(),
            _ => limit.is_u64(),
        };
        if !claim.as_object()?.iter().all(is_limit) {
            return None;
        }
        Budget::deserialize(claim).ok()
    }

    /// The lower of each of the two budgets' limits.
    pub fn and(self, other: Self) -> Self {
        let tighter = |one: Option<u32>, two: Option<u32>| one.into_iter().chain(two).min();
        Budget {
            creates: tighter(self.creates, other.creates),
            generate: tighter(self.generate, other.generate),
            process: tighter(self.process, other.process),
            in_flight: tighter(self.in_flight, other.in_flight),
            credits: self.credits.into_iter().chain(other.credits).min(),
        }
    }

    /// The limit on a group's creates.
    pub fn of(&self, group: Group) -> Option<u32> {
        match group {
            Group::Generate => self.generate,
            Group::Process => self.process,
        }
    }

    /// True if nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Budget::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_budget_has_the_limits_that_tokens_are_given() {
        for limit in mediagate_core::claims::LIMITS {
            let budget = Budget::read(Some(&json!({limit: 7})));
            assert!(
                budget.is_some_and(|budget| !budget.is_unlimited()),
                "{limit}"
            );
        }
    }

    #[test]
    fn a_claim_is_read_whole_or_not_at_all() {
        assert_eq!(Budget::read(None), Some(Budget::default()));
        let budget = Budget::read(Some(&json!({"creates": 3, "in_flight": 0})));
        let expected = Budget {
            creates: Some(3),
            in_flight: Some(0),
            ..Budget::default()
        };
        assert_eq!(budget, Some(expected));
        let budget = Budget::read(Some(&json!({"credits": 12.5})));
        let credits = budget.and_then(|budget| budget.credits);
        assert_eq!(credits, Credits::from_number(12.5));
        for wrong in [
            json!(3),
            json!(null),
            json!([]),
            json!({"create": 3}),
            json!({"creates": -1}),
            json!({"creates": "3"}),
            json!({"creates": 1.5}),
            json!({"creates": null}),
            json!({"credits": null}),
            json!({"credits": -1}),
            json!({"credits": "3"}),
        ] {
            assert_eq!(Budget::read(Some(&wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn the_tighter_limit_counts() {
        let one = Budget {
            creates: Some(3),
            generate: Some(1),
            ..Budget::default()
        };
        let two = Budget {
            creates: Some(2),
            in_flight: Some(4),
            credits: Some(Credits::from_millionths(5)),
            ..Budget::default()
        };
        let both = Budget {
            creates: Some(2),
            generate: Some(1),
            process: None,
            in_flight: Some(4),
            credits: Some(Credits::from_millionths(5)),
        };
        assert_eq!(one.and(two), both);
    }
}
