//! The model catalogue and the history of the caller.

use crate::call::Call;
use crate::error::Error;
use crate::limits::{Limits, Waiters};
use crate::platform::{Body, Platform};
use crate::response::Expected;
use crate::sendable::BoxFuture;
use crate::{Client, push_segment};

impl<P: Platform> Client<P> {
    /// Requests the model catalogue, as the upstream sends it.
    ///
    /// # Errors
    /// Any error of a read.
    pub async fn models(&self, limits: Limits<P>) -> Result<P::Value, Error<P>> {
        self.request_data("GET", self.url("models"), limits).await
    }

    /// Requests a page of the caller's tasks and pipelines, newest first:
    /// `{tasks, pipelines, cursor}`. The query is empty, or begins with `?`. It may have `limit`,
    /// the maximum number of entries, and `cursor`, from the previous page.
    ///
    /// # Errors
    /// Any error of a read.
    pub async fn tasks(&self, query: &str, limits: Limits<P>) -> Result<P::Value, Error<P>> {
        let mut url = self.url("tasks");
        url.push_str(query);
        self.request_data("GET", url, limits).await
    }

    /// Removes a task from the history by its id. The task itself stays.
    ///
    /// # Errors
    /// `invalid_input` with the reason `task_running` or `unknown_task`; any error of a read.
    pub async fn forget_task(&self, id: &str, limits: Limits<P>) -> Result<P::Value, Error<P>> {
        self.forget("tasks/", id, limits).await
    }

    /// Removes a pipeline by its id, with its record.
    ///
    /// # Errors
    /// Any error of a read.
    pub async fn forget_pipeline(&self, id: &str, limits: Limits<P>) -> Result<P::Value, Error<P>> {
        self.forget("pipelines/", id, limits).await
    }

    async fn forget(&self, path: &str, id: &str, limits: Limits<P>) -> Result<P::Value, Error<P>> {
        let mut url = self.url(path);
        push_segment(&mut url, id);
        self.request_data("DELETE", url, limits).await
    }

    fn request_data(
        &self,
        method: &'static str,
        url: alloc::string::String,
        limits: Limits<P>,
    ) -> BoxFuture<'_, Result<P::Value, Error<P>>> {
        let waiters = Waiters::from(&limits.retry);
        let mut call = Call::new(url, Body::Empty, Expected::Data, waiters);
        call.request.method = method;
        limits.apply(self.platform(), self.data(call))
    }
}
