//! The Durable Object: one ledger, with its storage and the creates that are under way.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};
use mediagate_core::{Capability, Code, Group, Outcome, find};
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker::worker_sys::DurableObjectState;
use worker::{Env, State};

use super::book::{Admission, Book, End, Entry, KEPT_MS};
use super::order::{Answer, Ask, Order};
use super::sql::Sql;
use crate::Gateway;
use crate::operations::submit;
use crate::platform::{now_ms, random_name, respond};
use crate::refusal::Refusal;
use crate::session::{Subject, hash};
use crate::watch;

/// One ledger. The Worker that holds the gateway exports this class, and binds it as `LEDGER`.
///
/// The macro `durable_object` would make the same methods over the worker crate's own requests and answers, which cost
/// each create a dozen crossings more.
#[wasm_bindgen]
pub struct Ledger(Rc<Inner>);

struct Inner {
    state: State,
    env: Env,
    book: worker::Result<Book<Sql>>,
    /// What is being asked for just now, by key.
    under_way: RefCell<HashMap<String, Run>>,
    /// Whether an alarm is known to be set.
    armed: Cell<bool>,
}

/// How often a watcher is asked that can't be reached.
const FOLLOW_ATTEMPTS: u32 = 3;

/// Longest answer that is kept whole, in bytes; SQLite's rows have an end.
const LONGEST_ANSWER: usize = 1_000_000;

/// What came of asking the service.
struct Submitted {
    answer: Answer,
    end: End,
    /// The task that was made, ended or not.
    task: Option<String>,
}

/// A create that several callers wait for.
type Run = Shared<LocalBoxFuture<'static, Answer>>;

#[wasm_bindgen]
impl Ledger {
    /// The object, when the platform wakes it.
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        let state = State::from(state);
        let book = Sql::new(state.storage().sql()).map(Book::new);
        Ledger(Rc::new(Inner { state, env, book, under_way: RefCell::default(), armed: Cell::new(false) }))
    }

    /// Answers the gateway.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let text = JsFuture::from(request.text()?).await?.as_string().unwrap_or_default();
        let answer = Rc::clone(&self.0).answered(&text).await?;
        respond(200, "{}", Some(&answer))
    }

    /// Forgets what is too old, and comes back while anything is left, also after a failure.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let left = self.0.book().and_then(|it| it.forget(now()));
        self.0.armed.set(false);
        if left.unwrap_or(true) {
            self.0.arm().await?;
        }
        Ok(())
    }
}

impl Inner {
    fn book(&self) -> worker::Result<&Book<Sql>> {
        self.book.as_ref().map_err(|it| worker::Error::RustError(it.to_string()))
    }

    async fn answered(self: Rc<Self>, ask: &str) -> worker::Result<String> {
        let answer = self.answer(serde_json::from_str(ask)?).await?;
        Ok(serde_json::to_string(&answer)?)
    }

    async fn answer(self: Rc<Self>, ask: Ask) -> worker::Result<Answer> {
        match ask {
            Ask::Create(order) => return self.create(*order).await,
            Ask::Reserve(create, budget) => {
                let book = self.book()?;
                if let Admission::Exhausted(limit) = book.admit(&create, "", Group::Generate, &budget, true, now())? {
                    return Ok(Answer::new(Err(limit.refusal())));
                }
                self.arm().await?;
            }
            Ask::Release(create) => self.book()?.release(&create, now())?,
            Ask::Free(group, task) => {
                self.book()?.free(Group::named(&group).unwrap_or(Group::Generate), &task)?;
            }
        }
        Ok(Answer::new(Ok(json!({}))))
    }

    async fn create(self: Rc<Self>, order: Order) -> worker::Result<Answer> {
        let Some(capability) = find(&order.capability) else {
            return Ok(refused(Refusal::internal("capability")));
        };
        let key = match &order.key {
            Some(key) => [capability.name(), key].join(" "),
            None => random_name(),
        };
        let (group, budget) = (capability.group(), order.budget);
        let fingerprint = hash(&[&order.body]);
        let running = self.under_way.borrow().get(&key).cloned();
        let answer = match self.book()?.admit(&key, &fingerprint, group, &budget, running.is_some(), now())? {
            Admission::Granted(entry) => Rc::clone(&self).begin(entry, capability, order).await,
            Admission::Answered(text) => serde_json::from_str::<Answer>(&text)?.again(),
            Admission::UnderWay => match running {
                Some(run) => run.await.again(),
                None => refused(Refusal::internal("ledger")),
            },
            Admission::Interrupted(entry) => self.interrupted(entry)?,
            Admission::OtherBody => refused(other_body()),
            Admission::Exhausted(limit) => refused(limit.refusal()),
        };
        Ok(answer.with_limits(&self.book()?.limits(group, &budget, now())?))
    }

    /// Asks the service, whoever goes on waiting for it.
    async fn begin(self: Rc<Self>, entry: Entry, capability: &'static Capability, order: Order) -> Answer {
        let key = entry.key.clone();
        let run: Run = Rc::clone(&self).run(entry, capability, order).boxed_local().shared();
        self.under_way.borrow_mut().insert(key, run.clone());
        self.state.wait_until(run.clone().map(drop));
        run.await
    }

