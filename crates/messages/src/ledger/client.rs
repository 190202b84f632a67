use std::ops::Range;
use std::time::Duration;

use mediagate_access::crypto::hash;
use mediagate_access::identity::{
    Budget, Credits, Limit, LimitName, Planned, Shortage, Subject, Taking,
};
use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, Group, Outcome, Reason, find};
use mediagate_ids::{EntryRef, MediumRef, TaskName};
use mediagate_platform::{ObjectError, random_name};
use mediagate_settings::Settings;
use serde_json::Value;
use web_sys::ReadableStream;
use worker::Env;

use super::requests::{
    ChangePlanned, Charge, CheckPipeline, CheckTaking, CountPipeline, Create, CreateResponse,
    EndPipeline, FindMedium, FindShortage, FindUsedUp, Forget, ForgetPipeline, Free, Has,
    HasPipeline, HistoryEntry, Knows, LedgerMessage, List, PipelineEntry, ReadResult, Release,
    Reservation, Reserve, ReservePipeline, StoredMedium, StreamMedium, Take,
};
use crate::pipeline::Grant;
use crate::request::{Request, ask, open};
use crate::{PipelineName, StreamClient, unanswered};

/// The time that a ledger may take in addition to a request to the upstream.
const GRACE: Duration = Duration::from_secs(10);

pub struct ReportedEnd {
    /// The history has the task, and its end is new.
    pub is_new: bool,
    /// Every ledger has responded.
    pub is_stored: bool,
}

pub struct LedgerClient<'a> {
    env: &'a Env,
    settings: &'a Settings,
    deadline: Duration,
}

impl<'a> LedgerClient<'a> {
    pub fn new(env: &'a Env, settings: &'a Settings) -> Self {
        let deadline = Duration::from_millis(settings.read_timeout_ms.into()) + GRACE;
        LedgerClient {
            env,
            settings,
            deadline,
        }
    }

    /// Creates a task, at most once for an idempotency key. If the ledger does not respond, the
    /// outcome is unknown.
    pub async fn create(&self, command: Create) -> CreateResponse {
        // A create that is refused must not leave a new ledger behind. A used ledger may have the
        // outcome of a repetition.
        if let Some(refusal) = command.exclusion()
            && self.has_ledger(&command.subject).await == Ok(false)
        {
            return CreateResponse::new(Err(refusal.of_create(Outcome::NotSent)), 0.0);
        }
        let group = find(&command.capability).map(|capability| capability.group());
        let exceeded =
            group.and_then(|group| exceeded_unused(&command.budget, group, command.expected));
        if let Some(limit) = exceeded
            && self.has_ledger(&command.subject).await == Ok(false)
        {
            let refusal = limit.refusal().of_create(Outcome::NotSent);
            let response = CreateResponse::new(Err(refusal), 0.0);
            let limits = vec![limit];
            return CreateResponse { limits, ..response };
        }
        let name = self.ledger_of(&command.subject);
        let deadline = Duration::from_millis(self.settings.upstream_timeout_ms.into()) + GRACE;
        let response = ask(self.env, &name, command, deadline).await;
        // A repeated request with this key returns the outcome.
        response.unwrap_or_else(|error| {
            let outcome = match error {
                ObjectError::Busy => Outcome::NotSent,
                ObjectError::Silent => Outcome::Unknown,
            };
            let refusal = unanswered(error, Reason::LedgerSilent).of_create(outcome);
            CreateResponse::new(Err(refusal), 0.0)
        })
    }

    /// Returns true if a create with this key may be stored, also if the ledger does not respond.
    pub async fn may_have(&self, subject: &Subject, capability: &Capability, key: &str) -> bool {
        if !self.has_ledger(subject).await.unwrap_or(true) {
            return false;
        }
        let request = Has {
            key: create_key(capability, key),
        };
        self.send(&self.ledger_of(subject), request)
            .await
            .unwrap_or(true)
    }

