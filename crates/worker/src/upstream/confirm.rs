//! Confirms the files of a create, if the dialect has a request for that.

use std::time::Duration;

use futures_util::future::try_join_all;
use mediagate_core::Reason;
use mediagate_dialect::{ConfirmDialect, path_segment};

use super::UpstreamClient;
use super::response::Failure;
use crate::crypto::hash;
use crate::platform::http::within;
use crate::refusal::Refusal;

/// The maximum time that a create waits for the confirmation of its files. Together with the
/// deadline in `assets.rs`, it is shorter than the grace that the ledger client adds to the create
/// itself.
const DEADLINE: Duration = Duration::from_secs(5);

impl UpstreamClient<'_> {
    /// Confirms the files of a create. Each isolate remembers only its own confirmations, so a file
    /// may be confirmed again, which does no harm.
    ///
    /// # Errors
    /// The refusal that follows from the upstream's response, or 504 if the response took too long.
    /// In either case, the create must not be sent.
    pub(super) async fn confirm_files(&self, file_ids: &[String]) -> Result<(), Refusal> {
        let Some(dialect) = &self.upstream.settings.dialect.upload.confirm else {
            return Ok(());
        };
        let confirms = file_ids
            .iter()
            .map(|file_id| self.confirm(dialect, file_id));
        within(DEADLINE, try_join_all(confirms))
            .await
            .ok_or(Reason::Deadline)??;
        Ok(())
    }

    async fn confirm(&self, dialect: &ConfirmDialect, file_id: &str) -> Result<(), Refusal> {
        let name = hash(&[file_id]);
        if self.upstream.confirmed.get(&name).is_some() {
            return Ok(());
        }
        let segment = path_segment(file_id).ok_or(Reason::UnusableId)?;
        let body = dialect.body(file_id).to_string();
        let response = self
            .request("POST", &dialect.path(&segment), Some(&body))
            .await?;
        let is_complete = response.fault.is_none() && (200..300).contains(&response.status);
        match response.into_body(&self.upstream.settings.dialect) {
            Ok(_) => {}
            // Nothing has to be in the response, not even JSON.
            Err(Failure::Unreadable(_)) if is_complete => {}
            Err(failure) => return Err(self.refusal(failure).0),
        }
        self.upstream.confirmed.insert(name, ());
        Ok(())
    }
}
