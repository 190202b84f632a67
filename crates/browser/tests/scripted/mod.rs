//! A page whose network and clock are scripted: `fetch` answers from a list, timers ring at once, and both are noted.
#![allow(dead_code, unreachable_pub, reason = "a part of several test programs, each of which uses a part of it")]

use std::rc::Rc;

use js_sys::{Array, Function};
use mediagate_browser::engine::client::{Ask, Client};
use mediagate_browser::engine::error::Error;
use mediagate_browser::engine::gateway::Create;
use mediagate_browser::engine::host;
use mediagate_browser::value::Js;
use mediagate_core::Value;
use wasm_bindgen::JsValue;

/// What `fetch` and `setTimeout` are replaced with. An answer is `[status, body, headers]`; `null` is a lost
/// connection, `"silence"` one that never answers; a list in the place of the body is a stream of events in these parts,
/// of which `null` never comes and a number is time that passes. Timers of ten seconds and more ring after a while, others at once, and the clock is then
/// as far on as they say. One request more than the script has answers fails the test's call.
const SCRIPT: &str = r#"
    const real = { fetch, setTimeout, clearTimeout };
    const now = Date.now;
    let ahead = 0;
    Date.now = () => now() + ahead;
    const page = { requests: [], delays: [], ended: 0, missed: 0, answers };
    globalThis.fetch = async (url, { method, headers, body, signal }) => {
        page.requests.push({ url: String(url), method, headers: Object.fromEntries(headers), body: body ?? null });
        const answer = answers.length === 0 ? (page.missed += 1, null) : answers.shift();
        if (answer === null) throw new TypeError("Failed to fetch");
        if (answer === "silence") {
            return new Promise((_, reject) => signal.addEventListener("abort", () => {
                page.ended += 1;
                reject(signal.reason);
            }));
        }
        const [status, content, fields] = answer;
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
    globalThis.setTimeout = (ring, milliseconds) => {
        page.delays.push(milliseconds);
        // What waits for others to be silent must not be faster than they are.
        const rung = () => {
            ahead += milliseconds;
            ring();
        };
        return Reflect.apply(real.setTimeout, globalThis, [rung, milliseconds < 10_000 ? 0 : 100 + milliseconds / 100]);
    };
    page.restore = () => {
        Object.assign(globalThis, real);
        Date.now = now;
    };
    return page;
"#;

/// The page; dropped, it gives `fetch` and the timers back.
pub struct Page(Js);

impl Page {
    /// A page whose requests are answered with these, in this order: a JavaScript list.
    pub fn answering(answers: &str) -> Self {
        let script = Function::new_with_args("answers", SCRIPT);
        let page = host::apply(&script, &JsValue::UNDEFINED, &Array::of1(&eval(answers)));
        Page(Js(page.expect("the script runs")))
    }

    /// What was asked for, in order: `{url, method, headers, body}`.
    pub fn requests(&self) -> Vec<Js> {
        assert_eq!(self.number("missed"), 0.0, "a request was made that no answer was meant for");
        Js(self.0.member("requests")).items()
    }

    /// How many answers nobody has asked for.
    pub fn left(&self) -> usize {
        Js(self.0.member("answers")).items().len()
    }

    /// `POST /api/app/v1/upload_urls` and so on, in order.
    pub fn lines(&self) -> Vec<String> {
        let line = |it: &Js| [it.string("method"), it.string("url")].map(Option::unwrap_or_default).join(" ");
        self.requests().iter().map(line).collect()
    }

    /// Milliseconds of the timers that were set, in order.
    pub fn delays(&self) -> Vec<f64> {
        Js(self.0.member("delays")).items().iter().filter_map(Js::number).collect()
    }

    /// A count that the script keeps: `ended`, the silent requests that were given up.
    pub fn number(&self, name: &str) -> f64 {
        self.0.member(name).as_f64().expect("a count")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        call(&self.0.0, "restore", &Array::new());
    }
}

/// A page without XMLHttpRequest, as a worker of Node is: `fetch` sends files there, and the script sees it.
pub struct WithoutXhr(JsValue);

impl WithoutXhr {
    /// Takes it away until this is dropped.
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

/// What a method of an object gives.
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

/// Creates a task with the idempotency key `once`, as the bindings do: with what is known of it in an error.
pub async fn create(client: &Client, name: &str, input: &str) -> Result<JsValue, Error> {
    let create = Rc::new(Create::new(&Js(eval("({ idempotencyKey: 'once' })"))).expect("a good key"));
    let made = client.ask(Ask::Create(Rc::clone(&create)), &name.into(), &Js(eval(input))).await;
    made.map_err(|it| create.explain(it))
}

/// An error as JavaScript would see its members.
pub fn thrown(error: Error) -> Js {
    Js(error.into())
}
