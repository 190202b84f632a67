//! The upstream's model catalogue.

use std::rc::Rc;
use std::time::Duration;

use mediagate_dialect::Catalogue;

use super::UpstreamClient;
use crate::platform::http::within;
use crate::platform::now_ms;

/// The maximum time that a request waits for the catalogue.
const DEADLINE: Duration = Duration::from_secs(3);

impl UpstreamClient<'_> {
    /// Returns the catalogue, at most five minutes old. Returns `None` if the catalogue is
    /// disabled, does not arrive within seconds or can't be read. The caller then continues without
    /// it, because a create must not fail for a check that the upstream makes anyway.
    pub(crate) async fn catalogue(&self) -> Option<Rc<Catalogue>> {
        let path = self.upstream.settings.models_path.as_ref()?;
        if let Some(kept) = self.upstream.catalogue.get(now_ms()) {
            return kept;
        }
        let fetched = within(DEADLINE, self.fetch_unreported(path))
            .await
            .flatten();
        let catalogue = fetched
            .and_then(|body| self.upstream.settings.dialect.models.read(&body))
            .map(Rc::new);
        self.upstream.catalogue.keep(catalogue, now_ms())
    }
}
