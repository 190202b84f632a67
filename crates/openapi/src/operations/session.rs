//! Anonymous sessions.

use crate::parts::Operation;
use serde_json::json;

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::{header, operation};

/// `POST /session`.
pub(super) fn session(builder: &Builder) -> Operation {
    let about = "Returns a short-lived token to a page without a backend, if the operator has \
        enabled anonymous sessions. Send the previous token as Bearer to keep its subject, up to \
        30 days after it expired: ids are sealed for the subject, and no other subject can use \
        them.";
    let session = json!({
        "type": "object",
        "properties": {
            "token": {
                "type": "string",
                "description": "The token, for `Authorization: Bearer`.",
            },
            "expires_in": {
                "type": "integer", "minimum": 1,
                "description": "The token's lifetime in seconds.",
            },
        },
        "required": ["token", "expires_in"],
    });
    let data =
        json!({"type": "object", "properties": {"session": session}, "required": ["session"]});
    let token = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl";
    let example = json!({"session": {"token": token, "expires_in": 900}});
    let content = Content::envelope(data, &example);
    let success = builder.response("A session.", content, &[]);
    let summary = "Start an anonymous session";
    let mut operation = operation("Session", "openSession", summary, about, success);
    // The previous token is optional.
    operation.security = Some(json!([{}, {"sessionToken": []}]));
    operation.parameters = vec![
        header(
            "Origin",
            true,
            json!({"type": "string", "format": "uri"}),
            "The page's origin, as a browser sends it.",
        ),
        header(
            "x-mediagate",
            true,
            json!({"type": "string", "enum": ["1"]}),
            "A header that HTML forms and images cannot send.",
        ),
        header(
            "x-turnstile-response",
            false,
            json!({"type": "string"}),
            "Turnstile's token, if the operator requires it.",
        ),
    ];
    operation
}
