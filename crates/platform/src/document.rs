//! A JSON document that is the whole storage of a Durable Object.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::worker_sys::DurableObjectState;

use super::storage::{Migrations, Storage, params};

/// The longest piece of the document in one row, in bytes. No value may be longer than 2 MB.
const MAX_PIECE_BYTES: usize = 1_000_000;

const MIGRATIONS: Migrations =
    &["CREATE TABLE pieces (number INTEGER PRIMARY KEY, text TEXT NOT NULL)"];

pub struct Document(Storage);

impl Document {
    pub fn new(state: DurableObjectState) -> Self {
        Document(Storage::new(state, MIGRATIONS))
    }

    /// Reads the document, if there is one. `SerdeJsonError` is the error of a damaged document.
    pub fn load<T: DeserializeOwned>(&self) -> worker::Result<Option<T>> {
        let query = "SELECT text AS value FROM pieces ORDER BY number";
        let pieces: Vec<String> = self.0.values(query, params![])?;
        if pieces.is_empty() {
            return Ok(None);
        }
        Ok(Some(serde_json::from_str(&pieces.concat())?))
    }

    pub fn store(&self, document: &impl Serialize) -> worker::Result<()> {
        let text = serde_json::to_string(document)?;
        let pieces = pieces(&text);
        // Without an await in between, the platform stores all of these writes or none.
        for (number, piece) in pieces.iter().enumerate() {
            let statement = "INSERT OR REPLACE INTO pieces VALUES (?, ?)";
            self.0.run(statement, params![number as i64, *piece])?;
        }
        let statement = "DELETE FROM pieces WHERE number >= ?";
        self.0.run(statement, params![pieces.len() as i64])
    }

    /// Deletes the document, and with it the object.
    pub async fn delete(&self) -> worker::Result<()> {
        self.0.delete_all().await
    }

    pub async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.0.set_alarm(after).await
    }
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_PIECE_BYTES));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fit_into_a_row_and_together_are_the_text() {
        for text in [
            "",
            "a",
            &"a".repeat(MAX_PIECE_BYTES),
            &"ä€😀".repeat(MAX_PIECE_BYTES / 4),
        ] {
            let pieces = pieces(text);
            assert_eq!(pieces.concat(), text);
            assert!(
                pieces
                    .iter()
                    .all(|piece| !piece.is_empty() && piece.len() <= MAX_PIECE_BYTES)
            );
            assert_eq!(pieces.len(), text.len().div_ceil(MAX_PIECE_BYTES));
        }
    }
}
