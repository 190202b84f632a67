//! An engine on the simulated platform.

use std::rc::Rc;

use mediagate_client::{Engine, Error, Id, Response, Source, Wake};
use mediagate_core::{Type, Value};

use super::error::{SimError, aborted, timed_out};
use super::platform::{SimPlatform, thrown};
use super::value::{Handle, SimValue, hold, sweep};
use super::world::{Event, Network, REFUSED, Settled, World};

pub use super::error::{member, string};

/// The longest timeout that platforms support, in milliseconds.
const MAX_TIMEOUT_MS: f64 = 2_147_483_647.0;

/// An engine, with the world that it is in.
pub struct Sim {
    engine: Engine<SimPlatform>,
    /// Its world.
    pub world: Rc<World>,
}

impl Drop for Sim {
    /// The network and the world refer to each other.
    fn drop(&mut self) {
        self.world.set_network(None);
    }
}

impl Sim {
    /// A new engine in a world with a network.
    pub fn new(world: Rc<World>, network: Rc<dyn Network>) -> Self {
        world.set_network(Some(network));
        Sim {
            engine: Engine::new(SimPlatform(Rc::clone(&world))),
            world,
        }
    }

    /// Calls the engine, and then drops the values that it does not keep.
    pub fn call<Result>(
        &mut self,
        call: impl FnOnce(&mut Engine<SimPlatform>) -> Result,
    ) -> Result {
        let result = call(&mut self.engine);
        sweep(|visit| self.engine.referenced(visit));
        result
    }

    /// Calls the engine with a new promise, within the limits of its options, `{signal, timeout}`.
    pub fn promise(
        &mut self,
        options: &SimValue,
        call: impl FnOnce(&mut Engine<SimPlatform>, Id),
    ) -> Id {
        let promise = self.world.promise();
        self.start(promise, options, call);
        promise
    }

    /// Calls the engine with a promise, within the limits of its options, `{signal, timeout}`.
    pub fn start(
        &mut self,
        promise: Id,
        options: &SimValue,
        call: impl FnOnce(&mut Engine<SimPlatform>, Id),
    ) {
        let signal = options.get("signal");
        if let Some(SimValue::Signal(state)) = &signal
            && state.is_aborted.get()
        {
            let reason = state.reason.borrow().clone();
            return self.limited(promise, aborted(reason));
        }
        let timeout_ms = options
            .get("timeout")
            .and_then(|it| it.number())
            .map(|it| it.min(MAX_TIMEOUT_MS) as u32);
        if let Some(retries) = options.get("maxRetries").and_then(|it| it.number()) {
            self.world
                .retries
                .borrow_mut()
                .insert(promise, retries as u32);
        }
        if signal.is_some() || timeout_ms.is_some() {
            self.world.limit(promise, signal.as_ref(), timeout_ms);
        }
        self.call(|it| call(it, promise));
    }

    /// Connects with `{url, token, turnstile, network, signal, timeout}`.
    pub fn connect(&mut self, promise: Id, options: &SimValue) {
        let url = options.string("url");
        self.start(promise, options, |it, promise| {
            let function = |name: &str| options.get(name).map(hold);
            let source = match options.get("token") {
                None => Source::Anonymous,
                Some(token @ SimValue::Function(_)) => Source::Function(hold(token)),
                Some(token) => Source::Fixed(hold(token)),
            };
            let base = hold(SimValue::text(url.strip_suffix('/').unwrap_or(&url)));
            it.connect(
                promise,
                base,
                source,
                function("turnstile"),
                function("network"),
            );
        });
    }

    /// See [`Engine::restore`].
    ///
    /// # Errors
    /// Those of the engine.
    pub fn restore(&mut self, client: Id, saved: &SimValue) -> Result<Id, SimError> {
        self.call(|it| {
            it.restore(client, hold(saved.clone()))
                .map_err(SimError::of)
        })
    }

    /// See [`Engine::snapshot`], which makes no value.
    pub fn snapshot(&mut self, task: Id) -> Option<SimValue> {
        self.engine.snapshot(task).map(Handle::value)
    }

    /// See [`Engine::saved`].
    pub fn saved(&mut self, task: Id) -> Option<SimValue> {
        self.call(|it| it.saved(task).map(Handle::value))
    }

    /// See [`Engine::subscribe`].
    pub fn subscribe(&mut self, task: Id, subscription: Id) {
        self.call(|it| it.subscribe(task, subscription));
    }

    /// See [`Engine::release`].
    pub fn release(&mut self, id: Id) {
        self.call(|it| it.release(id));
    }

    /// See [`Engine::responded`].
    pub fn responded(&mut self, id: Id, response: Response<SimValue>) {
        let Response {
            status,
            body,
            request_id,
            retry_after,
            is_stream,
        } = response;
        self.call(|it| {
            let (body, request_id) = (body.map(hold), request_id.map(hold));
            it.responded(
                id,
                Response {
                    status,
                    body,
                    request_id,
                    retry_after,
                    is_stream,
                },
            );
        });
    }

    /// See [`Engine::failed`].
    pub fn failed(&mut self, id: Id, cause: SimValue, is_refused: bool) {
        self.call(|it| it.failed(id, hold(cause), is_refused));
    }

    /// See [`Engine::received`].
    pub fn received(&mut self, id: Id, events: Option<SimValue>) {
        self.call(|it| it.received(id, events.map(hold)));
    }

    /// See [`Engine::fired`].
    pub fn fired(&mut self, id: Id) {
        self.call(|it| it.fired(id));
    }

    /// See [`Engine::returned`].
    pub fn returned(&mut self, id: Id, result: Result<SimValue, SimValue>) {
        self.call(|it| it.returned(id, result.map(hold).map_err(hold)));
    }

