//! Settings fail closed. An error names a missing or wrong setting, and does not contain its value.

use mediagate_core::{Group, find};
use mediagate_settings::{FieldRule, PublicAssets, Service, Settings, SettingsError, UploadMode};

#[path = "../src/complete.rs"]
mod complete;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const WEBHOOK_SECRET: (&str, &str) = ("WEBHOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
const MCP_RESOURCE: (&str, &str) = ("MCP_RESOURCE", "https://media.example.com/mcp");
const PUBLIC_URL: (&str, &str) = ("PUBLIC_URL", "https://media.example.com");
const JWKS_URL: (&str, &str) = ("SESSION_JWKS_URL", "https://as.example.com/keys");

/// Reads complete settings with some changes. An empty value removes a setting.
fn try_read(changes: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings::read(|name| complete::value(changes, name))
}

fn read(changes: &[(&str, &str)]) -> Settings {
    try_read(changes).expect("valid")
}

/// Returns the setting of the first error.
fn error(changes: &[(&str, &str)]) -> &'static str {
    try_read(changes).map(drop).expect_err("an error").setting
}

/// Checks that a setting accepts some values, and that the refusal of others names the setting and
/// does not repeat the value.
fn check(setting: &str, right: &[&str], wrong: &[&str]) {
    let needed = [MCP_RESOURCE, PUBLIC_URL, JWKS_URL, WEBHOOK_SECRET];
    let read = |value| try_read(&[&[(setting, value)], &needed[..]].concat());
    for value in right {
        let error = read(value).err();
        assert_eq!(error, None, "{setting}={value}");
    }
    for value in wrong {
        let error = read(value).map(drop).expect_err(value);
        assert_eq!(error.setting, setting, "{value}");
        assert!(!error.problem.contains("canary"), "{error}");
    }
}

#[test]
fn a_module_takes_the_place_of_address_and_key() {
    let module = [
        ("UPSTREAM", "binding"),
        ("UPSTREAM_BASE_URL", ""),
        ("UPSTREAM_API_KEY", ""),
    ];
    let settings = read(&module);
    assert!(matches!(settings.service, Service::Module));
    assert!(settings.service.api_key().is_none());
    assert_eq!(settings.upstream_timeout_ms, 120_000);
    assert_eq!(settings.read_timeout_ms, 30_000);
    let shorter = [&module[..], &[("UPSTREAM_TIMEOUT_MS", "5")]].concat();
    assert_eq!(read(&shorter).upstream_timeout_ms, 5);
    for setting in ["UPSTREAM_BASE_URL", "UPSTREAM_API_KEY"] {
        let kept = module.iter().filter(|(name, _)| *name != setting);
        let both: Vec<_> = kept.copied().collect();
        let error = try_read(&both).map(drop).expect_err(setting);
        assert_eq!(error.setting, setting);
    }
    let error = try_read(&[("UPSTREAM", "https://a.example")]).map(drop);
    assert_eq!(error.expect_err("text").setting, "UPSTREAM");
}

#[test]
fn an_extension_is_offered_only_by_its_name() {
    let offers = |value| read(&[("CAPABILITIES", value)]).offers;
    let extension = find("text_to_video").expect("a capability");
    let documented = find("split_pdf").expect("a capability");
    let [all, some] = [offers(""), offers(" text_to_video , image_to_video")];
    assert!(all.contains(documented) && !all.contains(extension));
    assert!(!some.contains(documented) && some.contains(extension));
    assert_eq!((all.all().count(), some.all().count()), (19, 2));
    check(
        "CAPABILITIES",
        &["split_pdf"],
        &["split_pdff", "canary", "*"],
    );
}

#[test]
fn uploads_to_a_bucket_need_one() {
    let mode = ("UPLOAD_MODE", "bucket");
    assert_eq!(error(&[mode]), "RESULTS_BUCKET_URL");
    let bucket = [
        mode,
        ("RESULTS_BUCKET_URL", "https://s3.example.com/mine"),
        ("RESULTS_ACCESS_KEY_ID", "id"),
        ("RESULTS_SECRET_ACCESS_KEY", "secret"),
    ];
    assert_eq!(read(&bucket).upload_mode, UploadMode::Bucket);
    let without_length = r#"{"upload": {"send": {"without_length": true}}}"#;
    let both = [&bucket[..], &[("UPSTREAM_DIALECT", without_length)]].concat();
    assert_eq!(error(&both), "UPSTREAM_DIALECT");
    check("BUCKET_PRIVATE", &["on", "off"], &["canary"]);
    assert!(!read(&bucket).relays_uploads());
    let binding = [mode, ("UPLOADS_BUCKET", "binding")];
    assert_eq!(error(&binding), "PUBLIC_URL");
    assert!(read(&[&binding[..], &[PUBLIC_URL]].concat()).relays_uploads());
    assert_eq!(error(&[("UPLOADS_BUCKET", "mine")]), "UPLOADS_BUCKET");
}

