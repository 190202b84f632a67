//! Draws a whole dialect.

use super::{
    draw_account::{draw_estimate, draw_models},
    draw_task::{draw_states, draw_task},
    draw_upload::draw_upload,
    drawer::{Drawer, Words},
};
use crate::dialect::{
    create::{CreateDialect, RegionForm, SizeForm},
    document::Dialect,
    paths::PathsDialect,
};

const PROCESS_TASK: [&str; 6] = [
    "/api/app/v1/process/tasks/{task_id}",
    "/api/app/v1/process/tasks/{task_id}",
    "/api/app/v1/generate/tasks/{task_id}",
    "/api/app/v1/tasks/{task_id}",
    "/api/app/v1/process/task/{task_id}",
    "/api/app/v1/process/{medium}/tasks/{task_id}",
];
const INVENTED_PROCESS_TASK: [&str; 3] = [
    "/api/app/v1/errands/{task_id}/whereabouts",
    "/api/app/v1/process/jobs/{task_id}/progress",
    "/kitchen/tickets/{task_id}",
];
const MODELS: [&str; 5] = [
    "/api/app/v1/models",
    "/api/app/v1/models",
    "/api/app/v1/model_catalog",
    "/api/app/v1/generate/models",
    "/api/app/v1/models/catalog",
];
const INVENTED_MODELS: [&str; 3] = [
    "/api/app/v1/menu",
    "/pantry/engines",
    "/api/app/v1/roster/full",
];
const ESTIMATE: [&str; 5] = [
    "/api/app/v1/credits/estimate",
    "/api/app/v1/credits/estimate",
    "/api/app/v1/estimate",
    "/api/app/v1/credit_estimates",
    "/api/app/v1/credits/estimation",
];
const INVENTED_ESTIMATE: [&str; 2] = ["/api/app/v1/toll/forecast", "/till/preview"];

const CONFIRM: [&str; 3] = [
    "/api/app/v1/files/{file_id}/confirm",
    "/api/app/v1/upload_urls/{file_id}/complete",
    "/counter/{file_id}/stamp",
];
const ASSET: [&str; 3] = [
    "/api/app/v1/assets/{asset_id}",
    "/api/app/v1/media/{asset_id}",
    "/shelf/{asset_id}/card",
];

impl Dialect {
    /// Draws a dialect at random. Equal seeds yield equal dialects.
    ///
    /// Every dialect keeps what the upstream document shows: the paths that it names, Bearer
    /// authorisation, and errors in an envelope.
    pub fn seeded(seed: u64) -> Self {
        let draw = &mut Drawer::new(seed);
        let envelope = !draw.once_in(5);
        let mut dialect = Dialect {
            paths: paths(draw),
            upload: draw_upload(draw),
            create: CreateDialect {
                region: draw.one(&[RegionForm::Either, RegionForm::Nested, RegionForm::Dotted]),
                video_size: draw.one(&[SizeForm::Either, SizeForm::List, SizeForm::Object]),
            },
            envelope,
            capital_envelope: false,
            task: draw_task(draw, envelope),
            states: draw_states(draw),
            models: draw_models(draw),
            estimate: draw_estimate(draw),
        };
        // Parts that were added later are drawn last, so that the earlier parts of every seed's
        // dialect stay as they were.
        dialect.task.links = draw.once_in(3);
        dialect.task.done_flag = draw.once_in(8);
        if envelope && draw.once_in(6) {
            dialect = dialect.in_capitals();
        }
        if draw.once_in(6) {
            dialect.upload.confirm = Some(draw.one(&CONFIRM).into());
        }
        if draw.once_in(6) {
            dialect.paths.asset = Some(draw.one(&ASSET).into());
        }
        dialect
    }
}

/// Draws the paths. Each path is an invented one in a quarter of the draws.
fn paths(draw: &mut Drawer) -> PathsDialect {
    let mut path = |usual: Words, invented: Words| {
        let list = if draw.once_in(4) { invented } else { usual };
        draw.one(list).to_owned()
    };
    let process_task = path(&PROCESS_TASK, &INVENTED_PROCESS_TASK);
    let models = path(&MODELS, &INVENTED_MODELS);
    let estimate = path(&ESTIMATE, &INVENTED_ESTIMATE);
    PathsDialect {
        process_task,
        models: (!draw.once_in(7)).then_some(models),
        estimate: (!draw.once_in(7)).then_some(estimate),
        ..PathsDialect::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_seed_yields_a_dialect_that_can_be_spoken() {
        let mut different = BTreeSet::new();
        for seed in 0..2_000 {
            let dialect = Dialect::seeded(seed);
            assert_eq!(dialect, Dialect::seeded(seed));
            assert_eq!(dialect.check(), Ok(()), "{seed}");
            let text = serde_json::to_string(&dialect).unwrap();
            assert_eq!(
                Dialect::from_json(text.as_bytes()),
                Ok(dialect.clone()),
                "{seed}"
            );
            assert!(!dialect.task.numeric_id, "{seed}");
            let is_word = |word: &str| {
                word.bytes()
                    .all(|byte| byte.is_ascii_alphabetic() || b"_-".contains(&byte))
            };
            assert!(dialect.states.all().into_iter().all(is_word), "{seed}");
            let task = &dialect.task;
            for place in [&task.id, &task.state, &dialect.models.id] {
                let mut names = place.tokens();
                assert!(names.all(|name| is_word(name.encoded())), "{seed}: {place}");
            }
            different.insert(text);
        }
        assert!(different.len() > 1_990);
    }

    #[test]
    fn a_seed_yields_the_same_dialect_in_every_version() {
        let words = |seed| {
            let dialect = Dialect::seeded(seed);
            [
                dialect.upload.request.file_name.to_string(),
                dialect.task.created.to_string(),
                dialect.task.id.to_string(),
                dialect.states.succeeded,
            ]
        };
        assert_eq!(
            words(1),
            ["/nameOnDisk", "/Data/errand", "/ticket_no", "FINISHED"]
        );
        assert_eq!(
            words(2),
            ["/source-file-name", "/data/errand", "/docket", "RIPE"]
        );
    }

    #[test]
    fn each_part_is_drawn_in_each_form() {
        let drawn: Vec<Dialect> = (0..200).map(Dialect::seeded).collect();
        let texts = drawn
            .iter()
            .map(|dialect| serde_json::to_string(dialect).unwrap());
        let texts: Vec<String> = texts.collect();
        for part in [
            r#""envelope":false"#,
            r#""capital_envelope":true"#,
            r#""models":null"#,
            r#"/process/{medium}/"#,
            r#""requires_key":true"#,
            r#""strict":true"#,
            r#""keyed":true"#,
            r#""camel_case":true"#,
            r#""links":true"#,
            r#""done_flag":true"#,
            r#""failure_code":1404"#,
            "{file_id}",
            "{asset_id}",
            "signed_put",
            "form",
            "silent",
            "text",
            "/alpha",
            "mimeKind",
            "brewing",
        ] {
            let count = texts.iter().filter(|text| text.contains(part)).count();
            assert!((1..200).contains(&count), "{part}");
        }
        assert!(drawn.iter().any(|dialect| dialect.paths.tasks().len() == 1));
    }
}
