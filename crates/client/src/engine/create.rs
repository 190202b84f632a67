//! A create, or the estimate of its cost: the input is checked, its files are uploaded, results of tasks in it are moved into
//! the storage, and then it is sent.

use alloc::vec::Vec;

use mediagate_core::{Capability, Kind, Type, Value, is_valid, validate};

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
    pub fn create(&mut self, promise: Id, gateway: Id, name: P::Value, input: P::Value, key: P::Value) {
        self.prepare(promise, gateway, name, input, Some(Create::new(key)));
    }

    /// Requests what a create would cost, as the upstream sends it.
    pub fn estimate(&mut self, promise: Id, gateway: Id, name: P::Value, input: P::Value) {
        self.prepare(promise, gateway, name, input, None);
    }

    fn prepare(&mut self, promise: Id, gateway: Id, name: P::Value, input: P::Value, create: Option<Create<P::Value>>) {
        if !self.gateways.has(gateway) {
            let error = Error::crashed(&self.platform);
            return self.reject_create(promise, create, error);
        }
        match check(&self.platform, name, input) {
            Ok(capability) => {
                let mut preparation = Preparation { gateway, capability, input, create };
                self.start_sources(promise, &mut preparation);
                self.continue_create(promise, preparation);
                // What ends at once ends after the create has begun to wait for it.
                self.begin_transfers();
            }
            Err(error) => self.reject_create(promise, create, error),
        }
    }

    fn start_sources(&mut self, promise: Id, preparation: &mut Preparation<P::Value>) {
        let (gateway, input) = (preparation.gateway, preparation.input);
        for_each_source(preparation.capability, input, &mut |source| {
            let started = match source.value.kind() {
                Type::Blob => self.start_upload(gateway, source.value, None),
                _ => Started::Running(self.new_upload(gateway, source.value, None, Stage::New)),
            };
            match started {
                Started::Done(id) => self.replace(preparation, &source, id),
                Started::Running(by) => self.missing.push(Missing { promise, by, source }),
            }
        });
        self.start_queued(gateway);
    }

    /// Replaces what is in the place of an id by the id.
    fn replace(&self, preparation: &mut Preparation<P::Value>, source: &Source<P::Value>, id: P::Value) {
        match source.item {
            Some((list, index)) => self.platform.set_item(list, index, id),
            None => {
                preparation.input = self.platform.with_member(Some(preparation.input), source.field.name, Some(id));
            }
        }
    }

    /// Sends the create, or the estimate, once no id is missing.
    fn continue_create(&mut self, promise: Id, preparation: Preparation<P::Value>) {
        if self.missing.iter().any(|it| it.promise == promise) {
            return self.promises.insert(promise, Pending::Prepare(preparation));
        }
        let Preparation { gateway: id, capability, input, create } = preparation;
        let Some(gateway) = self.gateways.get(id) else { return };
        let platform = &self.platform;
        let input = Some(wrap_single_files(platform, capability, input));
        let name = capability.name();
        let (path, body, expected) = if create.is_some() {
            (capability.path, input, Expected::Created(capability))
        } else {
            let body = platform.with_member(None, "capability", Some(platform.text(name)));
            ("credits/estimate", Some(platform.with_member(Some(body), "input", input)), Expected::Data)
        };
        let body = body.map_or(Body::Empty, Body::Json);
        let url = gateway.url(platform, path);
        let mut call = Call::new(id, gateway, Owner::Promise(promise), url, body, expected);
        call.request.headers = create.map(|it| platform.with_member(None, "idempotency-key", Some(it.key)));
        call.request.capability = name;
        call.create = create;
        let call = self.start(call);
        self.promises.insert(promise, Pending::Call(call));
    }

    /// An upload or a transfer ended for which a create waits.
    pub(super) fn source_ready(&mut self, promise: Id, by: Id, outcome: Outcome<P>) {
        let Some(Pending::Prepare(mut preparation)) = self.promises.take(promise) else { return };
        match outcome {
            Ok(id) => {
                let is_done = |it: &Missing<P::Value>| it.promise == promise && it.by == by;
                let done: Vec<_> = self.missing.iter().filter(|it| is_done(it)).map(|it| it.source).collect();
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

/// The capability of this name, for which the input is valid.
fn check<P: Platform>(platform: &P, name: P::Value, input: P::Value) -> Result<&'static Capability, Error<P::Value>> {
    let capability = capability(platform, name)?;
    let issues = validate(capability, input);
    if is_valid(&issues) { Ok(capability) } else { Err(invalid(platform, &issues)) }
}

/// The input with each single file id in a list, in fields that accept both and are sent as lists.
fn wrap_single_files<P: Platform>(platform: &P, capability: &Capability, input: P::Value) -> P::Value {
    capability.fields().filter(|it| matches!(it.kind, Kind::FileOrFiles(_))).fold(input, |input, field| {
        match input.get(field.name).filter(|it| it.kind() != Type::List) {
            Some(value) => {
                let list = platform.with_item(platform.list(), value);
                platform.with_member(Some(input), field.name, Some(list))
            }
            None => input,
        }
    })
}
