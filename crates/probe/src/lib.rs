//! The probe, which finds the [`Dialect`](mediagate_dialect::Dialect) of a live service.
//!
//! It is a state machine without I/O: [`Probe::advance`] returns the next [`Step`], and a shell
//! sends the request, waits, or asks a person. The probe begins with requests that cost nothing,
//! creates a task only with consent, and never repeats a create.

mod assets;
mod coroutine;
mod estimate;
mod explain;
mod hints;
mod history;
mod leaves;
mod models;
mod negotiation;
mod procedure;
mod readings;
mod report;
mod session;
mod show;
mod step;
mod task;
mod upload;
mod upload_request;
mod upload_response;

pub use procedure::{CREATED, Probe};
pub use report::{Known, PATH_SETTINGS, Report, Unknown};
pub use show::{shown_request, shown_response};
pub use step::{Body, Event, Request, Response, Step};
pub use upload_request::{CONTAINERS, CONVENTIONS};
