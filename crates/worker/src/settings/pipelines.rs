//! Limits of pipelines.

use super::SettingsError;
use super::parse::SettingsReader;

/// Limits of pipelines.
#[derive(Clone, Copy, Debug)]
pub struct PipelineSettings {
    /// The maximum number of steps of a pipeline; 0 disables pipelines.
    pub steps: usize,
    /// The maximum number of pipelines of one subject at once.
    pub at_once: u32,
    /// The maximum number of pipelines of all subjects at once.
    pub per_tenant: u32,
    /// The time that a pipeline may run, and the time that it is stored after its end, in days.
    pub days: u32,
}

impl PipelineSettings {
    /// Reads the settings.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub(super) fn read(read: &SettingsReader<'_>) -> Result<Self, SettingsError> {
        Ok(PipelineSettings {
            steps: read.number("PIPELINE_STEPS", 20, 0, 100)? as usize,
            at_once: read.number("PIPELINES_AT_ONCE", 5, 1, 1_000)? as u32,
            per_tenant: read.number("PIPELINES_PER_TENANT", 1_000, 1, 1_000_000)? as u32,
            days: read.number("PIPELINE_DAYS", 7, 1, 365)? as u32,
        })
    }
}
