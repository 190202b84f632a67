mod state;
mod work;

pub(crate) use state::{App, SharedApp};
