use mediagate_access::identity::Subject;
use serde::{Deserialize, Serialize};

use super::Sealer;

const KIND: &str = "entry";

/// An entry of a subject's history. Numbers begin again if a ledger was deleted. Number and time
/// together are unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRef {
    pub number: i64,
    /// In milliseconds since 1970.
    pub created_at: i64,
}

impl EntryRef {
    pub fn seal(self, sealer: &Sealer, owner: &Subject) -> String {
        sealer.seal(owner, KIND, &format!("{}.{}", self.number, self.created_at))
    }

    /// Returns `None` if the id was not sealed for `owner`.
    pub fn unseal(sealer: &Sealer, owner: &Subject, sealed: &str) -> Option<Self> {
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
    use mediagate_access::crypto::Secret;

    #[test]
    fn a_sealed_entry_is_readable_only_for_its_owner_and_no_task() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let owner = Subject::default();
        let other = Subject {
            name: "other".into(),
            ..Subject::default()
        };
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
