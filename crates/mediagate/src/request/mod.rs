//! Requests: what a task is created with. There is a type for each capability, written by `cargo xtask generate` from the
//! catalogue; [`Input`] is the same without types. They are validated when a task is created with them, also one that was
//! deserialized, such as a request that a server receives from its page.
//!
//! The upstream document is that of the media service behind the gateway, and § is a section of it.

mod capabilities;
mod input;
mod parts;

pub use capabilities::*;
pub use input::Input;
pub use parts::{Region, Segment, VideoSize};

/// A request of one capability.
///
/// Implemented by the types of this module, and by types of your own, such as one for a capability of a newer gateway that
/// this crate has no type for.
pub trait Capability {
    /// Its name, such as `image_to_video`.
    const NAME: &'static str;

    /// The fields of the request.
    fn into_input(self) -> Input;
}
