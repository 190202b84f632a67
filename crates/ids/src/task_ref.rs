//! References to tasks: an id, and the create that the task comes from.

use mediagate_access::crypto::hash;
use mediagate_core::{Capability, Group};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A control character, which ids are not expected to have.
const SEPARATOR: char = '\u{1f}';

/// The content of a task's sealed id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskRef {
    /// The task's group.
    pub group: Group,
    /// The upstream's id.
    pub id: String,
    /// `None` for a sealed id of a build without origins.
    pub origin: Option<Origin>,
}

/// The create that a task comes from. It is a part of the sealed id, since the upstream's record
/// may not contain it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// In milliseconds since 1970.
    pub created_at: i64,
    pub capability: String,
    /// A short name of the inputs that the task's duration depends on, such as the model.
    pub variant: String,
}

impl TaskRef {
    pub fn new(group: Group, id: impl Into<String>) -> Self {
        TaskRef {
            group,
            id: id.into(),
            origin: None,
        }
    }

    pub fn text(&self) -> String {
        let Some(origin) = &self.origin else {
            return self.id.clone();
        };
        let Origin {
            created_at,
            capability,
            variant,
        } = origin;
        let id = &self.id;
        format!("{id}{SEPARATOR}{created_at:x}.{capability}.{variant}")
    }

    pub fn parse(group: Group, text: &str) -> Self {
        let (id, origin) = match text.rsplit_once(SEPARATOR) {
            Some((id, origin)) => (id, Origin::parse(origin)),
            None => (text, None),
        };
        TaskRef {
            group,
            id: id.to_owned(),
            origin,
        }
    }
}

const DURATION_MEMBERS: [&str; 3] = ["model_id", "duration_seconds", "clarity"];
/// The length of a short name: enough to distinguish the capabilities and variants of a gateway,
/// and too few to reconstruct the text.
const NAME_LEN: usize = 8;

pub fn variant_of(body: &Value) -> String {
    let values =
        DURATION_MEMBERS.map(|name| body.get(name).map(Value::to_string).unwrap_or_default());
    short_name(&values.each_ref().map(String::as_str))
}

fn short_name(parts: &[&str]) -> String {
    hash(parts).chars().take(NAME_LEN).collect()
}

impl Origin {
    /// `created_at` is in milliseconds since 1970.
    pub fn new(capability: &Capability, variant: &str, created_at: i64) -> Self {
        Origin {
            created_at,
            capability: short_name(&[capability.name()]),
            variant: variant.to_owned(),
        }
    }

    pub fn capability(&self) -> Option<&'static Capability> {
        mediagate_core::CAPABILITIES
            .iter()
            .copied()
            .find(|capability| short_name(&[capability.name()]) == self.capability)
    }

    fn parse(text: &str) -> Option<Self> {
        let (created_at, kind) = text.split_once('.')?;
        let (capability, variant) = kind.split_once('.')?;
        let created_at = i64::from_str_radix(created_at, 16).ok()?;
        Some(Origin {
            created_at,
            capability: capability.to_owned(),
            variant: variant.to_owned(),
        })
    }

    /// Returns the seconds from the create to `now_ms`, or 0 if the clock was set back.
    pub fn elapsed(&self, now_ms: i64) -> f64 {
        now_ms.saturating_sub(self.created_at).max(0) as f64 / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_origin_survives_the_seal_and_an_id_without_one_is_as_before() {
        let origin = Origin {
            created_at: 1_795_000_000_123,
            capability: "ab_-".into(),
            variant: "cd".into(),
        };
        for id in ["42", "a.b.c", "é/?", ""] {
            let plain = TaskRef::new(Group::Generate, id);
            assert_eq!(plain.text(), id);
            assert_eq!(TaskRef::parse(Group::Generate, id), plain);
            let whole = TaskRef {
                origin: Some(origin.clone()),
                ..plain
            };
            assert_eq!(TaskRef::parse(Group::Generate, &whole.text()), whole);
        }
        assert_eq!(
            TaskRef::parse(Group::Process, "42\u{1f}nonsense"),
            TaskRef::new(Group::Process, "42")
        );
    }

    #[test]
    fn tasks_of_one_kind_have_one_variant() {
        let variant = |body: Value| variant_of(&body);
        let one = variant(json!({"prompt": "a", "model_id": "m", "duration_seconds": 5}));
        let same = json!({"model_id": "m", "duration_seconds": 5, "file_id": "f"});
        assert_eq!(variant(same), one);
        assert_eq!(one.len(), NAME_LEN);
        for other in [
            json!({"model_id": "n", "duration_seconds": 5}),
            json!({"model_id": "m"}),
            json!({"clarity": "m"}),
        ] {
            assert_ne!(variant(other), one);
        }
    }

    #[test]
    fn an_origin_names_its_capability() {
        for &capability in mediagate_core::CAPABILITIES {
            let origin = Origin::new(capability, "", 0);
            let found = origin.capability().expect("a capability");
            assert_eq!(found.path, capability.path);
        }
    }

    #[test]
    fn the_time_since_the_create_is_never_negative() {
        let origin = Origin {
            created_at: 100_000,
            capability: String::new(),
            variant: String::new(),
        };
        assert_eq!(
            [99_000, 100_000, 101_500].map(|now| origin.elapsed(now)),
            [0.0, 0.0, 1.5]
        );
    }
}
