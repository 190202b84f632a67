//! What the client needs of the machine that it runs on: it performs operations, and decides nothing.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{Native as Host, run};
#[cfg(target_family = "wasm")]
pub(crate) use web::{Web as Host, run};

use std::sync::Arc;

use bytes::Bytes;
use mediagate_client::{Block, Wake};

use crate::error::Error;
use crate::file::File;
use crate::session::SessionStore;

/// Performs operations. Dropping a future aborts what it does.
pub(crate) trait Driver: Sized {
    /// Whether it runs on a page, with what a browser allows and asks of one.
    const IS_PAGE: bool;

    /// The body of a response, which is not read yet.
    type Body;

    /// A driver.
    ///
    /// # Errors
    /// Where the machine has not what it needs, such as its root certificates.
    fn new() -> Result<Self, Error>;
    /// Milliseconds since 1970.
    fn now(&self) -> f64;
    /// A random number from 0 to 1.
    fn random(&self) -> f64;
    /// Whether the machine reports that it is offline.
    fn is_offline(&self) -> bool;
    /// Whether the page is hidden.
    fn is_hidden(&self) -> bool;
    /// Whether any number of requests to the URLs that begin so may be open at once.
    fn is_multiplexed(&self, base: &str) -> bool;
    /// Where sessions are stored for a caller who says nothing of it.
    fn session_store() -> Arc<dyn SessionStore>;
    /// Waits for a number of milliseconds, or for what ends the wait early.
    fn sleep(&self, milliseconds: u32, wake: Wake) -> impl Future<Output = ()> + 'static;
    /// Sends a request.
    fn send(
        &self,
        request: Outgoing,
    ) -> impl Future<Output = Result<Incoming<Self::Body>, NoResponse>> + 'static;
    /// Finds out what keeps the page from the server of a request that got no response, by requests that change nothing.
    fn diagnose(&self, request: Outgoing) -> impl Future<Output = Option<Block>> + 'static;
    /// Reads on in a body; `None` at its end.
    fn read(body: &mut Self::Body) -> impl Future<Output = Result<Option<Bytes>, NoResponse>>;
}

/// A request.
pub(crate) struct Outgoing {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub(crate) method: &'static str,
    /// The absolute URL.
    pub(crate) url: String,
    /// The headers, among them that of the token.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) content: Content,
}

/// The body of a request.
pub(crate) enum Content {
    /// None.
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// A file, as it is.
    File(Upload),
    /// A form with these fields, and then the file as its field `file`, with this name and media type.
    Form {
        /// The fields before the file.
        fields: Vec<(String, String)>,
        /// The file.
        upload: Upload,
        /// Its name.
        name: String,
        /// Its media type.
        media_type: String,
    },
}

/// A file that is being sent.
pub(crate) struct Upload {
    /// The file.
    pub(crate) file: File,
    /// Receives the number of bytes that are sent, after each part of them; `None` where that is not to be observed.
    pub(crate) on_sent: Option<OnSent>,
}

/// Receives the number of bytes that are sent.
pub(crate) type OnSent = Arc<dyn Fn(u64) + Send + Sync>;

/// A response, whose body is not read yet.
pub(crate) struct Incoming<Body> {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The header `content-type`; empty for none.
    pub(crate) content_type: String,
    /// The header `x-request-id`.
    pub(crate) request_id: Option<String>,
    /// The header `retry-after`.
    pub(crate) retry_after: Option<String>,
    /// The body.
    pub(crate) body: Body,
}

/// Why there is no response, or not the whole of it.
pub(crate) struct NoResponse {
    /// The error, without the URL, which may hold a secret.
    pub(crate) cause: Arc<dyn std::error::Error + Send + Sync>,
    /// Whether there was no connection that the request could have been sent on.
    pub(crate) is_refused: bool,
}
