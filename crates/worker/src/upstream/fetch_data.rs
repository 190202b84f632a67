//! Requests whose response is neither a task nor a create's.

use mediagate_core::Reason;
use serde_json::Value;

use super::UpstreamClient;
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// Sends a request whose response has some data, and returns the response's whole body with the upstream's own ids.
    /// Where `path` is a setting that is switched off, there is no such path.
    ///
    /// # Errors
    /// The refusal that the response, or its absence, means for the caller.
    pub(crate) async fn fetch(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<Value, Refusal> {
        if path.is_empty() {
            return Err(Refusal::from(Reason::UnknownPath));
        }
        let response = self.request(method, path, body).await?;
        let retry_after = response.retry_after;
        let body = response.into_body(&self.upstream.settings.dialect);
        body.map_err(|failure| self.refusal(failure, retry_after).0)
    }

    /// The same where nothing depends on it: a failure is none of the circuit breaker's.
    pub(super) async fn fetch_unreported(&self, path: &str) -> Option<Value> {
        let response = self.upstream.transport.send("GET", path, None).await;
        self.add_upstream_ms(response.duration_ms);
        response.into_body(&self.upstream.settings.dialect).ok()
    }

    /// The same for `data`: the envelope's, or the whole body where there is no envelope.
    ///
    /// # Errors
    /// As for [`Self::fetch`].
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
