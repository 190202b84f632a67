//! An entry of a subject's history, which names a result that came without a task.

use serde::{Deserialize, Serialize};

use super::Sealer;
use crate::identity::Subject;

/// The kind that an entry is sealed as.
const KIND: &str = "entry";

/// An entry of a subject's history. Its number begins anew where a ledger was deleted; together with the time it is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EntryRef {
    /// Its number: later entries have greater ones.
    pub(crate) number: i64,
    /// When it was written, in milliseconds since 1970.
    pub(crate) created_at: i64,
}

impl EntryRef {
    /// Its id, sealed for its owner.
    pub(crate) fn seal(self, sealer: &Sealer, owner: &Subject) -> String {
        sealer.seal(owner, KIND, &format!("{}.{}", self.number, self.created_at))
    }

    /// The entry that a sealed id names.
    pub(crate) fn unseal(sealer: &Sealer, owner: &Subject, sealed: &str) -> Option<Self> {
        let text = sealer.unseal(owner, KIND, sealed)?;
        let (number, created_at) = text.split_once('.')?;
        Some(EntryRef {
            number: number.parse().ok()?,
            created_at: created_at.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::Secret;

    #[test]
    fn a_sealed_entry_is_its_owners_alone_and_no_task() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let (owner, other) = (
            Subject::default(),
            Subject {
                name: "other".into(),
                ..Subject::default()
            },
        );
        let entry = EntryRef {
            number: 7,
            created_at: 1_795_000_000_123,
        };
        let sealed = entry.seal(&sealer, &owner);
        assert_eq!(EntryRef::unseal(&sealer, &owner, &sealed), Some(entry));
        assert_eq!(EntryRef::unseal(&sealer, &other, &sealed), None);
        assert_eq!(sealer.unseal(&owner, "generate task", &sealed), None);
        let task = sealer.seal(&owner, "generate task", "7.1795000000123");
        assert_eq!(EntryRef::unseal(&sealer, &owner, &task), None);
    }
}
