use super::finding::Finding;
use super::{Format, check_key_length, examine, worker_names};
use crate::settings::SECRETS;

const SHIPPED: &str = include_str!("../../../../wrangler.toml");

/// Returns the repository's configuration, completed, with these lines added to its settings.
fn with(vars: &str) -> String {
    format!("{SHIPPED}\nUPSTREAM_BASE_URL = \"https://api.example.com\"\n{vars}\n")
}

fn lines(text: &str) -> Vec<String> {
    examine(text, Format::Toml, None)
        .unwrap()
        .iter()
        .map(Finding::to_string)
        .collect()
}

fn assert_error(text: &str, expected: &str) {
    let found = errors(text);
    assert!(
        found.len() == 1 && found[0].contains(expected),
        "{expected}: {found:?}"
    );
}

fn errors(text: &str) -> Vec<String> {
    lines(text)
        .into_iter()
        .filter(|line| line.starts_with("error: "))
        .collect()
}

#[test]
fn the_repositorys_configuration_lacks_only_the_upstream_url() {
    assert_error(SHIPPED, "UPSTREAM_BASE_URL is missing");
    let notes = [
        "note: ALLOWED_ORIGINS is not set",
        "note: DEFAULT_BUDGET is not set",
        "note: OUTPUT_HOSTS is not set",
        "note: the Worker needs the secrets UPSTREAM_API_KEY, SEAL_SECRET, SESSION_SECRET;",
    ];
    let complete = lines(&with(""));
    assert_eq!(complete.len(), notes.len(), "{complete:?}");
    for (line, note) in complete.iter().zip(notes) {
        assert!(line.starts_with(note), "{line}");
    }
}

#[test]
fn a_setting_of_what_is_off_is_a_setting() {
    let vars = r#"
        TURNSTILE_ACTION = "session"
        TURNSTILE_HOSTNAMES = "www.example.com"
        MCP_TOKEN_DAYS = "1"
    "#;
    assert_eq!(errors(&with(vars)), [""; 0]);
}

