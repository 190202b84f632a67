//! A pipeline of the caller's, which is followed as a task is; and what can be done with it besides.

use mediagate_core::{Type, Value};

use super::machine::{Engine, Outcome};
use crate::error::{Error, code};
use crate::platform::{Id, Platform};
use crate::response::unknown;
use crate::state::call::Owner;
use crate::state::pending::Pending;
use crate::state::task::state;

impl<P: Platform> Engine<P> {
    /// A pipeline by its id, a string that is not blank. It sends no request.
    ///
    /// # Errors
    /// `crashed` for a client of an engine that failed.
    pub fn restore_pipeline(&mut self, gateway: Id, id: P::Value) -> Result<Id, Error<P::Value>> {
        if !self.gateways.has(gateway) {
            return Err(Error::crashed(&self.platform));
        }
        let snapshot = unknown(&self.platform, id, None);
        Ok(self.shared_task(gateway, None, snapshot, false))
    }

    /// Resumes a pipeline, or cancels it: what did not succeed begins anew, or what is not sent yet is not sent. The value of
    /// the promise is its snapshot.
    pub fn change_pipeline(&mut self, promise: Id, id: Id, is_resume: bool) {
        let changes = self.tasks.get(id).map_or(0, |it| it.changes);
        let action = if is_resume { "/resume" } else { "/cancel" };
        match self.start_poll(id, Owner::Promise(promise), action) {
            Some(call) => self.promises.insert(
                promise,
                Pending::Refresh {
                    call,
                    task: id,
                    changes,
                },
            ),
            None => self.reject_unknown(promise),
        }
    }

    /// The snapshot of a pipeline that succeeded; an error with it, and with the step that failed, for any other last state.
    pub(super) fn pipeline_result(&self, snapshot: P::Value) -> Outcome<P> {
        let is = |it: P::Value, name: &str| state(it).is_some_and(|it| it.is(name));
        let (code, message) = if is(snapshot, "FAILED") {
            (code::PIPELINE_FAILED, "the pipeline failed")
        } else if is(snapshot, "CANCELLED") {
            (code::PIPELINE_CANCELLED, "the pipeline was cancelled")
        } else {
            return Ok(Some(snapshot));
        };
        let platform = &self.platform;
        let error = Error::new(platform, code, message).with(platform, "pipeline", Some(snapshot));
        let error = error.with_hint(
            platform,
            "error.pipeline.steps has each step; resume() begins anew what did not succeed",
        );
        let has_failed = |it: &P::Value| ["FAILED", "UNKNOWN"].iter().any(|name| is(*it, name));
        let failed = snapshot
            .get("steps")
            .and_then(|it| it.items().find(has_failed));
        let text = |it: Option<P::Value>| it.filter(|it| it.kind() == Type::Text);
        let Some((failed, step)) = failed.and_then(|it| Some((it, text(it.get("name"))?))) else {
            return Err(error);
        };
        let mut line = platform.append_value(platform.text("the pipeline failed at "), step);
        if let Some(reason) = text(failed.get("error").and_then(|it| it.get("message"))) {
            line = platform.append_value(platform.append(line, ": "), reason);
        }
        Err(error
            .with(platform, "step", Some(step))
            .with(platform, "message", Some(line)))
    }
}
