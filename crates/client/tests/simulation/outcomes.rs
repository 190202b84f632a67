//! What the callers of a scenario get, and what they do then.

use std::collections::BTreeSet;

use mediagate_client::Id;

use super::actions::number_of;
use super::scenario::{Action, Called, Client, Handle, Pending, Repeat, Scenario};
use crate::simulated::error::{SimError, member, string};
use crate::simulated::gateway::{Call, Class, is_last, is_pipeline};
use crate::simulated::value::SimValue;
use crate::simulated::world::Settled;

/// A create that has ended.
pub(crate) struct Created {
    /// Its title.
    title: String,
    /// When it was called.
    since: f64,
    /// When its promise was settled.
    until: f64,
    /// The outcome of its error; empty for a success.
    outcome: String,
}

impl Scenario {
    /// Handles the promises that were settled.
    pub(crate) fn settled(&mut self) {
        while let Some(promise) = self.world.next_settled() {
            let pending = self.pending.remove(&promise).expect("a pending promise");
            match self.world.outcome(promise).expect("an outcome") {
                Settled::Value(value) => self.fulfilled(&pending, &value),
                Settled::Kept(id) => self.fulfilled_kept(&pending, id),
                Settled::Error(error) => self.rejected(pending, &error),
            }
        }
    }

    fn fulfilled(&mut self, pending: &Pending, value: &SimValue) {
        match &pending.call {
            Called::Upload => assert!(
                value
                    .json()
                    .as_str()
                    .is_some_and(|it| it.starts_with("file-"))
            ),
            Called::Done(handle) => {
                assert_eq!(value.string("state"), "SUCCEEDED");
                self.check_terminal(handle, value);
            }
            Called::Refresh(handle) | Called::Change(handle) => self.check_terminal(handle, value),
            Called::Next(index) => self.next_came(*index, value),
            Called::Models | Called::Estimate => assert!(!value.is_undefined()),
            Called::Connect | Called::Create(_) => panic!("fulfilled with {value:?}"),
        }
    }

    fn next_came(&mut self, index: usize, value: &SimValue) {
        let subscription = &mut self.subscriptions[index];
        assert!(!subscription.is_over, "a value after the last one");
        let id = subscription.handle.key.1.clone();
        if value.is_undefined() {
            subscription.is_over = true;
            let is_last = is_last(&id, &subscription.state);
            assert!(
                is_last || subscription.is_released,
                "the last state is {:?}",
                subscription.state
            );
            self.check_subscription(index);
            // As the package's iterators do, also where a resumed pipeline goes on: its stream would stay open, and unread.
            return self.release_subscription(index);
        }
        // A pipeline that is resumed in time goes on.
        let is_over = is_last(&id, &subscription.state) && !self.gateways.was_resumed(&id);
        assert!(!is_over, "{value:?} after {}", subscription.state);
        subscription.state = value.string("state");
        subscription.seen.extend(number_of(value));
        // A subscription may be behind: what it gets before the last state is older.
        if is_last(&id, &subscription.state) {
            let handle = subscription.handle.clone();
            self.check_terminal(&handle, value);
        }
        let random = &self.world.random;
        let delay = if random.chance(0.5) {
            0.0
        } else {
            random.milliseconds(0, 4_000)
        };
        self.later(delay, Action::Next(index));
    }

    fn fulfilled_kept(&mut self, pending: &Pending, id: Id) {
        match &pending.call {
            Called::Connect => {
                let lineage = self.sessions[pending.session].lineage.clone();
                self.gateways.watch().set_gateway(&lineage, id);
                self.count += 1;
                self.clients.push(Client {
                    session: pending.session,
                    gateway: id,
                    number: self.count,
                });
            }
            Called::Create(repeat) => {
                self.record(repeat, pending, String::new());
                let client = self
                    .clients
                    .iter()
                    .find(|it| it.number == pending.keeper)
                    .copied()
                    .expect("a client");
                self.take_handle(client, id);
                let handle = self.handles.last().cloned().expect("a handle");
                let snapshot = self.sim.snapshot(id).expect("a task");
                self.check_terminal(&handle, &snapshot);
                self.follow_handle(self.handles.len() - 1);
            }
            _ => panic!("fulfilled with {id}"),
        }
    }