#[test]
fn defaults_are_the_documented_ones() {
    let settings = read(&[]);
    assert_eq!(settings.service.base_url(), "https://api.example.com");
    assert_eq!(settings.upstream_timeout_ms, 30_000);
    let slow = read(&[("UPSTREAM_TIMEOUT_MS", "60000")]);
    assert_eq!(slow.read_timeout_ms, 60_000, "of a server");
    assert_eq!(settings.max_body_bytes, 1 << 20);
    assert_eq!(settings.max_upload_bytes, 5_368_709_120, "5 GiB");
    assert_eq!(settings.session_audience, "mediagate");
    assert_eq!(settings.upload_hosts.0, ["api.example.com"]);
    assert_eq!(settings.upload_mode, UploadMode::Direct);
    assert!(!settings.anonymous.sessions);
    assert_eq!(settings.public_assets, PublicAssets::Listed(vec![]));
    assert_eq!(settings.mcp.tool_prefix, "mediagate_");
    assert_eq!(settings.mcp.wait_seconds, 50);
    assert_eq!(settings.mcp.token_days, 90);
    let other = read(&[("UPSTREAM_BASE_URL", "https://b.example.com")]);
    assert_ne!(settings.tenant, other.tenant);
}

#[test]
fn secrets_are_not_printed() {
    let settings = read(&[("UPSTREAM_API_KEY", "canary-key-of-an-account")]);
    let printed = format!("{settings:?}");
    assert!(!printed.contains("canary") && !printed.contains(SECRET));
}

#[test]
fn numbers_are_within_their_bounds() {
    for (setting, min, max) in [
        ("UPSTREAM_TIMEOUT_MS", 1, 600_000),
        ("MAX_BODY_BYTES", 1024, 64 << 20),
        ("SESSION_NOT_BEFORE", 0, 1 << 52),
        ("ANONYMOUS_BUDGET", 0, 1_000_000),
        ("STREAMS_PER_SUBJECT", 1, 10_000),
        ("TRANSFERS_PER_SUBJECT", 1, 10_000),
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
        let right = [min.to_string(), max.to_string(), format!(" {max} ")];
        check(setting, &right.each_ref().map(String::as_str), &[]);
        check(
            setting,
            &[],
            &[&(max + 1).to_string(), "-1", "1.0", "1e9", "canary"],
        );
        if min > 0 {
            check(setting, &[], &[&(min - 1).to_string()]);
        }
    }
    let in_flight = |value| read(&[("MAX_TASKS_IN_FLIGHT", value)]).max_tasks_in_flight;
    assert_eq!(["", "0", "1"].map(in_flight), [None, None, Some(1)]);
    let budget = |value| read(&[("ANONYMOUS_BUDGET", value)]).anonymous.creates;
    assert_eq!(["", "0", "7"].map(budget), [None, Some(0), Some(7)]);
}

#[test]
fn secrets_have_their_least_length() {
    let short = &SECRET[1..];
    let two = format!("{SECRET}, {SECRET}x");
    let second = format!("{SECRET},{short}");
    for setting in ["SESSION_SECRET", "SEAL_SECRET"] {
        check(
            setting,
            &[SECRET, &two],
            &["canary-too-short", short, &second],
        );
        for missing in ["", ","] {
            assert_eq!(error(&[(setting, missing)]), setting);
        }
    }
    check(
        "UPSTREAM_API_KEY",
        &[SECRET, &SECRET[..16], &format!(" {} ", &SECRET[..16])],
        &[
            "",
            "canary",
            "canary-canary-1",
            "canary with space and more",
            "12345678901234567é",
        ],
    );
    assert_eq!(read(&[("SEAL_SECRET", &two)]).seal_secrets.len(), 2);
    check("LOG_SECRET", &["", SECRET], &["canary-too-short", short]);
}

