use mediagate_access::crypto::Secret;

use super::parse::{Read, SettingsReader, api_key, base_url, required, wrong};
use super::url::is_on_loopback;

pub const BINDING: &str = "UPSTREAM";

/// The binding of the R2 bucket that uploads go to.
pub const UPLOADS_BINDING: &str = "UPLOADS_BUCKET";

/// The base URL of requests to a module. No host has this name, and the platform resolves none.
const MODULE_URL: &str = "https://upstream.invalid";

#[derive(Clone, Debug)]
pub enum Service {
    Server {
        /// Without a slash at the end.
        base_url: String,
        api_key: Secret,
    },
    /// A module: a Worker behind the service binding `UPSTREAM`. Only the gateway reaches it, so it
    /// needs no key.
    Module,
}

impl Service {
    pub(super) fn read(read: &SettingsReader<'_>) -> Read<Self> {
        let remedy = "is text; make it a service binding of the module, under [[services]]";
        let is_bound = read.binding(BINDING, remedy)?;
        let url = read.parsed("UPSTREAM_BASE_URL", base_url)?;
        let key = read.parsed("UPSTREAM_API_KEY", api_key)?;
        if is_bound {
            for (setting, is_set) in [
                ("UPSTREAM_BASE_URL", url.is_some()),
                ("UPSTREAM_API_KEY", key.is_some()),
            ] {
                if is_set {
                    return wrong(
                        setting,
                        "is set beside the binding UPSTREAM; remove one of them",
                    );
                }
            }
            return Ok(Service::Module);
        }
        Ok(Service::Server {
            base_url: required(
                "UPSTREAM_BASE_URL",
                url,
                "is missing; give the media service's address, such as https://api.example.com",
            )?,
            api_key: required(
                "UPSTREAM_API_KEY",
                key,
                "is missing; set it with `wrangler secret put`",
            )?,
        })
    }

    pub fn base_url(&self) -> &str {
        match self {
            Service::Server { base_url, .. } => base_url,
            Service::Module => MODULE_URL,
        }
    }

    pub fn api_key(&self) -> Option<&Secret> {
        match self {
            Service::Server { api_key, .. } => Some(api_key),
            Service::Module => None,
        }
    }

    pub fn authorization(&self) -> Option<String> {
        let key = self.api_key()?;
        Some(["Bearer ", key.expose()].concat())
    }

    pub const fn is_module(&self) -> bool {
        matches!(self, Service::Module)
    }

    pub(super) fn is_on_this_machine(&self) -> bool {
        !self.is_module() && is_on_loopback(self.base_url())
    }
}
