//! Storage in memory.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mediagate_access::identity::{Credits, Item, Taking};
use mediagate_core::Group;
use mediagate_objects::ledger::policy::BUCKET_MS;
use mediagate_objects::ledger::store::{
    CountedTimes, CreateRecord, KeptCreate, Priced, Store, Taken,
};

/// Storage that survives every interruption, like a Durable Object's storage.
#[derive(Clone, Default)]
pub(crate) struct Memory(Rc<Tables>);

#[derive(Default)]
struct Tables {
    /// The creates with the ids of their tasks.
    creates: RefCell<BTreeMap<String, (CreateRecord, Option<String>)>>,
    /// The takings with their buckets.
    taken: RefCell<Vec<(Taking, i64)>>,
    /// The name of a method that fails.
    failing: Cell<Option<&'static str>>,
}

impl Memory {
    pub(crate) fn fail(&self, method: Option<&'static str>) {
        self.0.failing.set(method);
    }

    fn check(&self, method: &'static str) -> Result<(), ()> {
        if self.0.failing.get() == Some(method) {
            Err(())
        } else {
            Ok(())
        }
    }
}

impl Store for Memory {
    type Error = ();

    fn find(&self, key: &str) -> Result<Option<CreateRecord>, ()> {
        self.check("find")?;
        let creates = self.0.creates.borrow();
        Ok(creates.get(key).map(|(record, _)| record.clone()))
    }

    fn insert(&self, record: &CreateRecord) -> Result<Option<i64>, ()> {
        self.check("insert")?;
        let mut creates = self.0.creates.borrow_mut();
        if creates.contains_key(&record.key) {
            return Ok(None);
        }
        creates.insert(record.key.clone(), (record.clone(), None));
        Ok(Some(creates.len() as i64))
    }

    fn forget_key(&self, key: &str) -> Result<(), ()> {
        self.check("forget_key")?;
        self.0.creates.borrow_mut().remove(key);
        Ok(())
    }

    fn update(&self, key: &str, kept: &KeptCreate, slot_until: Option<i64>) -> Result<(), ()> {
        self.check("update")?;
        if let Some((record, task)) = self.0.creates.borrow_mut().get_mut(key) {
            record.outcome.clone_from(&kept.outcome);
            record.slot_until = slot_until;
            record.cost = kept.cost.or(record.cost);
            task.clone_from(&kept.task);
        }
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), ()> {
        self.check("remove")?;
        self.0.creates.borrow_mut().remove(key);
        Ok(())
    }

    fn free(&self, group: Group, id: &str) -> Result<Vec<i64>, ()> {
        self.check("free")?;
        let mut creates = self.0.creates.borrow_mut();
        let of_task = creates
            .values_mut()
            .filter(|(record, task)| record.group == group && task.as_deref() == Some(id));
        Ok(of_task
            .filter_map(|(record, _)| record.slot_until.take())
            .collect())
    }

    fn priced(&self, group: Group, id: &str) -> Result<Vec<Priced>, ()> {
        self.check("priced")?;
        let creates = self.0.creates.borrow();
        let of_task = creates
            .values()
            .filter(|(record, task)| record.group == group && task.as_deref() == Some(id));
        Ok(of_task
            .map(|(record, _)| Priced {
                created_at: record.created_at,
                expected: record.expected,
                cost: record.cost,
            })
            .collect())
    }

    fn set_cost(&self, group: Group, id: &str, cost: Credits) -> Result<(), ()> {
        self.check("set_cost")?;
        let mut creates = self.0.creates.borrow_mut();
        creates
            .values_mut()
            .filter(|(record, task)| record.group == group && task.as_deref() == Some(id))
            .for_each(|(record, _)| record.cost = Some(cost));
        Ok(())
    }

    fn prune(&self, before: i64) -> Result<Option<i64>, ()> {
        self.check("prune")?;
        let mut creates = self.0.creates.borrow_mut();
        let mut taken = self.0.taken.borrow_mut();
        creates.retain(|_, (record, _)| record.created_at > before);
        taken.retain(|(_, bucket)| bucket + BUCKET_MS > before);
        let created = creates.values().map(|(record, _)| record.created_at);
        let buckets = taken.iter().map(|(_, bucket)| bucket + BUCKET_MS);
        Ok(created.chain(buckets).min())
    }

    fn has_prefix(&self, prefix: &str) -> Result<bool, ()> {
        self.check("has_prefix")?;
        let creates = self.0.creates.borrow();
        Ok(creates.keys().any(|key| key.starts_with(prefix)))
    }

    fn take(&self, taking: &Taking, bucket: i64) -> Result<(), ()> {
        self.check("take")?;
        self.0.taken.borrow_mut().push((taking.clone(), bucket));
        Ok(())
    }

    fn taken(&self, item: Item, since: i64) -> Result<Taken, ()> {
        self.check("taken")?;
        let taken = self.0.taken.borrow();
        let of_item: Vec<_> = taken
            .iter()
            .filter(|(taking, bucket)| taking.item == item && *bucket > since)
            .collect();
        Ok(Taken {
            count: of_item.iter().map(|(taking, _)| taking.count).sum(),
            bytes: of_item.iter().map(|(taking, _)| taking.bytes).sum(),
            first: of_item.iter().map(|(_, bucket)| *bucket).min(),
        })
    }

    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, ()> {
        self.check("counted")?;
        assert_eq!(now - since, 86_400_000, "more than a day is not read");
        let creates = self.0.creates.borrow();
        let of = |group| {
            creates
                .values()
                .filter(|(record, _)| record.group == group && record.created_at > since)
                .map(|(record, _)| record.created_at)
                .collect()
        };
        let slots = creates
            .values()
            .filter_map(|(record, _)| record.slot_until)
            .filter(|slot_until| *slot_until > now)
            .collect();
        Ok(CountedTimes {
            generate: of(Group::Generate),
            process: of(Group::Process),
            slots,
            credits: creates
                .values()
                .filter(|(record, _)| record.created_at > since)
                .filter_map(|(record, _)| {
                    let credits = record.cost.or(record.expected)?;
                    Some((record.created_at, credits.millionths()))
                })
                .collect(),
        })
    }
}
