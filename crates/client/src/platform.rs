//! What the engine needs of the platform that it runs on.
//!
//! The engine never waits. It starts an operation by calling a method of [`Platform`] with an id, and the platform reports
//! the end of the operation under the same id, by a method of [`crate::Engine`]. In a browser the methods are functions of
//! a script; in tests they are a simulated network.
//!
//! Values are the platform's, and the engine has handles of them: it reads what it decides by and passes the rest on. A
//! handle is good until the engine no longer names it among those that it keeps ([`crate::Engine::referenced`]).

use mediagate_core::Value;

/// Identifies a promise of the caller's, an operation of the platform's, or something that the engine keeps.
pub type Id = i32;

/// An HTTP request.
#[derive(Clone, Copy)]
pub struct Request<V> {
    /// `GET`, `POST`, `PUT` or `DELETE`; that of a file's upload may be another one ([`Body::File`]).
    pub method: &'static str,
    /// The absolute URL.
    pub url: V,
    /// The headers, an object; `None` for none. Each value is visible ASCII. A body of JSON has its media type besides.
    pub headers: Option<V>,
    /// The token, for the header `authorization`.
    pub authorization: Option<V>,
    /// The body.
    pub body: Body<V>,
    /// The caller's function in the place of `fetch`; `None` for `fetch` itself.
    pub network: Option<V>,
    /// The name of the capability that it is about; empty for none.
    pub capability: &'static str,
    /// Whether a stream of events is left open, to be read by [`Platform::read`].
    pub events: bool,
    /// Milliseconds without the whole response, or without progress of an upload, after which it has failed; 0 for no limit.
    /// Where the platform sees no progress, an upload has as much more time as its bytes take at 50 kB a second.
    pub patience_ms: u32,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub enum Body<V> {
    /// None.
    Empty,
    /// A value, to be sent as JSON.
    Json(V),
    /// A file; the function that receives its progress, `{loaded, total}` in bytes, `None` for no subscriber; and what the
    /// upload URL's response says of how the file is sent. It may have `method`, `PUT` or `POST`; `headers`, beside or in
    /// place of the media type; and `fields` of a form, whose last field, `file`, is the file then.
    File(V, Option<V>, V),
}

/// A response to a request, with whatever status.
#[derive(Clone, Copy)]
pub struct Response<V> {
    /// The HTTP status; 0 where the caller's function in the place of `fetch` returned something else than a response.
    pub status: u16,
    /// The body, where it is JSON.
    pub body: Option<V>,
    /// The header `x-request-id`.
    pub request_id: Option<V>,
    /// Seconds to wait, from `Retry-After`.
    pub retry_after: Option<f64>,
    /// Whether it is a stream of events, which was left open.
    pub is_stream: bool,
}

/// What keeps a page from a gateway, where its browser can find that out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The server's CORS headers do not allow the request, so that the browser has not sent it.
    Cors,
    /// The page's own Content-Security-Policy.
    Policy,
}

/// What ends a sleep early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Nothing.
    Never,
    /// The page becomes visible.
    Visible,
    /// The platform reports that it is online.
    Online,
}

/// What the engine needs of the platform.
///
/// No method calls back into the engine: what an operation ends with is reported later.
pub trait Platform {
    /// A value of the platform's: JSON, a file, or a function of the caller's.
    type Value: Value<Text = Self::Value> + Copy;

    /// An id that no other has.
    fn new_id(&self) -> Id;
    /// Milliseconds since 1970.
    fn now(&self) -> f64;
    /// A random number from 0 to 1.
    fn random(&self) -> f64;
    /// Whether the platform reports that it is offline, which may be wrong.
    fn is_offline(&self) -> bool;
    /// Whether the page is hidden.
    fn is_hidden(&self) -> bool;
    /// Whether earlier requests to this URL are known to have shared one connection.
    fn is_multiplexed(&self, base: Self::Value) -> bool;

    /// Sends a request: [`Engine::responded`](crate::Engine::responded) or [`Engine::failed`](crate::Engine::failed).
    fn request(&self, id: Id, request: &Request<Self::Value>);
    /// Finds out what keeps the page from the gateway of a request that got no response, by requests that change nothing:
    /// [`Engine::diagnosed`](crate::Engine::diagnosed).
    fn diagnose(&self, id: Id, request: &Request<Self::Value>);
    /// Reads on in the stream of the request with this id: [`Engine::received`](crate::Engine::received).
    fn read(&self, id: Id);
    /// Waits for a number of milliseconds: [`Engine::fired`](crate::Engine::fired). It replaces a wait under the same id.
    fn sleep(&self, id: Id, milliseconds: u32, wake: Wake);
    /// Calls a function of the caller's without arguments, and waits for what it returns:
    /// [`Engine::returned`](crate::Engine::returned).
    fn invoke(&self, id: Id, function: Self::Value);
    /// Aborts whatever runs under an id. Nothing of it is reported then.
    fn abort(&self, id: Id);

