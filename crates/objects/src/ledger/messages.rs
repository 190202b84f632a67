use std::rc::Rc;

use mediagate_access::identity::{Limit, Planned, Shortage, Taking};
use mediagate_ids::TaskName;
use mediagate_messages::ledger::{
    ChangePlanned, Charge, CheckPipeline, CheckTaking, CountPipeline, EndPipeline, FindMedium,
    FindShortage, FindUsedUp, Forget, ForgetPipeline, Free, Has, HasPipeline, HistoryEntry,
    KeepResult, Knows, LedgerMessage, List, LoseResult, PipelineEntry, ReadResult, ReadResults,
    Release, RemoveResult, Reservation, Reserve, ReservePipeline, ReserveResult, StreamMedium,
    Take,
};
use mediagate_messages::{Request, ResultPlace, ResultReservation, TaskResults};
use mediagate_platform::{note_create_arrival, timestamp_ms};
use web_sys::Response;

use super::object::Inner;
use super::pipelines::Pipelines;
use super::policy::{Admission, Settlement};
use super::store::{CreateRecord, KeptCreate};

impl Inner {
    pub(super) async fn handle(self: Rc<Self>, message: LedgerMessage) -> worker::Result<Response> {
        let now = timestamp_ms();
        match message {
            LedgerMessage::Create(request) => {
                note_create_arrival();
                request
                    .respond(async |create| self.create(create).await)
                    .await
            }
            // A ledger reserves here before it stores anything itself, so a reservation is enough.
            LedgerMessage::Knows(request) => {
                let knows = async |Knows { ledger }| {
                    Ok(self.known.has(&ledger)? || self.policy.has_prefix(&ledger)?)
                };
                request.respond(knows).await
            }
            LedgerMessage::HasPipeline(request) => {
                let has = async |HasPipeline { name }| self.pipelines.has(&name);
                request.respond(has).await
            }
            LedgerMessage::Has(request) => {
                request
                    .respond(async |Has { key }| self.policy.has(&key, now))
                    .await
            }
            LedgerMessage::FindUsedUp(request) => {
                let used_up = async |find: FindUsedUp| {
                    let ledger = find.ledger.as_deref();
                    self.policy
                        .used_up(ledger, find.group, find.expected, &find.budget, now)
                };
                request.respond(used_up).await
            }
            LedgerMessage::Reserve(request) => {
                let reserve = async |reserve| self.reserve(reserve, now).await;
                request.respond(reserve).await
            }
            LedgerMessage::Charge(request) => {
                request
                    .respond(async |charge| self.charge(charge, now))
                    .await
            }
            LedgerMessage::Release(request) => {
                let release = async |Release { key }| {
                    self.change(|| self.policy.settle_key(&key, Settlement::Released, now))
                };
                request.respond(release).await
            }
            LedgerMessage::Take(request) => {
                request
                    .respond(async |take| self.take(take, now).await)
                    .await
            }
            LedgerMessage::CheckTaking(request) => {
                let check = async |CheckTaking(Take { taking, object })| match object {
                    Some(object) if self.known.has(&object)? => Ok(None),
                    _ => self.policy.refused(&taking, now),
                };
                request.respond(check).await
            }
            LedgerMessage::Free(request) => {
                let free = async |free: Free| self.change(|| self.free(&free, now));
                request.respond(free).await
            }
            LedgerMessage::List(request) => {
                let list = async |List { before, limit }| self.list(before, limit, now);
                request.respond(list).await
            }
            LedgerMessage::ReadResult(request) => {
                let read = async |ReadResult(entry)| self.history.result(entry);
                request.respond(read).await
            }
            LedgerMessage::FindMedium(request) => {
                let find = async |FindMedium(medium)| self.find_medium(&medium).await;
                request.respond(find).await
            }
            LedgerMessage::StreamMedium(StreamMedium {
                medium,
                bytes,
                client,
            }) => self.stream_medium(medium, bytes, client.as_ref()),
            LedgerMessage::FindShortage(request) => {
                let shortage = async |FindShortage { planned, budget }| {
                    let others = Planned::default();
                    self.policy.shortage(planned, others, &budget, now)
                };
                request.respond(shortage).await
            }
            LedgerMessage::ReservePipeline(request) => {
                let reserve =
                    async |ReservePipeline(entry)| self.reserve_pipeline(&entry, now).await;
                request.respond(reserve).await
            }
            LedgerMessage::CheckPipeline(request) => {
                let check = async |CheckPipeline(entry)| self.refuses(&entry, now);
                request.respond(check).await
            }
            LedgerMessage::CountPipeline(request) => {
                let count = async |CountPipeline(entry)| self.count_pipeline(&entry, now).await;
                request.respond(count).await
            }
            LedgerMessage::ChangePlanned(request) => {
                let change = async |ChangePlanned { name, planned }| {
                    self.change(|| self.pipelines.set_planned(&name, planned))
                };
                request.respond(change).await
            }
            LedgerMessage::EndPipeline(request) => {
                let end = async |EndPipeline { name, state }| {
                    self.change(|| self.pipelines.end(&name, &state, now))
                };
                request.respond(end).await
            }
            LedgerMessage::ForgetPipeline(request) => {
                let forget =
                    async |ForgetPipeline { name }| self.change(|| self.pipelines.forget(&name));
                request.respond(forget).await
            }
            LedgerMessage::Forget(request) => {
                let forget = async |Forget { task, is_gone }| self.forget(&task, is_gone);
                request.respond(forget).await
            }
            LedgerMessage::ReserveResult(request) => {
                let reserve = async |request| self.reserve_result(request, now).await;
                request.respond(reserve).await
            }
            LedgerMessage::KeepResult(request) => {
                let keep = async |KeepResult { place, kept }| self.results.settle(&place, kept);
                request.respond(keep).await
            }
            LedgerMessage::LoseResult(request) => {
                request
                    .respond(async |lose| self.lose_result(lose).await)
                    .await
            }
            LedgerMessage::RemoveResult(request) => {
                let remove =
                    async |RemoveResult(place)| self.change(|| self.results.remove(&place));
                request.respond(remove).await
            }
            LedgerMessage::ReadResults(request) => {
                let read = async |ReadResults(task)| self.results_of(&task, now);
                request.respond(read).await
            }
        }
    }

