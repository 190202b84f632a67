//! Nothing. `Cargo.toml` beside it is what counts: a build that selects the whole workspace takes the features listed
//! there, though nothing depends on this crate.
