mod account;
mod admin;
mod asset;
mod body;
mod bucket;
mod create;
mod guard;
mod host;
mod receive;
mod router;
mod task;
mod upload;

pub(crate) use admin::admin_router;
pub(crate) use router::router;