#[test]
fn a_rotation_of_the_secret_that_seals_ids_keeps_the_names_in_the_log() {
    let [old, new, log] = ["o", "n", "l"].map(|letter| letter.repeat(32));
    let rotated = [&new, ",", &old].concat();
    for (seal, own, expected) in [
        (&old, "", &old),
        (&rotated, "", &old),
        (&rotated, &log, &log),
        (&new, &log, &log),
    ] {
        let settings = read(&[("SEAL_SECRET", seal), ("LOG_SECRET", own)]);
        assert_eq!(settings.log_secret.expose(), expected);
    }
}

#[test]
fn switches_and_words_have_their_forms() {
    let on = |value| ("ANONYMOUS_SESSIONS", value);
    check(
        "ANONYMOUS_SESSIONS",
        &["", "off", "false", "0"],
        &["On", "yes", "2", "canary"],
    );
    for value in ["on", "true", "1"] {
        assert_eq!(error(&[on(value)]), "ALLOWED_ORIGINS", "{value}");
    }
    let mode = |value| read(&[("UPLOAD_MODE", value)]).upload_mode;
    assert_eq!(
        [mode("direct"), mode("relay")],
        [UploadMode::Direct, UploadMode::Relay]
    );
    check("UPLOAD_MODE", &[""], &["canary"]);
    check(
        "ANONYMOUS_SCOPE",
        &["", "upload", "generate:* process:* upload image_to_video"],
        &["upload mcp", "*", "generate:canary"],
    );
    check(
        "MCP_TOOL_PREFIX",
        &["a.B-9_", &"x".repeat(24)],
        &[&"x".repeat(25), "a b", "é", "a/", "canary!"],
    );
    check(
        "MCP_REVOKED_TOKENS",
        &[&"x".repeat(128), "a,b"],
        &[&"x".repeat(129), "a b", "a,b\nc", "a,é"],
    );
    assert_eq!(
        read(&[("MCP_REVOKED_TOKENS", "a, b,,")]).mcp.revoked_tokens,
        ["a", "b"]
    );
    let public = |value| read(&[("PUBLIC_ASSETS", value)]).public_assets;
    assert_eq!(public("a, *"), PublicAssets::All);
    assert_eq!(
        public("a,b"),
        PublicAssets::Listed(vec!["a".into(), "b".into()])
    );
    assert!(public("*").contains("x"));
    assert!(public("a,b").contains("b") && !public("a,b").contains("x"));
}

#[test]
fn paths_begin_with_one_slash_and_contain_the_task_once() {
    check(
        "UPSTREAM_MODELS_PATH",
        &["", "/", "/a/b"],
        &[
            "canary",
            "//canary.example.com",
            "/a?b",
            "/a#b",
            "/a\\b",
            "/a b",
        ],
    );
    let whole = "/{group}/{medium}/{capability}/{task_id}";
    for setting in ["UPSTREAM_TASK_PATH_GENERATE", "UPSTREAM_TASK_PATH_PROCESS"] {
        let wrong = [
            "",
            "/canary",
            "/{task_id}/{task_id}",
            "t/{task_id}",
            "/{kind}/{task_id}",
        ];
        check(setting, &["/t/{task_id}", whole], &wrong);
    }
    check(
        "UPSTREAM_ASSET_PATH",
        &["", "/a/{asset_id}"],
        &["/a", "/{asset_id}/{asset_id}", "a/{asset_id}"],
    );
    let settings = read(&[
        ("UPSTREAM_TASK_PATH_PROCESS", "/p/{task_id}"),
        ("UPSTREAM_ESTIMATE_PATH", ""),
    ]);
    assert_eq!(settings.task_path(Group::Process), "/p/{task_id}");
    let default = "/api/app/v1/generate/tasks/{task_id}";
    assert_eq!(settings.task_path(Group::Generate), default);
    assert_eq!(settings.estimate_path, None);
}

