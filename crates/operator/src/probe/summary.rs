//! The summary of a probe, in words.

use mediagate_probe::{Report, Unknown};

/// The place of a probe's settings.
#[derive(Clone, Copy)]
pub enum Destination<'a> {
    /// A file with this name.
    File(&'a str),
    /// No file: the file with this name cannot be written, and this is its text.
    Unwritten(&'a str, &'a str),
    /// The probe ended before it found anything.
    Nowhere,
}

impl Destination<'_> {
    /// Returns true if a report has to be written: the probe ran to its end or found something.
    pub fn is_needed(report: &Report) -> bool {
        report.stopped.is_none() || !report.dialect.is_null() || !report.tasks.is_empty()
    }
}

/// Returns the findings, the unknown parts and the next steps, line by line.
pub fn summary(report: &Report, place: Destination<'_>) -> Vec<String> {
    let mut lines: Vec<_> = report
        .notes
        .iter()
        .map(|note| format!("{note}\n"))
        .collect();
    lines.extend(
        report
            .tasks
            .iter()
            .map(|task| format!("It created the task {task}.")),
    );
    for (heading, is_needed) in [
        (
            "Still unknown, and the gateway does not work without it:",
            true,
        ),
        ("Not seen; the default is likely to be right:", false),
    ] {
        let unknown = unknown(report, is_needed);
        if !unknown.is_empty() {
            lines.push(format!("\n{heading}"));
            lines.extend(
                unknown
                    .iter()
                    .map(|unknown| format!("  {}: {}", unknown.part, unknown.why)),
            );
        }
    }
    if let Some(stopped) = &report.stopped {
        lines.push(format!("\nIt ended early. {stopped}"));
    }
    lines.extend(found(report, place));
    lines
}

fn unknown(report: &Report, is_needed: bool) -> Vec<&Unknown> {
    report
        .unknown
        .iter()
        .filter(|unknown| unknown.is_needed() == is_needed)
        .collect()
}

fn found(report: &Report, place: Destination<'_>) -> Vec<String> {
    let place = match place {
        Destination::File(name) => {
            format!("It is in {name}, whose first lines say what to do with it.")
        }
        Destination::Unwritten(name, text) => {
            format!("{name} cannot be written, so here is its text:\n\n{text}")
        }
        Destination::Nowhere => return Vec::new(),
    };
    let differs = !report.dialect.is_null() || !report.settings.is_empty();
    let verdict = match (report.is_enough(), differs) {
        (true, false) => "The media service behaves as the gateway expects by default.",
        (true, true) => "The gateway works with the media service if it has these settings.",
        (false, _) => "It is not known yet whether the gateway works with the media service.",
    };
    let mut lines = vec![format!("\n{verdict} {place}")];
    if !unknown(report, true).is_empty() {
        lines.push(
            "Add the unknown parts to that file, and give the file to the next run with --known: \
             that run finds the parts that depend on them."
                .into(),
        );
    }
    lines
}
