//! What a gateway has for a caller, besides tasks that are followed: the model catalogue and the history.

use super::machine::Engine;
use crate::platform::{Body, Id, Platform};
use crate::response::Expected;
use crate::state::call::{Call, Owner};
use crate::state::pending::Pending;

impl<P: Platform> Engine<P> {
    /// Requests the model catalogue, as the upstream sends it.
    pub fn models(&mut self, promise: Id, gateway: Id) {
        self.request_data(promise, gateway, "GET", "models", &|_, models| models);
    }

    /// Requests a page of the caller's tasks, newest first. `query` is empty, or begins with `?` and has `limit`, the most
    /// entries, and the `cursor` of the page before. The value of the promise is `{tasks, pipelines, cursor}`.
    pub fn tasks(&mut self, promise: Id, gateway: Id, query: P::Value) {
        self.request_data(promise, gateway, "GET", "tasks", &|it, tasks| {
            it.append_value(tasks, query)
        });
    }

    /// Removes a task from the history, by its id; the task itself stays. Or a pipeline, of which nothing stays.
    pub fn forget(&mut self, promise: Id, gateway: Id, id: P::Value, is_pipeline: bool) {
        let path = if is_pipeline { "pipelines/" } else { "tasks/" };
        self.request_data(promise, gateway, "DELETE", path, &|it, path| {
            it.append_segment(path, id)
        });
    }

    fn request_data(
        &mut self,
        promise: Id,
        id: Id,
        method: &'static str,
        path: &str,
        complete: &dyn Fn(&P, P::Value) -> P::Value,
    ) {
        let Some(gateway) = self.gateways.get(id) else {
            return self.reject_unknown(promise);
        };
        let url = complete(&self.platform, gateway.url(&self.platform, path));
        let mut call = Call::new(
            id,
            gateway,
            Owner::Promise(promise),
            url,
            Body::Empty,
            Expected::Data,
        );
        call.request.method = method;
        let call = self.start(call);
        self.promises.insert(promise, Pending::Call(call));
    }
}
