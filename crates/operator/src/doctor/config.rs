use toml::{Table, Value};

/// One environment of a `wrangler.toml`. The top level counts as an environment.
pub(super) struct Config<'a> {
    own: &'a Table,
    top: &'a Table,
}

impl<'a> Config<'a> {
    pub(super) fn new(own: &'a Table, top: &'a Table) -> Self {
        Config { own, top }
    }

    /// Returns the value of a key that an environment inherits from the top level.
    pub(super) fn inherited(&self, key: &str) -> Option<&Value> {
        self.own.get(key).or_else(|| self.top.get(key))
    }

    /// Returns the value of a key that each environment sets for itself: `vars` and bindings.
    pub(super) fn own(&self, key: &str) -> Option<&Value> {
        self.own.get(key)
    }

    pub(super) fn binds_service(&self, name: &str) -> bool {
        self.service(name).is_some()
    }

    pub(super) fn service(&self, name: &str) -> Option<&Value> {
        // wrangler does not pass bindings on to environments.
        let services = self.own("services").and_then(Value::as_array)?;
        services
            .iter()
            .find(|service| service.get("binding").and_then(Value::as_str) == Some(name))
    }
}
