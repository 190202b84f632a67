//! Storage in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mediagate_core::Group;
use mediagate_worker::ledger::record::CreateRecord;
use mediagate_worker::ledger::store::Store;
use mediagate_worker::ledger::usage::CountedTimes;

/// Storage that survives every interruption, as a Durable Object's does.
#[derive(Clone, Default)]
pub(crate) struct Memory(Rc<RefCell<BTreeMap<String, CreateRecord>>>);

impl Store for Memory {
    type Error = ();

    fn find(&self, key: &str) -> Result<Option<CreateRecord>, ()> {
        Ok(self.0.borrow().get(key).cloned())
    }

    fn insert(&self, record: &CreateRecord) -> Result<bool, ()> {
        let is_new = !self.0.borrow().contains_key(&record.key);
        if is_new {
            self.replace(record)?;
        }
        Ok(is_new)
    }

    fn replace(&self, record: &CreateRecord) -> Result<(), ()> {
        self.0.borrow_mut().insert(record.key.clone(), record.clone());
        Ok(())
    }

    fn update(&self, record: &CreateRecord) -> Result<(), ()> {
        if let Some(it) = self.0.borrow_mut().get_mut(&record.key) {
            *it = record.clone();
        }
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), ()> {
        self.0.borrow_mut().remove(key);
        Ok(())
    }

    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, ()> {
        let mut records = self.0.borrow_mut();
        let its = records.values_mut().filter(|it| it.group == group && it.task.as_deref() == Some(task));
        Ok(its.map(|it| std::mem::take(&mut it.slot_until)).collect())
    }

    fn prune(&self, before: i64) -> Result<bool, ()> {
        self.0.borrow_mut().retain(|_, it| it.created_at > before);
        Ok(!self.0.borrow().is_empty())
    }

    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, ()> {
        assert_eq!(now - since, 86_400_000, "more than a day is not read");
        let records = self.0.borrow();
        let of = |group| {
            records.values().filter(|it| it.group == group && it.created_at > since).map(|it| it.created_at).collect()
        };
        let slots = records.values().map(|it| it.slot_until).filter(|it| *it > now).collect();
        Ok(CountedTimes { generate: of(Group::Generate), process: of(Group::Process), slots })
    }
}