    fn rejected(&mut self, pending: Pending, error: &SimError) {
        assert_ne!(error.code, "crashed");
        match pending.call.clone() {
            Called::Create(repeat) => {
                let mut outcome = string(error, "outcome");
                // One whose signal was aborted before, so that the engine has not begun it.
                if outcome.is_empty()
                    && error.code == "aborted"
                    && pending.since == self.world.now()
                {
                    outcome = "not_sent".into();
                }
                assert!(
                    ["not_sent", "rejected", "unknown"].contains(&outcome.as_str()),
                    "{outcome:?} of {error:?}"
                );
                let key = string(error, "idempotencyKey");
                if outcome == "unknown" && self.is_open() && self.world.random.chance(0.5) {
                    let delay = self.world.random.milliseconds(1, 20_000);
                    self.later(delay, Action::Repeat(repeat.clone(), key, pending.session));
                }
                self.record(&repeat, &pending, outcome);
            }
            Called::Next(index) => {
                let subscription = &mut self.subscriptions[index];
                subscription.errors += 1;
                if subscription.errors < 4 {
                    let delay = self.world.random.milliseconds(0, 9_000);
                    self.later(delay, Action::Next(index));
                } else {
                    self.release_subscription(index);
                }
            }
            Called::Done(handle)
                if error.code.starts_with("task_") || error.code.starts_with("pipeline_") =>
            {
                let name = if is_pipeline(&handle.key.1) {
                    "pipeline"
                } else {
                    "task"
                };
                let task = member(error, name);
                assert!(!task.is_undefined());
                self.check_terminal(&handle, &task);
            }
            _ => {}
        }
    }

    fn record(&mut self, repeat: &Repeat, pending: &Pending, outcome: String) {
        let (title, since, until) = (repeat.title.clone(), pending.since, self.world.now());
        self.creates.push(Created {
            title,
            since,
            until,
            outcome,
        });
    }

    /// Asserts that a task in a last state has no other one.
    pub(crate) fn check_terminal(&mut self, handle: &Handle, snapshot: &SimValue) {
        let state = snapshot.string("state");
        if self.gateways.was_resumed(&handle.key.1) {
            return;
        }
        if let Some(last) = self.ended.get(&handle.task) {
            assert_eq!(&state, last, "after the last state of {:?}", handle.key);
        } else if is_last(&handle.key.1, &state) {
            self.ended.insert(handle.task, state);
        }
    }

    /// Asserts that no create was charged twice, and that no error has a wrong outcome.
    pub(crate) fn check_creates(&self) {
        let calls = self.gateways.watch().calls();
        for Created {
            title,
            since,
            until,
            outcome,
        } in &self.creates
        {
            let is_own = |it: &&Call| {
                it.class == Class::Create(title.clone())
                    && it.first_at >= *since
                    && it.first_at <= *until
            };
            let own: Vec<_> = calls.iter().map(|it| &it.1).filter(is_own).collect();
            let charges = own.iter().map(|it| it.charged.len()).sum::<usize>();
            let submissions: u32 = own.iter().map(|it| it.submissions).sum();
            assert!(
                own.len() <= 1 && charges <= 1,
                "{title} was charged {charges} times, by {} calls",
                own.len()
            );
            assert!(
                outcome != "rejected" || charges == 0,
                "{title} is rejected, and was charged"
            );
            // The client takes the platform's word where nothing else says that a request never left.
            let is_not_sent = outcome == "not_sent" && !self.is_misreported;
            assert!(
                !is_not_sent || submissions == 0,
                "{title} is not sent, and was submitted"
            );
            // A repetition by another promise, with the same key. Another subject's ledger has no record of it.
            let all = calls
                .iter()
                .filter(|it| it.1.class == Class::Create(title.clone()));
            let subjects: Vec<_> = all.flat_map(|it| &it.1.charged).collect();
            let unique: BTreeSet<_> = subjects.iter().collect();
            assert_eq!(
                subjects.len(),
                unique.len(),
                "{title} was charged several times: {subjects:?}"
            );
        }
    }
}
