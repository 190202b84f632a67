//! Requests, and what becomes of them.

use std::pin::pin;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::{Either, FutureExt, select};
use mediagate_client::{Body, Id, Request, Response, Wake};
use serde_json::Value as Json;
use tokio::sync::Notify;

use super::callbacks;
use super::events::EventStream;
use super::files::{is_form, sending, texts};
use super::state::{Engine, Event, Machine, State};
use crate::driver::{Content, Driver, Host, Incoming, NoResponse, OnSent, Outgoing, Upload};
use crate::value::{Handle, Value, from_json, hold, to_json};

/// The bytes in a millisecond that an upload is expected to send at least, where its progress is not seen.
const MIN_SPEED: u64 = 50;

/// A response that was read, or whose stream is left open.
struct Received {
    status: u16,
    request_id: Option<String>,
    retry_after: Option<f64>,
    body: Vec<u8>,
    stream: Option<EventStream>,
}

impl Machine {
    /// Sends a request, and reports its response, or that there was none.
    pub(super) fn send(&self, id: Id, request: &Request<Handle>) {
        let sent = Arc::new(Notify::new());
        let outgoing = outgoing(request, &sent);
        let (machine, leave_open, patience) = (
            self.clone(),
            request.events,
            patience(request, &outgoing.content),
        );
        self.begin(id, async move {
            let exchange = exchange(&machine.0.host, outgoing, leave_open);
            let outcome = patiently(&machine.0, patience, &sent, exchange).await;
            Box::new(move |engine: &mut Engine| match outcome {
                Ok(received) => machine.report(engine, id, received),
                Err(NoResponse { cause, is_refused }) => {
                    engine.failed(id, hold(Value::Cause(cause)), is_refused)
                }
            }) as Event
        });
    }

    /// Finds out what keeps the page from the gateway of a request, and reports it.
    pub(super) fn find_block(&self, id: Id, request: &Request<Handle>) {
        let block = self.0.host.diagnose(outgoing(request, &Arc::default()));
        self.begin(
            id,
            block.map(move |it| {
                Box::new(move |engine: &mut Engine| engine.diagnosed(id, it)) as Event
            }),
        );
    }

    fn report(&self, engine: &mut Engine, id: Id, received: Received) {
        let Received {
            status,
            request_id,
            retry_after,
            body,
            stream,
        } = received;
        let is_stream = stream.is_some();
        if let Some(stream) = stream {
            self.0.streams.borrow_mut().insert(id, stream);
        }
        let body = serde_json::from_slice::<Json>(&body)
            .ok()
            .map(|it| hold(from_json(it)));
        let request_id = request_id.map(|it| hold(Value::text(&it)));
        engine.responded(
            id,
            Response {
                status,
                body,
                request_id,
                retry_after,
                is_stream,
            },
        );
    }
}

/// The request as the driver sends it.
fn outgoing(request: &Request<Handle>, sent: &Arc<Notify>) -> Outgoing {
    let mut headers = request
        .headers
        .map(|it| texts(&it.value()))
        .unwrap_or_default();
    let (method, content) = match request.body {
        Body::Empty => (request.method, Content::Empty),
        Body::Json(body) => {
            headers.push(("content-type".into(), "application/json".into()));
            (
                request.method,
                Content::Bytes(to_json(&body.value()).to_string().into_bytes()),
            )
        }
        Body::File(file, progress, target) => {
            match upload(file, progress, is_form(&target.value()), sent) {
                Some(upload) => {
                    let (method, more, content) = sending(upload, &target.value());
                    headers.extend(more);
                    (method, content)
                }
                None => (request.method, Content::Empty),
            }
        }
    };
    if let Some(token) = request.authorization {
        headers.push(("authorization".into(), format!("Bearer {}", token.string())));
    }
    Outgoing {
        method,
        url: request.url.string().to_string(),
        headers,
        content,
    }
}

fn upload(
    file: Handle,
    progress: Option<Handle>,
    is_form: bool,
    sent: &Arc<Notify>,
) -> Option<Upload> {
    let Value::File(file) = file.value() else {
        return None;
    };
    let subscriber = match progress.map(Handle::value) {
        Some(Value::Progress(it)) => Some(it),
        _ => None,
    };
    // A form that a page sends without a listener needs no preflight request.
    if Host::IS_PAGE && is_form && subscriber.is_none() {
        return Some(Upload {
            file,
            on_sent: None,
        });
    }
    let (sent, total) = (sent.clone(), file.size());
    let on_sent: OnSent = Arc::new(move |loaded| {
        sent.notify_one();
        if let Some(subscriber) = &subscriber {
            callbacks::progress(subscriber, loaded, total);
        }
    });
    Some(Upload {
        file,
        on_sent: Some(on_sent),
    })
}

