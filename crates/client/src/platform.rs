//! The operations of the machine that the client runs on. A platform performs them. It only decides
//! how a request is written, such as the form of an upload.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::pin::Pin;

use mediagate_core::Value;

pub use bounds::{BoxFuture, Function, MaybeSend, MaybeSync};

/// A value of the host: JSON, in which a file may replace a file id. The client reads the members
/// that it needs, and passes the rest on unchanged.
pub trait HostValue: Value<Text = String> + MaybeSend + MaybeSync + 'static {
    /// Makes a string.
    fn from_text(text: &str) -> Self;
    /// Makes a number.
    fn from_number(number: f64) -> Self;
    /// Makes a list.
    fn from_items(items: Vec<Self>) -> Self;
    /// Makes an object.
    fn from_members(members: Vec<(&str, Self)>) -> Self;
    /// Returns a copy of an object with a member, which replaces an existing one.
    #[must_use]
    fn with(&self, name: &str, value: Self) -> Self;
    /// Returns a copy of an object without a member.
    #[must_use]
    fn without(&self, name: &str) -> Self;
    /// Writes the value as JSON.
    fn to_json(&self) -> String;
    /// Returns true if both are equal strings, numbers or booleans, or the same file.
    fn is_same(&self, other: &Self) -> bool;
}

/// A machine: a program, a page, or a simulation in tests. Dropping a future of a method aborts its
/// operation.
pub trait Platform: MaybeSend + MaybeSync + Sized + 'static {
    /// A value of the host.
    type Value: HostValue;
    /// An error of the host, or of a function of the caller.
    type Cause: Clone + MaybeSend + MaybeSync + 'static;
    /// An open stream of text.
    type Stream: MaybeSend + 'static;

    /// Returns the time in milliseconds since 1970.
    fn now(&self) -> f64;
    /// Returns a random number from 0 to 1.
    fn random(&self) -> f64;
    /// Returns true if the machine reports that it is offline. The report may be wrong.
    fn is_offline(&self) -> bool;
    /// Returns true if the page is hidden.
    fn is_hidden(&self) -> bool;
    /// Returns true if any number of requests may be open at once, to URLs that begin with `base`.
    fn is_multiplexed(&self, base: &str) -> bool;
    /// Returns the words for a hint.
    fn hint(hint: Hint) -> &'static str;
    /// Returns the message of an error of the host; `None` if the error has none.
    fn message(cause: &Self::Cause) -> Option<String>;

    /// Runs a future until its end.
    fn spawn(&self, work: BoxFuture<'static, ()>);
    /// Waits for a number of milliseconds. The event `wake` ends the wait early.
    fn sleep(&self, milliseconds: u32, wake: Wake) -> BoxFuture<'static, ()>;

    /// Sends a request.
    fn request(&self, request: Request<Self::Value>) -> BoxFuture<'static, Exchange<Self>>;
    /// Finds out why a request got no response: the browser may block it. Sends requests that
    /// change nothing.
    fn diagnose(&self, request: Request<Self::Value>) -> BoxFuture<'static, Option<Block>>;
    /// Reads the next text of a stream; `None` when it ends or breaks.
    fn read<'a>(&self, stream: &'a mut Self::Stream) -> BoxFuture<'a, Option<String>>;
    /// Parses JSON.
    fn parse(&self, json: &str) -> Option<Self::Value>;

    /// Returns the text stored under a name. It may outlive the page.
    fn load(&self, name: &str) -> Option<String>;
    /// Stores a text under a name. Does nothing if the machine has no storage.
    fn store(&self, name: &str, text: &str);
    /// Returns the name, the media type and the size of a file.
    fn file_info(&self, file: &Self::Value) -> FileInfo;
    /// Returns the id that [`Platform::remember_file`] stored for a file.
    fn file_id(&self, file: &Self::Value) -> Option<String>;
    /// Stores the id of a file, for as long as the caller has the file.
    fn remember_file(&self, file: &Self::Value, id: &str);
}

/// The response to a request.
pub type Exchange<P> = Result<
    Response<<P as Platform>::Value, <P as Platform>::Stream>,
    NoResponse<<P as Platform>::Cause>,
>;

/// An HTTP request.
#[derive(Clone)]
pub struct Request<V> {
    /// The method. For the upload of a file, [`FileBody::target`] may name another method.
    pub method: &'static str,
    /// The absolute URL.
    pub url: String,
    /// The headers. The platform adds the media type of a body.
    pub headers: Vec<(&'static str, String)>,
    /// The token, for the header `authorization`.
    pub token: Option<String>,
    /// The body.
    pub body: Body<V>,
    /// The name of the capability of the task.
    pub capability: Option<&'static str>,
    /// True if the request is for a stream of events. Such a stream is left open, to be read by
    /// [`Platform::read`].
    pub is_stream: bool,
}

/// The body of a request.
#[derive(Clone)]
pub enum Body<V> {
    /// No body.
    Empty,
    /// JSON.
    Json(V),
    /// A file.
    File(FileBody<V>),
}

/// A file on its way to the storage.
#[derive(Clone)]
pub struct FileBody<V> {
    /// The file.
    pub file: V,
    /// The response of `upload_urls`. Its `method` is `PUT` or `POST`. Its `headers` are added, and
    /// may replace the media type. With `fields`, the file is the last field, `file`, of a form.
    pub target: V,
    /// Receives the number of bytes that were sent.
    pub on_sent: Arc<Function<u64, ()>>,
    /// True if the caller subscribes to the progress.
    pub has_subscriber: bool,
}

/// The description of a file in the request of an upload URL.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// The name.
    pub name: String,
    /// The media type.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
}

