//! How the changes of a task or a pipeline are waited for: by its stream, or by polls where there is none.

use mediagate_core::schedule;

use super::machine::Engine;
use crate::platform::{Id, Platform, Wake};
use crate::state::call::Owner;
use crate::state::follow::Follow;
use crate::state::task::poll_after_ms;

/// How many times longer a hidden page waits between two polls.
const HIDDEN_FACTOR: u32 = 4;

impl<P: Platform> Engine<P> {
    /// Waits for the next change of a task, where a caller waits for it.
    pub(super) fn follow(&mut self, id: Id) {
        let is_wanted = self.is_waited_for(id);
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        if !is_wanted || !matches!(task.follow, Follow::Resting) {
            return;
        }
        if task.stream.is_open() {
            self.read_stream(id);
        } else if self.may_open_stream(id) {
            self.open_stream(id);
        } else {
            self.wait_to_poll(id);
        }
    }

    /// Goes on after a step of following.
    pub(super) fn go_on(&mut self, id: Id) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        task.follow = Follow::Resting;
        self.platform.abort(id);
        self.rest_if_unwatched(id);
        self.follow(id);
    }

    /// Waits until the next poll is due, where a caller still waits for it.
    pub(super) fn wait_to_poll(&mut self, id: Id) {
        let is_wanted = self.is_waited_for(id);
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        if !is_wanted {
            task.follow = Follow::Resting;
            return self.platform.abort(id);
        }
        let (hidden_factor, wake) = if self.platform.is_hidden() {
            (HIDDEN_FACTOR, Wake::Visible)
        } else {
            (1, Wake::Never)
        };
        let interval = match task.polls {
            0 => 0,
            polls => poll_after_ms(task.snapshot)
                .unwrap_or_else(|| schedule::poll::delay(polls, None, self.platform.random()))
                .saturating_mul(hidden_factor)
                .min(schedule::poll::MAX_WAIT_MS),
        };
        let requested = task.requested_ms(self.platform.now());
        task.follow = Follow::Waiting;
        match (interval, requested) {
            (0, 0) => self.poll(id),
            // What the gateway requires is waited for in any case.
            _ if requested >= interval => self.platform.sleep(id, requested, Wake::Never),
            _ => self.platform.sleep(id, interval, wake),
        }
    }

    /// The wait for the next poll is over, or the page is visible again.
    fn poll_if_due(&mut self, id: Id) {
        let is_wanted = self.is_waited_for(id);
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let requested = task.requested_ms(self.platform.now());
        if !is_wanted {
            task.follow = Follow::Resting;
        } else if requested > 0 {
            self.platform.sleep(id, requested, Wake::Never);
        } else {
            self.poll(id);
        }
    }

    fn poll(&mut self, id: Id) {
        // What it has waited for until now.
        self.platform.abort(id);
        let Some(call) = self.start_poll(id, Owner::Poll(id), "") else {
            return;
        };
        if let Some(task) = self.tasks.get(id) {
            task.follow = Follow::Polling {
                call,
                changes: task.changes,
            };
        }
    }

    /// The wait of a task is over.
    pub(super) fn task_fired(&mut self, id: Id) {
        match self.tasks.get(id).map_or(Follow::Resting, |it| it.follow) {
            Follow::Connecting(call) => {
                self.end_call(call);
                self.stream_failed(id, true);
            }
            Follow::Reading => self.stream_ended(id, false),
            Follow::Waiting => self.poll_if_due(id),
            Follow::Resting | Follow::Polling { .. } => {}
        }
    }

    /// Stops following a task that no caller watches any more.
    pub(super) fn rest_if_unwatched(&mut self, id: Id) {
        let is_watched =
            self.is_waited_for(id) || self.subscriptions.find(&|_, it| it.task == id).is_some();
        if !is_watched || self.tasks.get(id).is_some_and(|it| it.has_ended()) {
            self.rest(id);
        }
    }

    /// Stops following a task: nothing of it is under way then.
    pub(super) fn rest(&mut self, id: Id) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let stream = task.stream.close();
        let follow = core::mem::replace(&mut task.follow, Follow::Resting);
        self.platform.abort(id);
        if let Some(stream) = stream {
            self.platform.abort(stream);
        }
        if let Follow::Connecting(call) | Follow::Polling { call, .. } = follow {
            self.end_call(call);
        }
    }
}
