mod audio;
mod draw;
mod inputs;
mod logo;
mod placeholder;
mod product;
mod run;
mod video;

pub(crate) use placeholder::placeholder;
pub(crate) use product::Product;
pub(crate) use run::{needs_ffmpeg, run};
