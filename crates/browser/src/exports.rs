//! What the package's scripts call: the engine's methods, and functions without a client.
//!
//! Values are handles, 0 for none, so that one of a wrong type is a `MediagateError` and not an error of the glue. Ids are
//! numbers of `driver.js`, which lets in one call at a time; those that have a result at once do not wait for their turn.

use alloc::boxed::Box;

use mediagate_client::engine::Engine;
use mediagate_client::error::code;
use mediagate_client::input::capability;
use mediagate_client::rejection::issues_value;
use mediagate_client::response::{Expected, decode};
use mediagate_client::{Block, Error, Id, Platform, Response, Source};
use mediagate_core::{CAPABILITIES, PREFIX, Value};
use spin::mutex::SpinMutex;
use wasm_bindgen::prelude::*;

use crate::driver::mark;
use crate::platform::{AT_ONCE, Browser};
use crate::value::{Js, handle};

/// The handle of a value, as in [`Js`].
type Handle = i32;

/// The engine, which each call takes out and puts back. A call that ends in a trap does not put it back, and the next one
/// makes a new engine: what a trap has left behind is never used again.
static ENGINE: SpinMutex<Option<Box<Engine<Browser>>>> = SpinMutex::new(None);

// Not inlined, nor generic: each export would have a copy.
#[inline(never)]
fn take() -> Box<Engine<Browser>> {
    // The lock is free again before anything can trap.
    let engine = ENGINE.lock().take();
    engine.unwrap_or_else(|| Box::new(Engine::new(Browser)))
}

#[inline(never)]
fn put_back(engine: Box<Engine<Browser>>) {
    *ENGINE.lock() = Some(engine);
}

fn with_engine<Result>(call: impl FnOnce(&mut Engine<Browser>) -> Result) -> Result {
    let mut engine = take();
    let result = call(&mut engine);
    put_back(engine);
    result
}

/// Forgets the engine: a call of it did not return, or an error of the script's passed it by.
#[wasm_bindgen(skip_typescript)]
pub fn reset() {
    let engine = ENGINE.lock().take();
    drop(engine);
}

/// See [`Engine::connect`].
#[wasm_bindgen(skip_typescript)]
pub fn connect(
    promise: Id,
    base: Handle,
    token: Handle,
    is_function: bool,
    turnstile: Handle,
    network: Handle,
) {
    let source = match Js::some(token) {
        None => Source::Anonymous,
        Some(token) if is_function => Source::Function(token),
        Some(token) => Source::Fixed(token),
    };
    with_engine(|it| {
        it.connect(
            promise,
            Js::any(base),
            source,
            Js::some(turnstile),
            Js::some(network),
        )
    });
}

/// See [`Engine::create`]. `input` is a copy that the engine may change.
#[wasm_bindgen(skip_typescript)]
pub fn create(promise: Id, gateway: Id, name: Handle, input: Handle, key: Handle) {
    with_engine(|it| {
        it.create(
            promise,
            gateway,
            Js::any(name),
            Js::any(input),
            Js::any(key),
        )
    });
}

/// See [`Engine::estimate`]. `input` is a copy that the engine may change.
#[wasm_bindgen(skip_typescript)]
pub fn estimate(promise: Id, gateway: Id, name: Handle, input: Handle) {
    with_engine(|it| it.estimate(promise, gateway, Js::any(name), Js::any(input)));
}

/// See [`Engine::pipeline`]. `steps` is a copy that the engine may change.
#[wasm_bindgen(skip_typescript)]
pub fn pipeline(promise: Id, gateway: Id, title: Handle, steps: Handle, key: Handle) {
    with_engine(|it| {
        it.pipeline(
            promise,
            gateway,
            Js::some(title),
            Js::any(steps),
            Js::any(key),
        )
    });
}

/// See [`Engine::models`].
#[wasm_bindgen(skip_typescript)]
pub fn models(promise: Id, gateway: Id) {
    with_engine(|it| it.models(promise, gateway));
}

