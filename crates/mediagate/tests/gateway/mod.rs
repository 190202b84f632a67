//! A gateway for the tests, on its own port. It responds like a real gateway, and fails on demand.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use mediagate::request::TextToImage;
use mediagate::{Client, Task};
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;

/// A failure instead of the response to a request.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The request is processed, and its response is aborted.
    Lost,
    Silence,
    /// This status, `Retry-After` and body, without processing.
    Refusal(u16, Option<&'static str>, Json),
    /// A redirect to this URL and the path of the request, without processing.
    Redirect(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The method, and the path with the query.
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    /// Returns a header; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) struct Gateway {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    url: Mutex<String>,
    seen: Mutex<Vec<Seen>>,
    /// The faults of the next requests, by the start of their line.
    faults: Mutex<Vec<(&'static str, Fault)>>,
    /// The keys of the creates. Each key has one task.
    keys: Mutex<Vec<String>>,
    /// The chunks of the next streams of events. A stream without chunks is refused.
    streams: Mutex<VecDeque<Vec<Vec<u8>>>>,
    /// The records of the next polls. The last one is repeated.
    records: Mutex<VecDeque<Json>>,
    history: Mutex<Json>,
    /// The members that are added to upload URLs.
    target: Mutex<Json>,
    sessions: AtomicUsize,
    aborted: Arc<AtomicUsize>,
}

impl Gateway {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        *shared.url.lock().unwrap() = url.clone();
        *shared.records.lock().unwrap() = VecDeque::from([record("SUCCEEDED")]);
        let router = Router::new().fallback(respond).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Gateway { url, shared }
    }

    pub(crate) async fn client(&self) -> Client {
        let connect = Client::connect(&self.url).token("token-1");
        connect.await.unwrap()
    }

    pub(crate) async fn created(&self) -> (Client, Task) {
        let client = self.client().await;
        let create = client.text_to_image(TextToImage::new("a lighthouse"));
        let task = create.await.unwrap();
        (client, task)
    }

    /// Sets a fault for the next request whose line begins with this.
    pub(crate) fn fail(&self, line: &'static str, fault: Fault) {
        self.shared.faults.lock().unwrap().push((line, fault));
    }

    pub(crate) fn stream(&self, chunks: &[&[u8]]) {
        self.shared
            .streams
            .lock()
            .unwrap()
            .push_back(chunks.iter().map(|chunk| chunk.to_vec()).collect());
    }

    pub(crate) fn records(&self, records: impl IntoIterator<Item = Json>) {
        *self.shared.records.lock().unwrap() = records.into_iter().collect();
    }

    pub(crate) fn history(&self, data: Json) {
        *self.shared.history.lock().unwrap() = data;
    }

    pub(crate) fn target(&self, members: Json) {
        *self.shared.target.lock().unwrap() = members;
    }

    /// Returns the requests whose line begins with this.
    pub(crate) fn seen(&self, line: &str) -> Vec<Seen> {
        self.shared
            .seen
            .lock()
            .unwrap()
            .iter()
            .filter(|seen| seen.line.starts_with(line))
            .cloned()
            .collect()
    }

    pub(crate) fn tasks(&self) -> usize {
        self.shared.keys.lock().unwrap().len()
    }

    /// Waits until this number of silent requests and open streams was aborted.
    pub(crate) async fn aborted(&self, count: usize) {
        eventually(|| self.shared.aborted.load(Ordering::SeqCst) >= count).await;
    }

    /// Drops a call that never ends once a request with this line has arrived.
    pub(crate) async fn dropped_at<C: IntoFuture>(&self, line: &str, call: C) {
        tokio::select! {
            _ = call.into_future() => panic!("the call has ended"),
            () = eventually(|| !self.seen(line).is_empty()) => {}
        }
    }
}

pub(crate) async fn eventually(holds: impl Fn() -> bool) {
    for _ in 0..1000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it does not hold after 10 seconds");
}

pub(crate) fn record(state: &str) -> Json {
    json!({
        "id": "task/1",
        "state": state,
        "progress": 0.5,
        "outputs": [{ "url": "https://media.example.com/1.mp4", "kind": "video" }],
    })
}

pub(crate) fn event(state: &str) -> String {
    format!(
        "id: {state}\nevent: task\ndata: {}\n\n",
        json!({ "code": 0, "message": "ok", "data": { "task": record(state) } })
    )
}

/// Counts a request whose connection ends before its response.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

async fn respond(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    let headers = request.headers().clone();
    let fault = {
        let mut faults = shared.faults.lock().unwrap();
        let next = faults.iter().position(|(start, _)| line.starts_with(start));
        next.map(|index| faults.remove(index).1)
    };
    if matches!(fault, Some(Fault::Silence)) {
        shared.seen.lock().unwrap().push(Seen {
            line,
            headers,
            body: Bytes::new(),
        });
        let _counted = Counted(shared.aborted.clone());
        // The server notices the end of the connection only after the end of the body.
        to_bytes(request.into_body(), usize::MAX).await.ok();
        return std::future::pending().await;
    }
    let body = to_bytes(request.into_body(), usize::MAX)
        .await
        .unwrap_or_default();
    let seen = Seen {
        line,
        headers,
        body,
    };
    shared.seen.lock().unwrap().push(seen.clone());
    match fault {
        Some(Fault::Refusal(status, retry_after, body)) => {
            let mut response =
                (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response();
            if let Some(seconds) = retry_after {
                response
                    .headers_mut()
                    .insert("retry-after", seconds.parse().unwrap());
            }
            response
        }
        Some(Fault::Redirect(other)) => {
            let path = seen.line.split_once(' ').map_or("", |(_, path)| path);
            let location = [("location", format!("{other}{path}"))];
            (StatusCode::TEMPORARY_REDIRECT, location).into_response()
        }
        Some(_) => {
            drop(process(&shared, &seen));
            let broken = stream::iter([Ok("{"), Err(std::io::Error::other("lost"))]);
            Body::from_stream(broken).into_response()
        }
        None => process(&shared, &seen),
    }
}

fn process(shared: &Shared, seen: &Seen) -> Response {
    let url = shared.url.lock().unwrap().clone();
    match seen.line.as_str() {
        "POST /session" => {
            let number = shared.sessions.fetch_add(1, Ordering::SeqCst) + 1;
            success(
                &json!({ "session": { "token": format!("anonymous-{number}"), "expires_in": 3600 } }),
            )
        }
        "POST /api/app/v1/upload_urls" => {
            let number = shared
                .seen
                .lock()
                .unwrap()
                .iter()
                .filter(|seen| seen.line.ends_with("/upload_urls"))
                .count();
            let mut data = json!({ "upload_url": format!("{url}/storage/{number}"), "file_id": format!("file_{number}") });
            if let (Json::Object(data), Json::Object(more)) =
                (&mut data, shared.target.lock().unwrap().clone())
            {
                data.extend(more);
            }
            success(&data)
        }
        "POST /api/app/v1/files" => success(&json!({ "file_id": "moved", "size": 9 })),
        "POST /api/app/v1/credits/estimate" => success(&json!({ "credits": 3 })),
        "GET /api/app/v1/models" => {
            success(&json!({ "models": [{ "id": "m", "large": 12345678901234567890_u64 }] }))
        }
        "GET /api/app/v1/capabilities" => {
            let model = json!({ "model_id": "m", "values": { "seed": [1] } });
            let offer = json!({
                "capability": "text_to_video", "is_extension": true, "models": [model],
            });
            success(&json!({ "capabilities": [offer] }))
        }
        "GET /api/app/v1/tasks/task%2F1/events" => match shared.streams.lock().unwrap().pop_front()
        {
            Some(chunks) => events(shared, chunks),
            None => refusal(404, 12, "no streams here"),
        },
        line if line.starts_with("GET /api/app/v1/tasks?") || line == "GET /api/app/v1/tasks" => {
            success(&shared.history.lock().unwrap().clone())
        }
        line if line.starts_with("DELETE /api/app/v1/tasks/") => success(&json!({})),
        line if line.contains(" /storage/") => StatusCode::OK.into_response(),
        line if line.starts_with("GET /api/app/v1/generate/tasks/") => {
            let mut records = shared.records.lock().unwrap();
            let record = if records.len() > 1 {
                records.pop_front()
            } else {
                records.front().cloned()
            };
            success(&json!({ "task": record }))
        }
        line if line.starts_with("POST /api/app/v1/generate/") => {
            let key = seen.header("idempotency-key").to_owned();
            let mut keys = shared.keys.lock().unwrap();
            if !keys.contains(&key) {
                keys.push(key);
            }
            success(&json!({ "task": { "id": "task/1", "state": "QUEUED" } }))
        }
        _ => refusal(404, 12, "no such path"),
    }
}

/// Returns a stream of these chunks, a moment apart, which stays open afterwards.
fn events(shared: &Shared, chunks: Vec<Vec<u8>>) -> Response {
    let counted = Counted(shared.aborted.clone());
    let chunks = stream::unfold(
        (chunks.into_iter(), counted),
        |(mut chunks, counted)| async move {
            let Some(chunk) = chunks.next() else {
                return std::future::pending().await;
            };
            tokio::time::sleep(Duration::from_millis(2)).await;
            Some((Ok::<_, Infallible>(chunk), (chunks, counted)))
        },
    );
    (
        [("content-type", "text/event-stream")],
        Body::from_stream(chunks),
    )
        .into_response()
}

fn success(data: &Json) -> Response {
    axum::Json(json!({ "code": 0, "message": "ok", "data": data })).into_response()
}

fn refusal(status: u16, code: i32, message: &str) -> Response {
    let body = json!({ "code": code, "message": message, "data": { "request_id": "request-1" } });
    (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
}
