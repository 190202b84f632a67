//! A page with a scripted network and clock: `fetch` returns responses from a list, timers fire at once, and both are
//! recorded.
#![allow(dead_code, unreachable_pub, reason = "a module of several test programs, each of which uses a part of it")]

use std::rc::Rc;

use js_sys::{Array, Function};
use mediagate_browser::engine::client::{Client, Operation};
use mediagate_browser::engine::create::Create;
use mediagate_browser::engine::error::Error;
use mediagate_browser::host;
use mediagate_browser::value::Js;
use mediagate_core::Value;
use wasm_bindgen::JsValue;

/// The script that replaces `fetch` and `setTimeout`. A response is `[status, body, headers]`; `null` is a lost
/// connection, and `"silence"` a request without a response. A list in place of the body is a stream of events in these
/// chunks, of which `null` never arrives and a number of 1000 or more is milliseconds that pass. Timers of ten seconds
/// and more fire after a while, shorter ones at once; then the clock is advanced by their time. A request for which no
/// response is left fails the test.
const SCRIPT: &str = r#"
    const real = { fetch, setTimeout, clearTimeout };
    const now = Date.now;
    let ahead = 0;
    Date.now = () => now() + ahead;
    const page = { requests: [], delays: [], ended: 0, missed: 0, responses };
    globalThis.fetch = async (url, { method, headers, body, signal }) => {
        page.requests.push({ url: String(url), method, headers: Object.fromEntries(headers), body: body ?? null });
        const response = responses.length === 0 ? (page.missed += 1, null) : responses.shift();
        if (response === null) throw new TypeError("Failed to fetch");
        if (response === "silence") {
            return new Promise((_, reject) => signal.addEventListener("abort", () => {
                page.ended += 1;
                reject(signal.reason);
            }));
        }
        const [status, content, fields] = response;
        if (Array.isArray(content)) return stream(content);
        return new Response(typeof content === "string" ? content : JSON.stringify(content), { status, headers: fields });
    };
    const stream = (parts) => new Response(new ReadableStream({
        async pull(controller) {
            while (parts[0] >= 1000) ahead += parts.shift();
            if (parts.length === 0) return controller.close();
            const part = parts.shift();
            if (part === null) return new Promise(() => {});
            controller.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part);
            return undefined;
        },
        cancel() {
            page.ended += 1;
        },
    }, { highWaterMark: 0 }), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
    globalThis.setTimeout = (fire, milliseconds) => {
        page.delays.push(milliseconds);
        // A timer that detects silence must not fire before the responses have arrived.
        const fired = () => {
            ahead += milliseconds;
            fire();
        };
        return Reflect.apply(real.setTimeout, globalThis, [fired, milliseconds < 10_000 ? 0 : 100 + milliseconds / 100]);
    };
    page.restore = () => {
        Object.assign(globalThis, real);
        Date.now = now;
    };
    return page;
"#;

/// The page. Dropping it restores `fetch` and the timers.
pub struct Page(Js);

impl Page {
    /// A page whose requests get these responses, in this order: a JavaScript list.
    pub fn with_responses(responses: &str) -> Self {
        let script = Function::new_with_args("responses", SCRIPT);
        let page = host::apply(&script, &JsValue::UNDEFINED, &Array::of1(&eval(responses)));
        Page(Js(page.expect("the script runs")))
    }

    /// The requests, in order: `{url, method, headers, body}`.
    pub fn requests(&self) -> Vec<Js> {
        assert_eq!(self.number("missed"), 0.0, "there was a request without a response in the script");
        Js(self.0.member("requests")).items()
    }

    /// The number of responses that are left.
    pub fn left(&self) -> usize {
        Js(self.0.member("responses")).items().len()
    }

    /// The requests as lines such as `POST https://gateway.test/api/app/v1/upload_urls`, in order.
    pub fn lines(&self) -> Vec<String> {
        let line = |it: &Js| [it.string("method"), it.string("url")].map(Option::unwrap_or_default).join(" ");
        self.requests().iter().map(line).collect()
    }

    /// Milliseconds of the timers that were set, in order.
    pub fn delays(&self) -> Vec<f64> {
        Js(self.0.member("delays")).items().iter().filter_map(Js::number).collect()
    }

    /// A count of the script: `ended`, the requests and streams that were aborted, or `missed`.
    pub fn number(&self, name: &str) -> f64 {
        self.0.member(name).as_f64().expect("a count")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        call(&self.0.0, "restore", &Array::new());
    }
}

/// A page without XMLHttpRequest, like a worker or Node: there, `fetch` sends files, which the script records.
pub struct WithoutXhr(JsValue);

impl WithoutXhr {
    /// Removes it until this is dropped.
    pub fn new() -> Self {
        let xhr = eval("globalThis.XMLHttpRequest");
        eval("delete globalThis.XMLHttpRequest");
        WithoutXhr(xhr)
    }
}

impl Drop for WithoutXhr {
    fn drop(&mut self) {
        host::set(&js_sys::global(), "XMLHttpRequest", &self.0);
    }
}

/// The result of a method of an object.
pub fn call(object: &JsValue, method: &str, arguments: &Array) -> JsValue {
    host::apply(&host::member(object, method), object, arguments).expect("it does not throw")
}

/// The value of a JavaScript expression.
pub fn eval(expression: &str) -> JsValue {
    let function = Function::new_no_args(&["return (", expression, ");"].concat());
    host::apply(&function, &JsValue::UNDEFINED, &Array::new()).expect("the expression has a value")
}

/// A client of the gateway at `https://gateway.test`, with this `token` option.
pub async fn client(token: &str) -> Rc<Client> {
    let options = Js(eval(&format!("({{ url: 'https://gateway.test/', token: {token} }})")));
    Rc::new(Client::connect(&options).await.expect("it connects"))
}

/// Creates a task with the idempotency key `once`. As from the bindings, an error has the outcome of the create.
pub async fn create(client: &Client, name: &str, input: &str) -> Result<JsValue, Error> {
    let create = Rc::new(Create::new(&Js(eval("({ idempotencyKey: 'once' })"))).expect("a good key"));
    let result = client.request(Operation::Create(Rc::clone(&create)), &name.into(), &Js(eval(input))).await;
    result.map_err(|it| create.explain(it))
}

/// An error with the members that JavaScript sees.
pub fn thrown(error: Error) -> Js {
    Js(error.into())
}
