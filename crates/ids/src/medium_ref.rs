use mediagate_access::identity::Subject;
use mediagate_core::PREFIX;
use serde::{Deserialize, Serialize};

use super::{Sealer, TaskName};

pub(super) const KIND: &str = "medium";
pub(super) const SEGMENT: &str = "outputs/";

/// A medium that a response of the upstream contains as text. Its URL is the right to read it, like
/// a signed URL of a storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediumRef {
    pub owner: Subject,
    /// An entry for a medium in the response to a create. A task of the upstream for a medium in
    /// the task's record.
    pub task: TaskName,
    /// The medium's position in the response or in the record.
    pub position: usize,
}

impl MediumRef {
    /// `public_url` has no slash at its end.
    pub fn url(&self, sealer: &Sealer, public_url: &str) -> String {
        output_url(public_url, &sealer.seal_for_all(KIND, self))
    }
}

/// `public_url` has no slash at its end.
pub(super) fn output_url(public_url: &str, sealed: &str) -> String {
    [public_url, PREFIX, SEGMENT, sealed].concat()
}

#[cfg(test)]
mod tests {
    use mediagate_core::Group;

    use super::*;
    use crate::{EntryRef, ServedFile, TaskRef};
    use mediagate_access::crypto::Secret;

    #[test]
    fn a_url_names_its_medium_and_cannot_be_forged() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let entry = EntryRef {
            number: 7,
            created_at: 5,
        };
        for task in [
            TaskName::Entry(entry),
            TaskName::Upstream(TaskRef::new(Group::Generate, "task-9")),
        ] {
            let medium = MediumRef {
                owner: Subject {
                    name: "wilhelmina".into(),
                    ..Subject::default()
                },
                task,
                position: 1,
            };
            let url = medium.url(&sealer, "https://g.example");
            assert!(url.starts_with("https://g.example/api/app/v1/outputs/"));
            assert!(!url.contains("wilhelmina") && !url.contains("task-9"));
            let served = Some(ServedFile::Medium(medium));
            assert_eq!(ServedFile::of_url(&sealer, &url), served);

            let other = Sealer::new(&[Secret::new("two")], "t".into());
            assert_eq!(ServedFile::of_url(&other, &url), None);
        }
        assert_eq!(ServedFile::of_url(&sealer, "https://g.example/x"), None);
    }
}
