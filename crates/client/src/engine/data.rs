//! What a gateway has for a caller, besides tasks that are followed: the model catalogue and the history.

use mediagate_core::Value;

use super::machine::Engine;
use crate::error::{Error, code};
use crate::platform::{Body, Id, Platform};
use crate::response::Expected;
use crate::state::call::{Call, Owner};
use crate::state::pending::Pending;

impl<P: Platform> Engine<P> {
    /// Requests the model catalogue, as the upstream sends it.
    pub fn models(&mut self, promise: Id, gateway: Id) {
        self.request_data(promise, gateway, "GET", &|_, models| models, "models");
    }

    /// Requests a page of the caller's tasks, newest first: at most `limit` of them, and those after the page whose `cursor`
    /// this is. Each is a number or a string. The value of the promise is `{tasks, cursor}`.
    pub fn tasks(&mut self, promise: Id, gateway: Id, limit: Option<P::Value>, cursor: Option<P::Value>) {
        let query = |platform: &P, tasks| {
            let (limit, cursor) = (limit.and_then(Value::identifier), cursor.and_then(Value::identifier));
            let url = limit.map_or(tasks, |it| platform.append_segment(platform.append(tasks, "?limit="), it));
            let name = if limit.is_some() { "&cursor=" } else { "?cursor=" };
            cursor.map_or(url, |it| platform.append_segment(platform.append(url, name), it))
        };
        self.request_data(promise, gateway, "GET", &query, "tasks");
    }

    /// Removes a task from the history, by its id or by an object that has it. The task itself stays.
    ///
    /// The promise rejects with `invalid_argument` for any other value.
    pub fn forget(&mut self, promise: Id, gateway: Id, task: P::Value) {
        let Some(task) = task.get("id").unwrap_or(task).identifier() else {
            let error = Error::new(&self.platform, code::INVALID_ARGUMENT, "this is no task; give one, or its id");
            return self.reject(promise, error);
        };
        self.request_data(
            promise,
            gateway,
            "DELETE",
            &|platform, tasks| platform.append_segment(tasks, task),
            "tasks/",
        );
    }

    fn request_data(
        &mut self,
        promise: Id,
        id: Id,
        method: &'static str,
        complete: &dyn Fn(&P, P::Value) -> P::Value,
        path: &str,
    ) {
        let Some(gateway) = self.gateways.get(id) else { return self.reject_unknown(promise) };
        let url = complete(&self.platform, gateway.url(&self.platform, path));
        let mut call = Call::new(id, gateway, Owner::Promise(promise), url, Body::Empty, Expected::Data);
        call.request.method = method;
        let call = self.start(call);
        self.promises.insert(promise, Pending::Call(call));
    }
}
