//! The upstream's model catalogue.

use std::rc::Rc;
use std::time::Duration;

use mediagate_dialect::Catalogue;

use super::UpstreamClient;
use crate::platform::http::within;
use crate::platform::now_ms;

/// How long a request may wait for it.
const DEADLINE: Duration = Duration::from_secs(3);

impl UpstreamClient<'_> {
    /// The catalogue, at most five minutes old; `None` where it is switched off, can't be had within seconds, or can't be
    /// read. A request that only wants to be checked does not fail for it.
    pub(crate) async fn catalogue(&self) -> Option<Rc<Catalogue>> {
        let path = &self.upstream.settings.models_path;
        if path.is_empty() {
            return None;
        }
        if let Some(kept) = self.upstream.catalogue.get(now_ms()) {
            return kept;
        }
        let fetched = within(DEADLINE, self.fetch_unreported(path))
            .await
            .flatten();
        let catalogue = fetched
            .and_then(|it| self.upstream.settings.dialect.models.read(&it))
            .map(Rc::new);
        self.upstream.catalogue.keep(catalogue, now_ms())
    }
}
