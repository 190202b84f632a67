//! The bounds of each kind of setting: the last valid value, and the first wrong value.

use mediagate_core::{Group, find};
use mediagate_worker::settings::{Passage, PublicAssets, Settings, UploadMode};

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Reads complete settings, with another value of one setting.
fn read(setting: &str, value: &str) -> Result<Settings, String> {
    let read = Settings::read(|name| match name {
        _ if name == setting => Some(value.to_owned()),
        "UPSTREAM_BASE_URL" => Some("https://api.example.com".to_owned()),
        "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => Some(SECRET.to_owned()),
        "MCP_RESOURCE" => Some("https://media.example.com/mcp".to_owned()),
        "SESSION_JWKS_URL" => Some("https://as.example.com/keys".to_owned()),
        "WEBHOOK_SECRET" => Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned()),
        _ => None,
    });
    read.map_err(|error| error.to_string())
}

/// Checks that a setting accepts some values, and that the refusal of others names the setting.
fn check(setting: &str, right: &[&str], wrong: &[&str]) {
    for value in right {
        assert!(
            read(setting, value).is_ok(),
            "{setting}={value}: {:?}",
            read(setting, value).err()
        );
    }
    for value in wrong {
        let error = read(setting, value)
            .err()
            .unwrap_or_else(|| format!("{setting}={value} was accepted"));
        assert!(
            error.contains(setting) && !error.contains("was accepted"),
            "{error}"
        );
    }
}

#[test]
fn the_public_url_is_one_that_a_page_may_send_bytes_to() {
    check(
        "PUBLIC_URL",
        &[
            "https://media.example.com",
            "https://media.example.com:8443",
            "https://www.example.com/media",
            "https://www.example.com/a/b",
            "http://localhost:8787",
            "http://127.0.0.1:8787/media",
        ],
        &[
            "http://media.example.com",
            "https://media.example.com/",
            "https://media.example.com/api/",
            "https://media.example.com/api?a=b",
            "https://media.example.com/api#a",
            "https://media.example.com/a/../b",
            "https://user@media.example.com",
            "media.example.com",
            "*",
        ],
    );
}

#[test]
fn numbers_are_within_their_bounds() {
    for (setting, min, max) in [
        ("UPSTREAM_TIMEOUT_MS", 1, 600_000),
        ("MAX_BODY_BYTES", 1024, 64 << 20),
        ("SESSION_NOT_BEFORE", 0, 1 << 52),
        ("ANONYMOUS_BUDGET", 0, 1_000_000),
        ("STREAMS_PER_SUBJECT", 1, 10_000),
        ("REQUESTS_AT_ONCE", 1, 100_000),
        ("PIPELINES_PER_TENANT", 1, 1_000_000),
        ("ANONYMOUS_PIPELINES", 0, 1_000_000),
        ("ANONYMOUS_TASKS_IN_FLIGHT", 0, 100_000),
        ("ANONYMOUS_UPLOADS", 0, 1_u64 << 50),
        ("RATE_LIMIT_PER_MINUTE", 0, 1_000_000),
        ("MAX_TASKS_IN_FLIGHT", 0, 10_000),
        ("BREAKER_FAILURES", 0, 1_000),
        ("MAX_UPLOAD_BYTES", 1, 1_u64 << 50),
        ("MCP_WAIT_SECONDS", 0, 300),
        ("MCP_TOKEN_DAYS", 0, 366),
    ] {
        check(
            setting,
            &[&min.to_string(), &max.to_string(), &format!(" {max} ")],
            &[&(max + 1).to_string(), "-1", "1.0"],
        );
        if min > 0 {
            check(setting, &[], &[&(min - 1).to_string()]);
        }
    }
    let in_flight = |value| {
        read("MAX_TASKS_IN_FLIGHT", value)
            .expect("valid")
            .max_tasks_in_flight
    };
    assert_eq!(
        ["", "0", "1"].map(in_flight),
        [None, None, Some(1)],
        "0 is no limit"
    );
    let budget = |value| {
        read("ANONYMOUS_BUDGET", value)
            .expect("valid")
            .anonymous
            .creates
    };
    assert_eq!(["", "0", "7"].map(budget), [None, Some(0), Some(7)]);
}