/// See [`Engine::tasks`].
#[wasm_bindgen(skip_typescript)]
pub fn tasks(promise: Id, gateway: Id, query: Handle) {
    with_engine(|it| it.tasks(promise, gateway, Js::any(query)));
}

/// See [`Engine::forget`].
#[wasm_bindgen(skip_typescript)]
pub fn forget(promise: Id, gateway: Id, id: Handle, is_pipeline: bool) {
    with_engine(|it| it.forget(promise, gateway, Js::any(id), is_pipeline));
}

/// See [`Engine::upload`].
#[wasm_bindgen(skip_typescript)]
pub fn upload(promise: Id, gateway: Id, file: Handle, progress: Handle) {
    with_engine(|it| it.upload(promise, gateway, Js::any(file), Js::some(progress)));
}

/// See [`Engine::restore`], whose errors it throws.
#[wasm_bindgen(skip_typescript)]
pub fn restore(gateway: Id, saved: Handle) -> Id {
    let restored = with_engine(|it| it.restore(gateway, Js::any(saved)));
    or_throw(restored).unwrap_or_default()
}

/// See [`Engine::restore_pipeline`], whose errors it throws.
#[wasm_bindgen(skip_typescript, js_name = restorePipeline)]
pub fn restore_pipeline(gateway: Id, id: Handle) -> Id {
    let restored = with_engine(|it| it.restore_pipeline(gateway, Js::any(id)));
    or_throw(restored).unwrap_or_default()
}

/// See [`Engine::change_pipeline`].
#[wasm_bindgen(skip_typescript, js_name = changePipeline)]
pub fn change_pipeline(promise: Id, pipeline: Id, is_resume: bool) {
    with_engine(|it| it.change_pipeline(promise, pipeline, is_resume));
}

/// See [`Engine::snapshot`]; 0 for a task that the engine does not have.
#[wasm_bindgen(skip_typescript, js_name = taskSnapshot)]
pub fn task_snapshot(task: Id) -> Handle {
    handle(with_engine(|it| it.snapshot(task)))
}

/// See [`Engine::saved`]; 0 for a task that the engine does not have.
#[wasm_bindgen(skip_typescript)]
pub fn saved(task: Id) -> Handle {
    handle(with_engine(|it| it.saved(task)))
}

/// See [`Engine::refresh`].
#[wasm_bindgen(skip_typescript)]
pub fn refresh(promise: Id, task: Id) {
    with_engine(|it| it.refresh(promise, task));
}

/// See [`Engine::done`].
#[wasm_bindgen(skip_typescript)]
pub fn done(promise: Id, task: Id) {
    with_engine(|it| it.done(promise, task));
}

/// See [`Engine::subscribe`].
#[wasm_bindgen(skip_typescript)]
pub fn subscribe(task: Id, subscription: Id) {
    with_engine(|it| it.subscribe(task, subscription));
}

/// See [`Engine::next`].
#[wasm_bindgen(skip_typescript)]
pub fn next(promise: Id, task: Id, subscription: Id) {
    with_engine(|it| it.next(promise, task, subscription));
}

/// See [`Engine::release`].
#[wasm_bindgen(skip_typescript)]
pub fn release(id: Id) {
    with_engine(|it| it.release(id));
}

/// See [`Engine::responded`]. `retry_after` is NaN where there is none.
#[wasm_bindgen(skip_typescript)]
pub fn responded(
    id: Id,
    status: u16,
    body: Handle,
    request_id: Handle,
    retry_after: f64,
    is_stream: bool,
) {
    let (body, request_id) = (Js::some(body), Js::some(request_id));
    let retry_after = Some(retry_after).filter(|it| !it.is_nan());
    with_engine(|it| {
        it.responded(
            id,
            Response {
                status,
                body,
                request_id,
                retry_after,
                is_stream,
            },
        )
    });
}

/// See [`Engine::failed`].
#[wasm_bindgen(skip_typescript)]
pub fn failed(id: Id, cause: Handle, is_refused: bool) {
    with_engine(|it| it.failed(id, Js::any(cause), is_refused));
}

