use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_pipeline::{Run, StepRun, StoredPlan};
use mediagate_platform::storage::{Migrations, Storage, params};
use mediagate_platform::{spaced, timestamp_ms};
use serde::Deserialize;
use serde_json::Value;
use worker::worker_sys::DurableObjectState;

use super::record::{Lifecycle, PipelineRecord};

/// The tables of a pipeline. Each step has a row, since the size of a row is limited and most
/// events change one step.
const MIGRATIONS: Migrations = &["CREATE TABLE pipeline (
        id INTEGER PRIMARY KEY CHECK (id = 0), fixed TEXT NOT NULL, plan TEXT NOT NULL,
        lifecycle TEXT NOT NULL
    );
    CREATE TABLE step (
        number INTEGER PRIMARY KEY, input TEXT NOT NULL, body TEXT NOT NULL, run TEXT NOT NULL,
        begun_at INTEGER
    );
    CREATE TABLE delivery (
        message TEXT NOT NULL, url TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL,
        PRIMARY KEY (message, url)
    ) WITHOUT ROWID;
    CREATE TABLE payload (
        message TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (message, part)
    ) WITHOUT ROWID"];

pub(super) struct StoredState(pub(super) Storage);

#[derive(Deserialize)]
struct Row {
    fixed: String,
    plan: String,
    lifecycle: String,
}

#[derive(Deserialize)]
struct StepRow {
    input: String,
    body: String,
    run: String,
    begun_at: Option<i64>,
}

impl StoredState {
    pub(super) fn new(state: DurableObjectState) -> Self {
        StoredState(Storage::new(state, MIGRATIONS))
    }

    pub(super) fn load(&self) -> worker::Result<Option<PipelineRecord>> {
        let Some(row) = self.row()? else {
            return Ok(None);
        };
        let query = "SELECT input, body, run, begun_at FROM step ORDER BY number";
        let steps: Vec<StepRow> = self.0.rows(query, params![])?;
        let inputs = steps
            .iter()
            .map(|row| serde_json::from_str(&row.input))
            .collect::<Result<_, _>>()?;
        let bodies = steps
            .iter()
            .map(|row| serde_json::from_str(&row.body))
            .collect::<Result<_, _>>()?;
        let runs: Vec<StepRun> = steps
            .iter()
            .map(|row| serde_json::from_str(&row.run))
            .collect::<Result<_, _>>()?;
        let plan = serde_json::from_str::<StoredPlan>(&row.plan)?
            .with_inputs(bodies)
            .ok_or_else(|| {
                worker::Error::RustError("the stored pipeline can't be read".to_owned())
            })?;
        let begun = steps
            .iter()
            .enumerate()
            .filter_map(|(step, row)| Some((step, row.begun_at?)));
        let begun_at: BTreeMap<usize, i64> = begun.collect();
        let fixed = serde_json::from_str(&row.fixed)?;
        let lifecycle = serde_json::from_str(&row.lifecycle)?;
        let mut run = Run { steps: runs };
        run.restore(&plan);
        Ok(Some(PipelineRecord {
            fixed,
            plan,
            inputs,
            run,
            begun_at,
            lifecycle,
        }))
    }

    /// Reads the lifecycle of a pipeline, also if this build can't read its plan.
    pub(super) fn lifecycle(&self) -> worker::Result<Option<Lifecycle>> {
        Ok(self
            .row()?
            .map(|row| serde_json::from_str(&row.lifecycle))
            .transpose()?)
    }

    fn row(&self) -> worker::Result<Option<Row>> {
        let rows: Vec<Row> = self
            .0
            .rows("SELECT fixed, plan, lifecycle FROM pipeline", params![])?;
        Ok(rows.into_iter().next())
    }

    /// Stores a new pipeline instead of an earlier one.
    pub(super) fn store(&self, record: &PipelineRecord) -> worker::Result<()> {
        self.0.run("DELETE FROM pipeline", params![])?;
        self.0.run("DELETE FROM step", params![])?;
        let fixed = serde_json::to_string(&record.fixed)?;
        let plan = serde_json::to_string(&StoredPlan::from(&record.plan))?;
        let lifecycle = serde_json::to_string(&record.lifecycle)?;
        let steps = record
            .plan
            .steps
            .iter()
            .zip(&record.inputs)
            .zip(&record.run.steps);
        for (number, ((step, input), run)) in steps.enumerate() {
            let values = params![
                number as i64,
                input.to_string(),
                step.input.to_string(),
                serde_json::to_string(run)?
            ];
            self.0
                .run("INSERT INTO step VALUES (?, ?, ?, ?, NULL)", values)?;
        }
        // Last, since this row makes the pipeline exist: a failure before it leaves no half of one.
        self.0.run(
            "INSERT INTO pipeline VALUES (0, ?, ?, ?)",
            params![fixed, plan, lifecycle],
        )
    }

    pub(super) fn store_steps(&self, before: &Run, record: &PipelineRecord) -> worker::Result<()> {
        for (number, run) in record.run.steps.iter().enumerate() {
            if before.steps.get(number) != Some(run) {
                let values = params![
                    serde_json::to_string(run)?,
                    record.begun_at.get(&number).copied(),
                    number as i64
                ];
                self.0.run(
                    "UPDATE step SET run = ?, begun_at = ? WHERE number = ?",
                    values,
                )?;
            }
        }
        Ok(())
    }

    pub(super) fn store_lifecycle(&self, record: &PipelineRecord) -> worker::Result<()> {
        self.0.run(
            "UPDATE pipeline SET lifecycle = ?",
            params![serde_json::to_string(&record.lifecycle)?],
        )
    }

    pub(super) fn store_bodies<'a>(
        &self,
        bodies: impl Iterator<Item = (usize, &'a Value)>,
    ) -> worker::Result<()> {
        for (number, body) in bodies {
            self.0.run(
                "UPDATE step SET body = ? WHERE number = ?",
                params![body.to_string(), number as i64],
            )?;
        }
        Ok(())
    }

    /// Removes the pipeline. The object stays until all deliveries are done.
    pub(super) async fn remove(&self) -> worker::Result<()> {
        let Some(due) = self.next_delivery()? else {
            return self.0.delete_all().await;
        };
        self.0.run("DELETE FROM pipeline", params![])?;
        self.0.run("DELETE FROM step", params![])?;
        self.set_alarm_at(due).await
    }

    pub(super) fn wait_until(&self, future: impl Future<Output = ()> + 'static) {
        self.0.wait_until(future);
    }

    /// Sets the alarm to a time in milliseconds since 1970, instead of any earlier alarm.
    pub(super) async fn set_alarm_at(&self, at: i64) -> worker::Result<()> {
        let left = Duration::from_millis((at - timestamp_ms()).max(0).unsigned_abs());
        self.set_alarm(spaced(left)).await
    }

    pub(super) async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.0.set_alarm(after).await
    }
}
