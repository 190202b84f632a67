//! What the client needs of the machine that it runs on: it performs operations, and decides nothing.

#[cfg(feature = "native")]
mod native;

#[cfg(feature = "native")]
pub(crate) use native::{Native as Host, run};

use std::sync::Arc;

use bytes::Bytes;

use crate::error::Error;
use crate::file::File;

/// Performs operations. Dropping a future aborts what it does.
pub(crate) trait Driver: Sized {
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
    /// Whether any number of requests to a host may be open at once.
    fn is_multiplexed(&self) -> bool;
    /// Waits for a number of milliseconds.
    fn sleep(&self, milliseconds: u32) -> impl Future<Output = ()> + 'static;
    /// Sends a request.
    fn send(&self, request: Outgoing) -> impl Future<Output = Result<Incoming<Self::Body>, NoResponse>> + 'static;
    /// Reads on in a body; `None` at its end.
    fn read(body: &mut Self::Body) -> impl Future<Output = Result<Option<Bytes>, NoResponse>>;
}

/// A request.
pub(crate) struct Outgoing {
    /// `GET`, `POST` or `PUT`.
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
    /// Receives the number of bytes that are sent, after each part of them.
    pub(crate) on_sent: Arc<dyn Fn(u64) + Send + Sync>,
}

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
