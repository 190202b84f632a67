use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_ids::{ResultRef, TaskName};
use mediagate_settings::ResultsSettings;

use super::LedgerClient;
use super::requests::{KeepResult, LoseResult, ReadResults, RemoveResult, ReserveResult};
use crate::{KeptResult, ResultPlace, ResultReservation, TaskResults};

impl LedgerClient<'_> {
    /// Reserves the bytes of a result in its owner's ledger, and in the pool if the owner is
    /// anonymous. Returns `None` if a ledger does not respond.
    pub async fn reserve_result(
        &self,
        result: &ResultRef,
        size: u64,
        expires_at: i64,
        limits: &ResultsSettings,
    ) -> Option<ResultReservation> {
        let owned = self.place_of(result);
        let mut places = vec![(owned, Some(result.task.clone()), limits.bytes)];
        if let Some(shared) = self.shared_place_of(result) {
            places.insert(0, (shared, None, limits.anonymous_bytes));
        }
        for ((ledger, place), task, max_bytes) in places {
            let request = ReserveResult {
                place,
                task,
                size,
                expires_at,
                max_bytes,
            };
            let reservation = self.send(&ledger, request).await.ok()?;
            if reservation != ResultReservation::Reserved {
                // The pool may have reserved the bytes before the owner's ledger refused.
                self.remove_result(result).await;
                return Some(reservation);
            }
        }
        Some(ResultReservation::Reserved)
    }

    /// Stores that a reserved result is kept. Returns false if the result has been removed, and
    /// `None` if the ledger does not respond.
    pub async fn keep_result(&self, result: &ResultRef, kept: KeptResult) -> Option<bool> {
        let (ledger, place) = self.place_of(result);
        self.send(&ledger, KeepResult { place, kept }).await.ok()
    }

    /// Stores that a result is not kept. If the request is lost, the result appears to be still
    /// moving.
    pub async fn mark_not_kept(&self, result: &ResultRef, reason: String, expires_at: i64) {
        self.remove_result(result).await;
        let (ledger, place) = self.place_of(result);
        let request = LoseResult {
            place,
            reason,
            expires_at,
        };
        let _ = self.send(&ledger, request).await;
    }

    /// Removes a result. If a request is lost, its bytes count until the result expires.
    pub async fn remove_result(&self, result: &ResultRef) {
        let shared = self.shared_place_of(result);
        for (ledger, place) in shared.into_iter().chain([self.place_of(result)]) {
            let _ = self.send(&ledger, RemoveResult(place)).await;
        }
    }

    /// Returns the results of a task. 500 if the ledger does not respond.
    pub async fn results(
        &self,
        subject: &Subject,
        task: &TaskName,
    ) -> Result<TaskResults, Refusal> {
        self.of_history(subject, ReadResults(task.clone())).await
    }

    fn place_of(&self, result: &ResultRef) -> (String, ResultPlace) {
        let place = ResultPlace::new(&result.task, result.position);
        (self.ledger_of(&result.owner), place)
    }

    fn shared_place_of(&self, result: &ResultRef) -> Option<(String, ResultPlace)> {
        let (ledger, place) = self.place_of(result);
        let is_anonymous = result.owner.is_anonymous();
        is_anonymous.then(|| (self.anonymous_pool(), place.within(&ledger)))
    }
}
