//! A `wrangler.toml`, one environment at a time.

use toml::{Table, Value};

/// One environment of a configuration; the top level is one too.
pub(super) struct Config<'a> {
    own: &'a Table,
    top: &'a Table,
}

impl<'a> Config<'a> {
    /// The environment whose table is `own`, in the file whose top level is `top`.
    pub(super) fn new(own: &'a Table, top: &'a Table) -> Self {
        Config { own, top }
    }

    /// A key that an environment inherits from the top level.
    pub(super) fn inherited(&self, key: &str) -> Option<&Value> {
        self.own.get(key).or_else(|| self.top.get(key))
    }

    /// A key that each environment sets for itself: `vars` and bindings.
    pub(super) fn own(&self, key: &str) -> Option<&Value> {
        self.own.get(key)
    }
}
