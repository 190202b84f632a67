//! The callers of the gateway, their rights, and the refusals of their requests.

pub mod byte_size;
pub mod crypto;
pub mod identity;
pub mod refusal;
