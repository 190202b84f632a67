mod full;
mod small;
mod spec;
mod speech;

pub(crate) use spec::DrawnVideo;