#[test]
fn all_invalid_settings_are_listed_at_once_without_their_values() {
    let found = errors(
        r#"
        [vars]
        UPSTREAM_BASE_URL = "http://canary.example.com"
        ALLOWED_ORIGINS = "https://*canary.example.com"
        UPLOAD_MODE = "canary"
        MAX_BODY_BYTES = 4096
        UPSTREAM_TIMEOUT = "1000"
        CANARY = "canary"
        "#,
    );
    let text = found.join("\n");
    for part in [
        "UPSTREAM_BASE_URL",
        "ALLOWED_ORIGINS",
        "UPLOAD_MODE",
        "MAX_BODY_BYTES is not text",
        "main is missing",
        "UPSTREAM_TIMEOUT is no setting of the gateway; did you mean UPSTREAM_TIMEOUT_MS?",
        "CANARY is no setting of the gateway; take it out",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn a_secret_in_the_file_is_an_error_without_its_value() {
    for name in SECRETS {
        let text = with(&format!(
            "{name} = \"canary-canary-canary-canary-canary-1\""
        ));
        assert_error(&text, &format!("wrangler secret put {name}"));
        assert!(!errors(&text)[0].contains("canary"), "{name}");
    }
}

#[test]
fn anonymous_sessions_need_origins_a_scope_and_limits() {
    let found = errors(&with("ANONYMOUS_SESSIONS = \"on\"")).join("\n");
    for name in [
        "ALLOWED_ORIGINS",
        "ANONYMOUS_SCOPE",
        "ANONYMOUS_BUDGET",
        "RATE_LIMIT_PER_MINUTE",
    ] {
        assert!(
            found.contains(&format!("{name} is missing")),
            "{name}: {found}"
        );
    }
    let whole = with(
        r#"
        ANONYMOUS_SESSIONS = "on"
        ANONYMOUS_SCOPE = "generate:*"
        ANONYMOUS_BUDGET = "50"
        ALLOWED_ORIGINS = "https://a.example.com"
        RATE_LIMIT_PER_MINUTE = "60"
        "#,
    );
    assert_eq!(errors(&whole), [""; 0]);
    let has_note = |text: &str, about: &str| {
        lines(text)
            .iter()
            .any(|line| line.starts_with("note: ") && line.contains(about))
    };
    assert!(has_note(&whole, "ANONYMOUS_TASKS_IN_FLIGHT") && has_note(&whole, "DEFAULT_BUDGET"));
    let bounded = whole.replace(
        "ANONYMOUS_BUDGET",
        "MAX_TASKS_IN_FLIGHT = \"9\"\nDEFAULT_BUDGET = '{\"creates\": 5}'\nANONYMOUS_BUDGET",
    );
    assert_eq!(errors(&bounded), [""; 0]);
    assert!(
        !has_note(&bounded, "ANONYMOUS_TASKS_IN_FLIGHT") && !has_note(&bounded, "DEFAULT_BUDGET")
    );
}

#[test]
fn origins_are_exact() {
    for (origins, problem) in [
        ("*", "has an entry that is not an exact origin"),
        ("null", "has null, the origin of pages from files"),
        (
            "https://a.example.com/",
            "has an origin with a slash at its end",
        ),
        ("https://a.example.com/app", "has an origin with a path"),
        ("a.example.com", "has an entry that is not an exact origin"),
    ] {
        assert_error(
            &with(&format!("ALLOWED_ORIGINS = \"{origins}\"")),
            &format!("ALLOWED_ORIGINS {problem}"),
        );
    }
    for origin in [
        "tauri://localhost",
        "capacitor://localhost",
        "chrome-extension://abcdefghijklmnop",
    ] {
        assert_eq!(
            errors(&with(&format!("ALLOWED_ORIGINS = \"{origin}\""))),
            [""; 0]
        );
    }
}

#[test]
fn the_workers_part_is_checked() {
    for (line, changed, expected) in [
        (
            "main = \"crates/entry/build/index.js\"",
            "",
            "main is missing",
        ),
        (
            "compatibility_date = \"2026-04-01\"",
            "",
            "compatibility_date is missing",
        ),
        (
            "compatibility_date = \"2026-04-01\"",
            "compatibility_date = \"2024-01-01\"",
            "compatibility_date is older",
        ),
        (
            "run_worker_first = true",
            "run_worker_first = false",
            "run_worker_first",
        ),
        (
            "run_worker_first = true",
            "run_worker_first = [\"/api/*\"]",
            "run_worker_first",
        ),
        (
            "binding = \"ASSETS\"",
            "binding = \"FILES\"",
            "assets.binding",
        ),
        (
            "class_name = \"Ledger\"",
            "class_name = \"Other\"",
            "LEDGER is not bound",
        ),
        (
            "class_name = \"Watcher\"",
            "class_name = \"Other\"",
            "WATCHER is not bound",
        ),
        ("[\"Ledger\", ", "[", "no migration makes the class Ledger"),
    ] {
        let text = with("");
        assert!(text.contains(line), "{line}");
        assert_error(&text.replace(line, changed), expected);
    }
}

#[test]
fn without_the_flag_for_workers_of_the_same_zone_there_is_a_note() {
    let noted = |text: &str| -> Vec<String> {
        lines(text)
            .into_iter()
            .filter(|line| line.contains("compatibility_flags"))
            .collect()
    };
    let flag = "compatibility_flags = [\"global_fetch_strictly_public\"]";
    let text = with("[env.staging]\nmain = \"x\"");
    assert!(text.contains(flag));
    assert_eq!(noted(&text), [""; 0], "an environment inherits the flag");
    let expected = format!("add {flag}");
    for changed in ["", "compatibility_flags = [\"nodejs_compat\"]"] {
        let found = noted(&with("").replace(flag, changed));
        assert!(
            found.len() == 1
                && found[0]
                    .starts_with("note: compatibility_flags lacks global_fetch_strictly_public")
                && found[0].ends_with(&expected),
            "{found:?}"
        );
    }
    let other = with("[env.staging]\ncompatibility_flags = []");
    assert!(
        matches!(&noted(&other)[..], [note] if note.starts_with("note: in env.staging: ")),
        "{other}"
    );
}

#[test]
fn an_address_that_is_not_on_the_internet_is_an_error() {
    for (setting, url) in [
        ("UPSTREAM_BASE_URL", "http://127.0.0.1:8788"),
        ("RESULTS_BUCKET_URL", "http://minio:9000/mine"),
        ("SESSION_JWKS_URL", "https://keys.internal/"),
        (
            "WEBHOOK_URLS",
            "https://www.example.com/, https://10.0.0.1/hook",
        ),
    ] {
        let text = format!("{SHIPPED}\n{setting} = \"{url}\"");
        let expected = format!("error: {setting} is on this machine or in a private network");
        let found = errors(&text);
        assert!(
            found.iter().any(|line| line.starts_with(&expected)),
            "{found:?}"
        );
    }
}

#[test]
fn environments_have_their_own_settings_and_inherit_the_rest() {
    let text = with("") + "[env.staging.vars]\nUPLOAD_MODE = \"canary\"\n";
    let found = errors(&text);
    assert!(
        found
            .iter()
            .all(|line| line.starts_with("error: in env.staging: ")),
        "{found:?}"
    );
    let text = found.join("\n");
    assert!(
        text.contains("LEDGER is not bound")
            && text.contains("UPLOAD_MODE")
            && text.contains("UPSTREAM_BASE_URL")
    );
    assert!(!text.contains("main") && !text.contains("canary"), "{text}");
}

#[test]
fn a_syntax_error_names_its_line_without_quoting_it() {
    let text = "name = \"a\"\nUPSTREAM_API_KEY = canary\n";
    let error = examine(text, Format::Toml, None).unwrap_err().to_string();
    assert_eq!(error, "the syntax is wrong at line 2");
}

#[test]
fn a_key_that_is_easy_to_guess_is_noted_without_its_value() {
    let note = check_key_length("canary-of-24-characters!")
        .map(|finding| finding.to_string())
        .unwrap();
    assert!(
        note.starts_with("note: UPSTREAM_API_KEY is shorter than 32 characters"),
        "{note}"
    );
    assert!(!note.contains("canary"), "{note}");
    assert_eq!(check_key_length(&"x".repeat(32)), None);
}

const SERVICE: &str = "[[services]]\nbinding = \"UPSTREAM\"\nservice = \"my-upstream\"\n";

/// Returns the repository's configuration with a module, and with these lines added to its
/// settings.
fn with_module(vars: &str) -> String {
    format!("{SHIPPED}\n{vars}\n{SERVICE}")
}

/// Returns the settings that the notes of a configuration begin with.
fn noted(text: &str) -> Vec<String> {
    let notes = lines(text).into_iter();
    notes
        .filter_map(|line| {
            let (setting, _) = line.strip_prefix("note: ")?.split_once(' ')?;
            Some(setting.to_owned())
        })
        .collect()
}

#[test]
fn a_module_needs_no_address_and_no_key() {
    let text = with_module("");
    assert_eq!(errors(&text), [""; 0]);
    let secrets = lines(&text).pop().unwrap();
    assert!(
        secrets.starts_with("note: the Worker needs the secrets SEAL_SECRET, SESSION_SECRET;"),
        "{secrets}"
    );
    let short_key = examine(&text, Format::Toml, Some("short-key")).unwrap();
    assert_eq!(
        short_key.len(),
        lines(&text).len(),
        "the key is for no module"
    );
    let short_key = examine(&with(""), Format::Toml, Some("short-key")).unwrap();
    assert_eq!(short_key.len(), lines(&with("")).len() + 1);

    let json = serde_json::to_string(&toml::from_str::<toml::Table>(&text).unwrap()).unwrap();
    let names = worker_names(&text, Format::Toml).unwrap();
    assert_eq!(worker_names(&json, Format::Json).unwrap(), names);
    assert_eq!(names.worker.as_deref(), Some("mediagate"));
    assert_eq!(names.module.as_deref(), Some("my-upstream"));
    let without = worker_names(&with(""), Format::Toml).unwrap();
    assert_eq!(without.module, None);
}

#[test]
fn a_module_beside_an_address_is_an_error_and_so_is_text() {
    let address = "UPSTREAM_BASE_URL = \"https://api.example.com\"";
    assert_error(
        &with_module(address),
        "UPSTREAM_BASE_URL is set beside the binding UPSTREAM; remove one of them",
    );
    for text in ["binding", "https://module.example.com"] {
        let text = format!("{SHIPPED}\nUPSTREAM = \"{text}\"");
        assert_error(&text, "UPSTREAM is text; make it a service binding");
    }
}

#[test]
fn an_environment_binds_its_own_module() {
    let environment = "[env.staging.vars]\nALLOWED_ORIGINS = \"https://a.example.com\"\n";
    let missing = |text: &str| {
        let found = errors(text).join("\n");
        found.contains("in env.staging: UPSTREAM_BASE_URL is missing")
    };
    assert!(missing(&(with_module("") + environment)));
    let bound = SERVICE.replace("[[services]]", "[[env.staging.services]]");
    assert!(!missing(&(with("") + environment + &bound)));
    let short_key = examine(&(with_module("") + environment), Format::Toml, Some("key")).unwrap();
    let last = short_key.last().unwrap().to_string();
    assert!(last.contains("UPSTREAM_API_KEY is shorter"), "{last}");
}

#[test]
fn a_module_with_settings_of_a_server_is_noted() {
    let whole = r#"
        ALLOWED_ORIGINS = "https://a.example.com"
        DEFAULT_BUDGET = '{"creates": 5}'
        CAPABILITIES = "text_to_image, text_to_video"
        OUTPUT_HOSTS = "cdn.example.com"
        TENANT = "mine"
        UPLOAD_MODE = "bucket"
        RESULTS_BUCKET_URL = "https://s3.example.com/mine"
        RESULTS_ACCESS_KEY_ID = "id"
        "#;
    let without = |setting: &str| {
        let kept = whole.lines().filter(|line| !line.contains(setting));
        with_module(&kept.collect::<Vec<_>>().join("\n"))
    };
    assert_eq!(errors(&with_module(whole)), [""; 0]);
    // The last note lists the secrets: "the Worker needs …".
    assert_eq!(noted(&with_module(whole)), ["the"]);
    for setting in ["CAPABILITIES", "UPLOAD_MODE", "OUTPUT_HOSTS", "TENANT"] {
        assert_eq!(noted(&without(setting)), [setting, "the"]);
    }
    for (setting, value) in [("BREAKER_FAILURES", "5"), ("BUCKET_PRIVATE", "on")] {
        let text = with_module(&format!("{whole}\n{setting} = \"{value}\""));
        assert_eq!(noted(&text), [setting, "the"]);
    }
    assert_error(
        &without("RESULTS_BUCKET_URL"),
        "RESULTS_BUCKET_URL is missing: UPLOAD_MODE=bucket needs a bucket",
    );
    let server = with(whole);
    assert_eq!(errors(&server), [""; 0]);
    assert_eq!(noted(&server), ["UPLOAD_MODE", "the"]);
}

#[test]
fn an_extension_for_anonymous_callers_is_noted() {
    let noted = |capabilities: &str, scope: &str| {
        let text = with(&format!(
            r#"
            ANONYMOUS_SESSIONS = "on"
            ANONYMOUS_SCOPE = "{scope}"
            ANONYMOUS_BUDGET = "50"
            ALLOWED_ORIGINS = "https://a.example.com"
            RATE_LIMIT_PER_MINUTE = "60"
            CAPABILITIES = "{capabilities}"
            "#
        ));
        assert_eq!(errors(&text), [""; 0]);
        let expected =
            "note: CAPABILITIES has text_to_video, and ANONYMOUS_SCOPE has the whole group";
        lines(&text).iter().any(|line| line.starts_with(expected))
    };
    assert!(noted("text_to_image, text_to_video", "upload generate:*"));
    for (capabilities, scope) in [
        ("text_to_image", "generate:*"),
        ("text_to_video", "text_to_video"),
        ("text_to_video", "process:*"),
    ] {
        assert!(!noted(capabilities, scope), "{capabilities}: {scope}");
    }
}

#[test]
fn permissive_settings_are_noted() {
    let text = with(
        r#"
        PUBLIC_ASSETS = "*"
        ALLOWED_ORIGINS = "http://localhost:3000"
        SESSION_JWKS_URL = "https://id.example.com/keys"
        WEBHOOK_URLS = "https://app.example.com/hook"
        PUBLIC_URL = "https://media.example.com"
        "#,
    );
    assert_eq!(errors(&text), [""; 0]);
    let notes = lines(&text).join("\n");
    for name in ["PUBLIC_ASSETS", "ALLOWED_ORIGINS", "SESSION_ISSUER"] {
        assert!(
            notes.contains(&format!("note: {name}")) || notes.contains(name),
            "{notes}"
        );
    }
    assert!(
        notes.contains("the secrets UPSTREAM_API_KEY, SEAL_SECRET, WEBHOOK_SECRET;"),
        "{notes}"
    );
}

#[test]
fn limits_on_values_may_be_a_table() {
    let limits = errors(&with("DEFAULT_LIMITS = { max_second = 5 }")).join("\n");
    assert!(
        limits.contains("DEFAULT_LIMITS is not a set of limits"),
        "{limits}"
    );
    assert_eq!(
        errors(&with("DEFAULT_LIMITS = { max_seconds = 5 }")),
        [""; 0]
    );
}

#[test]
fn a_configuration_in_json_has_the_same_findings() {
    let toml = with("UPLOAD_MODE = \"canary\"\nUPSTREAM_DIALECT = { canary = 1 }");
    let table: toml::Table = toml::from_str(&toml).unwrap();
    let json = serde_json::to_string_pretty(&table).unwrap();
    let commented = json.replacen(
        '{',
        "{ // wrangler's own form\n /* of comments */ \"$schema\": null,",
        1,
    );
    for text in [json, commented] {
        let found: Vec<_> = examine(&text, Format::Json, None)
            .unwrap()
            .iter()
            .map(Finding::to_string)
            .collect();
        assert_eq!(found, lines(&toml));
    }
    let error = examine("{\n  \"vars\": { \"A\": \"canary }\n", Format::Json, None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("the syntax is wrong at line 2"), "{error}");
    for text in ["[]", ""] {
        assert!(examine(text, Format::Json, None).is_err(), "{text}");
    }
}
