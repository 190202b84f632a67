//! The messages between the gateway and its Durable Objects, and the clients that send them.
//!
//! Ledgers and watchers send each other messages, too: a ledger requests that new tasks are
//! watched, and a watcher frees the slots of ended tasks. So the messages are below the objects.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

pub mod durations;
mod durations_cache;
pub mod envelope;
pub mod ledger;
mod output_url;
mod outputs;
mod pauses;
pub mod pipeline;
mod polling;
mod request;
mod results;
mod stream_request;
mod task_events;
pub mod transfer;
mod transfers;
mod unanswered;
pub mod watcher;

pub use durations::DurationsClient;
pub use durations_cache::DurationsCache;
pub use ledger::LedgerClient;
pub use output_url::output_url;
pub use outputs::TaskOutputs;
pub use pauses::Pauses;
pub use pipeline::PipelineName;
pub use polling::{Turn, poll_media, poll_task};
pub use request::{Message, Request};
pub use results::{
    KeptResult, ResultPlace, ResultReservation, ResultSource, ResultState, TaskResults,
    write_results,
};
pub use stream_request::{StreamClient, StreamRequest};
pub use task_events::{TaskEvent, TaskEvents};
pub use transfers::{
    Keeping, TransferCaller, begin_transfer, end_transfer, forget_transfer, is_counted,
};
pub use unanswered::{BUSY_SECONDS, unanswered};