#[test]
fn secrets_have_their_least_length() {
    let long = "0123456789abcdef".repeat(2);
    let short = long[1..].to_owned();
    for setting in ["SESSION_SECRET", "SEAL_SECRET"] {
        check(
            setting,
            &[&long, &format!("{long}, {long}")],
            &[&short, &format!("{long},{short}")],
        );
    }
    check(
        "UPSTREAM_API_KEY",
        &[&long, &long[..16], &format!(" {} ", &long[..16])],
        &[&long[..15], "12345678 12345678", "12345678901234567é"],
    );
    assert_eq!(
        read("SEAL_SECRET", &format!("{long}, {long}x"))
            .expect("valid")
            .seal_secrets
            .len(),
        2
    );
}

#[test]
fn switches_and_words_have_their_forms() {
    let is_on =
        |value| read("ANONYMOUS_SESSIONS", value).map(|settings| settings.anonymous.sessions);
    assert_eq!(
        ["", "off", "false", "0"].map(is_on),
        [Ok(false), Ok(false), Ok(false), Ok(false)]
    );
    for on in ["on", "true", "1"] {
        assert!(
            is_on(on)
                .expect_err("it needs origins")
                .contains("ALLOWED_ORIGINS"),
            "{on}"
        );
    }
    check("ANONYMOUS_SESSIONS", &[], &["On", "yes", "2"]);
    let mode = |value| read("UPLOAD_MODE", value).expect("valid").upload_mode;
    assert_eq!(
        ["", "direct", "relay"].map(mode),
        [UploadMode::Direct, UploadMode::Direct, UploadMode::Relay]
    );
    check(
        "ANONYMOUS_SCOPE",
        &["", "upload", "generate:* process:* upload image_to_video"],
        &["upload mcp", "*"],
    );
    let tools = ["a.B-9_", &"x".repeat(24)];
    check(
        "MCP_TOOL_PREFIX",
        &tools,
        &[&"x".repeat(25), "a b", "é", "a/"],
    );
    check(
        "MCP_REVOKED_TOKENS",
        &[&"x".repeat(128), "a,b"],
        &[&"x".repeat(129), "a b"],
    );
    let public = |value| read("PUBLIC_ASSETS", value).expect("valid").public_assets;
    assert_eq!(
        (public("a, *"), public("a,b")),
        (
            PublicAssets::All,
            PublicAssets::Listed(vec!["a".into(), "b".into()])
        )
    );
    assert!(
        public("*").contains("x") && public("a,b").contains("b") && !public("a,b").contains("x")
    );
}

#[test]
fn paths_begin_with_one_slash_and_contain_the_task_once() {
    check(
        "UPSTREAM_MODELS_PATH",
        &["", "/", "/a/b"],
        &["a", "//a", "/a?b", "/a#b", "/a\\b", "/a b"],
    );
    for setting in ["UPSTREAM_TASK_PATH_GENERATE", "UPSTREAM_TASK_PATH_PROCESS"] {
        check(
            setting,
            &["/t/{task_id}", "/{group}/{medium}/{capability}/{task_id}"],
            &[
                "",
                "/t",
                "/{task_id}/{task_id}",
                "t/{task_id}",
                "/{kind}/{task_id}",
            ],
        );
    }
    check(
        "UPSTREAM_ASSET_PATH",
        &["", "/a/{asset_id}"],
        &["/a", "/{asset_id}/{asset_id}", "a/{asset_id}"],
    );
    let settings = read("UPSTREAM_TASK_PATH_PROCESS", "/p/{task_id}").expect("valid");
    assert_eq!(settings.task_path(Group::Process), "/p/{task_id}");
    assert_eq!(
        settings.task_path(Group::Generate),
        "/api/app/v1/generate/tasks/{task_id}"
    );
}

#[test]
fn addresses_have_no_credentials_and_are_encrypted_or_local() {
    let right = [
        "https://h.example",
        "https://h.example:8443/a/",
        "http://localhost:1",
        "http://[::1]",
        "http://127.9.9.9",
    ];
    let wrong = [
        "http://h.example",
        "ftp://h.example",
        "https://u@h.example",
        "https://:p@h.example",
        "h.example",
    ];
    for setting in ["UPSTREAM_BASE_URL", "SESSION_JWKS_URL", "TURNSTILE_URL"] {
        check(setting, &right, &wrong);
    }
    check(
        "UPSTREAM_BASE_URL",
        &[],
        &["https://h.example/?a", "https://h.example/#a"],
    );
    check("SESSION_JWKS_URL", &["https://h.example/?a"], &[]);
    check("MCP_AUTHORIZATION_SERVERS", &right, &wrong);
    check(
        "MCP_AUTHORIZATION_SERVERS",
        &[],
        &[
            "https://h.example?a",
            "https://h.example#a",
            "https://h.example,h",
        ],
    );
    let resource = ["https://h.example/mcp", "http://localhost:1/mcp"];
    check(
        "MCP_RESOURCE",
        &resource,
        &[
            "https://h.example/mcp/",
            "https://h.example/mcp#a",
            "https://u@h.example/mcp",
        ],
    );
    assert_eq!(
        read("UPSTREAM_BASE_URL", "https://h.example/a//")
            .expect("valid")
            .upstream_base_url,
        "https://h.example/a"
    );
}