    async fn run(self: Rc<Self>, entry: Entry, capability: &'static Capability, order: Order) -> Answer {
        let Submitted { answer, end, task } = self.submit(capability, &order).await;
        // Where this fails, the entry stays as it is: the next to ask is told that nobody knows.
        let key = entry.key.clone();
        if let Ok(book) = self.book() {
            let _ = book.settle(entry, end, now());
        }
        self.under_way.borrow_mut().remove(&key);
        if let Some(task) = task
            && let Ok(gateway) = Gateway::shared(&self.env)
            && (order.watch || !gateway.settings.webhook_urls.is_empty())
        {
            let follow = Rc::clone(&self).follow(gateway, capability.group(), task, order.subject);
            self.state.wait_until(follow);
        }
        answer
    }

    /// Has a task watched though nobody listens, since its token asked for that or the app's backend wants to know.
    async fn follow(self: Rc<Self>, gateway: Rc<Gateway>, group: Group, task: String, subject: Subject) {
        let ask = watch::Ask { group: group.name().to_owned(), task, subject, what: watch::What::Follow };
        for _ in 0..FOLLOW_ATTEMPTS {
            if watch::ask(&self.env, &gateway.settings.tenant, &ask).await.is_some() {
                return;
            }
        }
    }

    async fn submit(&self, capability: &Capability, order: &Order) -> Submitted {
        let released = |it: Refusal| Submitted { answer: refused(it), end: End::Released, task: None };
        // Without an alarm nothing would ever be forgotten: better nothing is begun.
        if self.arm().await.is_err() {
            return released(Refusal::internal("ledger"));
        }
        let gateway = match Gateway::shared(&self.env) {
            Ok(it) => it,
            Err(error) => return released(Refusal::misconfigured(error.to_string())),
        };
        let desk = gateway.desk(&self.env);
        let name = random_name();
        if let Some(most) = order.pool
            && let Err(refusal) = desk.reserve(&name, most).await
        {
            return released(refusal);
        }
        let submitted = ask_service(&gateway, capability, order).await;
        if order.pool.is_some() && submitted.end == End::Released {
            desk.release(&name).await;
        }
        submitted
    }

    /// Writes down that nobody knows what became of a create.
    fn interrupted(&self, entry: Entry) -> worker::Result<Answer> {
        let message = "the gateway was interrupted while it asked for this; whether it was made cannot be told";
        let refusal = Refusal::new(502, Code::SERVER_ERROR, "interrupted", message);
        let answer = Answer::new(Err(refusal.of_create(Outcome::Unknown)));
        self.book()?.settle(entry, kept(&answer, None, true), now())?;
        Ok(answer.again())
    }

    /// Sees to it that an alarm comes when the first entry is old enough.
    async fn arm(&self) -> worker::Result<()> {
        if !self.armed.get() {
            let storage = self.state.storage();
            if storage.get_alarm().await?.is_none() {
                storage.set_alarm(Duration::from_millis(KEPT_MS.unsigned_abs())).await?;
            }
            self.armed.set(true);
        }
        Ok(())
    }
}

async fn ask_service(gateway: &Gateway, capability: &Capability, order: &Order) -> Submitted {
    let upstream_ms = Cell::new(0.0);
    let service = gateway.service(&order.subject, &upstream_ms).of(capability.group());
    let made = submit(&service, capability, &order.body).await;
    let upstream_ms = upstream_ms.get();
    match made {
        Ok(made) => {
            let answer = Answer { made_at: Some(now()), upstream_ms, ..Answer::new(Ok(made.data)) };
            let end = kept(&answer, made.task.clone().filter(|_| made.is_running), made.is_running);
            Submitted { answer, end, task: made.task }
        }
        Err((refusal, outcome)) => {
            let answer = Answer { upstream_ms, ..Answer::new(Err(refusal.of_create(outcome))) };
            let end = if outcome == Outcome::Unknown { kept(&answer, None, true) } else { End::Released };
            Submitted { answer, end, task: None }
        }
    }
}

fn kept(answer: &Answer, task: Option<String>, busy: bool) -> End {
    // An answer is text and numbers of JSON's own, which always can be written.
    let text = |it: &Answer| serde_json::to_string(it).unwrap_or_default();
    let whole = text(answer);
    let answer = if whole.len() > LONGEST_ANSWER { text(&answer.in_short()) } else { whole };
    End::Kept { answer, task, busy }
}

/// A refusal before anything was sent.
fn refused(refusal: Refusal) -> Answer {
    Answer::new(Err(refusal.of_create(Outcome::NotSent)))
}

fn other_body() -> Refusal {
    let message = "this Idempotency-Key was used with another body; use a new key for a new request";
    Refusal::new(422, Code::INVALID_INPUT, "idempotency_key_reused", message)
}

fn now() -> i64 {
    now_ms() as i64
}
