use mediagate_core::{Code, object};
use serde_json::Value;

pub fn envelope(code: Code, message: &str, data: Value) -> String {
    // `json!` would copy the data.
    let members = [
        ("code", code.0.into()),
        ("data", data),
        ("message", message.into()),
    ];
    let members = members.map(|(name, value)| (name.to_owned(), value));
    Value::Object(object(members)).to_string()
}

/// Formats an event. Its data is an envelope like the response to a status request: JSON without
/// line breaks, so it is one line.
pub fn event(name: &str, id: u64, envelope: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {envelope}\n\n")
}
