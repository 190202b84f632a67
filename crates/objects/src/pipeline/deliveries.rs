//! Deliveries of a pipeline's ends to the app's backend. Times are milliseconds since 1970.
//!
//! Message, payload and target of a delivery are fixed when the pipeline ends. They do not change
//! if the pipeline is resumed or removed, or if another pipeline is started under its key.

use futures_util::future::join_all;
use mediagate_platform::storage::params;
use mediagate_platform::timestamp_ms;
use mediagate_upstream_client::Upstream;

use super::object::Inner;
use super::stored_state::StoredState;
use crate::webhooks::{Delivery, Message};

/// The most characters of a payload in one row. SQLite limits the size of a row to 2 MB.
const PART_CHARS: usize = 250_000;

impl StoredState {
    /// Stores the deliveries of a message. A message that is stored already stays as it is.
    pub(super) fn add_deliveries(
        &self,
        message: &str,
        payload: &str,
        targets: &[String],
        now: i64,
    ) -> worker::Result<()> {
        if targets.is_empty() {
            return Ok(());
        }
        let letters: Vec<char> = payload.chars().collect();
        for (number, part) in letters.chunks(PART_CHARS).enumerate() {
            self.0.run(
                "INSERT INTO payload VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                params![message, number as i64, part.iter().collect::<String>()],
            )?;
        }
        for url in targets {
            self.0.run(
                "INSERT INTO delivery VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING",
                params![message, url.as_str(), now],
            )?;
        }
        Ok(())
    }

    pub(super) fn next_delivery(&self) -> worker::Result<Option<i64>> {
        self.0
            .value("SELECT min(due) AS value FROM delivery", params![])
    }

    /// Returns a message with due deliveries. A payload may be large, so only one is in memory.
    fn due_message(&self, now: i64) -> worker::Result<Option<String>> {
        let query = "SELECT message AS value FROM delivery WHERE due <= ? ORDER BY due LIMIT 1";
        self.0.value(query, params![now])
    }

    fn due_deliveries(&self, message: &str, now: i64) -> worker::Result<Vec<Delivery>> {
        let query = "SELECT url, attempts, due FROM delivery WHERE message = ? AND due <= ?";
        self.0.rows(query, params![message, now])
    }

    fn payload(&self, message: &str) -> worker::Result<String> {
        let query = "SELECT text AS value FROM payload WHERE message = ? ORDER BY part";
        let parts: Vec<String> = self.0.values(query, params![message])?;
        Ok(parts.concat())
    }

    /// Stores the delivery of the next attempt, or removes the delivery if there is none.
    fn store_delivery(
        &self,
        message: &str,
        url: &str,
        next: Option<&Delivery>,
    ) -> worker::Result<()> {
        if let Some(next) = next {
            let statement =
                "UPDATE delivery SET attempts = ?, due = ? WHERE message = ? AND url = ?";
            let values = params![next.attempts as i64, next.due, message, url];
            return self.0.run(statement, values);
        }
        self.0.run(
            "DELETE FROM delivery WHERE message = ? AND url = ?",
            params![message, url],
        )?;
        self.0.run(
            "DELETE FROM payload WHERE message NOT IN (SELECT message FROM delivery)",
            params![],
        )
    }
}

impl Inner {
    /// Attempts the due deliveries of one message, also if the pipeline was removed or resumed.
    /// Other messages are delivered at the next alarm.
    pub(super) async fn deliver(&self, upstream: &Upstream) -> worker::Result<()> {
        let settings = &upstream.settings;
        let now = timestamp_ms();
        let Some(name) = self.stored.due_message(now)? else {
            // No delivery is due.
            return Ok(());
        };
        let due = self.stored.due_deliveries(&name, now)?;
        let payload = self.stored.payload(&name)?;
        let message = Message {
            about: [&settings.tenant, "pipeline", &name],
            payload: &payload,
        };
        let attempts = due.iter().map(|delivery| {
            delivery.attempt_to(&settings.webhook_urls, &settings.webhook_keys, &message)
        });
        for (delivery, next) in due.iter().zip(join_all(attempts).await) {
            self.stored
                .store_delivery(&name, &delivery.url, next.as_ref())?;
        }
        Ok(())
    }
}
