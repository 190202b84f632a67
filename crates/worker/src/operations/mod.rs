//! The operations of the gateway for its callers, by subject, and the functions that they share.

mod create;
mod files;
mod history;
mod models;
mod pipeline_plan;
mod pipelines;
mod prepare;
mod relay;
mod request_context;
mod results;
mod status;
mod unsealer;
mod upload;

pub(crate) use create::{check_create, create, create_task};
pub(crate) use files::{URL_FIELDS, admit, move_file, read_source, request_file, request_output};
pub(crate) use history::{forget, list_tasks, tasks};
pub(crate) use models::{
    add_limits, capabilities, check_estimate, estimate, fetch_estimate, fetch_models, models,
};
pub(crate) use pipelines::{
    cancel_pipeline, check_pipeline, forget_pipeline, pipeline_events, read_pipeline,
    resume_pipeline, run_pipeline, start_pipeline,
};
pub(crate) use relay::relay;
pub(crate) use request_context::RequestContext;
pub(crate) use results::{output, result};
pub(crate) use status::{
    events, read_result, read_task, status, subscribe, unseal_name, unseal_task,
};
pub(crate) use upload::{request_upload, upload_url};
