//! The client of Mediagate for Rust: it creates media tasks through a gateway, uploads their files, and follows them.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use mediagate::{Client, File, request::ImageToVideo};
//!
//! let client = Client::connect("https://media.example.com").token("the session token").await?;
//! let request = ImageToVideo::new(File::open("photo.png")?, "slow push in").aspect_ratio("16:9");
//! let task = client.image_to_video(request).await?;
//! let done = task.done().await?;
//! println!("{:?}", done.outputs.first().and_then(|it| it.url.as_deref()));
//! # Ok(())
//! # }
//! ```
//!
//! # Calls
//!
//! A method of [`Client`] or [`Task`] prepares a [`Call`], which begins when it is awaited. Limits are set on it before:
//! `timeout`, `max_retries` and `on_retry`. Dropping the future ends what it began; a dropped create may
//! still be charged (see [`Call`]). In a program the futures are `Send`
//! and run on any executor: the clients of a process share a thread for their connections and timers.
//!
//! Requests that may succeed later are sent again by themselves, a create always with the same idempotency key, so that it
//! makes one task at most and is charged once.
//!
//! # Requests
//!
//! There is a type for each capability in [`request`]. Its `new` takes the required fields, and a method sets each of the
//! others. All fields are public. A field for a file takes the id of an uploaded file, or a [`File`] of bytes or of a path,
//! which is uploaded first. [`Client::create_json`] takes a capability by its name and JSON.
//!
//! In the place of an id, a field for a file or an asset takes a result too: a task, which is waited for, or one output of it
//! ([`Reference`]). The gateway moves the file, so that none of its bytes passes through the client.
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
//! [`Task::done`] waits for the result, and [`Task::updates`] is a stream of the changes until then. A task serializes: save
//! it, and go on with [`Client::restore`] in another process. [`Client::tasks`] lists what the user has created on any device.
//!
//! # Sessions
//!
//! A program has a session token that its backend signs ([`Call::token`](Call#method.token)), or a function that returns one
//! ([`Call::token_provider`](Call#method.token_provider)). Without either the client opens an anonymous session, which a
//! gateway allows the pages of its origins alone: the error says so. Such a session is in memory unless there is a
//! [`SessionStore`], and another session owns none of its tasks.
//!
//! # Pages
//!
//! The client runs on web pages and in their workers too, compiled for `wasm32-unknown-unknown`. There, it works in the
//! page's event loop, and neither its futures nor callbacks are `Send`. A [`File`] is made of a `web_sys::File`, an anonymous session is in `localStorage` (in a worker, in memory), and a
//! page that is kept from the gateway gets an error that says by what. What only a page has, such as `File::from_blob`, is in
//! the documentation for `wasm32-unknown-unknown`.
//!
//! Values cross to JavaScript by `serde-wasm-bindgen`: a task, its [`TaskSnapshot`], a [`Report`], a [`Progress`].
//!
//! ```ignore
//! use serde::Serialize as _;
//!
//! let value = task.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?;
//! let saved: mediagate::SavedTask = serde_wasm_bindgen::from_value(value)?;
//! ```
//!
//! # Features
//!
//! `native` and `web` are the platforms, and both are on: each is compiled for its own targets alone.
//!
//! # Errors
//!
//! Every call that fails ends with an [`Error`], whose [`kind`](Error::kind) says what to do about it. Neither its text nor its `Debug` has a token
//! or a prompt.

#![cfg_attr(
    target_family = "wasm",
    expect(
        clippy::arc_with_non_send_sync,
        reason = "a page has one thread, and programs share the code"
    )
)]

#[cfg(all(not(target_family = "wasm"), not(feature = "native")))]
compile_error!("the client needs a platform for this target: turn on the feature `native`");
#[cfg(all(target_family = "wasm", not(feature = "web")))]
compile_error!("the client needs a platform for this target: turn on the feature `web`");

extern crate alloc;

mod api;
pub mod client;
mod error;
mod file;
mod platform;
mod reference;
pub mod request;
mod sendable;
mod session;
mod snapshot;
// Public for the tests of `client`, whose platform has the same values.
#[doc(hidden)]
pub mod value;

pub use api::{
    Call, CallKind, Client, Connect, Create, Done, Estimate, Forget, HistoryEntry, Models, Refresh,
    Retry, SavedTask, Task, TaskError, TaskPage, Tasks, Updates, Upload,
};
pub use error::{Error, ErrorKind, Issue, Outcome, Report};
pub use file::{File, Progress};
pub use reference::{AssetInput, FileInput, Reference};
pub use sendable::{MaybeSend, MaybeSync};
pub use session::SessionStore;
pub use snapshot::{Eta, Output, TaskSnapshot};
