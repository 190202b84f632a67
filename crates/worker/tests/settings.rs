//! Settings fail closed. An error names a missing or wrong setting, and does not contain its value.

use std::collections::BTreeMap;

use mediagate_worker::settings::{PublicAssets, Settings, UploadMode};

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Reads complete settings with the given changes. An empty value removes a setting.
fn read(changes: &[(&str, &str)]) -> Result<Settings, String> {
    let mut all = BTreeMap::from([
        ("UPSTREAM_BASE_URL", "https://api.example.com/"),
        ("UPSTREAM_API_KEY", "canary-key-of-an-account"),
        ("SESSION_SECRET", SECRET),
        ("SEAL_SECRET", SECRET),
    ]);
    all.extend(changes.iter().copied());
    let read = Settings::read(|name| all.get(name).map(|value| (*value).to_owned()));
    read.map_err(|error| error.to_string())
}

#[test]
fn defaults_are_the_documented_ones() {
    let settings = read(&[]).expect("complete");
    assert_eq!(settings.upstream_base_url, "https://api.example.com");
    assert_eq!(
        (settings.upstream_timeout_ms, settings.max_body_bytes),
        (30_000, 1 << 20)
    );
    assert_eq!(settings.max_upload_bytes, 5_368_709_120, "5 GiB");
    assert_eq!(settings.session_audience, "mediagate");
    assert_eq!(settings.upload_hosts.0, ["api.example.com"]);
    assert_eq!(
        (settings.upload_mode, settings.anonymous.sessions),
        (UploadMode::Direct, false)
    );
    assert_eq!(settings.public_assets, PublicAssets::Listed(vec![]));
    assert_eq!(
        (
            settings.mcp.tool_prefix.as_str(),
            settings.mcp.wait_seconds,
            settings.mcp.token_days
        ),
        ("mediagate_", 50, 90)
    );
    assert_ne!(
        settings.tenant,
        read(&[("UPSTREAM_BASE_URL", "https://b.example.com")])
            .expect("complete")
            .tenant
    );
}

#[test]
fn a_wrong_setting_is_named_and_its_value_is_not_repeated() {
    let wrong = [
        ("UPSTREAM_BASE_URL", ""),
        ("UPSTREAM_BASE_URL", "http://api.example.com"),
        ("UPSTREAM_BASE_URL", "ftp://h"),
        ("UPSTREAM_BASE_URL", "https://user:canary@h"),
        ("UPSTREAM_BASE_URL", "https://h/?canary=1"),
        ("UPSTREAM_API_KEY", ""),
        ("UPSTREAM_API_KEY", "canary"),
        ("UPSTREAM_API_KEY", "canary-canary-1"),
        ("UPSTREAM_API_KEY", "canary with space and more"),
        ("SESSION_SECRET", ""),
        ("SESSION_SECRET", "canary-too-short"),
        ("SESSION_SECRET", ","),
        ("SEAL_SECRET", ""),
        (
            "SEAL_SECRET",
            "0123456789abcdef0123456789abcdef,canary-too-short",
        ),
        ("ALLOWED_ORIGINS", "*"),
        ("ALLOWED_ORIGINS", "https://*.example.com/canary"),
        ("ALLOWED_ORIGINS", "https://*canary.example.com"),
        ("ALLOWED_ORIGINS", "null"),
        ("ALLOWED_ORIGINS", "https://canary.example.com/"),
        ("ALLOWED_ORIGINS", "canary.example.com"),
        ("ANONYMOUS_SESSIONS", "canary"),
        ("ANONYMOUS_SCOPE", "generate:canary"),
        ("UPLOAD_MODE", "canary"),
        ("MCP_TOOL_PREFIX", "canary!"),
        ("MCP_TOOL_PREFIX", "canary-canary-canary-canary"),
        ("MCP_WAIT_SECONDS", "canary"),
        ("MCP_WAIT_SECONDS", "301"),
        ("MCP_TOKEN_DAYS", "367"),
        ("MCP_RESOURCE", "https://canary.example.com/"),
        ("MCP_RESOURCE", "https://canary.example.com/mcp?a=b"),
        ("MCP_RESOURCE", "http://canary.example.com/mcp"),
        ("MCP_AUTHORIZATION_SERVERS", "canary.example.com"),
        (
            "MCP_AUTHORIZATION_SERVERS",
            "https://canary.example.com?a=b",
        ),
        ("UPLOAD_HOSTS", "https://canary.example.com"),
        ("UPSTREAM_TIMEOUT_MS", "canary"),
        ("UPSTREAM_TIMEOUT_MS", "0"),
        ("UPSTREAM_TIMEOUT_MS", "1e9"),
        ("MAX_BODY_BYTES", "-1"),
        ("UPSTREAM_MODELS_PATH", "canary"),
        ("UPSTREAM_MODELS_PATH", "//canary.example.com"),
        ("UPSTREAM_TASK_PATH_PROCESS", "/tasks/canary"),
        ("SESSION_NOT_BEFORE", "canary"),
        ("TURNSTILE_URL", "http://canary.example.com"),
        ("ANONYMOUS_BUDGET", "canary"),
        ("MAX_TASKS_IN_FLIGHT", "-7777"),
        ("SESSION_JWKS_URL", "http://canary.example.com"),
    ];
    for (setting, value) in wrong {
        let error = read(&[(setting, value)]).expect_err(setting);
        assert!(error.contains(setting), "{setting}={value}: {error}");
        assert!(
            !error.contains("canary") && !error.contains("7777"),
            "{error}"
        );
    }
}

