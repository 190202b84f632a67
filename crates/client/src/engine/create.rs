//! A create, a pipeline, or the estimate of a cost: the input is checked, its files are uploaded, results of tasks in it are
//! moved into the storage, and then it is sent.

use alloc::vec::Vec;

use mediagate_core::text::concat;
use mediagate_core::{Capability, Issue, Kind, Type, Value, find, is_valid, validate};

use super::machine::{Engine, Outcome};
use crate::error::Error;
use crate::input::{Source, capability, for_each_source};
use crate::platform::{Body, Id, Platform};
use crate::rejection::invalid;
use crate::response::Expected;
use crate::state::call::{Call, Owner};
use crate::state::create::{Create, Missing, Preparation};
use crate::state::pending::Pending;
use crate::state::upload::{Stage, Started};

impl<P: Platform> Engine<P> {
    /// Creates a task of a capability from its input, with an idempotency key of 1 to 255 visible ASCII characters. The engine
    /// may change the input, which must be a copy.
    ///
    /// The promise rejects with `invalid_input` with all issues, before anything is sent, and with any code of the
    /// upstream's and of the client's, always with the `outcome` of the create.
    pub fn create(
        &mut self,
        promise: Id,
        gateway: Id,
        name: P::Value,
        input: P::Value,
        key: P::Value,
    ) {
        let create = Some(Create::new(key));
        self.prepare(
            promise,
            Preparation {
                gateway,
                capability: None,
                input,
                title: None,
                create,
            },
            Some(name),
        );
    }

    /// Requests what a create would cost, as the upstream sends it.
    pub fn estimate(&mut self, promise: Id, gateway: Id, name: P::Value, input: P::Value) {
        let preparation = Preparation {
            gateway,
            capability: None,
            input,
            title: None,
            create: None,
        };
        self.prepare(promise, preparation, Some(name));
    }

    /// Starts a pipeline of steps, a list of `{name, capability, input}` that the engine may change. In an input,
    /// `{step, output}` is an output of another step. The promise is fulfilled and rejects as that of a create.
    pub fn pipeline(
        &mut self,
        promise: Id,
        gateway: Id,
        title: Option<P::Value>,
        steps: P::Value,
        key: P::Value,
    ) {
        let create = Some(Create::new(key));
        self.prepare(
            promise,
            Preparation {
                gateway,
                capability: None,
                input: steps,
                title,
                create,
            },
            None,
        );
    }

    /// Begins with the input of a capability, or, without a name, of a pipeline.
    fn prepare(
        &mut self,
        promise: Id,
        mut preparation: Preparation<P::Value>,
        name: Option<P::Value>,
    ) {
        let Preparation {
            gateway,
            input,
            create,
            ..
        } = preparation;
        let platform = &self.platform;
        let mut issues = Vec::new();
        let checked = match name {
            _ if !self.gateways.has(gateway) => Err(Error::crashed(platform)),
            Some(name) => check(platform, name, Some(input), None, &mut issues).map(Some),
            // The gateway checks how the steps fit together.
            None => input.items().try_fold(None, |_, step| {
                let name = step.get("capability").unwrap_or(step);
                check(
                    platform,
                    name,
                    step.get("input"),
                    step.get("name"),
                    &mut issues,
                )
                .map(|_| None)
            }),
        };
        match checked {
            Ok(_) if !is_valid(&issues) => {
                self.reject_create(promise, create, invalid(&self.platform, &issues))
            }
            Ok(capability) => {
                preparation.capability = capability;
                self.start_sources(promise, &mut preparation);
                self.continue_create(promise, preparation);
                // What ends at once ends after the create has begun to wait for it.
                self.begin_transfers();
            }
            Err(error) => self.reject_create(promise, create, error),
        }
    }

    fn start_sources(&mut self, promise: Id, preparation: &mut Preparation<P::Value>) {
        let Preparation {
            gateway,
            capability,
            input,
            ..
        } = *preparation;
        let mut start = |source: Source<P::Value>| {
            let started = match source.value.kind() {
                Type::Blob => self.start_upload(gateway, source.value, None),
                _ => Started::Running(self.new_upload(gateway, source.value, None, Stage::New)),
            };
            match started {
                Started::Done(id) => self.replace(preparation, &source, id),
                Started::Running(by) => self.missing.push(Missing {
                    promise,
                    by,
                    source,
                }),
            }
        };
        match capability {
            Some(capability) => for_each_source(None, capability, input, &mut start),
            None => {
                for (index, step) in input.items().enumerate() {
                    if let (Some(capability), Some(input)) =
                        (capability_of(step), step.get("input"))
                    {
                        for_each_source(Some(index), capability, input, &mut start);
                    }
                }
            }
        }
        self.start_queued(gateway);
    }

    /// Replaces what is in the place of an id by the id.
    fn replace(
        &self,
        preparation: &mut Preparation<P::Value>,
        source: &Source<P::Value>,
        id: P::Value,
    ) {
        let platform = &self.platform;
        let with_id = |input| platform.with_member(Some(input), source.field.name, Some(id));
        match (source.item, source.step) {
            (Some((list, index)), _) => platform.set_item(list, index, id),
            (None, None) => preparation.input = with_id(preparation.input),
            (None, Some(index)) => {
                let step = preparation.input.item(index);
                let input = step.and_then(|it| it.get("input")).map(with_id);
                platform.set_item(
                    preparation.input,
                    index,
                    platform.with_member(step, "input", input),
                );
            }
        }
    }

