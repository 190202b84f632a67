//! Finds browsers and their drivers, or installs them if one command can do so.

mod chrome;
mod engines;
mod programs;

pub(crate) use self::chrome::ensure;
pub(crate) use self::engines::{Engine, ensure_engines};
pub(crate) use self::programs::apt_install;
