//! The Durable Object: one task, those who want to know of it, and the alarm that asks after it.
#![allow(missing_docs, reason = "of the methods that the macro makes for the platform")]

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use mediagate_core::{Code, Group};
use serde_json::{Value, json};
use worker::{DurableObject, Env, Request, Response, SqlStorage, State, durable_object};

use super::events::{HELLO, event};
use super::listeners::{Listeners, News};
use super::plan::Watched;
use super::webhooks::{self, Delivery, Message};
use super::{Ask, What};
use crate::Gateway;
use crate::operations::look;
use crate::platform::now_ms;
use crate::present::seal_ids;
use crate::refusal::Refusal;
use crate::reply::envelope;

/// How long what is known of a task is kept after nobody asks any more.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// When an alarm that failed rings again.
const AFTER_A_FAILURE: Duration = Duration::from_secs(10);

/// One watched task. The Worker that holds the gateway exports this class, and binds it as `WATCHER`.
#[durable_object(alarm)]
pub struct Watcher {
    state: State,
    env: Env,
    listeners: Listeners,
}

impl DurableObject for Watcher {
    fn new(state: State, env: Env) -> Self {
        Watcher { state, env, listeners: Listeners::default() }
    }

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let ask: Ask = serde_json::from_str(&request.text().await?)?;
        let stored = self.read()?;
        let watched = stored.unwrap_or_else(|| Watched::new(ask.group, ask.task, ask.subject, now()));
        match ask.what {
            What::Listen { seen, until } => self.listen(watched, seen, until).await,
            What::Follow => self.follow(watched).await,
        }
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
    async fn listen(&self, mut watched: Watched, seen: u64, until: i64) -> worker::Result<Response> {
        watched.resume(now());
        let mut news = self.news(&watched)?;
        if watched.ended.is_some() {
            // Who saw the end is told it once more: a stream without it would be asked for again.
            news.version += 1;
        }
        let receiver = self.listeners.add(seen, until, HELLO, &news);
        if watched.ended.is_some() {
            self.listeners.end(None);
        } else {
            self.write(&watched)?;
        }
        self.ring_when_due(&watched).await?;
        Response::from_stream(receiver.map(|it| Ok::<_, worker::Error>(it.to_vec())))
    }

    async fn follow(&self, mut watched: Watched) -> worker::Result<Response> {
        watched.follow(&self.gateway()?.settings.webhook_urls, now());
        self.write(&watched)?;
        self.ring_when_due(&watched).await?;
        Response::ok("")
    }

    async fn ring(&self) -> worker::Result<()> {
        let started = now();
        self.listeners.tidy(started);
        let Some(watched) = self.read()? else { return Ok(()) };
        let wanted = watched.followed || !self.listeners.is_empty();
        if wanted && !watched.is_over(started) {
            match watched.due(started) {
                0 => self.look(&watched).await?,
                // Too early, but not for a sign of life.
                _ => self.listeners.tell(&self.news(&watched)?),
            }
        }
        self.deliver().await?;
        match self.read()? {
            Some(watched) => self.ring_when_due(&watched).await,
            None => Ok(()),
        }
    }

    async fn ring_when_due(&self, watched: &Watched) -> worker::Result<()> {
        let heard = !self.listeners.is_empty();
        match watched.next(heard, now()) {
            Some(wait) => self.ring_after(Duration::from_millis(wait)).await,
            None => self.rest(watched, now()).await,
        }
    }

    /// Nobody listens: what is known is kept for a while, for those who come back.
    async fn rest(&self, watched: &Watched, now: i64) -> worker::Result<()> {
        let idle = Duration::from_millis((now - watched.looked).max(0).unsigned_abs());
        match KEPT.checked_sub(idle).filter(|it| !it.is_zero()) {
            Some(left) => self.ring_after(left).await,
            None => self.state.storage().delete_all().await,
        }
    }

