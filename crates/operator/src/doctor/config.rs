use toml::{Table, Value};

/// The top level counts as an environment.
pub(super) struct Config<'a> {
    own: &'a Table,
    top: &'a Table,
}

impl<'a> Config<'a> {
    pub(super) fn new(own: &'a Table, top: &'a Table) -> Self {
        Config { own, top }
    }

    /// From the top level.
    pub(super) fn inherited(&self, key: &str) -> Option<&Value> {
        self.own.get(key).or_else(|| self.top.get(key))
    }

    /// Each environment sets `vars` and bindings for itself.
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
