use alloc::boxed::Box;
use alloc::string::String;

use crate::call::Call;
use crate::error::Error;
use crate::limits::Limits;
use crate::platform::{Body, BoxFuture, Platform};
use crate::response::ResponseKind;
use crate::sync::Waiters;
use crate::{Client, push_segment};

impl<P: Platform> Client<P> {
    /// Requests the model catalogue, as the upstream sends it.
    pub fn models(&self, limits: Limits<P>) -> Requested<P> {
        self.request_data("GET", self.url("models"), limits)
    }

    /// Requests the capabilities that the gateway offers:
    /// `{capabilities: [{capability, is_extension, models: [{model_id, values}]}], limits}`, without
    /// `limits` if the values of creates are not limited.
    ///
    /// # Errors
    /// `invalid_input` with the reason `unknown_path` if the gateway is older than this request.
    pub fn capabilities(&self, limits: Limits<P>) -> Requested<P> {
        self.request_data("GET", self.url("capabilities"), limits)
    }

    /// Requests a page of the caller's tasks and pipelines, newest first:
    /// `{tasks, pipelines, cursor}`. The query is empty, or begins with `?`. It may have `limit`,
    /// the maximum number of entries, and `cursor`, from the previous page.
    pub fn tasks(&self, query: &str, limits: Limits<P>) -> Requested<P> {
        let mut url = self.url("tasks");
        url.push_str(query);
        self.request_data("GET", url, limits)
    }

    /// Removes a task from the history by its id. The task itself stays.
    ///
    /// # Errors
    /// `invalid_input` with the reason `task_running` or `unknown_task`.
    pub fn forget_task(&self, id: &str, limits: Limits<P>) -> Requested<P> {
        self.forget("tasks/", id, limits)
    }

    /// Removes a pipeline by its id, with its record.
    pub fn forget_pipeline(&self, id: &str, limits: Limits<P>) -> Requested<P> {
        self.forget("pipelines/", id, limits)
    }

    fn forget(&self, path: &str, id: &str, limits: Limits<P>) -> Requested<P> {
        let mut url = self.url(path);
        push_segment(&mut url, id);
        self.request_data("DELETE", url, limits)
    }

    fn request_data(&self, method: &'static str, url: String, limits: Limits<P>) -> Requested<P> {
        let waiters = Waiters::from(&limits.retry);
        let mut call = Call::new(url, Body::Empty, ResponseKind::Data, waiters);
        call.request.method = method;
        let client = self.clone();
        let data = async move { client.data(call).await };
        limits.apply(self.platform(), Box::pin(data))
    }
}

type Requested<P> = BoxFuture<'static, Result<<P as Platform>::Value, Error<P>>>;
