//! The description of the gateway, which `build.rs` has written.

include!(concat!(env!("OUT_DIR"), "/description.rs"));
