//! The search for the body that a path accepts, guided by its refusals.

use serde_json::{Value, json};

use super::hints::{self, Vocabulary};
use super::leaves::name;
use super::session::{Session, Stop};
use super::step::DecodedResponse;

/// The largest number of requests to one path.
const MAX_REQUESTS: usize = 90;
/// The largest number of bodies that wait to be tried. The least likely ones are dropped.
const MAX_WAITING: usize = 300;
/// The largest number of names without a telling word that are tried with every placeholder.
const MAX_UNTOLD: usize = 3;

/// A search for the body that a path accepts. Requests to the path cost nothing.
pub(super) struct Negotiation<'a> {
    pub(super) purpose: &'static str,
    pub(super) path: &'a str,
    /// The words in names that mean a placeholder.
    pub(super) vocabulary: Vocabulary,
    /// The placeholders that a body needs. A name without a telling word may mean any of them.
    pub(super) required: &'static [&'static str],
    /// Returns true for a name inside of a placeholder's value, which is no name of the body.
    pub(super) is_inner: &'a dyn Fn(&str) -> bool,
    /// A template from a person; it is tried first.
    pub(super) known: Option<&'a Value>,
    /// The likely bodies; the first is the default.
    pub(super) candidates: Vec<Slots>,
    /// Returns the body of a template.
    pub(super) body: &'a dyn Fn(&Value) -> Value,
    /// Returns true if a response shows that the body was right.
    pub(super) accepts: &'a dyn Fn(&DecodedResponse) -> bool,
}

/// The end of a negotiation.
pub(super) enum Outcome {
    /// The path accepted this template with this response.
    Accepted(Value, DecodedResponse),
    /// The path accepted no template. The response is the response to the first one.
    Refused(DecodedResponse),
}

/// Placeholders and their places in a body.
pub(super) type Slots = Vec<Slot>;

/// A placeholder's place in a body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    place: String,
    placeholder: &'static str,
    /// True if a refusal has named the place.
    is_named: bool,
}

impl Slot {
    pub(super) fn new(place: &str, placeholder: &'static str) -> Self {
        Slot {
            place: place.to_string(),
            placeholder,
            is_named: false,
        }
    }
}