    /// The most retries of a request that the caller of a promise allows; `None` for the default, and for another id.
    fn retries(&self, promise: Id) -> Option<u32>;
    /// Notifies the caller of a promise, if the id is one's, that a request has failed for the `failures`th time with an error, and is sent again
    /// after a number of milliseconds, or later where the platform is offline.
    fn notify_retry(&self, promise: Id, failures: u32, milliseconds: u32, error: Self::Value);
    /// Fulfils a promise; `None` for `undefined`.
    fn resolve(&self, promise: Id, value: Option<Self::Value>);
    /// Fulfils a promise with a client or a task that the engine keeps until [`Engine::release`](crate::Engine::release).
    fn resolve_handle(&self, promise: Id, handle: Id);
    /// Rejects a promise with an error of [`Platform::error`].
    fn reject(&self, promise: Id, error: Self::Value);

    /// An error as an object: its code, its message, its HTTP status unless that is 0, and whether a retry may succeed.
    fn error(&self, code: &str, message: &str, status: u16, retryable: bool) -> Self::Value;
    /// A string.
    fn text(&self, text: &str) -> Self::Value;
    /// A string with another one at its end.
    fn append(&self, text: Self::Value, more: &str) -> Self::Value;
    /// A string with a value at its end, which is a string too.
    fn append_value(&self, text: Self::Value, more: Self::Value) -> Self::Value;
    /// A string with another one at its end, which is encoded as a part of a path.
    fn append_segment(&self, text: Self::Value, segment: Self::Value) -> Self::Value;
    /// A number.
    fn number(&self, number: f64) -> Self::Value;
    /// An empty list.
    fn list(&self) -> Self::Value;
    /// A copy of a list with one more item.
    fn with_item(&self, list: Self::Value, item: Self::Value) -> Self::Value;
    /// A copy of an object with this member, which replaces one of the same name; `None` for an object without members. A
    /// value of `None` adds no member.
    fn with_member(
        &self,
        object: Option<Self::Value>,
        name: &str,
        value: Option<Self::Value>,
    ) -> Self::Value;
    /// A copy of an object without this member.
    fn omit(&self, object: Self::Value, name: &str) -> Self::Value;
    /// Replaces an item of a list that the engine may change.
    fn set_item(&self, list: Self::Value, index: usize, value: Self::Value);
    /// Whether two values are the same string or number, the same object or the same function.
    fn is_identical(&self, one: Option<Self::Value>, other: Option<Self::Value>) -> bool;
    /// Whether a string begins with another one.
    fn starts_with(&self, text: Self::Value, start: Self::Value) -> bool;
    /// Whether two values are the same JSON, but for what members `eta` have, and for members `poll_after`.
    fn is_same(&self, one: Self::Value, other: Self::Value) -> bool;
    /// A task as the caller sees it: `{id, capability, state, progress, eta, outputs, raw}`; or a pipeline, its record with the
    /// `steps` and `outputs` that it lacks.
    fn snapshot(&self, snapshot: &Snapshot<Self::Value>) -> Self::Value;
    /// What an upload URL is requested with: `{file_name, content_type, size}`, the size in bytes. A file without a name is
    /// named after its type, `file.png`; one whose type cannot be a header's value has an unspecific one.
    fn file_info(&self, file: Self::Value) -> Self::Value;

    /// The value stored under a name, which lasts longer than the page.
    fn stored(&self, name: Self::Value) -> Option<Self::Value>;
    /// Stores a value under a name, where the platform can.
    fn store(&self, name: Self::Value, value: Self::Value);
    /// The id that a file has at a gateway, from [`Platform::remember_file`].
    fn file_id(&self, gateway: Id, file: Self::Value) -> Option<Self::Value>;
    /// Remembers the id of a file at a gateway for as long as the caller has the file.
    fn remember_file(&self, gateway: Id, file: Self::Value, file_id: Self::Value);
    /// Notifies a subscriber that all bytes of a file are uploaded.
    fn notify_done(&self, progress: Self::Value, file: Self::Value);
}

/// The state of a task, or of a pipeline, at one time.
pub struct Snapshot<V> {
    /// Its id; empty for a result that came in place of a task.
    pub id: Option<V>,
    /// The name of its capability; empty for a pipeline, and where the caller named none.
    pub capability: &'static str,
    /// Its state, as the record has it.
    pub state: Option<V>,
    /// Its progress from 0 to 1.
    pub progress: Option<f64>,
    /// The whole record.
    pub raw: Option<V>,
}
