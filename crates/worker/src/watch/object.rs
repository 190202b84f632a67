//! The Durable Object: one task, its listeners, and the alarm that asks after it.
#![allow(missing_docs, reason = "of the methods that the macro makes for the platform")]

use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures_channel::mpsc::{UnboundedSender, unbounded};
use mediagate_core::{Code, Group};
use serde_json::Value;
use worker::{DurableObject, Env, Request, Response, SqlStorage, State, durable_object};

use super::Listen;
use super::events::{HEARTBEAT, HELLO, event};
use super::plan::Watched;
use crate::Gateway;
use crate::operations::look;
use crate::platform::now_ms;
use crate::present::seal_ids;
use crate::refusal::Refusal;
use crate::reply::envelope;
use crate::session::Subject;

/// How long what is known of a task is kept after nobody asks any more.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// When an alarm that failed rings again.
const AFTER_A_FAILURE: Duration = Duration::from_secs(10);

/// One watched task. The Worker that holds the gateway exports this class, and binds it as `WATCHER`.
#[durable_object(alarm)]
pub struct Watcher {
    state: State,
    env: Env,
    listeners: RefCell<Vec<Listener>>,
}

/// Somebody who is told.
struct Listener {
    sender: UnboundedSender<worker::Result<Vec<u8>>>,
    subject: Subject,
    /// The number of the last event that they were told.
    seen: u64,
    until: i64,
}

impl DurableObject for Watcher {
    fn new(state: State, env: Env) -> Self {
        Watcher { state, env, listeners: RefCell::default() }
    }

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let listen: Listen = serde_json::from_str(&request.text().await?)?;
        let stored = self.read()?;
        let watched = stored.unwrap_or_else(|| Watched::new(listen.group, listen.task, now()));
        let (sender, receiver) = unbounded();
        let mut listener = Listener { sender, subject: listen.subject, seen: listen.seen, until: listen.until };
        listener.say(HELLO);
        self.tell(&mut listener, &watched);
        if !watched.is_over(now()) {
            self.listeners.borrow_mut().push(listener);
            self.write(&watched)?;
            self.ring_after(Duration::from_millis(watched.due(now()))).await?;
        }
        Response::from_stream(receiver)
    }

    /// Looks, tells, and comes back, whatever went wrong: nobody else would.
    async fn alarm(&self) -> worker::Result<Response> {
        if self.ring().await.is_err() {
            self.ring_after(AFTER_A_FAILURE).await?;
        }
        Response::ok("")
    }
}

impl Watcher {
    async fn ring(&self) -> worker::Result<()> {
        let now = now();
        self.listeners.borrow_mut().retain(|it| it.until > now && !it.sender.is_closed());
        let Some(watched) = self.read()? else { return Ok(()) };
        if watched.is_over(now) || self.listeners.borrow().is_empty() {
            self.listeners.borrow_mut().clear();
            return self.rest(&watched, now).await;
        }
        let wait = self.look(watched).await?;
        self.ring_after(wait).await
    }

    /// Nobody listens: what is known is kept for a while, for those who come back.
    async fn rest(&self, watched: &Watched, now: i64) -> worker::Result<()> {
        let idle = Duration::from_millis((now - watched.looked).max(0).unsigned_abs());
        match KEPT.checked_sub(idle).filter(|it| !it.is_zero()) {
            Some(left) => self.ring_after(left).await,
            None => self.state.storage().delete_all().await,
        }
    }

    /// One look; how long to wait for the next.
    async fn look(&self, mut watched: Watched) -> worker::Result<Duration> {
        let gateway = Gateway::shared(&self.env).map_err(|it| worker::Error::RustError(it.to_string()))?;
        let group = Group::named(&watched.group).unwrap_or(Group::Generate);
        let (upstream_ms, nobody) = (Cell::new(0.0), Subject::default());
        let service = gateway.service(&nobody, &upstream_ms).of(group);
        let seen = look(&service, group, &watched.task).await;
        let retry_after = seen.as_ref().err().and_then(|it| it.retry_after);
        watched.looked(now(), retry_after, js_sys::Math::random());
        match seen {
            Ok(data) => drop(watched.see(data)),
            Err(refusal) if refusal.status == 404 => self.give_up(&watched, refusal),
            // The service is in trouble: whoever listens hears that we are still here.
            Err(_) => {}
        }
        self.write(&watched)?;
        if watched.ended {
            self.free_its_slot(&gateway, &watched.task).await;
        }
        let mut listeners = self.listeners.borrow_mut();
        listeners.iter_mut().for_each(|it| self.tell(it, &watched));
        if watched.ended {
            listeners.clear();
        }
        Ok(Duration::from_millis(watched.due(now())))
    }

    /// A task that has ended is no longer in flight; all who listen are one subject, its owner.
    async fn free_its_slot(&self, gateway: &Gateway, task: &str) {
        let owner = self.listeners.borrow().first().map(|it| it.subject.clone());
        if let Some(owner) = owner {
            gateway.desk(&self.env).free(&owner, task).await;
        }
    }

    /// There is no such task, or no more: everyone hears so, and that was it.
    fn give_up(&self, watched: &Watched, refusal: Refusal) {
        let said = envelope(refusal.code, &refusal.message, Value::Object(refusal.data));
        self.listeners.take().into_iter().for_each(|it| it.say(&event("error", watched.version, &said)));
    }

    /// Tells a listener what is new to them, or at least that somebody is here.
    fn tell(&self, listener: &mut Listener, watched: &Watched) {
        let news = watched.record.as_ref().filter(|_| watched.version > listener.seen || watched.ended);
        let (Some(record), Ok(gateway)) = (news, Gateway::shared(&self.env)) else { return listener.say(HEARTBEAT) };
        let mut data = record.clone();
        seal_ids(&mut data, &gateway.sealer, &listener.subject, Group::named(&watched.group));
        let said = envelope(Code::OK, Code::OK.message(), data);
        listener.say(&event("task", watched.version, &said));
        listener.seen = watched.version;
    }

    async fn ring_after(&self, wait: Duration) -> worker::Result<()> {
        self.state.storage().set_alarm(wait).await
    }

    fn sql(&self) -> worker::Result<SqlStorage> {
        let sql = self.state.storage().sql();
        sql.exec(
            "CREATE TABLE IF NOT EXISTS watched (id INTEGER PRIMARY KEY CHECK (id = 0), task TEXT NOT NULL)",
            None,
        )?;
        Ok(sql)
    }

    fn read(&self) -> worker::Result<Option<Watched>> {
        let rows = self.sql()?.exec("SELECT task FROM watched", None)?.to_array::<Row>()?;
        rows.first().map(|it| serde_json::from_str(&it.task).map_err(Into::into)).transpose()
    }

    fn write(&self, watched: &Watched) -> worker::Result<()> {
        let text = serde_json::to_string(watched)?;
        self.sql()?.exec("INSERT OR REPLACE INTO watched VALUES (0, ?)", vec![text.into()]).map(drop)
    }
}

#[derive(serde::Deserialize)]
struct Row {
    task: String,
}

impl Listener {
    fn say(&self, text: &str) {
        // Who is gone is found out at the next look.
        let _ = self.sender.unbounded_send(Ok(text.as_bytes().to_vec()));
    }
}

fn now() -> i64 {
    now_ms() as i64
}
