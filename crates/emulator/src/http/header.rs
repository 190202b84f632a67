use axum::http::{HeaderMap, HeaderName};

/// Returns a header as text. `None` if it is missing or no text.
pub(crate) fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
