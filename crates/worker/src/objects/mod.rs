//! The clients of the Durable Objects: their bindings, and the messages to them.
//!
//! Ledgers and watchers use each other's clients. A ledger requests that new tasks are watched, and
//! a watcher frees the slots of ended tasks. So the clients are in a module below the objects.

mod durations_cache;
mod durations_client;
mod ledger_client;
mod ledger_messages;
mod output_url;
mod outputs;
mod pauses;
mod pipeline_client;
mod polling;
mod result_client;
mod result_messages;
mod stream_request;
mod task_events;
mod transfer_client;
mod unanswered;
mod watcher_client;

pub(crate) use durations_cache::DurationsCache;
pub(crate) use durations_client::{DURATIONS_BINDING, DurationsClient, DurationsRequest};
pub(crate) use ledger_client::{LEDGER_BINDING, LedgerClient, ReportedEnd, create_key};
pub(crate) use ledger_messages::{
    CreateCommand, CreateResponse, EntryKind, HistoryEntry, LedgerRequest, MediumReport,
    PipelineCount, PipelineEntry, Reservation, StoredMedium,
};
pub(crate) use output_url::output_url;
pub(crate) use outputs::{OutputsReport, TaskOutputs};
pub(crate) use pauses::Pauses;
pub(crate) use pipeline_client::{
    Grant, NewPipeline, PIPELINE_BINDING, PipelineName, PipelineReport, PipelineRequest,
    Resumption, send_to_pipeline, subscribe_to_pipeline,
};
pub(crate) use polling::{Turn, poll_media, poll_task};
pub(crate) use result_messages::{
    KeptResult, ResultPlace, ResultReservation, ResultSource, ResultState, TaskResults,
    write_results,
};
pub(crate) use stream_request::{StreamClient, StreamRequest};
pub(crate) use task_events::{TaskEvent, TaskEvents};
pub(crate) use transfer_client::{
    KeepRequest, TRANSFER_BINDING, TransferMessage, TransferReport, TransferRequest,
    TransferSource, delete_result, keep_outputs, send_to_transfer, transfer_name,
};
pub(crate) use unanswered::unanswered;
pub(crate) use watcher_client::{
    WATCHER_BINDING, WatchPurpose, WatchRequest, read_outputs, send_to_watcher,
};
