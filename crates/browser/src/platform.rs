//! The engine's platform: a page, a worker, Node.

use mediagate_client::{Body, Id, Platform, Request, Snapshot, Wake};

use crate::driver;
use crate::value::{Js, handle};

/// The platform of JavaScript, by the functions of the scripts.
#[derive(Clone, Copy)]
pub struct Browser;

/// The promise of a function that is called at once: where it is rejected, the function throws.
pub const AT_ONCE: Id = 0;

impl Platform for Browser {
    type Value = Js;

    fn new_id(&self) -> Id {
        driver::new_id()
    }

    fn now(&self) -> f64 {
        driver::now()
    }

    fn random(&self) -> f64 {
        driver::random()
    }

    fn is_offline(&self) -> bool {
        driver::is_offline()
    }

    fn is_hidden(&self) -> bool {
        driver::is_hidden()
    }

    fn is_multiplexed(&self, base: Js) -> bool {
        driver::is_multiplexed(base.handle())
    }

    fn request(&self, id: Id, request: &Request<Js>) {
        let (body, upload, progress) = match request.body {
            Body::Empty => (None, None, None),
            Body::Json(body) => (Some(body), None, None),
            Body::File(file, progress, upload) => (Some(file), Some(upload), progress),
        };
        driver::request(
            id,
            request.method,
            request.url.handle(),
            handle(request.headers),
            handle(request.authorization),
            handle(body),
            handle(upload),
            handle(progress),
            handle(request.network),
            request.capability,
            request.events,
            request.patience_ms as i32,
        );
    }

    fn diagnose(&self, id: Id, request: &Request<Js>) {
        let Request {
            url,
            headers,
            authorization,
            network,
            capability,
            ..
        } = *request;
        driver::diagnose(
            id,
            url.handle(),
            handle(headers),
            handle(authorization),
            handle(network),
            capability,
        );
    }

    fn read(&self, id: Id) {
        driver::read(id);
    }

    fn sleep(&self, id: Id, milliseconds: u32, wake: Wake) {
        let event = match wake {
            Wake::Never => "",
            Wake::Visible => "visibilitychange",
            Wake::Online => "online",
        };
        driver::sleep(id, milliseconds as i32, event);
    }

    fn invoke(&self, id: Id, function: Js) {
        driver::invoke(id, function.handle());
    }

    fn abort(&self, id: Id) {
        driver::abort(id);
    }

    fn retries(&self, promise: Id) -> Option<u32> {
        u32::try_from(driver::retries(promise)).ok()
    }

    fn notify_retry(&self, promise: Id, failures: u32, milliseconds: u32, error: Js) {
        driver::notify_retry(
            promise,
            failures as i32,
            milliseconds as i32,
            error.handle(),
        );
    }

    fn resolve(&self, promise: Id, value: Option<Js>) {
        driver::resolve(promise, handle(value));
    }

    fn resolve_handle(&self, promise: Id, kept: Id) {
        driver::resolve_handle(promise, kept);
    }

    fn reject(&self, promise: Id, error: Js) {
        driver::reject(promise, error.handle());
    }

    fn error(&self, code: &str, message: &str, status: u16, retryable: bool) -> Js {
        Js::any(driver::error(code, message, status, retryable))
    }

    fn text(&self, text: &str) -> Js {
        Js::any(driver::from_text(text))
    }

    fn append(&self, text: Js, more: &str) -> Js {
        Js::any(driver::append(text.handle(), more))
    }

    fn append_value(&self, text: Js, more: Js) -> Js {
        Js::any(driver::append_value(text.handle(), more.handle()))
    }

    fn append_segment(&self, text: Js, segment: Js) -> Js {
        Js::any(driver::append_segment(text.handle(), segment.handle()))
    }

    fn starts_with(&self, text: Js, start: Js) -> bool {
        driver::starts_with(text.handle(), start.handle())
    }

    fn number(&self, number: f64) -> Js {
        Js::any(driver::from_number(number))
    }

    fn list(&self) -> Js {
        Js::any(driver::list())
    }

    fn with_item(&self, list: Js, item: Js) -> Js {
        Js::any(driver::with_item(list.handle(), item.handle()))
    }

    fn with_member(&self, object: Option<Js>, name: &str, value: Option<Js>) -> Js {
        Js::any(driver::with_member(handle(object), name, handle(value)))
    }

    fn omit(&self, object: Js, name: &str) -> Js {
        Js::any(driver::omit(object.handle(), name))
    }

    fn set_item(&self, list: Js, index: usize, value: Js) {
        driver::set_item(list.handle(), index as i32, value.handle());
    }

    fn is_identical(&self, one: Option<Js>, other: Option<Js>) -> bool {
        driver::is_identical(handle(one), handle(other))
    }

    fn is_same(&self, one: Js, other: Js) -> bool {
        driver::is_same(one.handle(), other.handle())
    }

    fn snapshot(&self, snapshot: &Snapshot<Js>) -> Js {
        let Snapshot {
            id,
            capability,
            state,
            progress,
            raw,
        } = *snapshot;
        let progress = progress.unwrap_or(f64::NAN);
        Js::any(driver::snapshot(
            handle(id),
            capability,
            handle(state),
            progress,
            handle(raw),
        ))
    }

    fn file_info(&self, file: Js) -> Js {
        Js::any(driver::file_info(file.handle()))
    }

    fn stored(&self, name: Js) -> Option<Js> {
        Js::some(driver::stored(name.handle()))
    }

    fn store(&self, name: Js, value: Js) {
        driver::store(name.handle(), value.handle());
    }

    fn file_id(&self, gateway: Id, file: Js) -> Option<Js> {
        Js::some(driver::file_id(gateway, file.handle()))
    }

    fn remember_file(&self, gateway: Id, file: Js, file_id: Js) {
        driver::remember_file(gateway, file.handle(), file_id.handle());
    }

    fn notify_done(&self, progress: Js, file: Js) {
        driver::notify_done(progress.handle(), file.handle());
    }
}
