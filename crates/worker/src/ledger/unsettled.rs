//! The reservations that are being submitted. A budget that such reservations use up may be free
//! again in a second, and a caller can't see the reservations of other callers. Times are
//! milliseconds since 1970.

use std::collections::HashMap;

use mediagate_core::Group;

use super::store::CreateRecord;

/// The longest submission, in milliseconds: the longest deadline of a request to the upstream, and
/// a minute. An older reservation was interrupted.
const MAX_SUBMISSION_MS: i64 = 11 * 60 * 1000;

/// The group and the start of each reservation that is being submitted, by key.
#[derive(Debug, Default)]
pub(super) struct Unsettled(HashMap<String, (Group, i64)>);

impl Unsettled {
    pub(super) fn add(&mut self, record: &CreateRecord) {
        if !record.is_reservation() {
            return;
        }
        self.0
            .retain(|_, (_, since)| record.created_at - *since < MAX_SUBMISSION_MS);
        self.0
            .insert(record.key.clone(), (record.group, record.created_at));
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    pub(super) fn count(&self, now: i64) -> u32 {
        self.groups(now).count() as u32
    }

    pub(super) fn count_of(&self, group: Group, now: i64) -> u32 {
        self.groups(now).filter(|other| *other == group).count() as u32
    }

    fn groups(&self, now: i64) -> impl Iterator<Item = Group> {
        self.0
            .values()
            .filter(move |(_, since)| now - since < MAX_SUBMISSION_MS)
            .map(|(group, _)| *group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn add(unsettled: &mut Unsettled, key: &str, group: Group, created_at: i64) {
        unsettled.add(&CreateRecord::reservation(
            key.to_owned(),
            group,
            created_at,
        ));
    }

    #[test]
    fn a_reservation_counts_for_eleven_minutes() {
        let mut unsettled = Unsettled::default();
        add(&mut unsettled, "first", Group::Generate, NOW);
        add(&mut unsettled, "second", Group::Process, NOW + 1);
        for (after, count, of_generate) in
            [(1, 2, 1), (659_999, 2, 1), (660_000, 1, 0), (660_001, 0, 0)]
        {
            let counts = (
                unsettled.count(NOW + after),
                unsettled.count_of(Group::Generate, NOW + after),
            );
            assert_eq!(counts, (count, of_generate), "after {after} ms");
        }
    }

    #[test]
    fn an_interrupted_reservation_is_dropped_when_another_is_added() {
        for (after, stored) in [(659_999, 2), (660_000, 1), (660_001, 1)] {
            let mut unsettled = Unsettled::default();
            add(&mut unsettled, "first", Group::Generate, NOW);
            add(&mut unsettled, "second", Group::Generate, NOW + after);
            assert_eq!(unsettled.0.len(), stored, "after {after} ms");
        }
    }
}
