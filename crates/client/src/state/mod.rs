//! What the engine keeps, each with the stages that it goes through.

pub(crate) mod call;
pub(crate) mod create;
pub(crate) mod follow;
pub(crate) mod gateway;
pub(crate) mod pending;
pub(crate) mod stream;
pub(crate) mod task;
pub(crate) mod upload;
