//! A pipeline in the object's storage.

use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_pipeline::{Run, StepRun, StoredPlan};
use serde::Deserialize;
use serde_json::{Value, json};
use worker::worker_sys::DurableObjectState;

use super::record::{Course, PipelineRecord};
use crate::platform::storage::{Migrations, Storage};
use crate::platform::timestamp_ms;

/// The tables of a pipeline. Each step has a row, since the size of a row is limited and most
/// events change one step.
const MIGRATIONS: Migrations = &["CREATE TABLE pipeline (
        id INTEGER PRIMARY KEY CHECK (id = 0), fixed TEXT NOT NULL, plan TEXT NOT NULL,
        course TEXT NOT NULL
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

/// The stored pipeline.
pub(super) struct StoredState(pub(super) Storage);

#[derive(Deserialize)]
struct Row {
    fixed: String,
    plan: String,
    course: String,
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

    /// Reads the pipeline, if there is one.
    ///
    /// # Errors
    /// Those of the storage, as for every method; a damaged row.
    pub(super) fn load(&self) -> worker::Result<Option<PipelineRecord>> {
        let Some(row) = self.row()? else {
            return Ok(None);
        };
        let query = "SELECT input, body, run, begun_at FROM step ORDER BY number";
        let steps: Vec<StepRow> = self.0.rows(query, &json!([]))?;
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
        let course = serde_json::from_str(&row.course)?;
        let mut run = Run { steps: runs };
        run.restore(&plan);
        Ok(Some(PipelineRecord {
            fixed,
            plan,
            inputs,
            run,
            begun_at,
            course,
        }))
    }

    /// Reads the course of a pipeline, also if this build can't read its plan.
    pub(super) fn course(&self) -> worker::Result<Option<Course>> {
        Ok(self
            .row()?
            .map(|row| serde_json::from_str(&row.course))
            .transpose()?)
    }

    fn row(&self) -> worker::Result<Option<Row>> {
        let rows: Vec<Row> = self
            .0
            .rows("SELECT fixed, plan, course FROM pipeline", &json!([]))?;
        Ok(rows.into_iter().next())
    }

    /// Stores a new pipeline instead of an earlier one.
    pub(super) fn store(&self, record: &PipelineRecord) -> worker::Result<()> {
        self.0.run("DELETE FROM pipeline", &json!([]))?;
        self.0.run("DELETE FROM step", &json!([]))?;
        let fixed = serde_json::to_string(&record.fixed)?;
        let plan = serde_json::to_string(&StoredPlan::from(&record.plan))?;
        let course = serde_json::to_string(&record.course)?;
        let steps = record
            .plan
            .steps
            .iter()
            .zip(&record.inputs)
            .zip(&record.run.steps);
        for (number, ((step, input), run)) in steps.enumerate() {
            let values = json!([
                number,
                input.to_string(),
                step.input.to_string(),
                serde_json::to_string(run)?
            ]);
            self.0
                .run("INSERT INTO step VALUES (?, ?, ?, ?, NULL)", &values)?;
        }
        // Last, since this row makes the pipeline exist: a failure before it leaves no half of one.
        self.0.run(
            "INSERT INTO pipeline VALUES (0, ?, ?, ?)",
            &json!([fixed, plan, course]),
        )
    }

    /// Stores the steps that have changed.
    pub(super) fn store_steps(&self, before: &Run, record: &PipelineRecord) -> worker::Result<()> {
        for (number, run) in record.run.steps.iter().enumerate() {
            if before.steps.get(number) != Some(run) {
                let values = json!([
                    serde_json::to_string(run)?,
                    record.begun_at.get(&number),
                    number
                ]);
                self.0.run(
                    "UPDATE step SET run = ?, begun_at = ? WHERE number = ?",
                    &values,
                )?;
            }
        }
        Ok(())
    }

    /// Stores the course of the pipeline.
    pub(super) fn store_course(&self, record: &PipelineRecord) -> worker::Result<()> {
        self.0.run(
            "UPDATE pipeline SET course = ?",
            &json!([serde_json::to_string(&record.course)?]),
        )
    }

    /// Stores the bodies of some steps.
    pub(super) fn store_bodies<'a>(
        &self,
        bodies: impl Iterator<Item = (usize, &'a Value)>,
    ) -> worker::Result<()> {
        for (number, body) in bodies {
            self.0.run(
                "UPDATE step SET body = ? WHERE number = ?",
                &json!([body.to_string(), number]),
            )?;
        }
        Ok(())
    }

    /// Removes the pipeline. The object stays until all deliveries are done.
    pub(super) async fn remove(&self) -> worker::Result<()> {
        let Some(due) = self.next_delivery()? else {
            return self.0.delete_all().await;
        };
        self.0.run("DELETE FROM pipeline", &json!([]))?;
        self.0.run("DELETE FROM step", &json!([]))?;
        self.set_alarm_at(due).await
    }

    /// Keeps the object awake until a future completes.
    pub(super) fn wait_until(&self, future: impl Future<Output = ()> + 'static) {
        self.0.wait_until(future);
    }

    /// Sets the object's alarm to a time in milliseconds since 1970, instead of any earlier alarm.
    pub(super) async fn set_alarm_at(&self, at: i64) -> worker::Result<()> {
        self.set_alarm(Duration::from_millis(
            (at - timestamp_ms()).max(0).unsigned_abs(),
        ))
        .await
    }

    /// Sets the object's alarm, instead of any earlier alarm.
    pub(super) async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.0.set_alarm(after).await
    }
}
