//! Handles the messages to a ledger.

use std::rc::Rc;

use mediagate_core::Group;
use web_sys::Response;

use super::object::Inner;
use super::pipelines::Pipelines;
use super::policy::{Admission, Settlement};
use super::store::{CreateRecord, KeptCreate};
use crate::identity::{Budget, Limit, Planned, Shortage, Taking};
use crate::objects::{
    HistoryEntry, LedgerRequest, PipelineEntry, Reservation, ResultPlace, ResultReservation,
    TaskResults,
};
use crate::platform::{respond, timestamp_ms};

impl Inner {
    pub(super) async fn handle(self: Rc<Self>, request: LedgerRequest) -> worker::Result<Response> {
        // An empty object must not create its tables for a change that finds no row.
        if request.only_changes() && self.storage.is_empty()? {
            return respond(&());
        }
        let now = timestamp_ms();
        match request {
            LedgerRequest::Create(command) => respond(&self.create(*command).await?),
            // A ledger reserves here before it stores anything itself, so a reservation is enough.
            LedgerRequest::Knows { ledger } => {
                respond(&(self.known.has(&ledger)? || self.policy.has_prefix(&ledger)?))
            }
            LedgerRequest::HasPipeline { name } => respond(&self.pipelines.has(&name)?),
            LedgerRequest::Has { key } => respond(&self.policy.has(&key, now)?),
            LedgerRequest::IsUsedUp {
                ledger,
                group,
                budget,
            } => respond(
                &self
                    .policy
                    .used_up(ledger.as_deref(), group, &budget, now)?,
            ),
            LedgerRequest::Reserve { key, group, budget } => {
                respond(&self.reserve(key, group, &budget, now).await?)
            }
            LedgerRequest::Charge {
                key,
                task,
                is_running,
            } => {
                self.known.note_key(&key, now)?;
                let settlement = Settlement::Kept(KeptCreate {
                    task,
                    is_running,
                    ..KeptCreate::default()
                });
                respond(&self.policy.settle_key(&key, settlement, now)?)
            }
            LedgerRequest::Release { key } => {
                respond(&self.policy.settle_key(&key, Settlement::Released, now)?)
            }
            LedgerRequest::Take { taking, object } => {
                let refused = self.policy.take(&taking, now)?;
                if refused.is_none() {
                    if let Some(object) = object {
                        self.known.note(&object, now)?;
                    }
                    self.ensure_alarm().await?;
                }
                respond(&refused)
            }
            LedgerRequest::CheckTaking { taking, object } => {
                let is_known = match object {
                    Some(object) => self.known.has(&object)?,
                    None => false,
                };
                let refused = match is_known {
                    true => None,
                    false => self.policy.refused(&taking, now)?,
                };
                respond(&refused)
            }
            LedgerRequest::Free {
                group,
                task,
                summary,
            } => {
                let is_new = match summary {
                    Some(summary) => self.history.end(group, &task, &summary, now)?,
                    None => false,
                };
                self.policy.free(group, &task)?;
                respond(&is_new)
            }
            LedgerRequest::List { before, limit } => respond(&self.list(before, limit, now)?),
            LedgerRequest::Result(entry) => respond(&self.history.result(entry)?),
            LedgerRequest::FindMedium(medium) => respond(&self.find_medium(&medium).await?),
            LedgerRequest::StreamMedium {
                medium,
                bytes,
                client,
            } => self.stream_medium(medium, bytes, client.as_ref()),
            LedgerRequest::Shortage { planned, budget } => {
                let others = Planned::default();
                respond(&self.policy.shortage(planned, others, &budget, now)?)
            }
            LedgerRequest::ReservePipeline(entry) => {
                respond(&self.reserve_pipeline(&entry, now).await?)
            }
            LedgerRequest::CheckPipeline(entry) => respond(&self.refuses(&entry, now)?),
            LedgerRequest::CountPipeline(entry) => {
                respond(&self.count_pipeline(&entry, now).await?)
            }
            LedgerRequest::ChangePlanned { name, planned } => {
                respond(&self.pipelines.set_planned(&name, planned)?)
            }
            LedgerRequest::EndPipeline { name, state } => {
                respond(&self.pipelines.end(&name, &state, now)?)
            }
            LedgerRequest::ForgetPipeline { name } => respond(&self.pipelines.forget(&name)?),
            LedgerRequest::Forget { task, is_gone } => {
                let stays = self.history.forget(&task, is_gone)?;
                if !stays {
                    self.results.remove_all(&task)?;
                }
                respond(&stays)
            }
            LedgerRequest::ReserveResult {
                place,
                task,
                size,
                expires_at,
                max_bytes,
            } => {
                // The caller may have removed the task while its output was moved.
                if let Some(task) = task
                    && self.results.source_of(&task)?.is_none()
                {
                    return respond(&ResultReservation::Unwanted);
                }
                let reservation = self
                    .results
                    .reserve(&place, size, expires_at, max_bytes, now)?;
                self.ensure_alarm().await?;
                respond(&reservation)
            }
            LedgerRequest::KeepResult { place, kept } => {
                respond(&self.results.settle(&place, kept)?)
            }
            LedgerRequest::LoseResult {
                place,
                reason,
                expires_at,
            } => {
                self.results.lose(&place, reason, expires_at)?;
                respond(&self.ensure_alarm().await?)
            }
            LedgerRequest::RemoveResult(place) => respond(&self.results.remove(&place)?),
            LedgerRequest::Results(task) => {
                let key = ResultPlace::task_key(&task);
                let states = self.results.of_tasks(&[key], now)?;
                let by_position = |(place, state): (ResultPlace, _)| (place.position, state);
                respond(&TaskResults {
                    states: states.into_iter().map(by_position).collect(),
                    source: self.results.source_of(&task)?,
                })
            }
        }
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

    /// Returns what a pipeline lacks to start here, or `None` if nothing refuses it.
    fn refuses(&self, entry: &PipelineEntry, now: i64) -> worker::Result<Option<Shortage>> {
        let used_up = |limit| Some(Shortage { limit, needed: 1 });
        let others = match self.pipelines.admit(entry, now)? {
            Ok(others) => others,
            Err(limit) => return Ok(used_up(limit)),
        };
        let shortage = self
            .policy
            .shortage(entry.planned, others, &entry.budget, now)?;
        if shortage.is_some() {
            return Ok(shortage);
        }
        // Starts are counted outside the history, since the caller can remove entries from it.
        let start = self.policy.refused(&Pipelines::start(entry), now)?;
        Ok(start.and_then(used_up))
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