    /// One look. What is known is read again after it: others may have come meanwhile.
    async fn look(&self, before: &Watched) -> worker::Result<()> {
        let gateway = self.gateway()?;
        let group = Group::named(&before.group).unwrap_or(Group::Generate);
        let upstream_ms = Cell::new(0.0);
        let service = gateway.service(&before.owner, &upstream_ms).of(group);
        let seen = look(&service, group, &before.task).await;
        let Some(mut watched) = self.read()? else { return Ok(()) };
        let retry_after = seen.as_ref().err().and_then(|it| it.retry_after);
        watched.looked(now(), retry_after, js_sys::Math::random());
        match seen {
            // An alarm that rang twice sees the same end twice, and announces it once.
            Ok(data) => {
                if watched.see(data, now()) {
                    watched.announce(&gateway.settings.webhook_urls, now());
                }
            }
            Err(refusal) if refusal.status == 404 => {
                watched.followed = false;
                self.refuse(&watched, refusal);
            }
            // Nothing that waiting would mend, such as a key that the service does not take.
            Err(refusal) if !refusal.code.is_retryable() => self.refuse(&watched, refusal),
            // The service is in trouble: whoever listens hears that we are still here.
            Err(_) => {}
        }
        self.write(&watched)?;
        if watched.ended.is_some() {
            // It is no longer in flight, and whoever hears that it has ended may go on at once.
            gateway.desk(&self.env).free(&watched.owner, group, &watched.task).await;
        }
        self.listeners.tell(&self.news(&watched)?);
        if watched.ended.is_some() {
            self.listeners.end(None);
        }
        Ok(())
    }

    /// Tells the app's backend what is due.
    async fn deliver(&self) -> worker::Result<()> {
        let gateway = self.gateway()?;
        let Some(watched) = self.read()? else { return Ok(()) };
        let payload = self.payload(&gateway, &watched);
        let about = [gateway.settings.tenant.as_str(), &watched.group, &watched.task];
        let message = Message { about, payload: &payload };
        for delivery in watched.deliveries.iter().filter(|it| it.due <= now()) {
            // A target that the operator took away is told no more.
            if !gateway.settings.webhook_urls.contains(&delivery.url) {
                self.note(delivery, Some(webhooks::GONE))?;
                continue;
            }
            let status = delivery.attempt(&gateway.settings.webhook_secrets, &message, now()).await;
            self.note(delivery, status)?;
        }
        Ok(())
    }

    fn note(&self, delivery: &Delivery, status: Option<u16>) -> worker::Result<()> {
        match self.read()? {
            Some(mut watched) => {
                watched.delivered(delivery, status, now(), js_sys::Math::random());
                self.write(&watched)
            }
            None => Ok(()),
        }
    }

    /// What the backend is told: the same text at every attempt.
    fn payload(&self, gateway: &Gateway, watched: &Watched) -> String {
        let mut data = watched.record.clone().unwrap_or_default();
        let state = data["task"]["state"].as_str().unwrap_or_default().to_ascii_lowercase();
        seal_ids(&mut data, &gateway.sealer, &watched.owner, watched.asked());
        let ended = js_sys::Date::new(&(watched.ended.unwrap_or_default() as f64).into()).to_iso_string();
        let owner = json!({"source": watched.owner.source, "issuer": watched.owner.issuer, "name": watched.owner.name});
        json!({
            "type": format!("task.{state}"), "timestamp": String::from(ended),
            "data": {"task": data["task"], "subject": owner},
        })
        .to_string()
    }

    /// Everyone hears that there is nothing to listen to, and that was it.
    fn refuse(&self, watched: &Watched, refusal: Refusal) {
        let said = envelope(refusal.code, &refusal.message, Value::Object(refusal.data));
        let text = event("error", watched.version, &said);
        self.listeners.end(Some(&Rc::from(text.as_bytes())));
    }

    /// The last event, its ids sealed to the owner, who is everyone that listens.
    fn news(&self, watched: &Watched) -> worker::Result<News> {
        let Some(record) = &watched.record else { return Ok(News { version: watched.version, text: None }) };
        let mut data = record.clone();
        seal_ids(&mut data, &self.gateway()?.sealer, &watched.owner, watched.asked());
        let said = envelope(Code::OK, Code::OK.message(), data);
        let text = event("task", watched.version, &said);
        Ok(News { version: watched.version, text: Some(Rc::from(text.as_bytes())) })
    }

    fn gateway(&self) -> worker::Result<Rc<Gateway>> {
        Gateway::shared(&self.env).map_err(|it| worker::Error::RustError(it.to_string()))
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
        // What cannot be read is as good as nothing: the service knows better.
        Ok(rows.first().and_then(|it| serde_json::from_str(&it.task).ok()))
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

fn now() -> i64 {
    now_ms() as i64
}
