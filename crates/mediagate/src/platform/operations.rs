//! Operations: each is a future under an id, whose end is an event for the engine.

use futures_util::future::{Abortable, FutureExt};
use mediagate_client::{Id, Wake};

use super::callbacks;
use super::state::{Engine, Event, Machine};
use crate::driver::Driver;
use crate::value::{TokenSource, Value, hold};

impl Machine {
    /// Starts an operation under an id, in the place of the one that has it.
    pub(super) fn begin(&self, id: Id, operation: impl Future<Output = Event> + 'static) {
        self.end(id);
        let machine = self.clone();
        let reported = operation.map(move |event| -> Event {
            Box::new(move |engine| {
                machine.0.running.borrow_mut().remove(&id);
                event(engine);
            })
        });
        let (handle, registration) = futures_util::future::AbortHandle::new_pair();
        self.0.running.borrow_mut().insert(id, handle);
        self.0
            .started
            .borrow_mut()
            .push(Abortable::new(reported, registration).boxed_local());
    }

    /// Aborts what runs under an id, and closes the stream that has it.
    pub(crate) fn end(&self, id: Id) {
        if let Some(running) = self.0.running.borrow_mut().remove(&id) {
            running.abort();
        }
        let stream = self.0.streams.borrow_mut().remove(&id);
        drop(stream);
    }

    /// Does something after a number of milliseconds, or when what ends the wait early has come.
    pub(crate) fn after(
        &self,
        id: Id,
        milliseconds: u32,
        wake: Wake,
        event: impl FnOnce(&mut Engine) + 'static,
    ) {
        let event: Event = Box::new(event);
        self.begin(id, self.0.host.sleep(milliseconds, wake).map(|()| event));
    }

    /// Calls the caller's function for a token.
    pub(super) fn fetch_token(&self, id: Id, source: TokenSource) {
        self.begin(id, async move {
            let result = callbacks::token(source).await;
            Box::new(move |engine: &mut Engine| {
                let result = result
                    .map(|it| hold(Value::text(&it)))
                    .map_err(|it| hold(Value::Cause(it)));
                engine.returned(id, result);
            }) as Event
        });
    }

    /// Reads on in the stream with this id.
    pub(super) fn read_stream(&self, id: Id) {
        let Some(mut stream) = self.0.streams.borrow_mut().remove(&id) else {
            return;
        };
        let machine = self.clone();
        self.begin(id, async move {
            let events = stream.next().await;
            Box::new(move |engine: &mut Engine| {
                if events.is_some() {
                    machine.0.streams.borrow_mut().insert(id, stream);
                }
                engine.received(id, events.map(|it| hold(super::events::list(it))));
            }) as Event
        });
    }
}