#[test]
fn origins_and_hosts_are_exact() {
    let origins = [
        "",
        "https://a.example",
        "https://a.example:8443, http://localhost:1",
    ];
    let wrong = [
        "https://a.example:443",
        "https://a.example/",
        "ftp://a.example",
        "https://*a.example",
        "null",
        "*",
    ];
    let bad_ports = [
        "https://a.example:0",
        "https://a.example:65536",
        "https://a.example:08443",
        "https://a.example:",
    ];
    for setting in ["ALLOWED_ORIGINS", "MEDIA_HOSTS"] {
        check(setting, &origins, &wrong);
        check(setting, &[], &bad_ports);
    }
    let hosts = [
        "a.example, localhost:8788",
        "*.a.example",
        "*.a.example:8443",
        "[::1]",
        "[::1]:65535",
    ];
    check(
        "UPLOAD_HOSTS",
        &hosts,
        &[
            "https://a",
            "*.a",
            "*.a.",
            "*.*.a",
            "a.*.b",
            "u@a",
            "a b",
            "a/",
            "é",
        ],
    );
    check(
        "UPLOAD_HOSTS",
        &[],
        &[
            "a:",
            "a:0",
            "a:080",
            "a:65536",
            "a:b",
            "[::1]:99999",
            "::1",
            "*.a.example:0",
        ],
    );
    check("INPUT_HOSTS", &["a.example"], &["*, a", "*.a"]);
    // With `*`, callers choose which hosts the gateway loads from.
    let refused = read("INPUT_HOSTS", "*").expect_err("there is no rate limit");
    assert!(refused.contains("RATE_LIMIT_PER_MINUTE"), "{refused}");
    check("OUTPUT_HOSTS", &[], &["*"]);
    let hosts = |value| read("UPLOAD_HOSTS", value).expect("valid").upload_hosts.0;
    assert_eq!(
        (hosts(""), hosts("a, b:1")),
        (
            vec!["api.example.com".into()],
            vec!["a".to_owned(), "b:1".to_owned()]
        )
    );
}

#[test]
fn webhooks_go_to_no_address_of_this_machine_or_a_private_network() {
    let urls = |hosts: &[&str]| {
        hosts
            .iter()
            .map(|host| format!("https://{host}/"))
            .collect::<Vec<_>>()
    };
    let public = urls(&[
        "h.example",
        "h.example.",
        "local.example",
        "1.0.0.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.0.0.1",
        "128.0.0.1",
        "169.253.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.167.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "101.64.0.1",
        "199.18.0.1",
        "223.255.255.255",
        "[2606:4700::1]",
        "[::ffff:1.1.1.1]",
        "[65:ff9b::1]",
        "[64:ff9c::1]",
    ]);
    let own = urls(&[
        "localhost",
        "a.localhost",
        "a.local.",
        "a.internal",
        "intranet",
        "0.0.0.1",
        "10.0.0.1",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.1",
        "169.254.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "198.18.0.0",
        "198.19.255.255",
        "224.0.0.0",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fc00::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[64:ff9b::a00:1]",
        "[2002:a00:1::]",
    ]);
    public
        .iter()
        .for_each(|url| check("WEBHOOK_URLS", &[url], &[]));
    own.iter()
        .for_each(|url| check("WEBHOOK_URLS", &[], &[url]));
    check(
        "WEBHOOK_URLS",
        &[],
        &[
            "https://u@h.example/",
            "https://:p@h.example/",
            "http://h.example/",
            "ftp://h.example/",
        ],
    );
}

