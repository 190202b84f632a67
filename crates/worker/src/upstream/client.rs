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

/// The upstream on behalf of a subject. Ids in its data are sealed for that subject before they
/// leave the gateway.
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
    /// Returns a client for requests on behalf of a subject. The duration of its requests is added
    /// to `upstream_ms`.
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

    /// Replaces the URLs of a task's outputs by addresses of the gateway, if the gateway keeps
    /// results. `public_url` is empty if no caller sees the data.
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
    /// Sends a request and measures its duration.
    ///
    /// # Errors
    /// 503 if the circuit breaker is open.
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

    /// Probes the upstream with a read, if the circuit breaker may close. A create is never the
    /// probe, and the gateway may have no other reads to send.
    async fn probe(&self) {
        if self.upstream.breaker.admit(true, now_ms()).is_ok() {
            let path = self.upstream.settings.models_path.as_deref();
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

    /// Seals every id in data of the upstream. The id of `task`, if there is one, can then be used
    /// to read the task.
    pub(crate) fn seal(&self, data: &mut Value, task: Option<&TaskRef>) {
        seal_ids(data, &self.upstream.sealer, self.subject, task);
        if let Some(task) = task {
            self.address_outputs(data, &TaskName::Upstream(task.clone()));
        }
    }

    /// Replaces the URLs of a task's outputs by addresses of the gateway, if the gateway keeps
    /// results.
    pub(crate) fn address_outputs(&self, data: &mut Value, task: &TaskName) {
        self.upstream
            .address_outputs(data, self.public_url, self.subject, task);
    }

    /// Returns the sealed id of a task.
    pub(crate) fn seal_task(&self, task: &TaskRef) -> String {
        self.upstream.sealer.seal(
            self.subject,
            sealed_kind(IdKind::Task, Some(task.group)),
            &task.text(),
        )
    }
}
