use std::collections::BTreeMap;

use mediagate_core::{EXPIRED, FAILED, TERMINAL};
use mediagate_upstream::Candidate;

use super::Check;
use super::show::shown_text;

/// The tables of the settings, in the order of the file.
const TABLES: [&str; 5] = ["envelope", "upload", "task", "states", "models"];

impl Check {
    /// Returns true if the gateway works with the service: a file was uploaded, unless the service
    /// gets URLs, a task was created, and its success with outputs was read.
    pub fn is_enough(&self) -> bool {
        let end = self.end.as_ref();
        let is_success = end.is_some_and(|end| end.state == TERMINAL[0] && end.has_outputs);
        (self.is_uploaded || self.takes_urls()) && is_success
    }

    /// Returns the verdict, and the parts that were not seen, line by line.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.push(if self.is_enough() {
            let upload = if self.takes_urls() { "" } else { "an upload, " };
            format!(
                "The gateway works with the media service: it read {upload}a create, and an end \
                 with outputs."
            )
        } else {
            "It is not known yet whether the gateway works with the media service.".to_owned()
        });
        if !self.candidates.is_empty() {
            lines.push(
                "Each line with a question mark is a setting that may read what was not read. \
                 Put those that you have confirmed under [vars.UPSTREAM_DIALECT], and check again."
                    .to_owned(),
            );
        }
        let mut unseen = Vec::new();
        if !self.is_uploaded && !self.takes_urls() {
            unseen.push("an upload");
        }
        match &self.end {
            None if self.task_id.is_none() => unseen.push("a create"),
            None => unseen.push("an end"),
            Some(end) if !end.has_outputs => unseen.push("an end with outputs"),
            Some(_) => {}
        }
        let has_ended_as = |state: &str| self.end.as_ref().is_some_and(|end| end.state == state);
        if !has_ended_as(FAILED) {
            unseen.push("a failure (states.FAILED, task.error_message, task.codes)");
        }
        if !has_ended_as(EXPIRED) {
            unseen.push("an expiry (states.EXPIRED)");
        }
        lines.push(format!("Not seen: {}.", unseen.join(", ")));
        lines
    }

    /// Returns the candidates as a file of settings. Words for ends, and further candidates for one
    /// setting, are comments: a person confirms them.
    pub fn settings(&self) -> String {
        let mut tables: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut active: Vec<&str> = Vec::new();
        for Candidate { part, value, seen } in &self.candidates {
            let (table, name) = part.split_once('.').unwrap_or(("", part));
            let lines = tables.entry(table).or_default();
            let seen = shown_text(seen);
            if table == "states" {
                lines.push(format!("# If {value} means one of these ends:"));
                for state in TERMINAL {
                    lines.push(format!("# {state} = {value}"));
                }
            } else if value.as_array().is_some_and(Vec::is_empty) {
                lines.push(format!("# If the service has no codes: {name} = {value}"));
            } else if active.contains(part) {
                lines.push(format!("# Or, seen {seen:?}: {name} = {value}"));
            } else {
                active.push(part);
                lines.push(format!("# Seen: {seen:?}"));
                lines.push(format!("{name} = {value}"));
            }
        }
        let mut text = String::from(
            "# Candidates of `mediagate-gateway check`. Keep the lines that are right, and check \
             again with\n# `--settings` and this file.\n\n[vars]\n",
        );
        // The gateway reaches a module by its binding.
        if !self.is_module {
            text.push_str(&format!(
                "UPSTREAM_BASE_URL = {:?}\n",
                self.address.as_str()
            ));
        }
        if !self.hosts.is_empty() {
            let hosts: Vec<&str> = self.hosts.iter().map(String::as_str).collect();
            text.push_str(&format!("UPLOAD_HOSTS = {:?}\n", hosts.join(",")));
        }
        if !self.capabilities.is_empty() {
            text.push_str(&format!(
                "# If the service has no others than those of its models:\n# CAPABILITIES = {:?}\n",
                self.capabilities.join(",")
            ));
        }
        for table in TABLES {
            if let Some(lines) = tables.get(table) {
                text.push_str(&format!("\n[vars.UPSTREAM_DIALECT.{table}]\n"));
                text.push_str(&lines.join("\n"));
                text.push('\n');
            }
        }
        text
    }
}