    fn charge(&self, charge: Charge, now: i64) -> worker::Result<()> {
        let Charge {
            key,
            task,
            is_running,
            cost,
        } = charge;
        self.known.note_key(&key, now)?;
        let settlement = Settlement::Kept(KeptCreate {
            task,
            is_running,
            cost,
            ..KeptCreate::default()
        });
        self.policy.settle_key(&key, settlement, now)
    }

    async fn take(&self, take: Take, now: i64) -> worker::Result<Option<Limit>> {
        let refused = self.policy.take(&take.taking, now)?;
        if refused.is_none() {
            if let Some(object) = take.object {
                self.known.note(&object, now)?;
            }
            self.ensure_alarm().await?;
        }
        Ok(refused)
    }

    /// Removes the entry of a task. Returns true if the entry stays until its end is known.
    fn forget(&self, task: &TaskName, is_gone: bool) -> worker::Result<bool> {
        let stays = self.history.forget(task, is_gone)?;
        if !stays {
            self.results.remove_all(task)?;
        }
        Ok(stays)
    }

    async fn lose_result(&self, lose: LoseResult) -> worker::Result<()> {
        let LoseResult {
            place,
            reason,
            expires_at,
        } = lose;
        self.results.lose(&place, reason, expires_at)?;
        self.ensure_alarm().await
    }

    fn results_of(&self, task: &TaskName, now: i64) -> worker::Result<TaskResults> {
        let states = self.results.of_tasks(&[ResultPlace::task_key(task)], now)?;
        let states = states.into_iter();
        Ok(TaskResults {
            states: states
                .map(|(place, state)| (place.position, state))
                .collect(),
            source: self.results.source_of(task)?,
        })
    }

    /// Makes a change of stored rows. An empty object must not create its tables for a change that
    /// finds no row.
    fn change<T: Default>(&self, change: impl FnOnce() -> worker::Result<T>) -> worker::Result<T> {
        if self.storage.is_empty()? {
            return Ok(T::default());
        }
        change()
    }

