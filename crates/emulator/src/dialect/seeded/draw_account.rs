//! Draws the model catalogue and the estimate.

use super::drawer::{Drawer, Names};
use crate::dialect::{
    estimate::EstimateDialect,
    models::{ModelsDialect, ValuesForm},
    place::at,
};

const LISTS: [&str; 8] = [
    "/data/models",
    "/data/models",
    "/data/items",
    "/data/list",
    "/models",
    "/data/menu/dishes",
    "/pantry/engines",
    "/data/roster",
];

const ID: Names = Names(
    &["model_id", "id", "model", "name"],
    &["slug", "call_sign", "marque"],
);
const CAPABILITY: Names = Names(
    &["capability", "task_type", "endpoint", "category"],
    &["serves", "trade", "good_for"],
);
const OPTIONS: Names = Names(
    &["generation_options", "options", "parameters", "params"],
    &["knobs", "dials", "latitude"],
);
const REFERENCES: Names = Names(
    &["references/media", "reference_types", "input_modalities"],
    &["diet/accepts", "feeds_on", "appetite"],
);
const CREDITS: [&str; 7] = [
    "/data/credits",
    "/data/credits",
    "/data/cost",
    "/data/estimate/credits",
    "/credits",
    "/data/toll",
    "/forecast/coins",
];
const INPUTS: &[&str] = &["", "", "/input", "/params", "/request/body", "/errand"];
const CAPABILITIES: [&str; 4] = ["/capability", "/task_type", "/endpoint_name", "/trade"];

pub(super) fn draw_models(draw: &mut Drawer) -> ModelsDialect {
    draw.scope(&["required_plan", "price", "max_media_seconds"]);
    ModelsDialect {
        list: at(draw.one(&LISTS)),
        keyed: draw.once_in(4),
        id: draw.place("", ID, false),
        capability: draw.maybe(6, "", CAPABILITY, false),
        options: draw.maybe(8, "", OPTIONS, false),
        values: draw.one(&[ValuesForm::Lists, ValuesForm::Values, ValuesForm::Named]),
        references: draw.maybe(4, "", REFERENCES, false),
    }
}

pub(super) fn draw_estimate(draw: &mut Drawer) -> EstimateDialect {
    let input = draw.one(INPUTS);
    let capability = draw.one(&CAPABILITIES);
    // A nested body more often has the capability's name beside it.
    let is_named = draw.once_in(if input.is_empty() { 4 } else { 2 });
    EstimateDialect {
        input: Some(at(input)),
        capability: is_named.then(|| at(capability)),
        credits: at(draw.one(&CREDITS)),
    }
}
