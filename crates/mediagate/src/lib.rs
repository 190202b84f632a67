//! The client of Mediagate for Rust: it creates media tasks through a gateway, uploads their files,
//! and follows them.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use mediagate::{Client, File, request::ImageToVideo};
//!
//! let client = Client::connect("https://media.example.com").token("the session token").await?;
//! let request = ImageToVideo::new(File::open("photo.png")?, "slow push in").aspect_ratio("16:9");
//! let task = client.image_to_video(request).await?;
//! let done = task.done().await?;
//! println!("{:?}", done.outputs.first().and_then(|output| output.url.as_deref()));
//! # Ok(())
//! # }
//! ```
//!
//! # Calls
//!
//! A method of [`Client`] or [`Task`] prepares a [`Call`], which begins when it is awaited. Its
//! limits are set before: `timeout`, `max_retries` and `on_retry`. Dropping the future ends its
//! work. A dropped create may still be charged (see [`Call`]). In a program the futures are `Send`
//! and run on any executor. The clients of a process share a thread for their connections and
//! timers.
//!
//! The client repeats requests that may succeed later. It repeats a create with its idempotency
//! key, so that the create makes at most one task and is charged at most once.
//!
//! # Requests
//!
//! There is a type for each capability in [`request`]. Its `new` takes the required fields, and a
//! method sets each optional field. All fields are public. A field for a file takes the id of an
//! uploaded file, or a [`File`] of bytes or of a path. The client uploads such a file first.
//! [`Client::create_json`] takes the name of a capability, and JSON.
//!
//! Instead of an id, a field for a file or an asset also takes a result ([`Reference`]): a task,
//! which the create waits for, or one output of a task. The gateway moves the file, so none of its
//! bytes passes through the client. It also moves the file at an https URL ([`FileUrl`]).
//!
//! ```no_run
//! # async fn example(client: mediagate::Client) -> Result<(), mediagate::Error> {
//! use mediagate::request::{ImageToVideo, TextToImage};
//!
//! let picture = client.text_to_image(TextToImage::new("a lighthouse at dusk")).await?;
//! let video = client.image_to_video(ImageToVideo::new(&picture, "slow push in")).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Tasks
//!
//! [`Task::done`] waits for the result, and [`Task::updates`] is a stream of the changes until
//! the end. A task serializes: save it, and restore it in another process with [`Client::restore`].
//! [`Client::tasks`] lists the tasks that the user has created on any device.
//!
//! # Sessions
//!
//! A program has a session token that its backend signs ([`Call::token`](Call#method.token)), or a
//! function that returns one ([`Call::token_provider`](Call#method.token_provider)). Without
//! either, the client opens an anonymous session. A gateway allows that only to the pages of its
//! origins, so a program gets an error. An anonymous session is in memory unless there is a
//! [`SessionStore`]. Another session cannot read its tasks.
//!
//! # Pages
//!
//! The client also runs on web pages and in their workers, compiled for `wasm32-unknown-unknown`.
//! It works in the event loop of the page, and neither its futures nor callbacks are `Send`. A
//! `web_sys::File` becomes a [`File`]. An anonymous session is in `localStorage`, or in memory in a
//! worker. If the browser blocks the requests to the gateway, the error names the reason. The
//! documentation for `wasm32-unknown-unknown` has the functions that exist only on a page, such as
//! `File::from_blob`.
//!
//! Values cross to JavaScript with `serde-wasm-bindgen`: a task, its [`TaskSnapshot`], a
//! [`Report`], a [`Progress`]. Serialize them with its `Serializer::json_compatible()`.
//!
//! # Errors
//!
//! Every call that fails ends with an [`Error`]. Its [`kind`](Error::kind) is the remedy. Neither
//! its text nor its `Debug` contains a token or a prompt.

#![cfg_attr(
    target_family = "wasm",
    expect(
        clippy::arc_with_non_send_sync,
        reason = "a page has one thread, and programs share the code"
    )
)]

extern crate alloc;

mod api;
mod data_uri;
mod error;
mod file;
mod platform;
mod reference;
pub mod request;
mod session;
mod snapshot;
// Public for the tests of `mediagate-client`, whose platform uses these values.
#[doc(hidden)]
pub mod value;

pub use api::{
    Call, CallKind, Capabilities, Client, Connect, Create, Done, Estimate, Forget, HistoryEntry,
    Models, Refresh, Retry, SavedTask, Task, TaskError, TaskPage, Tasks, Updates, Upload,
};
pub use error::{Error, ErrorKind, Issue, Outcome, Report};
pub use file::{File, Progress};
pub use mediagate_client::{BoxFuture, Function, MaybeSend, MaybeSync};
pub use reference::{AssetInput, FileInput, FileUrl, Reference};
pub use session::SessionStore;
pub use snapshot::{Eta, Output, TaskSnapshot};
