//! Limits of pipelines.

use super::SettingsError;
use super::parse::SettingsReader;

/// Limits of pipelines.
#[derive(Clone, Copy, Debug)]
pub struct PipelineSettings {
    /// The most steps of one; 0 switches pipelines off.
    pub steps: usize,
    /// The most that one subject has at once.
    pub at_once: u32,
    /// The most that all subjects have at once.
    pub per_tenant: u32,
    /// How long one may run, and how long it is stored once it has ended, in days.
    pub days: u32,
}

impl PipelineSettings {
    pub(super) fn read(read: &SettingsReader<'_>) -> Result<Self, SettingsError> {
        Ok(PipelineSettings {
            steps: read.number("PIPELINE_STEPS", 20, 0, 100)? as usize,
            at_once: read.number("PIPELINES_AT_ONCE", 5, 1, 1_000)? as u32,
            per_tenant: read.number("PIPELINES_PER_TENANT", 1_000, 1, 1_000_000)? as u32,
            days: read.number("PIPELINE_DAYS", 7, 1, 365)? as u32,
        })
    }
}