/// See [`Engine::diagnosed`]: 1 for CORS, 2 for the page's policy, 0 for neither.
#[wasm_bindgen(skip_typescript)]
pub fn diagnosed(id: Id, block: i32) {
    let block = match block {
        1 => Some(Block::Cors),
        2 => Some(Block::Policy),
        _ => None,
    };
    with_engine(|it| it.diagnosed(id, block));
}

/// See [`Engine::received`]; 0 where the stream ended.
#[wasm_bindgen(skip_typescript)]
pub fn received(id: Id, events: Handle) {
    with_engine(|it| it.received(id, Js::some(events)));
}

/// See [`Engine::fired`].
#[wasm_bindgen(skip_typescript)]
pub fn fired(id: Id) {
    with_engine(|it| it.fired(id));
}

/// See [`Engine::returned`].
#[wasm_bindgen(skip_typescript)]
pub fn returned(id: Id, has_thrown: bool, value: Handle) {
    let value = Js::any(value);
    with_engine(|it| it.returned(id, if has_thrown { Err(value) } else { Ok(value) }));
}

/// See [`Engine::limited`].
#[wasm_bindgen(skip_typescript)]
pub fn limited(promise: Id, error: Handle, retryable: bool) {
    with_engine(|it| {
        it.limited(
            promise,
            Error {
                value: Js::any(error),
                status: 0,
                retryable,
            },
        )
    });
}

/// Marks the values that the engine refers to: see [`Engine::referenced`].
#[wasm_bindgen(skip_typescript)]
pub fn referenced() {
    with_engine(|it| it.referenced(&mut |it| mark(it.handle())));
}

/// All issues of an input, `[{path, reason, message, severity}]`; without an error among them it is valid. `input` is a copy. Throws
/// `invalid_argument` for an unknown capability.
#[wasm_bindgen(skip_typescript)]
pub fn validate(name: Handle, input: Handle) -> Handle {
    let found = capability(&Browser, Js::any(name))
        .map(|it| issues_value(&Browser, &mediagate_core::validate(it, Js::any(input))));
    handle(or_throw(found))
}

/// The paths of all capabilities. The entry derives group, medium, name and method from them.
#[wasm_bindgen(skip_typescript)]
pub fn capabilities() -> Handle {
    let path = |it: &str| Browser.append(Browser.text(PREFIX), it);
    CAPABILITIES
        .iter()
        .fold(Browser.list(), |list, it| {
            Browser.with_item(list, path(it.path))
        })
        .handle()
}

/// Decodes a response of the gateway, or of the upstream, that came by another transport: its HTTP status, and its body,
/// parsed. With the name of a capability it is a task's snapshot, without one its `data`.
///
/// Throws every error response by its code; `unreadable` for a body that is not in the envelope; `invalid_argument` for a
/// status that is not a number and for an unknown name.
#[wasm_bindgen(js_name = decodeEnvelope, skip_typescript)]
pub fn decode_envelope(status: Handle, body: Handle, name: Handle) -> Handle {
    let expected = match Js::some(name).map(|it| capability(&Browser, it)) {
        None => Expected::Data,
        Some(Ok(capability)) => Expected::Created(Some(capability)),
        Some(Err(error)) => return handle(or_throw(Err(error))),
    };
    let Some(status) = Js::any(status).number() else {
        let message = "status is not a number; give the HTTP status";
        return handle(or_throw(Err(Error::new(
            &Browser,
            code::INVALID_ARGUMENT,
            message,
        ))));
    };
    let (status, body) = (status as u16, Js::some(body));
    let response = Response {
        status,
        body,
        request_id: None,
        retry_after: None,
        is_stream: false,
    };
    handle(or_throw(decode(&Browser, response, expected).map_err(|it| it.error)).flatten())
}

/// The value; `None` for an error, which `driver.js` throws.
fn or_throw<Value>(result: Result<Value, Error<Js>>) -> Option<Value> {
    result.map_err(|it| Browser.reject(AT_ONCE, it.value)).ok()
}
