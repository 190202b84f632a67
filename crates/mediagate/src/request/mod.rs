//! Requests: the inputs of creates. There is a type for each capability, which
//! `cargo xtask generate` writes from the catalogue. [`Input`] is a request without types. A create
//! validates its request, so a server may also deserialize one from its page.
//!
//! The upstream document describes the media service behind the gateway, and § is one of its
//! sections.

mod capabilities;
mod input;
mod parts;

pub use capabilities::*;
pub use input::Input;
pub use parts::{Region, Segment, VideoSize};

/// A request of one capability.
///
/// The types of this module implement it. Implement it for a type of your own, such as the request
/// of a capability that only a newer gateway has.
pub trait Capability {
    /// The name of the capability, such as `image_to_video`.
    const NAME: &'static str;

    /// Returns the fields of the request.
    fn into_input(self) -> Input;
}
