//! Videos that stand in for what a model would generate: slowly moving images with the request written below.

mod full;
mod small;
mod spec;

pub(crate) use spec::DrawnVideo;