#[test]
fn webhooks_go_to_the_internet_with_a_signature() {
    let secret = ("WEBHOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let targets =
        |urls| read(&[("WEBHOOK_URLS", urls), secret]).map(|settings| settings.webhook_urls);
    assert_eq!(
        targets("https://a.example.com/hook, https://203.0.113.7:8443/?x=1")
            .expect("public")
            .len(),
        2
    );
    for own in [
        "http://hooks.example.com",
        "ftp://hooks.example.com",
        "https://user:canary@hooks.example.com/",
        "https://localhost/",
        "https://a.localhost/",
        "https://intranet/",
        "https://a.internal./",
        "https://printer.local/",
        "https://0/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://10.1.2.3/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://169.254.169.254/",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://[::]/",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://a.example.com/, https://10.1.2.3/",
    ] {
        let error = targets(own).expect_err(own);
        assert!(
            error.contains("WEBHOOK_URLS") && !error.contains("canary"),
            "{own}: {error}"
        );
    }
    let loopback = [
        ("WEBHOOK_URLS", "http://127.0.0.1:9/hook"),
        ("WEBHOOK_LOOPBACK", "on"),
        secret,
    ];
    assert_eq!(
        read(&loopback).expect("a test setting").webhook_urls,
        ["http://127.0.0.1:9/hook"]
    );
    let own = [
        ("WEBHOOK_URLS", "http://10.1.2.3/"),
        ("WEBHOOK_LOOPBACK", "on"),
        secret,
    ];
    assert!(
        read(&own)
            .expect_err("not this machine")
            .contains("WEBHOOK_URLS")
    );
    for none in ["", "canary", "whsec_canary"] {
        let error = read(&[
            ("WEBHOOK_URLS", "https://a.example.com/"),
            ("WEBHOOK_SECRET", none),
        ])
        .expect_err(none);
        assert!(
            error.contains("WEBHOOK_SECRET") && !error.contains("canary"),
            "{error}"
        );
    }
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
    assert!(
        read(&[on, local])
            .expect_err("no origins")
            .contains("ALLOWED_ORIGINS")
    );
    assert!(
        read(&[on, origins])
            .expect_err("no scope")
            .contains("ANONYMOUS_SCOPE")
    );
    assert!(
        read(&[on, origins, scope])
            .expect_err("no budget")
            .contains("ANONYMOUS_BUDGET")
    );
    assert!(
        read(&[on, origins, local]).is_ok(),
        "nothing is charged on this machine"
    );
    assert!(
        read(&[on, origins, scope, budget])
            .expect_err("no rate")
            .contains("RATE_LIMIT_PER_MINUTE")
    );
    let settings = read(&[on, origins, scope, budget, rate]);
    assert_eq!(
        settings.expect("complete").allowed_origins,
        ["https://a.example.com", "http://localhost:8787"]
    );
}

#[test]
fn plain_http_is_only_for_this_machine() {
    for url in [
        "http://127.0.0.1:8788",
        "http://localhost:1",
        "http://[::1]:8788",
    ] {
        assert_eq!(
            read(&[("UPSTREAM_BASE_URL", url)])
                .expect("loopback")
                .upstream_base_url,
            url
        );
    }
    for url in [
        "http://127.0.0.1.example.com",
        "http://0.0.0.0:1",
        "http://10.0.0.1",
    ] {
        assert!(read(&[("UPSTREAM_BASE_URL", url)]).is_err(), "{url}");
    }
}

#[test]
fn secrets_are_not_printed() {
    let settings = read(&[("UPSTREAM_API_KEY", "canary-key-of-an-account")]).expect("complete");
    let printed = format!("{settings:?}");
    assert!(
        !printed.contains("canary") && !printed.contains(SECRET),
        "{printed}"
    );
}

#[test]
fn an_empty_path_switches_off() {
    assert_eq!(
        read(&[("UPSTREAM_ESTIMATE_PATH", "")])
            .expect("complete")
            .estimate_path,
        None
    );
}

#[test]
fn an_authorization_server_needs_an_address_and_keys() {
    let [servers, resource, keys] = [
        ("MCP_AUTHORIZATION_SERVERS", "https://as.example.com"),
        ("MCP_RESOURCE", "https://media.example.com/mcp"),
        ("SESSION_JWKS_URL", "https://as.example.com/keys"),
    ];
    assert!(read(&[servers, resource, keys]).is_ok());
    assert!(
        read(&[servers, keys])
            .expect_err("no address")
            .contains("MCP_RESOURCE is missing")
    );
    assert!(
        read(&[servers, resource])
            .expect_err("no keys")
            .contains("SESSION_JWKS_URL is missing")
    );
    let settings = read(&[("MCP_REVOKED_TOKENS", "a, b,,")]).expect("complete");
    assert_eq!(settings.mcp.revoked_tokens, ["a", "b"]);
    for odd in ["a b", "a,b\nc", "a,é", &"x".repeat(129)] {
        let error = read(&[("MCP_REVOKED_TOKENS", odd)]).expect_err(odd);
        assert!(
            error.contains("MCP_REVOKED_TOKENS") && error.contains("visible ASCII"),
            "{error}"
        );
    }
}
