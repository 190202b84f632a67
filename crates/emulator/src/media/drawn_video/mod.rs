//! Videos that stand in for the results of a model: slowly moving images with the request written
//! below.

mod full;
mod small;
mod spec;
mod speech;

pub(crate) use spec::DrawnVideo;
