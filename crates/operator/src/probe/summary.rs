//! What a probe found, in words.

use mediagate_probe::{Report, Unknown};

/// Where what was found is.
#[derive(Clone, Copy)]
pub enum Destination<'a> {
    /// In a file of this name.
    File(&'a str),
    /// Nowhere else: the file of this name can't be written, and this is its text.
    Unwritten(&'a str, &'a str),
    /// There is nothing.
    Nowhere,
}

impl Destination<'_> {
    /// Where a report is to be: nowhere, where a probe ended before it found anything.
    pub fn is_needed(report: &Report) -> bool {
        report.stopped.is_none() || !report.dialect.is_null() || !report.tasks.is_empty()
    }
}

/// What was found, what was not, and what to do, line by line.
pub fn summary(report: &Report, place: Destination<'_>) -> Vec<String> {
    let mut lines: Vec<_> = report.notes.iter().map(|it| format!("{it}\n")).collect();
    lines.extend(
        report
            .tasks
            .iter()
            .map(|it| format!("It created the task {it}.")),
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
                    .map(|it| format!("  {}: {}", it.part, it.why)),
            );
        }
    }
    lines.extend(
        report
            .stopped
            .iter()
            .map(|it| format!("\nIt ended early. {it}")),
    );
    lines.extend(found(report, place));
    lines
}

fn unknown(report: &Report, is_needed: bool) -> Vec<&Unknown> {
    report
        .unknown
        .iter()
        .filter(|it| it.is_needed() == is_needed)
        .collect()
}

fn found(report: &Report, place: Destination<'_>) -> Vec<String> {
    let place = match place {
        Destination::File(name) => {
            format!("It is in {name}, whose first lines say what to do with it.")
        }
        Destination::Unwritten(name, text) => {
            format!("{name} can't be written, so here it is:\n\n{text}")
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
            "Add what is missing to that file, and give it to the next run with --known: what depends on it is found then."
                .into(),
        );
    }
    lines
}
