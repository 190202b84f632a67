use super::parse::{Read, SettingsReader};

#[derive(Clone, Copy, Debug)]
pub struct PipelineSettings {
    /// The most steps of a pipeline; 0 disables pipelines.
    pub steps: usize,
    /// The most pipelines of one subject at once.
    pub at_once: u32,
    /// The most pipelines of all subjects at once.
    pub per_tenant: u32,
    /// The time that a pipeline may run, and the time that it is stored after its end.
    pub days: u32,
}

impl PipelineSettings {
    pub(super) fn read(read: &SettingsReader<'_>) -> Read<Self> {
        Ok(PipelineSettings {
            steps: read.number("PIPELINE_STEPS", 20, 0..=100)?,
            at_once: read.number("PIPELINES_AT_ONCE", 5, 1..=1_000)?,
            per_tenant: read.number("PIPELINES_PER_TENANT", 1_000, 1..=1_000_000)?,
            days: read.number("PIPELINE_DAYS", 7, 1..=365)?,
        })
    }
}