#[test]
fn addresses_have_no_credentials_and_are_encrypted_or_local() {
    let right = [
        "https://h.example",
        "https://h.example:8443/a/",
        "http://localhost:1",
        "http://[::1]",
        "http://127.9.9.9",
        "http://10.0.0.1",
        "http://app:3000/a",
    ];
    let wrong = [
        "http://canary.example",
        "http://127.0.0.1.example.com",
        "http://203.0.113.7",
        "ftp://h.example",
        "https://canary@h.example",
        "https://:canary@h.example",
        "h.example",
    ];
    for setting in [
        "UPSTREAM_BASE_URL",
        "SESSION_JWKS_URL",
        "TURNSTILE_URL",
        "MCP_AUTHORIZATION_SERVERS",
    ] {
        check(setting, &right, &wrong);
    }
    let parts = ["", "https://h.example/?canary", "https://h.example/#a"];
    check("UPSTREAM_BASE_URL", &[], &parts);
    check("SESSION_JWKS_URL", &["https://h.example/?a"], &[]);
    check("MCP_AUTHORIZATION_SERVERS", &[], &parts[1..]);
    check("MCP_AUTHORIZATION_SERVERS", &[], &["https://h.example,h"]);
    check(
        "MCP_RESOURCE",
        &["https://h.example/mcp", "http://localhost:1/mcp"],
        &[
            "https://canary.example.com/",
            "https://h.example/mcp/",
            "https://h.example/mcp?a=b",
            "https://h.example/mcp#a",
            "https://u@h.example/mcp",
            "http://h.example/mcp",
        ],
    );
    check(
        "PUBLIC_URL",
        &[
            "https://media.example.com",
            "https://media.example.com:8443",
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
    check(
        "RESULTS_BUCKET_URL",
        &[],
        &[
            "s3.example.com/mine",
            "http://s3.example.com/mine",
            "https://key:canary@s3.example.com/mine",
            "https://s3.example.com/mine?x=1",
            "https://localhost",
        ],
    );
    let bucket = ("RESULTS_BUCKET_URL", "https://s3.example.com/mine");
    assert_eq!(error(&[bucket]), "RESULTS_ACCESS_KEY_ID");
    let url = |text| {
        read(&[("UPSTREAM_BASE_URL", text)])
            .service
            .base_url()
            .to_owned()
    };
    assert_eq!(url("https://h.example/a//"), "https://h.example/a");
}

#[test]
fn origins_and_hosts_are_exact() {
    for setting in ["ALLOWED_ORIGINS", "MEDIA_HOSTS"] {
        check(
            setting,
            &[
                "",
                "https://a.example",
                "https://a.example:8443, http://localhost:1",
            ],
            &[
                "https://a.example:443",
                "https://canary.example/",
                "ftp://a.example",
                "https://*canary.example.com",
                "canary.example.com",
                "null",
                "*",
                "https://a.example:0",
                "https://a.example:65536",
                "https://a.example:08443",
                "https://a.example:",
            ],
        );
    }
    check(
        "UPLOAD_HOSTS",
        &[
            "a.example, localhost:8788",
            "*.a.example",
            "*.a.example:8443",
            "[::1]",
            "[::1]:65535",
        ],
        &[
            "https://canary.example.com",
            "*.a",
            "*.a.",
            "*.*.a",
            "a.*.b",
            "u@a",
            "a b",
            "a/",
            "é",
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
    assert_eq!(error(&[("INPUT_HOSTS", "*")]), "RATE_LIMIT_PER_MINUTE");
    check("OUTPUT_HOSTS", &[], &["*"]);
    assert_eq!(
        read(&[("UPLOAD_HOSTS", "a, b:1")]).upload_hosts.0,
        ["a", "b:1"]
    );
}

#[test]
fn hosts_in_their_ascii_form_are_read_and_others_are_refused() {
    let origin = "https://xn--mnchen-3ya.example";
    for setting in [
        "ALLOWED_ORIGINS",
        "MEDIA_HOSTS",
        "WEBHOOK_URLS",
        "SESSION_JWKS_URL",
        "TURNSTILE_URL",
    ] {
        check(setting, &[origin], &["https://münchen.example"]);
    }
    check(
        "ALLOWED_ORIGINS",
        &[],
        &[
            "https://MÜNCHEN.example",
            "https://XN--mnchen-3ya.example",
            "https://ｅxample.com",
        ],
    );
    let upstream = ("UPSTREAM_BASE_URL", "https://API.XN--MNCHEN-3YA.Example/v1");
    let settings = read(&[upstream]);
    assert_eq!(
        settings.service.base_url(),
        "https://api.xn--mnchen-3ya.example/v1"
    );
    assert_eq!(settings.upload_hosts.0, ["api.xn--mnchen-3ya.example"]);
    // With Unicode tables a URL parser would map this to localhost.
    check("UPSTREAM_BASE_URL", &[], &["http://lⓞcalhost:8788"]);
    // It would never match.
    check("UPLOAD_HOSTS", &[], &["münchen.example"]);
}

#[test]
fn only_webhooks_into_a_private_network_may_be_plain_http() {
    for public in [
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
        "203.0.113.7:8443",
        "223.255.255.255",
        "[2606:4700::1]",
        "[::ffff:1.1.1.1]",
        "[65:ff9b::1]",
        "[64:ff9c::1]",
    ] {
        check(
            "WEBHOOK_URLS",
            &[&format!("https://{public}/hook?x=1")],
            &[&format!("http://{public}/hook")],
        );
    }
    for own in [
        "localhost",
        "a.localhost",
        "a.local.",
        "a.internal",
        "a.internal.",
        "intranet",
        "10.0.0.1",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[fc00::1]",
        "[fe80::1]",
        "minio.storage.svc",
        "nas.lan",
        "nas.home.arpa",
    ] {
        check("WEBHOOK_URLS", &[&format!("http://{own}/hook")], &[]);
    }
    for wrong in [
        // With Unicode tables a URL parser would map these to private addresses.
        "http://１２７.0.0.1/",
        "http://lⓞcalhost/",
        "http://10。0。0。1/",
        "https://canary@h.example/",
        "https://:canary@h.example/",
        "https://a.example/, http://b.example/",
        "ftp://h.example/",
        // Neither on the internet nor certainly private.
        "http://0.0.0.1/",
        "http://100.64.0.0/",
        "http://198.18.0.0/",
        "http://224.0.0.0/",
        "http://[::]/",
        "http://[ff02::1]/",
        "http://[64:ff9b::a00:1]/",
        "http://[2002:a00:1::]/",
    ] {
        check("WEBHOOK_URLS", &[], &[wrong]);
    }
    check("WEBHOOK_SECRET", &[""], &["canary", "whsec_canary"]);
    let hook = ("WEBHOOK_URLS", "https://a.example.com/");
    assert_eq!(error(&[hook, PUBLIC_URL]), "WEBHOOK_SECRET");
}

#[test]
fn default_limits_are_read_whole_or_not_at_all() {
    let limits = |value| read(&[("DEFAULT_LIMITS", value)]).default_limits;
    assert_eq!(limits(r#"{"max_seconds": 5}"#).max_seconds, Some(5));
    assert!(limits("{}").is_unlimited() && limits("").is_unlimited());
    check(
        "DEFAULT_LIMITS",
        &[r#"{"models": ["m"], "max_prompt_chars": 0}"#],
        &[
            "5",
            "canary",
            r#"{"canary": 5}"#,
            r#"{"max_seconds": "canary"}"#,
        ],
    );
}

#[test]
fn the_urls_in_webhooks_have_the_address_that_the_operator_sets() {
    let hook = ("WEBHOOK_URLS", "https://a.example.com/");
    let local = ("UPSTREAM_BASE_URL", "http://127.0.0.1:8788");
    for changes in [
        vec![hook, WEBHOOK_SECRET],
        vec![hook, WEBHOOK_SECRET, local],
    ] {
        let refused = try_read(&changes).map(drop).expect_err("an error");
        assert_eq!(refused.setting, "PUBLIC_URL");
        let remedy = "set the address under which callers reach the gateway";
        assert!(refused.problem.contains(remedy), "{refused}");
    }
    read(&[hook, WEBHOOK_SECRET, PUBLIC_URL]);
}

#[test]
fn extra_fields_are_sent_on_by_capability_and_name() {
    let field_rule = |value: &str, capability: &str, field: &str| {
        let settings = read(&[("EXTRA_FIELDS", value)]);
        settings
            .extra_fields
            .field_rule(find(capability).expect("known"), field)
    };
    let named = Some(FieldRule::Named);
    for list in ["seed, camera_1.x-Y,", r#"{"*": ["seed", "camera_1.x-Y"]}"#] {
        assert_eq!(field_rule(list, "image_to_video", "seed"), named, "{list}");
        assert_eq!(
            field_rule(list, "split_pdf", "camera_1.x-Y"),
            named,
            "{list}"
        );
        assert_eq!(field_rule(list, "split_pdf", "Seed"), None, "{list}");
    }
    let of_one = r#"{"image_to_video": "camera", "*": ["seed"]}"#;
    let fields = ["camera", "seed", "other"];
    assert_eq!(
        fields.map(|field| field_rule(of_one, "image_to_video", field)),
        [named, named, None]
    );
    assert_eq!(
        fields.map(|field| field_rule(of_one, "split_pdf", field)),
        [None, named, None]
    );
    let any = r#"{"image_to_video": "*", "*": "hook"}"#;
    assert_eq!(
        ["seed", "callback_url", "hook"].map(|field| field_rule(any, "image_to_video", field)),
        [Some(FieldRule::Any), None, named]
    );
    assert_eq!(field_rule(any, "split_pdf", "seed"), None);
    let names_any = |value| read(&[("EXTRA_FIELDS", value)]).extra_fields.names_any();
    assert_eq!(
        ["", "a,b", "a,*", r#"{"split_pdf": "*"}"#].map(names_any),
        [false, false, true, true]
    );
    check(
        "EXTRA_FIELDS",
        &["", "*", "{}"],
        &[
            "a b",
            "a,é",
            "{",
            r#"{"*": [""]}"#,
            r#"{"*": [5]}"#,
            r#"{"*": 5}"#,
            r#"{"no_capability": ["a"]}"#,
        ],
    );
}

#[test]
fn anonymous_sessions_need_an_origin_list_and_bounds() {
    let on = ("ANONYMOUS_SESSIONS", "on");
    let origins = (
        "ALLOWED_ORIGINS",
        "https://a.example.com, http://localhost:8787",
    );
    let scope = ("ANONYMOUS_SCOPE", "process:*");
    let budget = ("ANONYMOUS_BUDGET", "0");
    let rate = ("RATE_LIMIT_PER_MINUTE", "60");
    let local = ("UPSTREAM_BASE_URL", "http://127.0.0.1:8788");
    assert_eq!(error(&[on, local]), "ALLOWED_ORIGINS");
    assert_eq!(error(&[on, origins]), "ANONYMOUS_SCOPE");
    assert_eq!(error(&[on, origins, scope]), "ANONYMOUS_BUDGET");
    assert_eq!(
        error(&[on, origins, scope, budget]),
        "RATE_LIMIT_PER_MINUTE"
    );
    // Nothing is charged on this machine.
    read(&[on, origins, local]);
    assert_eq!(
        read(&[on, origins, scope, budget, rate]).allowed_origins,
        ["https://a.example.com", "http://localhost:8787"]
    );
}

#[test]
fn an_authorization_server_needs_an_address_and_keys() {
    let servers = ("MCP_AUTHORIZATION_SERVERS", "https://as.example.com");
    read(&[servers, MCP_RESOURCE, JWKS_URL]);
    assert_eq!(error(&[servers, JWKS_URL]), "MCP_RESOURCE");
    assert_eq!(error(&[servers, MCP_RESOURCE]), "SESSION_JWKS_URL");
}

#[test]
fn turnstile_is_on_with_a_secret_and_only_the_hosts_of_origins_have_stars() {
    assert!(
        read(&[("TURNSTILE_HOSTNAMES", "www.example.com")])
            .turnstile
            .is_none()
    );
    let origins = (
        "ALLOWED_ORIGINS",
        "https://*-myteam.vercel.app,http://localhost:1",
    );
    let hostnames = |listed| {
        [
            ("TURNSTILE_SECRET", SECRET),
            ("TURNSTILE_HOSTNAMES", listed),
            origins,
        ]
    };
    let turnstile = read(&hostnames("")).turnstile.expect("on");
    assert_eq!(turnstile.secret.expose(), SECRET);
    assert_eq!(turnstile.action, None);
    assert_eq!(turnstile.hostnames, ["*-myteam.vercel.app", "localhost"]);
    assert_eq!(
        turnstile.url,
        "https://challenges.cloudflare.com/turnstile/v0/siteverify"
    );
    let turnstile = read(&hostnames("a.example")).turnstile.expect("on");
    assert_eq!(turnstile.hostnames, ["a.example"]);
    assert_eq!(
        error(&hostnames("a.example, *.pages.dev")),
        "TURNSTILE_HOSTNAMES"
    );
}

#[test]
fn the_api_key_goes_to_the_storage_only_through_the_relay() {
    let key = (
        "UPSTREAM_DIALECT",
        r#"{"upload": {"send": {"api_key": true}}}"#,
    );
    read(&[key, ("UPLOAD_MODE", "relay")]);
    assert_eq!(error(&[key, ("UPLOAD_MODE", "direct")]), "UPLOAD_MODE");
}