/// A response with any status.
pub struct Response<V, S> {
    /// The HTTP status; 0 if a middleware of the caller returned something that is not a response.
    pub status: u16,
    /// The header `x-request-id`.
    pub request_id: Option<String>,
    /// The time to wait from `Retry-After`, in seconds.
    pub retry_after: Option<f64>,
    /// The body.
    pub body: ResponseBody<V, S>,
}

/// The body of a response.
pub enum ResponseBody<V, S> {
    /// JSON.
    Json(V),
    /// A stream of events that is left open.
    Stream(S),
    /// Anything else.
    Other,
}

/// The failure of a request that got no response.
#[derive(Clone, Debug)]
pub struct NoResponse<C> {
    /// The error, without a URL.
    pub cause: C,
    /// The reason, if it is known.
    pub obstacle: Option<Obstacle>,
}

/// The reason why a request got no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// There was no connection to send the request on.
    Refused,
    /// The file of an upload can't be read.
    Unreadable,
    /// The Content-Security-Policy of the page does not allow the upload.
    Blocked,
}

/// The reason why a browser blocks the requests of a page to a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The CORS headers of the server do not allow the request, so the browser has not sent it.
    Cors,
    /// The Content-Security-Policy of the page does not allow the request.
    Policy,
    /// The gateway has a local address, and the page has not. The browser may have asked for a
    /// permission, or the gateway may not run.
    LocalNetwork,
    /// For an upload: the server responds to the same request without its body. A server or a proxy
    /// that refuses large requests may close the connection, or respond without CORS headers.
    LargeBody,
}

/// A remedy for an error. Each platform has words for it ([`Platform::hint`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The gateway did not respond.
    CheckConnection,
    /// A server or a proxy does not accept a body of this size.
    RaiseBodyLimit,
    /// CORS blocks the request to the gateway.
    AllowOrigin,
    /// The Content-Security-Policy blocks the request to the gateway.
    AllowConnection,
    /// The browser may block requests to a local network.
    AllowLocalNetwork,
    /// The storage did not respond.
    CheckStorage,
    /// The Content-Security-Policy blocks the upload.
    AllowStorage,
    /// The file has to be chosen again.
    ChooseAgain,
    /// The storage refused a file.
    ReadStorageResponse,
    /// The response did not come from a gateway.
    CheckUrl,
    /// A create may have cost credits.
    RepeatCreate,
    /// The provider refuses the content of a create, and would refuse it again.
    ChangeContent,
    /// The record of a task that failed has the cause.
    ReadTask,
    /// The task may end later.
    ReadTaskLater,
    /// The steps of a pipeline have the cause.
    ReadSteps,
}

/// The words of remedies that are the same on each platform.
#[allow(missing_docs, reason = "the names are those of `Hint`")]
pub mod hints {
    pub const ALLOW_CONNECTION: &str =
        "add the gateway to connect-src of the page's Content-Security-Policy";
    pub const RAISE_BODY_LIMIT: &str = "raise the limit of the proxy before the gateway, such as \
        client_max_body_size of nginx, or let uploads go to the storage directly";
    pub const ALLOW_STORAGE: &str =
        "add the host of the storage to connect-src of the page's Content-Security-Policy";
    pub const CHECK_URL: &str = "check the url, and any proxy";
    pub const CHANGE_CONTENT: &str = "change the text or the files, which would be refused again";
}

/// The event that ends a sleep early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// No event.
    Never,
    /// The page becomes visible.
    Visible,
    /// The machine reports that it is online.
    Online,
}

/// Omits values and URLs, which may be secrets or prompts.
impl<V> fmt::Debug for Request<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Request")
            .field("method", &self.method)
            .field("capability", &self.capability)
            .finish_non_exhaustive()
    }
}

/// The bounds of futures and callbacks. They may cross threads in a program, but not on a page,
/// which has one thread.
#[cfg(not(target_family = "wasm"))]
mod bounds {
    use super::{Box, Pin};

    /// [`Send`], except on pages, where any type is allowed.
    pub trait MaybeSend: Send {}
    impl<T: Send> MaybeSend for T {}

    /// [`Sync`], except on pages, where any type is allowed.
    pub trait MaybeSync: Sync {}
    impl<T: Sync> MaybeSync for T {}

    /// A boxed future, which is [`Send`] except on pages.
    pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
    /// A function of a caller, which is [`Send`] and [`Sync`] except on pages.
    pub type Function<A, R> = dyn Fn(A) -> R + Send + Sync;
}

#[cfg(target_family = "wasm")]
mod bounds {
    use super::{Box, Pin};

    /// [`Send`], except on pages, where any type is allowed.
    pub trait MaybeSend {}
    impl<T> MaybeSend for T {}

    /// [`Sync`], except on pages, where any type is allowed.
    pub trait MaybeSync {}
    impl<T> MaybeSync for T {}

    /// A boxed future, which is [`Send`] except on pages.
    pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
    /// A function of a caller, which is [`Send`] and [`Sync`] except on pages.
    pub type Function<A, R> = dyn Fn(A) -> R;
}