#[test]
fn extra_fields_are_sent_on_by_capability_and_name() {
    let passage = |value: &str, capability: &str, field: &str| {
        let settings =
            read("EXTRA_FIELDS", value).unwrap_or_else(|error| panic!("{value}: {error}"));
        settings
            .extra_fields
            .passage(find(capability).expect("known"), field)
    };
    let named = Some(Passage::Named);
    for list in ["seed, camera_1.x-Y,", r#"{"*": ["seed", "camera_1.x-Y"]}"#] {
        assert_eq!(passage(list, "image_to_video", "seed"), named, "{list}");
        assert_eq!(passage(list, "split_pdf", "camera_1.x-Y"), named, "{list}");
        assert_eq!(passage(list, "split_pdf", "Seed"), None, "{list}");
    }
    let of_one = r#"{"image_to_video": "camera", "*": ["seed"]}"#;
    assert_eq!(
        ["camera", "seed", "other"].map(|field| passage(of_one, "image_to_video", field)),
        [named, named, None]
    );
    assert_eq!(
        ["camera", "seed"].map(|field| passage(of_one, "split_pdf", field)),
        [None, named]
    );
    let any = r#"{"image_to_video": "*", "*": "hook"}"#;
    assert_eq!(
        ["seed", "callback_url", "hook"].map(|field| passage(any, "image_to_video", field)),
        [Some(Passage::Any), None, named]
    );
    assert_eq!(passage(any, "split_pdf", "seed"), None);
    let wrong = [
        "a b",
        "a,é",
        "{",
        r#"{"*": [""]}"#,
        r#"{"*": [5]}"#,
        r#"{"*": 5}"#,
        r#"{"no_capability": ["a"]}"#,
    ];
    check("EXTRA_FIELDS", &["", "*", "{}"], &wrong);
}

#[test]
fn any_extra_field_is_sent_on_unless_it_may_contain_an_address() {
    for (name, is_free) in [
        ("seed", true),
        ("Motion", true),
        ("imageUrl", false),
        ("CALLBACK", false),
        ("uri", false),
        ("a.b", false),
    ] {
        assert_eq!(
            (Passage::Any.takes(name), Passage::Named.takes(name)),
            (is_free, true),
            "{name}"
        );
    }
    let names_any = |value| {
        read("EXTRA_FIELDS", value)
            .expect("valid")
            .extra_fields
            .names_any()
    };
    assert_eq!(
        ["", "a,b", "a,*", r#"{"split_pdf": "*"}"#].map(names_any),
        [false, false, true, true]
    );
}

#[test]
fn turnstile_is_on_with_a_secret() {
    assert!(
        read("TURNSTILE_HOSTNAMES", "www.example.com")
            .expect("valid")
            .turnstile
            .is_none()
    );
    let settings = Settings::read(|name| match name {
        "UPSTREAM_BASE_URL" => Some("https://api.example.com".to_owned()),
        "ALLOWED_ORIGINS" => Some("https://a.example,http://localhost:1".to_owned()),
        _ if name.ends_with("_SECRET") && name != "WEBHOOK_SECRET"
            || name == "UPSTREAM_API_KEY" =>
        {
            Some(SECRET.to_owned())
        }
        _ => None,
    });
    let turnstile = settings.expect("valid").turnstile.expect("on");
    assert_eq!(
        (turnstile.secret.expose(), turnstile.action),
        (SECRET, None)
    );
    assert_eq!(
        turnstile.hostnames,
        ["a.example", "localhost"],
        "the widget may be on every allowed origin"
    );
    assert_eq!(
        turnstile.url,
        "https://challenges.cloudflare.com/turnstile/v0/siteverify"
    );
}

#[test]
fn the_api_key_goes_to_the_storage_only_through_the_relay() {
    let dialect = |api_key: bool, mode: &str| {
        let settings = Settings::read(|name| match name {
            "UPSTREAM_BASE_URL" => Some("https://api.example.com".to_owned()),
            "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => Some(SECRET.to_owned()),
            "UPSTREAM_DIALECT" => Some(format!(
                r#"{{"upload": {{"send": {{"api_key": {api_key}}}}}}}"#
            )),
            "UPLOAD_MODE" => Some(mode.to_owned()),
            _ => None,
        });
        settings.map(drop).map_err(|error| error.setting)
    };
    assert_eq!(dialect(true, "relay"), Ok(()));
    assert_eq!(dialect(true, "direct"), Err("UPLOAD_MODE"));
    assert_eq!(dialect(false, "direct"), Ok(()));
}
