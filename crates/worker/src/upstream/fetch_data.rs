//! Requests whose response is neither a task nor a create's.

use mediagate_core::response::Expects;
use serde_json::Value;

use super::response::Success;
use super::{TaskRecord, UpstreamClient};
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// Sends a request whose response has some `data`, and returns that with the upstream's own ids. Where `path` is a
    /// setting that is switched off, there is no such path.
    ///
    /// # Errors
    /// The refusal that the response, or its absence, means for the caller.
    pub(crate) async fn fetch_data(&self, method: &str, path: &str, body: Option<&str>) -> Result<Value, Refusal> {
        if path.is_empty() {
            return Err(Refusal::no_such_path());
        }
        let response = self.request(method, path, body).await?;
        let retry_after = response.retry_after;
        match response.decode(Expects::Data, None) {
            Ok(Success::Data(data) | Success::Task(TaskRecord { data, .. })) => Ok(data),
            Err(failure) => Err(self.refusal(failure, retry_after).0),
        }
    }
}
