use std::cell::RefCell;

use mediagate_core::schedule::durations::{Durations as Summary, MIN_DURATIONS};
use mediagate_messages::Request as _;
use mediagate_messages::durations::{DurationsMessage, Learn, Pause, Read, TakePoll};
use mediagate_platform::storage::{Migrations, Storage, params};
use mediagate_platform::{now_ms, read_message, timestamp_ms};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::pacer::Pacer;

/// The most variants of a capability. Callers choose the model, and could create any number of
/// variants. Variants with enough durations stay, and then those that were recorded last.
const MAX_VARIANTS: i32 = 64;
/// The name of the summary of all variants. No variant has this name.
const ALL: &str = "";

/// A summary as JSON for each variant.
const MIGRATIONS: Migrations = &["CREATE TABLE summaries (
        variant TEXT PRIMARY KEY, learned_at INTEGER NOT NULL, summary TEXT NOT NULL
    )"];

/// The durations of a capability's tasks. The Worker exports this class, and binds it as
/// `DURATIONS`.
#[wasm_bindgen]
pub struct Durations {
    storage: Storage,
    /// Only in memory. If the object is evicted, the count begins again.
    pacer: RefCell<Pacer>,
}

#[wasm_bindgen]
impl Durations {
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, _env: Env) -> Self {
        Durations {
            storage: Storage::new(state, MIGRATIONS),
            pacer: RefCell::default(),
        }
    }

    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        Ok(self.handle(read_message(&request).await?).await?)
    }
}

impl Durations {
    async fn handle(&self, message: DurationsMessage) -> worker::Result<Response> {
        let now = now_ms();
        match message {
            DurationsMessage::Read(request) => {
                request
                    .respond(async |Read { variant }| self.known(&variant))
                    .await
            }
            DurationsMessage::Learn(request) => {
                let learn = async |Learn {
                                       variant,
                                       after,
                                       until,
                                       polls,
                                   }| {
                    for variant in [variant.as_str(), ALL] {
                        self.learn(variant, |summary| summary.learn(after, until, polls))?;
                    }
                    Ok(())
                };
                request.respond(learn).await
            }
            DurationsMessage::TakePoll(request) => {
                let take = async |TakePoll {
                                      per_second,
                                      max_wait_ms,
                                  }| {
                    Ok(self.pacer.borrow_mut().take(now, per_second, max_wait_ms))
                };
                request.respond(take).await
            }
            DurationsMessage::Pause(request) => {
                let pause = async |Pause { milliseconds }| {
                    self.pacer.borrow_mut().pause(now, milliseconds);
                    Ok(())
                };
                request.respond(pause).await
            }
        }
    }

    /// Returns the summary of the variant, or else of all variants. `None` if both have too few
    /// durations.
    fn known(&self, variant: &str) -> worker::Result<Option<Summary>> {
        // Until a new variant has enough durations, those of all variants are the best estimate.
        for variant in [variant, ALL] {
            let summary = self.summary(variant)?;
            if summary.is_known() {
                return Ok(Some(summary));
            }
        }
        Ok(None)
    }

    fn learn(&self, variant: &str, learn: impl FnOnce(&mut Summary)) -> worker::Result<()> {
        let mut summary = self.summary(variant)?;
        learn(&mut summary);
        let values = params![variant, timestamp_ms(), serde_json::to_string(&summary)?];
        self.storage
            .run("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)", values)?;
        let oldest = "DELETE FROM summaries WHERE variant NOT IN (
            SELECT variant FROM summaries
            ORDER BY variant = '' DESC, json_extract(summary, '$.learned') >= ? DESC,
                learned_at DESC
            LIMIT ?
        )";
        self.storage
            .run(oldest, params![MIN_DURATIONS as i64, MAX_VARIANTS + 1])
    }

    /// Reads a stored summary. Returns an empty one if there is none, or if it can't be read.
    fn summary(&self, variant: &str) -> worker::Result<Summary> {
        let query = "SELECT summary AS value FROM summaries WHERE variant = ?";
        let stored: Option<String> = self.storage.value(query, params![variant])?;
        Ok(stored
            .and_then(|summary| serde_json::from_str(&summary).ok())
            .unwrap_or_default())
    }
}
