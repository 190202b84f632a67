//! The work of each capability: the real operation if that needs no model, or else a drawing that
//! stands in for the result.

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
