//! Storage in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mediagate_core::Group;
use mediagate_worker::identity::{Item, Taking};
use mediagate_worker::ledger::policy::BUCKET_MS;
use mediagate_worker::ledger::record::{CreateRecord, EntryResult, NewEntry};
use mediagate_worker::ledger::store::Store;
use mediagate_worker::ledger::usage::{CountedTimes, Taken};

/// Storage that survives every interruption, like a Durable Object's storage.
#[derive(Clone, Default)]
pub(crate) struct Memory(Rc<RefCell<Tables>>);

#[derive(Default)]
struct Tables {
    creates: BTreeMap<String, CreateRecord>,
    /// The takings with their buckets.
    taken: Vec<(Taking, i64)>,
}

impl Store for Memory {
    type Error = ();

    fn find(&self, key: &str) -> Result<Option<CreateRecord>, ()> {
        Ok(self.0.borrow().creates.get(key).cloned())
    }

    fn insert(
        &self,
        record: &CreateRecord,
        _entry: Option<NewEntry<'_>>,
    ) -> Result<Option<i64>, ()> {
        let creates = &mut self.0.borrow_mut().creates;
        if creates.contains_key(&record.key) {
            return Ok(None);
        }
        creates.insert(record.key.clone(), record.clone());
        Ok(Some(creates.len() as i64))
    }

    fn forget_key(&self, key: &str) -> Result<(), ()> {
        self.remove(key)
    }

    fn update(&self, record: &CreateRecord, _result: Option<&EntryResult>) -> Result<(), ()> {
        if let Some(stored) = self.0.borrow_mut().creates.get_mut(&record.key) {
            *stored = record.clone();
        }
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), ()> {
        self.0.borrow_mut().creates.remove(key);
        Ok(())
    }

    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, ()> {
        let mut records = self.0.borrow_mut();
        let its = records
            .creates
            .values_mut()
            .filter(|record| record.group == group && record.task.as_deref() == Some(task));
        Ok(its
            .map(|record| std::mem::take(&mut record.slot_until))
            .collect())
    }

    fn prune(&self, before: i64) -> Result<Option<i64>, ()> {
        let mut tables = self.0.borrow_mut();
        tables
            .creates
            .retain(|_, record| record.created_at > before);
        tables
            .taken
            .retain(|(_, bucket)| bucket + BUCKET_MS > before);
        let created = tables.creates.values().map(|record| record.created_at);
        Ok(created
            .chain(tables.taken.iter().map(|(_, bucket)| bucket + BUCKET_MS))
            .min())
    }

    fn has_prefix(&self, prefix: &str) -> Result<bool, ()> {
        Ok(self
            .0
            .borrow()
            .creates
            .keys()
            .any(|key| key.starts_with(prefix)))
    }

    fn take(&self, taking: &Taking, bucket: i64) -> Result<(), ()> {
        self.0.borrow_mut().taken.push((taking.clone(), bucket));
        Ok(())
    }

    fn taken(&self, item: Item, since: i64) -> Result<Taken, ()> {
        let tables = self.0.borrow();
        let its: Vec<_> = tables
            .taken
            .iter()
            .filter(|(taking, bucket)| taking.item == item && *bucket > since)
            .collect();
        Ok(Taken {
            count: its.iter().map(|(taking, _)| taking.count).sum(),
            bytes: its.iter().map(|(taking, _)| taking.bytes).sum(),
            first: its.iter().map(|(_, bucket)| *bucket).min(),
        })
    }

    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, ()> {
        assert_eq!(now - since, 86_400_000, "more than a day is not read");
        let records = &self.0.borrow().creates;
        let of = |group| {
            records
                .values()
                .filter(|record| record.group == group && record.created_at > since)
                .map(|record| record.created_at)
                .collect()
        };
        let slots = records
            .values()
            .map(|record| record.slot_until)
            .filter(|slot_until| *slot_until > now)
            .collect();
        Ok(CountedTimes {
            generate: of(Group::Generate),
            process: of(Group::Process),
            slots,
        })
    }
}