/// The milliseconds of a request; an upload whose progress is not seen has more by its size.
fn patience(request: &Request<Handle>, content: &Content) -> u32 {
    match content {
        Content::Form {
            upload: Upload {
                file,
                on_sent: None,
            },
            ..
        } if request.patience_ms > 0 => {
            let slow = u32::try_from(file.size() / MIN_SPEED).unwrap_or(u32::MAX);
            request
                .patience_ms
                .saturating_add(slow)
                .min(i32::MAX as u32)
        }
        _ => request.patience_ms,
    }
}

/// Sends a request and reads its response, but for a stream of events where one is wanted.
async fn exchange(
    host: &Host,
    outgoing: Outgoing,
    leave_open: bool,
) -> Result<Received, NoResponse> {
    let Incoming {
        status,
        content_type,
        request_id,
        retry_after,
        body,
    } = host.send(outgoing).await?;
    let retry_after = retry_after.and_then(|it| seconds(&it, host.now()));
    if leave_open && status == 200 && content_type.starts_with("text/event-stream") {
        let stream = Some(EventStream::new(body));
        return Ok(Received {
            status,
            request_id,
            retry_after,
            body: Vec::new(),
            stream,
        });
    }
    let body = read_all(body).await?;
    Ok(Received {
        status,
        request_id,
        retry_after,
        body,
        stream: None,
    })
}

async fn read_all(mut body: <Host as Driver>::Body) -> Result<Vec<u8>, NoResponse> {
    let mut all = Vec::new();
    while let Some(chunk) = Host::read(&mut body).await? {
        all.extend_from_slice(&chunk);
    }
    Ok(all)
}

/// The result of work, unless nothing comes of it, nor is sent, for a number of milliseconds; 0 for no limit.
async fn patiently(
    state: &State,
    limit: u32,
    sent: &Notify,
    work: impl Future<Output = Result<Received, NoResponse>>,
) -> Result<Received, NoResponse> {
    let mut work = pin!(work);
    if limit == 0 {
        return work.await;
    }
    loop {
        let (wait, progress) = (
            pin!(state.host.sleep(limit, Wake::Never)),
            pin!(sent.notified()),
        );
        match select(work.as_mut(), select(wait, progress)).await {
            Either::Left((result, _)) => return result,
            Either::Right((Either::Left(_), _)) => return Err(late_error(limit)),
            Either::Right((Either::Right(_), _)) => {}
        }
    }
}

fn late_error(limit: u32) -> NoResponse {
    let message = format!("nothing came for {} seconds", limit / 1000);
    NoResponse {
        cause: Arc::from(Box::from(message)),
        is_refused: false,
    }
}

/// Seconds to wait at a time in milliseconds since 1970, from a `Retry-After` that is a number or a date.
fn seconds(text: &str, now: f64) -> Option<f64> {
    let text = text.trim();
    if text.starts_with(|it: char| it.is_ascii_digit()) {
        return text.parse().ok();
    }
    let time: SystemTime = httpdate::parse_http_date(text).ok()?;
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some((since_1970.as_secs_f64() - now / 1000.0).max(0.0))
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::session::InMemory;

    #[tokio::test(start_paused = true)]
    async fn patience_begins_anew_with_each_part_that_is_sent() {
        let host = Host::new().unwrap_or_else(|it| panic!("{it}"));
        let machine = Machine::new(host, Arc::default(), Arc::new(InMemory::default()));
        let (sent, start) = (Notify::new(), Instant::now());
        let uploading = async {
            for _ in 0..3 {
                machine.0.host.sleep(30_000, Wake::Never).await;
                sent.notify_one();
            }
            std::future::pending().await
        };
        let outcome = patiently(&machine.0, 40_000, &sent, uploading).await;
        assert_eq!(
            outcome.err().unwrap().cause.to_string(),
            "nothing came for 40 seconds"
        );
        assert_eq!(start.elapsed().as_secs(), 3 * 30 + 40);
    }

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        let now = 1_445_412_480_000.0; // Wed, 21 Oct 2015 07:28:00 GMT
        assert_eq!(seconds("7", now), Some(7.0));
        assert_eq!(seconds(" 1.5 ", now), Some(1.5));
        assert_eq!(seconds("soon", now), None);
        assert_eq!(seconds("Wed, 21 Oct 2015 07:27:00 GMT", now), Some(0.0));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:29:00 GMT", now), Some(60.0));
    }
}
