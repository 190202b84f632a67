//! Finds the body that a path takes, by what its refusals say.

use serde_json::{Map, Value};

use super::hints::{self, Vocabulary};
use super::leaves::name;
use super::session::{Session, Stop};
use super::step::Reply;

/// The most requests until a body is found.
const MAX_REQUESTS: usize = 90;
/// The most bodies that wait to be tried; the least likely go first.
const MAX_WAITING: usize = 300;
/// The most names without a telling word that are tried in every order.
const MAX_UNTOLD: usize = 3;

/// A path whose body is to be found. Its requests cost nothing.
pub(super) struct Negotiation<'a> {
    pub(super) purpose: &'static str,
    pub(super) path: &'a str,
    /// The words in names that mean a placeholder.
    pub(super) vocabulary: Vocabulary,
    /// What a body needs, and every name that the path requires may stand for.
    pub(super) required: &'static [&'static str],
    /// Whether a name is none that a placeholder stands for: a member of what a placeholder stands for.
    pub(super) is_inner: &'a dyn Fn(&str) -> bool,
    /// A template that a person knows; it is tried first.
    pub(super) known: Option<&'a Value>,
    /// Bodies that are likely, the first of them the default.
    pub(super) candidates: Vec<Slots>,
    /// The body of a template.
    pub(super) body: &'a dyn Fn(&Value) -> Value,
    /// Whether a response shows that the body was right.
    pub(super) accepts: &'a dyn Fn(&Reply) -> bool,
}

/// How it ended.
pub(super) enum Outcome {
    /// This template was accepted with this response.
    Accepted(Value, Reply),
    /// No template was; the response to the first one.
    Refused(Reply),
}

/// Placeholders and their places in a body.
pub(super) type Slots = Vec<Slot>;

/// A placeholder's place in a body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    place: String,
    placeholder: &'static str,
    /// Whether a refusal has named it.
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
    /// # Errors
    /// The key was refused, or nothing responds.
    pub(super) async fn run(&self, session: &Session) -> Result<Outcome, Stop> {
        if let Some(template) = self.known {
            let reply = session
                .post(self.purpose, self.path, (self.body)(template))
                .await?;
            if (self.accepts)(&reply) {
                return Ok(Outcome::Accepted(template.clone(), reply));
            }
        }
        let mut waiting: Vec<Slots> = self.candidates.iter().rev().cloned().collect();
        let (mut tried, mut first): (Vec<Value>, _) = (Vec::new(), None);
        while let Some(slots) = waiting.pop() {
            let template = template(&slots);
            if tried.contains(&template) {
                continue;
            }
            if tried.len() >= MAX_REQUESTS {
                break;
            }
            let reply = session
                .post(self.purpose, self.path, (self.body)(&template))
                .await?;
            if (self.accepts)(&reply) {
                return Ok(Outcome::Accepted(template, reply));
            }
            tried.push(template);
            if let Some(body) = &reply.body {
                waiting.extend(self.derived(&slots, &hints::named(body)).into_iter().rev());
                let excess = waiting.len().saturating_sub(MAX_WAITING);
                waiting.drain(..excess);
            }
            // What is no complaint about the body will not change with it.
            let is_final = reply.is_unauthenticated()
                || matches!(reply.status, 0 | 404 | 405)
                || reply.status >= 500;
            first.get_or_insert(reply);
            if is_final {
                break;
            }
        }
        first
            .map(Outcome::Refused)
            .ok_or_else(|| "there is nothing to try".to_string())
    }

    /// The bodies that a refusal suggests, the most likely first: without the members that it names, and with those that
    /// it names and that were not there.
    fn derived(&self, slots: &Slots, named: &[String]) -> Vec<Slots> {
        let is_ours = |it: &&String| slots.iter().any(|slot| slot.place == **it);
        let mut next: Slots = slots
            .iter()
            .filter(|slot| !named.contains(&slot.place))
            .cloned()
            .collect();
        let (mut untold, mut around) = (Vec::new(), Vec::new());
        let is_new = |it: &&String| !is_ours(it) && !(self.is_inner)(name(it));
        for place in named.iter().filter(is_new) {
            match hints::placeholder(place, self.vocabulary) {
                Some(placeholder) => assign(&mut next, place, placeholder),
                None => {
                    untold.push(place);
                    // It may be an object around all of them, once.
                    let moved = slots.iter().map(|it| Slot {
                        place: [place, &*it.place].concat(),
                        ..it.clone()
                    });
                    let is_around = slots.iter().any(|it| it.place.starts_with(place.as_str()));
                    around.extend((!is_around).then(|| moved.collect()));
                }
            }
        }
        // A place that was named before and is named again has the wrong placeholder.
        untold.extend(
            named
                .iter()
                .filter(|it| slots.iter().any(|slot| slot.is_named && slot.place == **it)),
        );
        untold.truncate(MAX_UNTOLD);
        let mut bodies = Vec::from([next]);
        for place in untold {
            bodies = bodies
                .iter()
                .flat_map(|slots| self.with_each(slots, place))
                .collect();
        }
        bodies.extend(around);
        bodies.into_iter().filter(|it| !it.is_empty()).collect()
    }

    /// The same body with a place for each of the placeholders that no named place has yet.
    fn with_each(&self, slots: &Slots, place: &str) -> Vec<Slots> {
        let is_free = |it: &&&'static str| {
            !slots
                .iter()
                .any(|slot| slot.is_named && slot.placeholder == **it)
        };
        let with = |it: &&'static str| {
            let mut slots = slots.clone();
            assign(&mut slots, place, it);
            slots
        };
        let bodies: Vec<Slots> = self.required.iter().filter(is_free).map(with).collect();
        // A name that nothing is left for may be none at all.
        if bodies.is_empty() {
            Vec::from([slots.clone()])
        } else {
            bodies
        }
    }
}

/// Moves a placeholder to a place that a refusal has named.
fn assign(slots: &mut Slots, place: &str, placeholder: &'static str) {
    slots.retain(|it| it.placeholder != placeholder);
    slots.push(Slot {
        place: place.to_string(),
        placeholder,
        is_named: true,
    });
}

/// The body with the placeholders: `{"file": {"name": "{file_name}"}}`.
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
    let mut body = Value::Object(Map::new());
    for Slot {
        place, placeholder, ..
    } in slots
    {
        // What is the body itself has its members beside the others.
        let place = if place.is_empty() { "/..." } else { place };
        let names: Vec<String> = place
            .split('/')
            .skip(1)
            .map(|it| it.replace("~1", "/").replace("~0", "~"))
            .collect();
        put(&mut body, &names, ["{", placeholder, "}"].concat().into());
    }
    body
}

/// Sets a value at a path; a name that is a number is an index of a list.
fn put(at: &mut Value, names: &[String], value: Value) {
    let Some((name, rest)) = names.split_first() else {
        *at = value;
        return;
    };
    match name.parse::<usize>() {
        Ok(index) if index < 8 => {
            if !at.is_array() {
                *at = Value::Array(Vec::new());
            }
            let Some(items) = at.as_array_mut() else {
                return;
            };
            while items.len() <= index {
                items.push(Value::Null);
            }
            items
                .iter_mut()
                .skip(index)
                .take(1)
                .for_each(|it| put(it, rest, value.clone()));
        }
        _ => {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            if let Some(members) = at.as_object_mut() {
                put(
                    members.entry(name.clone()).or_insert(Value::Null),
                    rest,
                    value,
                );
            }
        }
    }
}