    /// Frees the slot of a task that has ended, and stores its end in the history. If the request
    /// is lost, the slot expires.
    pub async fn free(
        &self,
        subject: &Subject,
        group: Group,
        task: &str,
        summary: Option<Value>,
    ) -> ReportedEnd {
        let cost = summary.as_ref().and_then(cost_of);
        let request = |summary| Free {
            group,
            task: task.to_owned(),
            summary,
            cost,
        };
        let is_new = self.send(&self.ledger_of(subject), request(summary)).await;
        let mut is_stored = is_new.is_ok();
        // The pool counts the tasks in flight of all anonymous callers.
        if subject.is_anonymous() {
            let freed = self.send(&self.anonymous_pool(), request(None)).await;
            is_stored &= freed.is_ok();
        }
        ReportedEnd {
            is_new: is_new.unwrap_or_default(),
            is_stored,
        }
    }

    /// Returns the newest entries, at most `limit`, with a smaller number than `before`. 500 if the
    /// ledger does not respond, as for every method of the history.
    pub async fn history(
        &self,
        subject: &Subject,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<HistoryEntry>, Refusal> {
        if !self.has_ledger(subject).await? {
            return Ok(Vec::new());
        }
        self.of_history(subject, List { before, limit }).await
    }

    /// Anyone can have any number of anonymous subjects. So a request that only reads first asks
    /// the pool, which lists the used ledgers, and starts no ledger for an unused subject.
    async fn has_ledger(&self, subject: &Subject) -> Result<bool, Refusal> {
        if !subject.is_anonymous() || self.settings.anonymous.budget().is_unlimited() {
            return Ok(true);
        }
        let request = Knows {
            ledger: self.ledger_of(subject),
        };
        let knows = self.send(&self.anonymous_pool(), request).await;
        knows.map_err(|error| unanswered(error, Reason::LedgerFailed))
    }

    /// Reads the result of a create that has no task, as `data` with the upstream's own ids; `None`
    /// if the history no longer has the create.
    pub async fn result(
        &self,
        subject: &Subject,
        entry: EntryRef,
    ) -> Result<Option<Value>, Refusal> {
        self.of_history(subject, ReadResult(entry)).await
    }

    /// Finds a medium. 404 if it is gone; 500 if the ledger does not respond; for a medium of a
    /// task that is not stored also the errors of [`poll_media`](crate::poll_media).
    pub async fn find_medium(&self, medium: &MediumRef) -> Result<StoredMedium, Refusal> {
        let request = FindMedium(medium.clone());
        self.of_history(&medium.owner, request).await?
    }

    /// Returns a stream with some bytes of a stored medium. The ledger reads them only as fast as
    /// the stream is read. 500 if the ledger does not respond, or no longer has the medium.
    pub async fn stream_medium(
        &self,
        medium: &MediumRef,
        bytes: Range<u64>,
        client: Option<StreamClient>,
    ) -> Result<ReadableStream, Refusal> {
        let request = StreamMedium {
            medium: medium.clone(),
            bytes,
            client,
        };
        let ledger = self.ledger_of(&medium.owner);
        let response = open(self.env, &ledger, request)
            .await
            .map_err(|error| unanswered(error, Reason::LedgerFailed))?;
        let body = response.body();
        body.ok_or_else(|| Refusal::from(Reason::LedgerFailed))
    }

    /// Removes a task from the history. Returns true if it stays because it may be running. Set
    /// `is_gone` if the upstream no longer has it.
    pub async fn forget(
        &self,
        subject: &Subject,
        task: TaskName,
        is_gone: bool,
    ) -> Result<bool, Refusal> {
        self.of_history(subject, Forget { task, is_gone }).await
    }

    pub async fn has_pipeline(&self, name: &PipelineName) -> Result<bool, Refusal> {
        if !self.has_ledger(&name.subject).await? {
            return Ok(false);
        }
        let request = HasPipeline {
            name: name.name.clone(),
        };
        self.of_history(&name.subject, request).await
    }

    /// Reserves places with the subject, the tenant, and for an anonymous caller the pool. Places
    /// expire after some minutes, unless [`LedgerClient::count_pipeline`] confirms them. 429 if the
    /// creates exceed a budget, or if too many pipelines run or were started within a day; 500 if a
    /// ledger does not respond.
    pub async fn reserve_pipeline(
        &self,
        name: &PipelineName,
        title: Option<&str>,
        planned: Planned,
        grant: &Grant,
    ) -> Result<(), Refusal> {
        self.check_creates(planned, grant).await?;
        let mut reserved = Vec::new();
        for (ledger, entry) in self.pipeline_entries(name, title, planned, grant) {
            let refusal = match self.send(&ledger, ReservePipeline(entry)).await {
                Ok(Reservation::New) => {
                    reserved.push(ledger);
                    continue;
                }
                Ok(Reservation::Existing) => continue,
                Ok(Reservation::Refused(shortage)) => shortage.refusal(),
                Err(error) => {
                    // Without a response, the place may be reserved.
                    reserved.push(ledger);
                    unanswered(error, Reason::LedgerFailed)
                }
            };
            // The place with its subject expires by itself, and nobody else needs it.
            let of_subject = self.ledger_of(&name.subject);
            reserved.retain(|ledger| *ledger != of_subject);
            self.forget_shared(name, reserved).await;
            return Err(refusal);
        }
        Ok(())
    }

    /// Fails if [`LedgerClient::reserve_pipeline`] would. Reserves nothing.
    pub async fn check_pipeline(
        &self,
        name: &PipelineName,
        title: Option<&str>,
        planned: Planned,
        grant: &Grant,
    ) -> Result<(), Refusal> {
        self.check_creates(planned, grant).await?;
        let of_subject = self.ledger_of(&name.subject);
        let has_ledger = self.has_ledger(&name.subject).await?;
        for (ledger, entry) in self.pipeline_entries(name, title, planned, grant) {
            if ledger == of_subject && !has_ledger {
                continue;
            }
            passed(
                self.send(&ledger, CheckPipeline(entry)).await,
                Shortage::refusal,
            )?;
        }
        Ok(())
    }

    /// Compares the planned creates with whole budgets and with the rest of the pool. Counts
    /// nothing, and starts no ledger of an anonymous subject.
    async fn check_creates(&self, planned: Planned, grant: &Grant) -> Result<(), Refusal> {
        if let Some(shortage) = planned.exceeds(&grant.budget) {
            return Err(shortage.refusal());
        }
        let Some(budget) = grant.pool else {
            return Ok(());
        };
        // The pool counts each create when it is sent, so compare its rest with all of them now.
        let request = FindShortage { planned, budget };
        passed(
            self.send(&self.anonymous_pool(), request).await,
            Shortage::refusal,
        )
    }

    /// Counts a running pipeline in every ledger. Returns true if all have stored that.
    pub async fn count_pipeline(
        &self,
        name: &PipelineName,
        title: Option<&str>,
        planned: Planned,
        grant: &Grant,
    ) -> bool {
        let mut is_stored = true;
        // Continue after a failure, since the caller counts in all ledgers again.
        for (ledger, entry) in self.pipeline_entries(name, title, planned, grant) {
            is_stored &= self.send(&ledger, CountPipeline(entry)).await.is_ok();
        }
        is_stored
    }

    /// The subject is first, so that a refused subject takes no place of the tenant. An anonymous
    /// subject is last, so that its ledger is not started for a refused pipeline.
    fn pipeline_entries(
        &self,
        name: &PipelineName,
        title: Option<&str>,
        planned: Planned,
        grant: &Grant,
    ) -> Vec<(String, PipelineEntry)> {
        let Settings {
            pipelines,
            anonymous,
            ..
        } = self.settings;
        // Shared ledgers store no planned creates. They count each create when it is sent.
        let shared = |max_running| PipelineEntry {
            name: self.shared_name(name),
            title: None,
            planned: Planned::default(),
            budget: Budget::default(),
            max_running,
        };
        let of_subject = PipelineEntry {
            name: name.name.clone(),
            title: title.map(str::to_owned),
            planned,
            budget: grant.budget,
            max_running: pipelines.at_once,
        };
        let of_subject = (self.ledger_of(&name.subject), of_subject);
        let of_tenant = (self.pipelines_of_tenant(), shared(pipelines.per_tenant));
        if name.subject.is_anonymous() {
            vec![
                (self.anonymous_pool(), shared(anonymous.pipelines)),
                of_tenant,
                of_subject,
            ]
        } else {
            vec![of_subject, of_tenant]
        }
    }

    /// Replaces the planned creates of a running pipeline. If the request is lost, too many count.
    pub async fn change_planned(&self, subject: &Subject, name: &str, planned: Planned) {
        let request = ChangePlanned {
            name: name.to_owned(),
            planned,
        };
        let _ = self.send(&self.ledger_of(subject), request).await;
    }

    /// Stores the end of a pipeline, and stops counting it. Returns true if every ledger has stored
    /// that.
    pub async fn end_pipeline(&self, name: &PipelineName, state: &str) -> bool {
        let request = EndPipeline {
            name: name.name.clone(),
            state: state.to_owned(),
        };
        let ended = self.send(&self.ledger_of(&name.subject), request).await;
        let pool = name.subject.is_anonymous().then(|| self.anonymous_pool());
        let shared = pool.into_iter().chain([self.pipelines_of_tenant()]);
        // The shared ledgers free their places even if the subject's ledger did not respond.
        self.forget_shared(name, shared).await && ended.is_ok()
    }

    pub async fn forget_pipeline(&self, name: &PipelineName) -> Result<(), Refusal> {
        let request = ForgetPipeline {
            name: name.name.clone(),
        };
        self.of_history(&name.subject, request).await
    }

    /// Stops counting a pipeline in shared ledgers. Returns true if all of them have stored that.
    async fn forget_shared(
        &self,
        name: &PipelineName,
        ledgers: impl IntoIterator<Item = String>,
    ) -> bool {
        let request = ForgetPipeline {
            name: self.shared_name(name),
        };
        let mut is_stored = true;
        for ledger in ledgers {
            is_stored &= self.send(&ledger, request.clone()).await.is_ok();
        }
        is_stored
    }

    fn shared_name(&self, name: &PipelineName) -> String {
        [&self.ledger_of(&name.subject), " ", &name.name].concat()
    }

    /// Checks that the budget of all anonymous callers has room for a create. Counts nothing, so a
    /// refused create does not start the subject's ledger. If that ledger may be able to replay the
    /// create, the check passes and the ledger decides. 429 if the budget is used up; 500 if the
    /// pool does not respond.
    pub async fn check_pool(
        &self,
        subject: &Subject,
        group: Group,
        budget: Budget,
        expected: Option<Credits>,
    ) -> Result<(), Refusal> {
        self.in_pool(FindUsedUp {
            ledger: Some(self.ledger_of(subject)),
            group,
            budget,
            expected,
        })
        .await
    }

    /// Checks that a subject's budget has room for a create. Counts nothing. 429 if the budget is
    /// used up; 500 if the ledger does not respond.
    pub async fn check_budget(
        &self,
        subject: &Subject,
        group: Group,
        budget: Budget,
        expected: Option<Credits>,
    ) -> Result<(), Refusal> {
        if budget.is_unlimited() {
            return Ok(());
        }
        if let Some(limit) = exceeded_unused(&budget, group, expected) {
            return Err(limit.refusal());
        }
        if !self.has_ledger(subject).await? {
            return Ok(());
        }
        let request = FindUsedUp {
            ledger: None,
            group,
            budget,
            expected,
        };
        passed(
            self.send(&self.ledger_of(subject), request).await,
            Limit::refusal,
        )
    }

    /// Counts a create against the budget of all anonymous callers. Returns its key in the pool.
    pub async fn reserve(
        &self,
        subject: &Subject,
        group: Group,
        budget: Budget,
        expected: Option<Credits>,
    ) -> Result<String, Refusal> {
        let key = [&self.ledger_of(subject), " ", &random_name()].concat();
        let reserved = self
            .in_pool(Reserve {
                key: key.clone(),
                group,
                budget,
                expected,
            })
            .await;
        if reserved
            .as_ref()
            .is_err_and(|refusal| refusal.status != 429)
        {
            // The response was lost, but the create may be counted.
            self.release(&key).await;
        }
        reserved.map(|()| key)
    }

    /// Counts something other than a create, only for anonymous callers. `object` is the name of
    /// its object. 429 if all of them together have used it up; 500 if the pool does not respond.
    pub async fn take(
        &self,
        subject: &Subject,
        taking: Taking,
        object: Option<String>,
    ) -> Result<(), Refusal> {
        self.of_pool(subject, Take { taking, object }, |take| take)
            .await
    }

    /// Fails if [`LedgerClient::take`] would. Counts nothing. Passes if something was counted for
    /// the same object before.
    pub async fn check_taking(
        &self,
        subject: &Subject,
        taking: Taking,
        object: Option<String>,
    ) -> Result<(), Refusal> {
        self.of_pool(subject, Take { taking, object }, CheckTaking)
            .await
    }

    async fn of_pool<R>(
        &self,
        subject: &Subject,
        take: Take,
        request: impl FnOnce(Take) -> R,
    ) -> Result<(), Refusal>
    where
        R: Request<Message = LedgerMessage, Response = Option<Limit>>,
    {
        if !subject.is_anonymous() || take.taking.is_unlimited() {
            return Ok(());
        }
        // A limit of 0, or one below these bytes, refuses without a request to the pool.
        match take.taking.refused(0, 0, 0) {
            Some(limit) => Err(limit.refusal()),
            None => self.in_pool(request(take)).await,
        }
    }

    /// Counts a reserved create as charged. If the request is lost, the reservation still counts,
    /// and its slot expires.
    pub async fn charge(
        &self,
        key: String,
        task: Option<String>,
        is_running: bool,
        cost: Option<Credits>,
    ) {
        let request = Charge {
            key,
            task,
            is_running,
            cost,
        };
        let _ = self.send(&self.anonymous_pool(), request).await;
    }

    /// Stops counting a reserved create. If the request is lost, the create continues to count, so
    /// the budget is never exceeded.
    pub async fn release(&self, key: &str) {
        let request = Release {
            key: key.to_owned(),
        };
        let _ = self.send(&self.anonymous_pool(), request).await;
    }

    pub(super) async fn of_history<R: Request<Message = LedgerMessage>>(
        &self,
        subject: &Subject,
        request: R,
    ) -> Result<R::Response, Refusal> {
        self.send(&self.ledger_of(subject), request)
            .await
            .map_err(|error| unanswered(error, Reason::LedgerFailed))
    }

    pub(super) fn ledger_of(&self, subject: &Subject) -> String {
        subject.hash_with(&["subject", &self.settings.tenant])
    }

    pub(super) fn anonymous_pool(&self) -> String {
        hash(&["anonymous", &self.settings.tenant])
    }

    fn pipelines_of_tenant(&self) -> String {
        hash(&["pipelines", &self.settings.tenant])
    }

    /// Sends a request to the pool. A limit in the response is the refusal.
    async fn in_pool<R>(&self, request: R) -> Result<(), Refusal>
    where
        R: Request<Message = LedgerMessage, Response = Option<Limit>>,
    {
        passed(
            self.send(&self.anonymous_pool(), request).await,
            Limit::refusal,
        )
    }

    pub(super) fn send<'b, R: Request<Message = LedgerMessage>>(
        &'b self,
        ledger: &'b str,
        request: R,
    ) -> impl Future<Output = Result<R::Response, ObjectError>> + use<'a, 'b, R> {
        ask(self.env, ledger, request, self.deadline)
    }
}

