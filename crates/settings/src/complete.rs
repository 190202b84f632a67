/// Returns the value of a setting: a changed one, or one of the settings that must be set.
pub(crate) fn value(changes: &[(&str, &str)], name: &str) -> Option<String> {
    let change = changes.iter().find(|(changed, _)| *changed == name);
    let value = change.map(|(_, value)| *value).or(match name {
        "UPSTREAM_BASE_URL" => Some("https://api.example.com"),
        "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => {
            Some("0123456789abcdef0123456789abcdef")
        }
        _ => None,
    });
    value.map(str::to_owned)
}
