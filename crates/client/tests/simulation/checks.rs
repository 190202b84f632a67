//! What must hold after each step of a scenario.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_client::Id;

use super::actions::number_of;
use super::scenario::{Called, Handle, Needed, Scenario, Subscription};
use crate::simulated::gateway::{By, Class, TaskKey, is_last, is_pipeline};
use crate::simulated::value::SimValue;
use crate::simulated::world::Kind;

/// The most uploads of a gateway at once.
const MAX_UPLOADS: usize = 4;

/// What the callers wait for.
#[derive(Default)]
struct Wanted<'a> {
    /// The sessions for which something waits.
    lineages: BTreeSet<&'a str>,
    models: BTreeMap<&'a str, usize>,
    estimates: BTreeMap<&'a str, usize>,
    creates: BTreeSet<&'a str>,
    files: BTreeSet<(&'a str, &'a str)>,
    /// The results of tasks, and whether their tasks have ended.
    results: Vec<(&'a Needed, bool)>,
    refreshes: BTreeMap<&'a TaskKey, usize>,
    changes: BTreeMap<&'a TaskKey, usize>,
    /// The tasks that are followed, by their keys and by the engine's ids.
    followed: BTreeSet<&'a TaskKey>,
    tasks: BTreeSet<Id>,
}

impl Scenario {
    fn wanted(&self) -> Wanted<'_> {
        let mut wanted = Wanted::default();
        for pending in self.pending.values() {
            let lineage = self.sessions[pending.session].lineage.as_str();
            wanted.lineages.insert(lineage);
            wanted
                .files
                .extend(pending.files.iter().map(|it| (lineage, it.as_str())));
            for needed in &pending.results {
                let watch = self.gateways.watch();
                let has_ended =
                    needed.has_ended || watch.has_ended_since(&needed.task, needed.since);
                wanted.results.push((needed, has_ended));
                if needed.output.is_none() && !has_ended {
                    wanted.followed.insert(&needed.task);
                }
            }
            match &pending.call {
                Called::Models => *wanted.models.entry(lineage).or_default() += 1,
                Called::Estimate => *wanted.estimates.entry(lineage).or_default() += 1,
                Called::Create(repeat) => drop(wanted.creates.insert(&repeat.title)),
                Called::Refresh(handle) => *wanted.refreshes.entry(&handle.key).or_default() += 1,
                Called::Change(handle) => *wanted.changes.entry(&handle.key).or_default() += 1,
                Called::Done(handle) => {
                    wanted.followed.insert(&handle.key);
                    wanted.tasks.insert(handle.task);
                }
                Called::Next(index) => {
                    let handle = &self.subscriptions[*index].handle;
                    wanted.followed.insert(&handle.key);
                    wanted.tasks.insert(handle.task);
                }
                Called::Connect | Called::Upload => {}
            }
        }
        for subscription in self.subscriptions.iter().filter(|it| !it.is_released) {
            let Subscription { handle, .. } = subscription;
            wanted.lineages.insert(&handle.key.0);
            wanted.followed.insert(&handle.key);
            wanted.tasks.insert(handle.task);
        }
        wanted
    }

    /// Asserts what must hold after each step.
    pub(crate) fn check(&mut self) {
        self.check_running();
        if self.pending.is_empty() && self.subscriptions.iter().all(|it| it.is_released) {
            self.sim.assert_rest();
        }
        self.check_snapshots();
    }

    /// Asserts that all that is under way is wanted by a caller, and within its limits.
    fn check_running(&self) {
        let (wanted, calls) = (self.wanted(), self.gateways.watch().seen());
        let mut counts: BTreeMap<(&str, &Class), usize> = BTreeMap::new();
        // What results are under way: each is waited for, requested, or paused.
        let mut results = 0;
        let (mut renewals, mut uploads, mut streams) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (id, kind, subject) in self
            .world
            .running(|it| Some((it.id, it.kind, it.subject.clone())))
        {
            let Some(call) = calls.get(&id) else {
                match kind {
                    // A transfer, or a task that only transfers wait for.
                    Kind::Sleep(_) if !wanted.tasks.contains(&id) => {
                        results += 1;
                        assert!(
                            results <= wanted.results.len(),
                            "{id} sleeps, which no one waits for"
                        );
                    }
                    Kind::Sleep(_) => {}
                    _ => {
                        let lineage = lineage_of_function(&subject);
                        assert!(
                            wanted.lineages.contains(lineage.as_str()),
                            "{subject} runs, which no one waits for"
                        );
                        *renewals.entry(lineage).or_insert(0) += 1;
                    }
                }
                continue;
            };
            let lineage = call.lineage.as_str();
            let most = match &call.class {
                Class::Session => {
                    *renewals.entry(call.lineage.clone()).or_insert(0) += 1;
                    usize::from(wanted.lineages.contains(lineage))
                }
                Class::Models => wanted.models.get(lineage).copied().unwrap_or(0),
                Class::Estimate => wanted.estimates.get(lineage).copied().unwrap_or(0),
                Class::Create(title) => usize::from(wanted.creates.contains(title.as_str())),
                Class::Transfer(task, position) => {
                    results += 1;
                    assert!(
                        results <= wanted.results.len(),
                        "{task:?} is moved, which no one waits for"
                    );
                    let is_from =
                        |it: &Needed, has_ended| it.output.map_or(has_ended, |it| it == *position);
                    wanted
                        .results
                        .iter()
                        .filter(|it| it.0.task == *task && is_from(it.0, it.1))
                        .count()
                }
                Class::Upload(name) => {
                    *uploads.entry(call.lineage.clone()).or_insert(0) += 1;
                    usize::from(wanted.files.contains(&(lineage, name.as_str())))
                }
                // A resume that was repeated may end with a poll.
                Class::Poll(task, _) if is_pipeline(&task.1) => {
                    let callers = [&wanted.refreshes, &wanted.changes]
                        .map(|it| it.get(task).copied().unwrap_or(0));
                    callers.iter().sum::<usize>() + usize::from(wanted.followed.contains(task))
                }
                Class::Change(task) => wanted.changes.get(task).copied().unwrap_or(0),
                Class::Poll(task, true) => wanted.refreshes.get(task).copied().unwrap_or(0),
                Class::Poll(task, false) => usize::from(wanted.followed.contains(task)),
                Class::Events(task) => {
                    *streams.entry(call.lineage.clone()).or_insert(0) += 1;
                    usize::from(wanted.followed.contains(task))
                }
            };
            let count = counts.entry((lineage, &call.class)).or_default();
            *count += 1;
            assert!(
                *count <= most,
                "{count} of {:?} of {lineage} under way, which {most} wait for",
                call.class
            );
        }
        let max_streams = if self.world.is_multiplexed.get() {
            32
        } else {
            3
        };
        for (counts, max, what) in [
            (renewals, 1, "renewals"),
            (uploads, MAX_UPLOADS, "uploads"),
            (streams, max_streams, "streams"),
        ] {
            for (lineage, count) in counts {
                assert!(count <= max, "{count} {what} of {lineage}");
            }
        }
    }

    /// Asserts that the snapshots of tasks that ended stay. The engine forgets a task without handles.
    fn check_snapshots(&mut self) {
        let handles = std::mem::take(&mut self.handles);
        for handle in &handles {
            let snapshot = self
                .sim
                .snapshot(handle.task)
                .unwrap_or(SimValue::Undefined);
            assert!(
                !snapshot.is_undefined(),
                "the engine has no task {}",
                handle.task
            );
            self.check_terminal(handle, &snapshot);
            self.check_order(handle, &snapshot);
        }
        self.handles = handles;
        let wanted = self.wanted();
        let polled = wanted
            .refreshes
            .into_keys()
            .chain(wanted.changes.into_keys());
        let followed = wanted.followed.into_iter().chain(polled).cloned();
        let keys: BTreeSet<_> = self
            .handles
            .iter()
            .map(|it| it.key.clone())
            .chain(followed)
            .collect();
        let released = self.known.iter().filter(|it| !keys.contains(*it));
        released.for_each(|it| self.gateways.watch().forget(it));
        self.known = keys;
    }

    /// Asserts that a poll does not bring a task back to an older record: one that is older than the last change counts
    /// for nothing. An event may come late, and the response of a create that is repeated is as old as its first one.
    fn check_order(&mut self, handle: &Handle, snapshot: &SimValue) {
        let Some(number) = number_of(snapshot) else {
            return;
        };
        let before = self.numbers.insert(handle.task, number).unwrap_or_default();
        if number < before {
            let deliveries = self.gateways.watch().deliveries();
            let last = deliveries.iter().rfind(|it| it.task == handle.key);
            assert!(
                last.is_some_and(|it| it.by != By::Poll),
                "{number} after {before}: {last:?}"
            );
        }
    }

    /// Asserts that a subscription got records in the order in which they arrived, and each state that a stream brought.
    pub(crate) fn check_subscription(&self, index: usize) {
        let Subscription {
            handle,
            seen,
            initial,
            since,
            is_released,
            ..
        } = &self.subscriptions[index];
        let deliveries = self.gateways.watch().deliveries();
        let own: Vec<_> = deliveries[*since..]
            .iter()
            .filter(|it| it.task == handle.key)
            .collect();
        let mut arrived = initial
            .iter()
            .copied()
            .chain(own.iter().map(|it| it.number));
        for number in seen {
            assert!(
                arrived.any(|it| it == *number),
                "{seen:?} of {initial:?} and {own:?}"
            );
        }
        // A pipeline that is resumed may reach the same state twice, of which the last one counts.
        if *is_released || self.gateways.was_resumed(&handle.key.1) {
            return;
        }
        let end = own
            .iter()
            .position(|it| is_last(&handle.key.1, &it.state))
            .map_or(own.len(), |it| it + 1);
        for (index, delivery) in own[..end]
            .iter()
            .enumerate()
            .filter(|it| it.1.by == By::Event)
        {
            let next = own[..end].get(index + 1);
            if next.is_none_or(|it| it.by == By::Event && it.state != delivery.state) {
                assert!(
                    seen.contains(&delivery.number) || *initial == Some(delivery.number),
                    "no {delivery:?} in {seen:?} of {own:?}"
                );
            }
        }
    }
}

/// The lineage that a function of the caller's is for: `function0:0`, or `widget-0` of an anonymous session.
fn lineage_of_function(function: &str) -> String {
    match function.split_once(':') {
        Some((lineage, _)) => lineage.to_owned(),
        None => function.replace("widget-", "anonymous"),
    }
}
