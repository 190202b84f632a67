//! Browsers and their drivers: found, or installed where one command does.

mod chrome;
mod engines;
mod programs;

pub(crate) use self::chrome::ensure;
pub(crate) use self::engines::{Engine, ensure_engines};
pub(crate) use self::programs::apt_install;
