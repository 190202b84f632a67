//! Requests whose response has neither a task nor the result of a create.

use serde_json::Value;

use super::UpstreamClient;
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// Sends a request whose response has some data. Returns the response's whole body, with the
    /// upstream's own ids.
    ///
    /// # Errors
    /// The refusal that follows from the response.
    pub(crate) async fn fetch(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<Value, Refusal> {
        let response = self.request(method, path, body).await?;
        let retry_after = response.retry_after;
        let body = response.into_body(&self.upstream.settings.dialect);
        body.map_err(|failure| self.refusal(failure, retry_after).0)
    }

    /// Reads data without which the gateway continues. A failure is not reported to the circuit
    /// breaker.
    pub(super) async fn fetch_unreported(&self, path: &str) -> Option<Value> {
        let response = self.upstream.transport.send("GET", path, None).await;
        self.add_upstream_ms(response.duration_ms);
        response.into_body(&self.upstream.settings.dialect).ok()
    }

    /// Like [`Self::fetch`], but returns the envelope's `data`, or the whole body if it has no
    /// envelope.
    ///
    /// # Errors
    /// Those of [`Self::fetch`].
    pub(crate) async fn fetch_data(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<Value, Refusal> {
        let body = self.fetch(method, path, body).await?;
        let envelope = self.upstream.settings.dialect.envelope.read(&body);
        let data = envelope.and_then(|envelope| envelope.data.cloned());
        Ok(data.unwrap_or(body))
    }
}
