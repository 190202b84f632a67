//! One client: what `connect` gives.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use mediagate_core::{Capability, Outcome, Value, find};
use wasm_bindgen::JsValue;

use super::error::Error;
use super::gateway::{Create, Gateway, Wants};
use super::host;
use super::input::prepare;
use super::session::Session;
use super::source::collect;
use super::task::Task;
use super::transport::{base_url, is_header, json};
use super::uploads::{Uploads, tell_done};
use crate::value::Js;

/// What a person can do about a create of which nobody knows what it did.
const MAY_HAVE_COST: &str =
    "it may have cost credits: before creating anew, repeat it with error.idempotencyKey, which makes no second task";

/// A client of one gateway.
pub struct Client {
    gateway: Rc<Gateway>,
    uploads: Rc<Uploads>,
    /// The tasks that the page has: one of each, however often it was created or restored, so that they share a stream.
    tasks: RefCell<Vec<Weak<Task>>>,
}

/// The capability of this name.
///
/// # Errors
/// `invalid_argument` for any other value.
pub fn capability(name: &JsValue) -> Result<&'static Capability, Error> {
    let known = name.as_string().and_then(|it| find(&it));
    known.ok_or_else(|| Error::argument("no such capability; capabilities() lists their names"))
}

impl Client {
    /// Connects, from `{url, token, turnstile, network}`. An anonymous session is opened at once, so that what is wrong with the gateway
    /// shows here.
    ///
    /// # Errors
    /// `invalid_argument`; what the gateway says to `POST /session`.
    pub async fn connect(options: &Js) -> Result<Self, Error> {
        let base = options.get("url").and_then(|it| base_url(&it));
        let base =
            base.ok_or_else(|| Error::argument("connect needs the gateway's url: http or https, no query, no user"))?;
        let base: Rc<str> = base.into();
        let network = options.member("network");
        let (token, turnstile) = (options.member("token"), options.member("turnstile"));
        let session = Session::new(Rc::clone(&base), token, turnstile, network.clone())?;
        if session.is_anonymous() {
            session.token().await?;
        }
        let gateway = Rc::new(Gateway { base, session, network, streams: Cell::new(0) });
        Ok(Client { uploads: Rc::new(Uploads::new(Rc::clone(&gateway))), gateway, tasks: RefCell::default() })
    }

    /// Asks the gateway for something. Files in an input are uploaded first.
    ///
    /// # Errors
    /// `invalid_input` with all issues, before anything is sent; every code of the service; the client's own.
    pub async fn ask(&self, ask: Ask, name: &JsValue, input: &Js) -> Result<JsValue, Error> {
        let Ask::Models = ask else { return self.ask_about(ask, capability(name)?, input).await };
        self.gateway.call("models", JsValue::UNDEFINED, Wants::Data).send().await
    }

    async fn ask_about(&self, ask: Ask, capability: &'static Capability, input: &Js) -> Result<JsValue, Error> {
        let body = prepare(&self.uploads, capability, &input.0).await?;
        let mut call;
        match &ask {
            Ask::Create(create) => {
                call = self.gateway.call(capability.path, json(&body)?, Wants::Task(capability));
                call.request.headers[0] = ("idempotency-key", create.key.clone());
                call.create = Some(create);
            }
            _ => {
                let about = host::object(&[("capability", capability.name())]);
                host::set(&about, "input", &body);
                call = self.gateway.call("credits/estimate", json(&about)?, Wants::Data);
            }
        }
        call.request.capability = capability.name();
        call.send().await
    }

    /// The task that a create answered, by its name and its snapshot.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown name.
    pub fn created(&self, name: &JsValue, seen: JsValue) -> Result<Rc<Task>, Error> {
        let task = self.only(Task::created(Rc::clone(&self.gateway), capability(name)?, seen.clone()));
        task.see(seen);
        Ok(task)
    }

    /// Uploads a file, bytes or a stream, and gives its file id.
    ///
    /// # Errors
    /// `upload_failed` where the storage took no bytes; those of any read.
    pub async fn upload(&self, file: &Js, options: &Js) -> Result<JsValue, Error> {
        let progress = options.member("onProgress");
        if !progress.is_undefined() && !progress.is_function() {
            return Err(Error::argument("onProgress is no function; give one that takes { loaded, total }"));
        }
        let file = collect(file, options).await?;
        let size = file.size();
        let id = self.uploads.start(file, progress.clone()).await?;
        tell_done(&progress, size);
        Ok(id)
    }

    /// A saved task.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    pub fn task(&self, saved: &Js) -> Result<Rc<Task>, Error> {
        Task::restored(Rc::clone(&self.gateway), saved).map(|it| self.only(it))
    }

    /// The same task that the page has already, or this one.
    fn only(&self, task: Task) -> Rc<Task> {
        let mut tasks = self.tasks.borrow_mut();
        tasks.retain(|it| it.strong_count() > 0);
        if let Some(known) = tasks.iter().filter_map(Weak::upgrade).find(|it| it.is(&task)) {
            return known;
        }
        let task = Rc::new(task);
        tasks.push(Rc::downgrade(&task));
        task
    }
}

/// What to ask the gateway for.
pub enum Ask {
    /// The model catalogue.
    Models,
    /// What a create would cost.
    Estimate,
    /// A new task.
    Create(Rc<Create>),
}

impl Create {
    /// Reads `{idempotencyKey}`; without one, it is 32 random hexadecimal digits.
    ///
    /// # Errors
    /// `invalid_argument` for what is no header value of at most 255 characters.
    pub fn new(options: &Js) -> Result<Self, Error> {
        let Some(given) = options.get("idempotencyKey") else {
            let key =
                host::unique().map_err(|cause| Error::argument("this platform has no crypto").with("cause", cause))?;
            return Ok(Create { key, ..Create::default() });
        };
        let key = given.text().filter(|it| is_header(it) && it.len() <= 255).map(Into::into);
        let key =
            key.ok_or_else(|| Error::argument("idempotencyKey is no text of 1 to 255 visible ASCII characters"))?;
        Ok(Create { key, ..Create::default() })
    }

    /// An error with what is known of the create that ended in it, and the key with which it can be repeated safely.
    pub fn explain(&self, error: Error) -> Error {
        let not_sent = Outcome::NotSent.name();
        if !self.sent.get() {
            return error.with("outcome", not_sent);
        }
        // Where an earlier attempt was lost, only the ledger's own word counts: what was refused on the way to it knows
        // nothing of that attempt.
        let known = if self.lost.get() { error.outcome_said().filter(|it| it != not_sent) } else { error.outcome() };
        let outcome = known.as_deref().unwrap_or(Outcome::Unknown.name());
        let error = error.with("outcome", outcome).with("idempotencyKey", host::text(&self.key));
        if outcome == Outcome::Unknown.name() { error.with_remedy(MAY_HAVE_COST) } else { error }
    }
}
