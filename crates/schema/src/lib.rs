//! The catalogue as JSON Schema 2020-12, for OpenAPI documents, tools for agents, and forms.
//!
//! Each function returns one complete schema without references, `$schema` and `$id`, so that it
//! can be embedded anywhere.
//!
//! The schema of a request and [`mediagate_core::validate_strictly`] accept the same values, with
//! two exceptions. JSON Schema can't express that no segment ends before it starts. The schemas do
//! not show members such as `region.x`, which the validator accepts.

mod history;
mod ids;
mod input;
mod patterns;
mod pipeline;
mod response;

pub use history::{history_page, history_selection};
pub use ids::{Ids, SEALED_EXAMPLE, sealed_id};
pub use input::{example, input, upload, upload_example};
pub use pipeline::{
    pipeline_example, pipeline_request, pipeline_response, pipeline_response_example,
    pipeline_title,
};
pub use response::{
    created, envelope, file_request, file_response, issue, output, output_request, task,
    upload_response,
};