    /// Sends the create, or the estimate, once no id is missing.
    fn continue_create(&mut self, promise: Id, preparation: Preparation<P::Value>) {
        if self.missing.iter().any(|it| it.promise == promise) {
            return self.promises.insert(promise, Pending::Prepare(preparation));
        }
        let Preparation {
            gateway: id,
            capability,
            input,
            title,
            create,
        } = preparation;
        let Some(gateway) = self.gateways.get(id) else {
            return;
        };
        let platform = &self.platform;
        let input = match capability {
            Some(capability) => wrap_single_files(platform, capability, input),
            None => by_name(platform, input),
        };
        let name = capability.map_or("", Capability::name);
        let (path, body, expected) = match (capability, create) {
            (None, _) => {
                let body = platform.with_member(None, "title", title);
                (
                    "pipelines",
                    platform.with_member(Some(body), "steps", Some(input)),
                    Expected::Created(None),
                )
            }
            (Some(it), Some(_)) => (it.path, input, Expected::Created(capability)),
            (Some(_), None) => {
                let body = platform.with_member(None, "capability", Some(platform.text(name)));
                (
                    "credits/estimate",
                    platform.with_member(Some(body), "input", Some(input)),
                    Expected::Data,
                )
            }
        };
        let url = gateway.url(platform, path);
        let mut call = Call::new(
            id,
            gateway,
            Owner::Promise(promise),
            url,
            Body::Json(body),
            expected,
        );
        call.request.headers =
            create.map(|it| platform.with_member(None, "idempotency-key", Some(it.key)));
        call.request.capability = name;
        call.create = create;
        let call = self.start(call);
        self.promises.insert(promise, Pending::Call(call));
    }

    /// An upload or a transfer ended for which a create waits.
    pub(super) fn source_ready(&mut self, promise: Id, by: Id, outcome: Outcome<P>) {
        let Some(Pending::Prepare(mut preparation)) = self.promises.take(promise) else {
            return;
        };
        match outcome {
            Ok(id) => {
                let is_done = |it: &Missing<P::Value>| it.promise == promise && it.by == by;
                let done: Vec<_> = self
                    .missing
                    .iter()
                    .filter(|it| is_done(it))
                    .map(|it| it.source)
                    .collect();
                self.missing.retain(|it| !is_done(it));
                for source in done {
                    if let Some(id) = id {
                        self.replace(&mut preparation, &source, id);
                    }
                }
                self.continue_create(promise, preparation);
            }
            Err(error) => {
                self.leave_sources(promise, preparation.gateway);
                self.reject_create(promise, preparation.create, error);
            }
        }
    }

    /// A create no longer waits for uploads and transfers.
    pub(super) fn leave_sources(&mut self, promise: Id, gateway: Id) {
        self.missing.retain(|it| it.promise != promise);
        self.end_unwanted_uploads();
        self.start_queued(gateway);
    }
}

/// The capability of this name. What is wrong with the input is appended to the issues, each with the place of the step that has
/// it.
fn check<P: Platform>(
    platform: &P,
    name: P::Value,
    input: Option<P::Value>,
    step: Option<P::Value>,
    issues: &mut Vec<Issue>,
) -> Result<&'static Capability, Error<P::Value>> {
    let capability = capability(platform, name)?;
    let mut found = input.map(|it| validate(capability, it)).unwrap_or_default();
    if let Some(step) = step.and_then(|it| it.text()) {
        for issue in &mut found {
            let dot = if issue.path.is_empty() { "" } else { "." };
            issue.path = concat(&["steps.", &step, ".input", dot, &issue.path]);
        }
    }
    issues.append(&mut found);
    Ok(capability)
}

/// The capability of a step.
fn capability_of<V: Value + Copy>(step: V) -> Option<&'static Capability> {
    find(&step.get("capability")?.text()?)
}

/// The steps of a pipeline under their names, each `{capability, input}`.
fn by_name<P: Platform>(platform: &P, steps: P::Value) -> P::Value {
    steps
        .items()
        .fold(platform.with_member(None, "", None), |all, step| {
            let Some(name) = step.get("name").and_then(|it| it.text()) else {
                return all;
            };
            let input = capability_of(step)
                .zip(step.get("input"))
                .map(|it| wrap_single_files(platform, it.0, it.1));
            let step = platform.with_member(Some(platform.omit(step, "name")), "input", input);
            platform.with_member(Some(all), &name, Some(step))
        })
}

/// The input with each single file id in a list, in fields that accept both and are sent as lists.
fn wrap_single_files<P: Platform>(
    platform: &P,
    capability: &Capability,
    input: P::Value,
) -> P::Value {
    capability
        .fields()
        .filter(|it| matches!(it.kind, Kind::FileOrFiles(_)))
        .fold(input, |input, field| {
            match input.get(field.name).filter(|it| it.kind() != Type::List) {
                Some(value) => {
                    let list = platform.with_item(platform.list(), value);
                    platform.with_member(Some(input), field.name, Some(list))
                }
                None => input,
            }
        })
}
