use std::fmt;

use mediagate_client as client;

use super::call::Settings;
use crate::platform::Host;

/// A client of one gateway. Clones share one session. Calls may come from any thread and any
/// executor.
///
/// Its work ends when its last clone and its last task are dropped.
#[derive(Clone)]
pub struct Client {
    pub(super) inner: client::Client<Host>,
    pub(super) settings: Settings,
}

/// Clones are equal. The framework of a page needs this to compare the values that it renders.
impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Client {}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Returns the URL of the gateway.
    pub fn url(&self) -> &str {
        self.inner.base()
    }
}
