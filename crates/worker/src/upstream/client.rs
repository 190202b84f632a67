//! Requests to the upstream on behalf of one subject.

use std::cell::Cell;

use mediagate_core::ids::IdKind;
use serde_json::Value;

use super::Upstream;
use super::response::UpstreamResponse;
use crate::identity::Subject;
use crate::ids::{TaskName, TaskRef, address_outputs, seal_ids, sealed_kind};
use crate::platform::now_ms;
use crate::refusal::Refusal;

/// The upstream on behalf of a subject. Ids that leave the gateway are sealed for that subject.
#[derive(Clone, Copy)]
pub(crate) struct UpstreamClient<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) subject: &'a Subject,
    /// The gateway's URL as the subject sees it, without a slash at its end.
    pub(crate) public_url: &'a str,
    /// Milliseconds spent waiting for the upstream.
    pub(crate) upstream_ms: &'a Cell<f64>,
}

impl Upstream {
    /// Requests on behalf of a subject. The time they take is added to `upstream_ms`.
    pub(crate) fn client<'a>(
        &'a self,
        subject: &'a Subject,
        public_url: &'a str,
        upstream_ms: &'a Cell<f64>,
    ) -> UpstreamClient<'a> {
        UpstreamClient {
            upstream: self,
            subject,
            public_url,
            upstream_ms,
        }
    }

    /// Puts the gateway's addresses in the places of the URLs of a task's outputs, where results
    /// are kept. `public_url` is empty if no caller sees the data.
    pub(crate) fn address_outputs(
        &self,
        data: &mut Value,
        public_url: &str,
        owner: &Subject,
        task: &TaskName,
    ) {
        if self.settings.results.is_some() && !public_url.is_empty() {
            address_outputs(data, &self.sealer, public_url, owner, task);
        }
    }
}

impl UpstreamClient<'_> {
    /// Sends a request, unless the circuit breaker is open, and measures its time.
    pub(super) async fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<UpstreamResponse, Refusal> {
        let breaker = &self.upstream.breaker;
        if method != "GET" && breaker.admit(false, now_ms()).is_err() {
            self.probe().await;
        }
        breaker
            .admit(method == "GET", now_ms())
            .map_err(Refusal::unavailable)?;
        Ok(self.send(method, path, body).await)
    }

    /// Probes the upstream with a read, where the breaker may close: a create is never the probe, and there may be no
    /// other reads.
    async fn probe(&self) {
        if self.upstream.breaker.admit(true, now_ms()).is_ok() {
            let path =
                Some(self.upstream.settings.models_path.as_str()).filter(|it| !it.is_empty());
            self.send("GET", path.unwrap_or("/"), None).await;
        }
    }

    async fn send(&self, method: &str, path: &str, body: Option<&str>) -> UpstreamResponse {
        let response = self.upstream.transport.send(method, path, body).await;
        self.upstream.breaker.report(
            response.is_reached(&self.upstream.settings.dialect),
            now_ms(),
        );
        self.add_upstream_ms(response.duration_ms);
        response
    }

    /// Adds time spent waiting for the upstream, in milliseconds.
    pub(crate) fn add_upstream_ms(&self, ms: f64) {
        self.upstream_ms.set(self.upstream_ms.get() + ms);
    }

    /// Seals every id in data of the upstream. The id of `task`, where there is one, can then be used to read it.
    pub(crate) fn seal(&self, data: &mut Value, task: Option<&TaskRef>) {
        seal_ids(data, &self.upstream.sealer, self.subject, task);
        if let Some(task) = task {
            self.address_outputs(data, &TaskName::Upstream(task.clone()));
        }
    }

    /// Puts the gateway's addresses in the places of the URLs of a task's outputs, where results
    /// are kept.
    pub(crate) fn address_outputs(&self, data: &mut Value, task: &TaskName) {
        self.upstream
            .address_outputs(data, self.public_url, self.subject, task);
    }

    /// The sealed id of a task.
    pub(crate) fn seal_task(&self, task: &TaskRef) -> String {
        self.upstream.sealer.seal(
            self.subject,
            sealed_kind(IdKind::Task, Some(task.group)),
            &task.text(),
        )
    }
}
