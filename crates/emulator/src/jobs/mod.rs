//! The work of each capability: the real operation where no model is needed, else a drawing that stands in for it.

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
pub(crate) use run::run;
