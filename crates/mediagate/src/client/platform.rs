//! What the client needs of the machine that it runs on. A platform performs operations and decides nothing.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use mediagate_core::Value;

use super::error::Hint;
use crate::sendable::{BoxFuture, Function, MaybeSend, MaybeSync};

/// A value of the host: JSON, and files in the place of file ids. The client reads what it decides by and passes the rest on.
pub trait HostValue: Value<Text = String> + MaybeSend + MaybeSync + 'static {
    /// Makes a string.
    fn from_text(text: &str) -> Self;
    /// Makes a number.
    fn from_number(number: f64) -> Self;
    /// Makes a list.
    fn from_items(items: Vec<Self>) -> Self;
    /// Makes an object.
    fn from_members(members: Vec<(&str, Self)>) -> Self;
    /// Returns a copy of an object with one more member, which replaces one of the same name.
    #[must_use]
    fn with(&self, name: &str, value: Self) -> Self;
    /// Returns a copy of an object without a member.
    #[must_use]
    fn without(&self, name: &str) -> Self;
    /// Writes it as JSON.
    fn to_json(&self) -> String;
    /// Returns whether both are the same string, number or boolean, or the same file.
    fn is_same(&self, other: &Self) -> bool;
}

/// A machine: a program, a page, or a simulation in tests. Dropping a future aborts what it does.
pub trait Platform: MaybeSend + MaybeSync + Sized + 'static {
    /// A value of the host.
    type Value: HostValue;
    /// An error of the host, or of a function of the caller.
    type Cause: Clone + MaybeSend + MaybeSync + 'static;
    /// An open stream of text.
    type Stream: MaybeSend + 'static;

    /// Returns milliseconds since 1970.
    fn now(&self) -> f64;
    /// Returns a random number from 0 to 1.
    fn random(&self) -> f64;
    /// Returns whether the machine reports that it is offline, which may be wrong.
    fn is_offline(&self) -> bool;
    /// Returns whether the page is hidden.
    fn is_hidden(&self) -> bool;
    /// Returns whether any number of requests to the URLs that begin so may be open at once.
    fn is_multiplexed(&self, base: &str) -> bool;
    /// Returns the words for a hint.
    fn hint(hint: Hint) -> &'static str;

    /// Runs a future until its end.
    fn spawn(&self, work: BoxFuture<'static, ()>);
    /// Waits for a number of milliseconds, or for what ends the wait early.
    fn sleep(&self, milliseconds: u32, wake: Wake) -> BoxFuture<'static, ()>;

    /// Sends a request.
    fn request(&self, request: Request<Self::Value>) -> BoxFuture<'static, Exchange<Self>>;
    /// Returns whether the progress of an upload is observed.
    fn observes_upload(&self, upload: &Upload<Self::Value>) -> bool;
    /// Finds out what keeps the page from the server of a request that got no response, by requests that change nothing.
    fn diagnose(&self, request: Request<Self::Value>) -> BoxFuture<'static, Option<Block>>;
    /// Reads on in a stream; `None` at its end, and where it breaks.
    fn read<'a>(&self, stream: &'a mut Self::Stream) -> BoxFuture<'a, Option<String>>;
    /// Parses JSON.
    fn parse(&self, json: &str) -> Option<Self::Value>;

    /// Returns the text stored under a name, which outlives the page.
    fn load(&self, name: &str) -> Option<String>;
    /// Stores a text under a name, where the machine can.
    fn store(&self, name: &str, text: &str);
    /// Returns what an upload URL is requested with: the name, the media type and the size of a file.
    fn file_info(&self, file: &Self::Value) -> FileInfo;
    /// Returns the id of a file from [`Platform::remember_file`].
    fn file_id(&self, file: &Self::Value) -> Option<String>;
    /// Remembers the id of a file for as long as the caller has the file.
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
    /// The method. That of a file's upload may be another one ([`Upload::target`]).
    pub method: &'static str,
    /// The absolute URL.
    pub url: String,
    /// The headers. A body of JSON has its media type besides.
    pub headers: Vec<(&'static str, String)>,
    /// The token, for the header `authorization`.
    pub token: Option<String>,
    /// The body.
    pub body: Body<V>,
    /// The name of the capability that the request is about.
    pub capability: Option<&'static str>,
    /// Whether a stream of events is left open, to be read by [`Platform::read`].
    pub is_stream: bool,
}

/// The body of a request.
#[derive(Clone)]
pub enum Body<V> {
    /// None.
    Empty,
    /// JSON.
    Json(V),
    /// A file.
    File(Upload<V>),
}

/// A file on its way to the storage.
#[derive(Clone)]
pub struct Upload<V> {
    /// The file.
    pub file: V,
    /// The response of `upload_urls`, whose `method`, `headers` and `fields` describe how the file is sent: by `PUT` or
    /// `POST`, with headers beside or in place of the media type, and as the last field, `file`, of a form.
    pub target: V,
    /// Receives the number of bytes that are sent.
    pub on_sent: Arc<Function<u64, ()>>,
    /// Whether the caller subscribes to the progress.
    pub has_subscriber: bool,
}

/// What an upload URL is requested with.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// The name.
    pub name: String,
    /// The media type.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
}

/// A response, with whatever status.
pub struct Response<V, S> {
    /// The HTTP status; 0 where a function of the caller's in the place of `fetch` returned something else.
    pub status: u16,
    /// The header `x-request-id`.
    pub request_id: Option<String>,
    /// Seconds to wait, from `Retry-After`.
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

/// Why there is no response.
#[derive(Clone, Debug)]
pub struct NoResponse<C> {
    /// The error, without a URL.
    pub cause: C,
    /// Whether there was no connection to send the request on.
    pub is_refused: bool,
}

/// What keeps a page from a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The CORS headers of the server do not allow the request, so that the browser has not sent it.
    Cors,
    /// The Content-Security-Policy of the page.
    Policy,
}

/// What ends a sleep early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Nothing.
    Never,
    /// The page becomes visible.
    Visible,
    /// The machine reports that it is online.
    Online,
}

/// Without values and URLs, which may be secrets or prompts.
impl<V> fmt::Debug for Request<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Request")
            .field("method", &self.method)
            .field("capability", &self.capability)
            .finish_non_exhaustive()
    }
}