/// Returns the limit of a budget that admits no create, even while it is unused.
fn exceeded_unused(budget: &Budget, group: Group, expected: Option<Credits>) -> Option<Limit> {
    if let Some(shortage) = Planned::count([group].into_iter()).exceeds(budget) {
        return Some(shortage.limit);
    }
    let max = budget.credits.filter(|max| expected > Some(*max))?;
    Some(Limit {
        name: LimitName::Credits,
        max: max.millionths(),
        left: max.millionths(),
        reset: 0,
    })
}

/// Returns the cost that a summary of a task has. `None` if it has none, or no readable one.
pub fn cost_of(summary: &Value) -> Option<Credits> {
    Credits::read(&summary["credits"])
}

/// A limit or a shortage in the response refuses. A ledger that does not respond refuses
/// everything.
fn passed<T>(
    response: Result<Option<T>, ObjectError>,
    refusal: fn(&T) -> Refusal,
) -> Result<(), Refusal> {
    match response {
        Ok(None) => Ok(()),
        Ok(Some(found)) => Err(refusal(&found)),
        Err(error) => Err(unanswered(error, Reason::LedgerFailed)),
    }
}

/// Returns the key of a create in its ledger. Two capabilities may use one idempotency key.
pub fn create_key(capability: &Capability, key: &str) -> String {
    [capability.name(), key].join(" ")
}
