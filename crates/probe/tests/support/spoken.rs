//! An emulator in any dialect, the probe of it, and what no exchange with it can show.

use std::time::Duration;

use mediagate_core::Capability;
use mediagate_core::dialect::Dialect as Found;
use mediagate_core::probe::{CREATED, Known, PATH_SETTINGS, Report};
use mediagate_emulator::dialect::Dialect;
use mediagate_emulator::{Config, DEV_API_KEY, Emulator, Results, Running};
use mediagate_probe::{Address, Key, Person, run};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::caller::Caller;
use super::truth;

/// An emulator without media, whose tasks take a short time.
pub struct Spoken {
    pub dialect: Dialect,
    pub emulator: Running,
    runtime: Runtime,
}

impl Spoken {
    pub fn start(dialect: Dialect) -> Self {
        let runtime = Runtime::new().unwrap();
        let config = Config {
            dialect: dialect.clone(),
            results: Results::Placeholder,
            task_seconds: Duration::from_millis(250),
            ..Config::default()
        };
        let emulator = runtime.block_on(async { Emulator::bind(config).await.unwrap().spawn() });
        Spoken { dialect, emulator, runtime }
    }

    pub fn stop(self) {
        self.runtime.block_on(self.emulator.stop());
    }

    /// What the probe finds, where this is known.
    pub fn probe(&self, known: Known) -> Report {
        let address = Address::parse(self.emulator.base_url()).unwrap();
        run(&address, &Key::new(DEV_API_KEY, &address), known, &mut Hasty)
    }

    /// What a person would add to a report: how each part is that it names as unknown.
    pub fn known(&self, report: &Report) -> Known {
        let mut dialect = if report.dialect.is_null() { json!({}) } else { report.dialect.clone() };
        let mut paths = report.settings.clone();
        paths.retain(|name, _| PATH_SETTINGS.contains(name));
        for unknown in &report.unknown {
            if let Some(path) = truth::path(&self.dialect, unknown.part) {
                paths.insert(unknown.part, path);
            } else if let Some(value) = truth::part(&self.dialect, unknown.part) {
                put(&mut dialect, unknown.part, value);
            }
        }
        Known { paths, dialect }
    }

    /// A caller that speaks by what is known.
    pub fn caller(&self, known: &Known) -> Caller {
        let dialect = Found::parse(&known.dialect.to_string()).unwrap();
        let default = ["generate/tasks/{task_id}", "process/tasks/{task_id}", "models", "credits/estimate"];
        let path = |(name, default): (&'static str, &str)| {
            (name, known.paths.get(name).cloned().unwrap_or_else(|| format!("/api/app/v1/{default}")))
        };
        Caller::new(self.emulator.base_url(), dialect, PATH_SETTINGS.into_iter().zip(default).map(path).collect())
    }
}

/// A person who consents to everything, and does not wait.
struct Hasty;

impl Person for Hasty {
    fn show(&mut self, _: &str) {}

    fn consents(&mut self, capability: &Capability) -> bool {
        CREATED.contains(&capability.name())
    }

    fn wait(&mut self, _: Duration) {
        std::thread::sleep(Duration::from_millis(12));
    }
}

fn put(document: &mut Value, part: &str, value: Value) {
    let mut at = document;
    for name in part.split('.') {
        at = &mut at[name];
    }
    *at = value;
}
