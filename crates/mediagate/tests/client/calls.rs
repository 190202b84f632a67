//! Calls: retries, limits and errors.

use serde_json::json;

use crate::script::*;

#[tokio::test(start_paused = true)]
async fn a_read_is_retried_with_growing_delays() {
    let page = Page::new();
    page.on(
        "GET models",
        [
            lost(),
            text(502),
            text(503),
            body(503, json!({ "code": 99 })).retry_after(9.0),
            shed(),
        ],
    );
    let error = page.client().models(limits()).await.err().unwrap();
    assert_eq!((error.kind.name(), error.status), ("rate_limit", Some(429)));
    println!("{:?}", page.intervals("GET models"));
    page.assert_rest().await;
}
