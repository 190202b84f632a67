//! The wire of the media service (the "upstream"): how each request is made, and how each response
//! is read.
//!
//! [`Dialect`] has the parts that the service's document leaves open, as settings.
//! [`Dialect::read`] reads a response: a task, a finished result, an error, or an unreadable one.
//! The crate does no I/O and has no clock.

mod json;
mod outputs;
mod reader;
mod settings;

pub use json::{parse_json, parse_response};
pub use outputs::{Output, output_names, outputs_of};
pub use reader::{
    Answer, Candidate, Finding, InlineMedium, TaskRecord, UpstreamError, refused_content,
    shown_type,
};
pub use settings::{
    CodeMeaning, ConfirmDialect, CreateDialect, Dialect, DialectError, EnvelopeDialect,
    EstimateDialect, ModelsDialect, Pointers, RegionShape, Sending, SizeShape, States, TaskDialect,
    UploadDialect, UploadTarget, check_status_path, path_segment, status_path,
};