    /// See [`Engine::limited`]. A promise may have been settled meanwhile, which stays as it is.
    pub fn limited(&mut self, promise: Id, error: Error<Handle>) {
        self.world.limited.set(promise);
        self.call(|it| it.limited(promise, error));
        self.world.limited.set(0);
    }

    /// Reports the next event to the engine. Returns whether the engine was called; `None` where there is no event.
    pub fn step(&mut self) -> Option<bool> {
        let event = self.world.next_event()?;
        let world = Rc::clone(&self.world);
        match event {
            Event::Responded(ticket, response) => {
                let id = if response.is_stream {
                    world.open(ticket)
                } else {
                    world.end(ticket)
                };
                let Some(id) = id else { return Some(false) };
                world.trace(|| {
                    let body = response.body.as_ref().map(SimValue::json);
                    format!(
                        "call {id}: response {} {:?} {body:?}",
                        response.status, response.retry_after
                    )
                });
                world.network().responded(ticket, &response);
                self.responded(id, response);
            }
            Event::Failed(ticket, cause) => {
                let Some(id) = world.end(ticket) else {
                    return Some(false);
                };
                world.trace(|| format!("call {id}: {cause}"));
                self.failed(id, thrown(cause), cause == REFUSED);
            }
            Event::Diagnosed(ticket) => {
                let Some(id) = world.end(ticket) else {
                    return Some(false);
                };
                let block = world.block.get();
                self.call(|it| it.diagnosed(id, block));
            }
            Event::Received(ticket) => {
                let Some((id, chunk)) = world.take_chunk(ticket) else {
                    return Some(false);
                };
                world.trace(|| format!("stream {id}: {chunk:?}"));
                world.network().received(ticket, chunk.as_deref());
                let events = chunk.and_then(|it| world.events(ticket, &it));
                self.received(id, events);
            }
            Event::Fired(ticket) => {
                let Some(id) = world.end(ticket) else {
                    return Some(false);
                };
                self.fired(id);
            }
            Event::Returned(ticket, result) => {
                let Some(id) = world.end(ticket) else {
                    return Some(false);
                };
                world.trace(|| format!("{id} returned {result:?}"));
                self.returned(id, result);
            }
            Event::TimedOut(promise) => {
                world.trace(|| format!("promise {promise} times out"));
                self.limited(promise, timed_out());
            }
            Event::Elsewhere(work) => {
                work();
                return Some(false);
            }
        }
        Some(true)
    }

    /// Reports events until there is none.
    pub fn run(&mut self) {
        while self.step().is_some() {}
    }

    /// Reports the events of the next milliseconds.
    pub fn run_for(&mut self, milliseconds: f64) {
        let end = self.world.now() + milliseconds;
        while self.world.next_at().is_some_and(|it| it <= end) {
            self.step();
        }
        self.world.advance_to(end);
    }

    /// Aborts a signal.
    pub fn abort(&mut self, signal: &SimValue, reason: Option<SimValue>) {
        let SimValue::Signal(state) = signal else {
            return;
        };
        state.is_aborted.set(true);
        state.reason.replace(reason.clone());
        for limit in self
            .world
            .limits()
            .iter()
            .filter(|it| it.signal.as_ref() == Some(signal))
        {
            if self.world.is_pending(limit.promise) {
                self.world
                    .trace(|| format!("promise {} is aborted", limit.promise));
                let reason = reason.clone();
                self.limited(limit.promise, aborted(reason));
            }
        }
    }

    /// Shows or hides the page.
    pub fn set_hidden(&mut self, is_hidden: bool) {
        self.world.is_hidden.set(is_hidden);
        if !is_hidden {
            self.world.wake(Wake::Visible);
        }
    }

    /// Sets whether the platform reports that it is offline.
    pub fn set_offline(&mut self, is_offline: bool) {
        self.world.is_offline.set(is_offline);
        if !is_offline {
            self.world.wake(Wake::Online);
        }
    }

    /// The value that a promise was fulfilled with.
    ///
    /// # Panics
    /// Where it was not.
    pub fn value(&self, promise: Id) -> SimValue {
        match self.world.outcome(promise) {
            Some(Settled::Value(it)) => it,
            other => panic!("promise {promise}: {other:?}"),
        }
    }

    /// The client or the task that a promise was fulfilled with.
    ///
    /// # Panics
    /// Where it was not.
    pub fn handle(&self, promise: Id) -> Id {
        match self.world.outcome(promise) {
            Some(Settled::Kept(it)) => it,
            other => panic!("promise {promise}: {other:?}"),
        }
    }

    /// The error that a promise was rejected with.
    ///
    /// # Panics
    /// Where it was not.
    pub fn error(&self, promise: Id) -> Rc<SimError> {
        match self.world.outcome(promise) {
            Some(Settled::Error(it)) => it,
            other => panic!("promise {promise}: {other:?}"),
        }
    }

    /// Asserts that no task is kept, once all handles are released. Gateways have no objects.
    ///
    /// # Panics
    /// Where one is.
    pub fn assert_released(&self) {
        self.engine.referenced(&mut |it| {
            assert_ne!(it.kind(), Type::Object, "{:?} is still kept", it.value())
        });
    }

    /// Asserts that nothing is under way, neither on the platform nor in the engine.
    ///
    /// # Panics
    /// Where something is.
    pub fn assert_rest(&self) {
        let running = self
            .world
            .running(|it| Some(format!("{} {:?} {}", it.id, it.kind, it.subject)));
        assert!(running.is_empty(), "this is still under way: {running:#?}");
        let limits = self.world.limits();
        assert!(
            limits.is_empty(),
            "these limits are still watched: {limits:?}"
        );
        assert!(self.engine.is_idle(), "the engine is not idle");
    }
}
