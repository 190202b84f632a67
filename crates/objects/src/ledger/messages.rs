use std::rc::Rc;

use mediagate_access::identity::{Budget, Limit, Planned, Shortage, Taking};
use mediagate_core::Group;
use mediagate_messages::ledger::{
    ChangePlanned, Charge, CheckPipeline, CheckTaking, CountPipeline, Create, EndPipeline,
    FindMedium, FindShortage, FindUsedUp, Forget, ForgetPipeline, Free, Has, HasPipeline,
    HistoryEntry, KeepResult, Knows, LedgerMessage, List, LoseResult, PipelineEntry, ReadResult,
    ReadResults, Release, RemoveResult, Reservation, Reserve, ReservePipeline, ReserveResult,
    StreamMedium, Take,
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
            LedgerMessage::Create(create) => {
                note_create_arrival();
                Create::respond(&self.create(create).await?)
            }
            // A ledger reserves here before it stores anything itself, so a reservation is enough.
            LedgerMessage::Knows(Knows { ledger }) => {
                Knows::respond(&(self.known.has(&ledger)? || self.policy.has_prefix(&ledger)?))
            }
            LedgerMessage::HasPipeline(HasPipeline { name }) => {
                HasPipeline::respond(&self.pipelines.has(&name)?)
            }
            LedgerMessage::Has(Has { key }) => Has::respond(&self.policy.has(&key, now)?),
            LedgerMessage::FindUsedUp(FindUsedUp {
                ledger,
                group,
                budget,
            }) => {
                let ledger = ledger.as_deref();
                FindUsedUp::respond(&self.policy.used_up(ledger, group, &budget, now)?)
            }
            LedgerMessage::Reserve(Reserve { key, group, budget }) => {
                Reserve::respond(&self.reserve(key, group, &budget, now).await?)
            }
            LedgerMessage::Charge(Charge {
                key,
                task,
                is_running,
            }) => {
                self.known.note_key(&key, now)?;
                let settlement = Settlement::Kept(KeptCreate {
                    task,
                    is_running,
                    ..KeptCreate::default()
                });
                Charge::respond(&self.policy.settle_key(&key, settlement, now)?)
            }
            LedgerMessage::Release(Release { key }) => {
                let release = || self.policy.settle_key(&key, Settlement::Released, now);
                Release::respond(&self.change(release)?)
            }
            LedgerMessage::Take(Take { taking, object }) => {
                let refused = self.policy.take(&taking, now)?;
                if refused.is_none() {
                    if let Some(object) = object {
                        self.known.note(&object, now)?;
                    }
                    self.ensure_alarm().await?;
                }
                Take::respond(&refused)
            }
            LedgerMessage::CheckTaking(CheckTaking(Take { taking, object })) => {
                let refused = match object {
                    Some(object) if self.known.has(&object)? => None,
                    _ => self.policy.refused(&taking, now)?,
                };
                CheckTaking::respond(&refused)
            }
            LedgerMessage::Free(free) => Free::respond(&self.change(|| self.free(&free, now))?),
            LedgerMessage::List(List { before, limit }) => {
                List::respond(&self.list(before, limit, now)?)
            }
            LedgerMessage::ReadResult(ReadResult(entry)) => {
                ReadResult::respond(&self.history.result(entry)?)
            }
            LedgerMessage::FindMedium(FindMedium(medium)) => {
                FindMedium::respond(&self.find_medium(&medium).await?)
            }
            LedgerMessage::StreamMedium(StreamMedium {
                medium,
                bytes,
                client,
            }) => self.stream_medium(medium, bytes, client.as_ref()),
            LedgerMessage::FindShortage(FindShortage { planned, budget }) => {
                let others = Planned::default();
                FindShortage::respond(&self.policy.shortage(planned, others, &budget, now)?)
            }
            LedgerMessage::ReservePipeline(ReservePipeline(entry)) => {
                ReservePipeline::respond(&self.reserve_pipeline(&entry, now).await?)
            }
            LedgerMessage::CheckPipeline(CheckPipeline(entry)) => {
                CheckPipeline::respond(&self.refuses(&entry, now)?)
            }
            LedgerMessage::CountPipeline(CountPipeline(entry)) => {
                CountPipeline::respond(&self.count_pipeline(&entry, now).await?)
            }
            LedgerMessage::ChangePlanned(ChangePlanned { name, planned }) => {
                let change = || self.pipelines.set_planned(&name, planned);
                ChangePlanned::respond(&self.change(change)?)
            }
            LedgerMessage::EndPipeline(EndPipeline { name, state }) => {
                let end = || self.pipelines.end(&name, &state, now);
                EndPipeline::respond(&self.change(end)?)
            }
            LedgerMessage::ForgetPipeline(ForgetPipeline { name }) => {
                ForgetPipeline::respond(&self.change(|| self.pipelines.forget(&name))?)
            }
            LedgerMessage::Forget(Forget { task, is_gone }) => {
                let stays = self.history.forget(&task, is_gone)?;
                if !stays {
                    self.results.remove_all(&task)?;
                }
                Forget::respond(&stays)
            }
            LedgerMessage::ReserveResult(request) => {
                ReserveResult::respond(&self.reserve_result(request, now).await?)
            }
            LedgerMessage::KeepResult(KeepResult { place, kept }) => {
                KeepResult::respond(&self.results.settle(&place, kept)?)
            }
            LedgerMessage::LoseResult(LoseResult {
                place,
                reason,
                expires_at,
            }) => {
                self.results.lose(&place, reason, expires_at)?;
                LoseResult::respond(&self.ensure_alarm().await?)
            }
            LedgerMessage::RemoveResult(RemoveResult(place)) => {
                RemoveResult::respond(&self.change(|| self.results.remove(&place))?)
            }
            LedgerMessage::ReadResults(ReadResults(task)) => {
                let key = ResultPlace::task_key(&task);
                let states = self.results.of_tasks(&[key], now)?;
                let states = states.into_iter();
                ReadResults::respond(&TaskResults {
                    states: states
                        .map(|(place, state)| (place.position, state))
                        .collect(),
                    source: self.results.source_of(&task)?,
                })
            }
        }
    }

    /// An empty object must not create its tables for a change that finds no row.
    fn change<T: Default>(&self, change: impl FnOnce() -> worker::Result<T>) -> worker::Result<T> {
        if self.storage.is_empty()? {
            return Ok(T::default());
        }
        change()
    }

    /// Returns true if the end is new to the history.
    fn free(&self, free: &Free, now: i64) -> worker::Result<bool> {
        let Free {
            group,
            task,
            summary,
        } = free;
        let is_new = match summary {
            Some(summary) => self.history.end(*group, task, summary, now)?,
            None => false,
        };
        self.policy.free(*group, task)?;
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

    /// With the states of their kept results.
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

    /// Of another ledger. Returns the limit that is used up.
    async fn reserve(
        &self,
        key: String,
        group: Group,
        budget: &Budget,
        now: i64,
    ) -> worker::Result<Option<Limit>> {
        let record = CreateRecord::unsettled(key.clone(), group, now);
        // A known reservation counts as in progress, so that it is never replayed or interrupted.
        if let Admission::Exhausted(limit) = self.policy.admit(record, budget, true)? {
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

    /// The shortage that refuses a pipeline here.
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

    /// The limits were checked when the place was reserved.
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