    /// Frees the slot of a task. Returns true if its end is new to the history.
    fn free(&self, free: &Free, now: i64) -> worker::Result<bool> {
        let Free {
            group,
            task,
            summary,
            cost,
        } = free;
        let is_new = match summary {
            Some(summary) => self.history.end(*group, task, summary, now)?,
            None => false,
        };
        self.policy.free(*group, task)?;
        if let Some(cost) = cost {
            self.policy.set_cost(*group, task, *cost)?;
        }
        Ok(is_new)
    }

    async fn reserve_result(
        &self,
        request: ReserveResult,
        now: i64,
    ) -> worker::Result<ResultReservation> {
        // The caller may have removed the task while its output was moved.
        if let Some(task) = &request.task
            && self.results.source_of(task)?.is_none()
        {
            return Ok(ResultReservation::Unwanted);
        }
        let reservation = self.results.reserve(&request, now)?;
        self.ensure_alarm().await?;
        Ok(reservation)
    }

    /// Returns the newest entries of the history, with the states of their kept results.
    fn list(&self, before: Option<i64>, limit: u32, now: i64) -> worker::Result<Vec<HistoryEntry>> {
        let is_in_progress = |key: &str| self.in_progress.borrow().contains_key(key);
        let mut entries = self.history.list(before, limit, is_in_progress)?;
        let keys: Vec<_> = entries
            .iter()
            .map(|entry| ResultPlace::task_key(&entry.task_name()))
            .collect();
        for (place, state) in self.results.of_tasks(&keys, now)? {
            let of_task = keys.iter().position(|key| *key == place.task);
            if let Some(entry) = of_task.and_then(|index| entries.get_mut(index)) {
                entry.results.push((place.position, state));
            }
        }
        Ok(entries)
    }

    /// Counts a create of another ledger. Returns the limit that is used up, if there is one.
    async fn reserve(&self, reserve: Reserve, now: i64) -> worker::Result<Option<Limit>> {
        let Reserve {
            key,
            group,
            budget,
            expected,
        } = reserve;
        let record = CreateRecord {
            expected,
            ..CreateRecord::unsettled(key.clone(), group, now)
        };
        // A known reservation counts as in progress, so that it is never replayed or interrupted.
        if let Admission::Exhausted(limit) = self.policy.admit(record, &budget, true, false)? {
            return Ok(Some(limit));
        }
        if let Err(error) = self.ensure_alarm().await {
            // Without an alarm the reservation would never be removed.
            self.policy.settle_key(&key, Settlement::Released, now)?;
            return Err(error);
        }
        Ok(None)
    }

    async fn reserve_pipeline(
        &self,
        entry: &PipelineEntry,
        now: i64,
    ) -> worker::Result<Reservation> {
        // Two requests with one key may start this pipeline.
        if self.pipelines.is_running(&entry.name, now)? {
            return Ok(Reservation::Existing);
        }
        if let Some(shortage) = self.refuses(entry, now)? {
            return Ok(Reservation::Refused(shortage));
        }
        self.pipelines.reserve(entry, now)?;
        self.ensure_alarm().await?;
        Ok(Reservation::New)
    }

    /// Returns the shortage that refuses a pipeline here, if there is one.
    fn refuses(&self, entry: &PipelineEntry, now: i64) -> worker::Result<Option<Shortage>> {
        let others = match self.pipelines.admit(entry, now)? {
            Ok(others) => others,
            Err(limit) => return Ok(Some(Shortage { limit, needed: 1 })),
        };
        let shortage = self
            .policy
            .shortage(entry.planned, others, &entry.budget, now)?;
        if shortage.is_some() {
            return Ok(shortage);
        }
        // Starts are counted outside the history, since the caller can remove entries from it.
        let start = self.policy.refused(&Pipelines::start(entry), now)?;
        Ok(start.map(|limit| Shortage { limit, needed: 1 }))
    }

    /// Counts a running pipeline and its start. The limits were checked when its place was
    /// reserved.
    async fn count_pipeline(&self, entry: &PipelineEntry, now: i64) -> worker::Result<()> {
        if self.pipelines.count(entry, now)? {
            let start = Taking {
                max: None,
                ..Pipelines::start(entry)
            };
            self.policy.take(&start, now)?;
        }
        self.known.note_key(&entry.name, now)?;
        self.ensure_alarm().await
    }
}