impl Negotiation<'_> {
    /// Tries bodies until the path accepts one. Each refusal adds the bodies that it suggests.
    ///
    /// # Errors
    /// If the service does not respond.
    pub(super) async fn run(&self, session: &Session) -> Result<Outcome, Stop> {
        if let Some(template) = self.known {
            let response = session
                .post(self.purpose, self.path, (self.body)(template))
                .await?;
            if (self.accepts)(&response) {
                return Ok(Outcome::Accepted(template.clone(), response));
            }
        }
        let mut waiting: Vec<Slots> = self.candidates.iter().rev().cloned().collect();
        let mut tried: Vec<Value> = Vec::new();
        let mut first = None;
        while let Some(slots) = waiting.pop() {
            let template = template(&slots);
            if tried.contains(&template) {
                continue;
            }
            if tried.len() >= MAX_REQUESTS {
                break;
            }
            let response = session
                .post(self.purpose, self.path, (self.body)(&template))
                .await?;
            if (self.accepts)(&response) {
                return Ok(Outcome::Accepted(template, response));
            }
            tried.push(template);
            if let Some(body) = &response.body {
                waiting.extend(self.derived(&slots, &hints::named(body)).into_iter().rev());
                let excess = waiting.len().saturating_sub(MAX_WAITING);
                waiting.drain(..excess);
            }
            // A refusal for another reason than the body does not change with the body.
            let is_final = response.is_unauthenticated()
                || matches!(response.status, 0 | 404 | 405)
                || response.status >= 500;
            first.get_or_insert(response);
            if is_final {
                break;
            }
        }
        first
            .map(Outcome::Refused)
            .ok_or_else(|| "there is nothing to try".to_string())
    }

    /// Returns the bodies that a refusal suggests, the most likely first. They lack the named
    /// members that the body has, and have the named members that the body lacks.
    fn derived(&self, slots: &Slots, named: &[String]) -> Vec<Slots> {
        let is_ours = |place: &&String| slots.iter().any(|slot| slot.place == **place);
        let mut next: Slots = slots
            .iter()
            .filter(|slot| !named.contains(&slot.place))
            .cloned()
            .collect();
        let mut untold = Vec::new();
        let mut around = Vec::new();
        let is_new = |place: &&String| !is_ours(place) && !(self.is_inner)(name(place));
        for place in named.iter().filter(is_new) {
            match hints::placeholder(place, self.vocabulary) {
                Some(placeholder) => assign(&mut next, place, placeholder),
                None => {
                    untold.push(place);
                    // The name may be the object around all members. It is added only once.
                    let moved = slots.iter().map(|slot| Slot {
                        place: [place, &*slot.place].concat(),
                        ..slot.clone()
                    });
                    let is_around = slots
                        .iter()
                        .any(|slot| slot.place.starts_with(place.as_str()));
                    around.extend((!is_around).then(|| moved.collect()));
                }
            }
        }
        // A refusal that names a place again complains about the placeholder there.
        untold.extend(named.iter().filter(|place| {
            slots
                .iter()
                .any(|slot| slot.is_named && slot.place == **place)
        }));
        untold.truncate(MAX_UNTOLD);
        let mut bodies = Vec::from([next]);
        for place in untold {
            bodies = bodies
                .iter()
                .flat_map(|body| self.with_each(body, place))
                .collect();
        }
        bodies.extend(around);
        bodies.into_iter().filter(|body| !body.is_empty()).collect()
    }

    /// Returns the body once for each placeholder that has no named place yet, with that
    /// placeholder at this place.
    fn with_each(&self, slots: &Slots, place: &str) -> Vec<Slots> {
        let is_free = |placeholder: &&str| {
            !slots
                .iter()
                .any(|slot| slot.is_named && slot.placeholder == *placeholder)
        };
        let with = |placeholder| {
            let mut slots = slots.clone();
            assign(&mut slots, place, placeholder);
            slots
        };
        let placeholders = self.required.iter().copied();
        let bodies: Vec<Slots> = placeholders.filter(is_free).map(with).collect();
        // If every placeholder has a place, the word was likely no name.
        if bodies.is_empty() {
            Vec::from([slots.clone()])
        } else {
            bodies
        }
    }
}

/// Moves a placeholder to a place that a refusal names.
fn assign(slots: &mut Slots, place: &str, placeholder: &'static str) {
    slots.retain(|slot| slot.placeholder != placeholder);
    slots.push(Slot {
        place: place.to_string(),
        placeholder,
        is_named: true,
    });
}

/// Returns the template with the placeholders, such as `{"file": {"name": "{file_name}"}}`.
fn template(slots: &Slots) -> Value {
    if let [
        Slot {
            place, placeholder, ..
        },
    ] = slots.as_slice()
        && place.is_empty()
    {
        return ["{", placeholder, "}"].concat().into();
    }
    let mut body = json!({});
    for Slot {
        place, placeholder, ..
    } in slots
    {
        // A placeholder for the body itself spreads its members beside the others.
        let place = if place.is_empty() { "/..." } else { place };
        let names: Vec<String> = place
            .split('/')
            .skip(1)
            .map(|name| name.replace("~1", "/").replace("~0", "~"))
            .collect();
        put(&mut body, &names, ["{", placeholder, "}"].concat().into());
    }
    body
}

/// Sets a value at a path. A name that is a small number is an index of a list.
fn put(mut at: &mut Value, names: &[String], value: Value) {
    for name in names {
        at = match name.parse::<usize>() {
            Ok(index) if index < 8 => {
                if !at.is_array() {
                    *at = json!([]);
                }
                if let Some(items) = at.as_array_mut() {
                    items.resize(items.len().max(index + 1), Value::Null);
                }
                &mut at[index]
            }
            _ => {
                if !at.is_object() {
                    *at = json!({});
                }
                &mut at[name]
            }
        };
    }
    *at = value;
}
