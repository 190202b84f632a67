mod assets;
mod definition;
mod models;

pub(crate) use assets::{Asset, usable_asset};
pub(crate) use definition::Scene;
pub(crate) use models::{DEFAULT_SECONDS, Model};
