//! Who calls the gateway, what they may do, and how a request is refused.

pub mod byte_size;
pub mod crypto;
pub mod identity;
pub mod refusal;
