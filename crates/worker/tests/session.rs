//! The decisions on session tokens.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures_util::FutureExt;
use hmac::{Hmac, KeyInit, Mac};
use mediagate_access::crypto::Secret;
use mediagate_access::identity::{Caller, Scope};
use mediagate_access::refusal::Refusal;
use mediagate_settings::Settings;
use mediagate_worker::auth::{AnonymousIssuer, Verifier};
use serde_json::{Value, json};
use sha2::Sha256;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const OLD_SECRET: &str = "old-0123456789abcdef0123456789abcdef";
const NOW: f64 = 1_800_000_000.0;

fn settings(changes: &[(&str, &str)]) -> Settings {
    let keys = format!("{SECRET},{OLD_SECRET}");
    let changes = [changes, &[("SESSION_SECRET", &keys)]].concat();
    Settings::for_tests(&changes)
}

fn verifier(changes: &[(&str, &str)]) -> Verifier {
    let settings = settings(changes);
    let anonymous = AnonymousIssuer::keys(&settings.seal_secrets);
    Verifier::new(&settings, anonymous)
}

/// Returns the output of a future that is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    future
        .now_or_never()
        .expect("shared secrets need no waiting")
}

fn encode(part: &str) -> String {
    URL_SAFE_NO_PAD.encode(part)
}

fn signed(key: &str, header: &str, claims: &str) -> String {
    let signed = format!("{}.{}", encode(header), encode(claims));
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.as_bytes()).expect("any length");
    mac.update(signed.as_bytes());
    format!(
        "{signed}.{}",
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    )
}

const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

fn claims(changes: Value) -> String {
    let mut all = json!({
        "sub": "alice",
        "aud": "mediagate",
        "iat": NOW,
        "exp": NOW + 600.0,
        "scope": "generate:*",
    });
    for (name, value) in changes.as_object().expect("an object") {
        match value {
            Value::Null => drop(all.as_object_mut().expect("an object").remove(name)),
            value => all[name] = value.clone(),
        }
    }
    all.to_string()
}

/// Returns the subject's name, or the reason of the refusal.
fn named(caller: Result<Caller, Refusal>) -> Result<String, String> {
    caller.map(|caller| caller.subject.name).map_err(|refusal| {
        assert_eq!((refusal.status, refusal.code.0), (401, 13));
        reason_of(&refusal)
    })
}

fn outcome(token: &str, changes: &[(&str, &str)]) -> Result<String, String> {
    named(now(verifier(changes).caller(token, NOW)))
}

fn reason_of(refusal: &Refusal) -> String {
    refusal.data["reason"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn with(changes: Value) -> Result<String, String> {
    outcome(&signed(SECRET, HEADER, &claims(changes)), &[])
}

/// Returns the outcome of an agent's token at `/mcp`.
fn agent(claims_of: Value, settings: &[(&str, &str)]) -> Result<String, String> {
    let token = signed(SECRET, HEADER, &claims(claims_of));
    named(now(verifier(settings).agent(&token, NOW)))
}

fn alice() -> Result<String, String> {
    Ok("alice".into())
}

fn refused(reason: &str) -> Result<String, String> {
    Err(reason.into())
}

#[test]
fn a_valid_token_is_accepted_with_either_key() {
    for key in [SECRET, OLD_SECRET] {
        let caller =
            now(verifier(&[]).caller(&signed(key, HEADER, &claims(json!({"iss": "app"}))), NOW))
                .expect("valid");
        assert_eq!(
            (caller.subject.name.as_str(), caller.subject.issuer.as_str()),
            ("alice", "app")
        );
        assert_eq!(caller.scope, Scope::new("generate:*"));
    }
    assert_eq!(with(json!({"aud": ["other", "mediagate"]})), alice());
    assert_eq!(
        with(json!({"exp": NOW - 59.0, "iat": NOW - 600.0})),
        alice()
    );
}

#[test]
fn the_algorithm_is_pinned_by_the_key() {
    for header in [
        r#"{"alg":"none"}"#,
        r#"{"alg":"hs256"}"#,
        r#"{"alg":"HS512"}"#,
        r#"{"alg":"RS256"}"#,
        r#"{}"#,
        r#"{"alg":["HS256"]}"#,
        r#"{"alg":"none","alg":"HS256"}"#,
        r#"{"alg":"HS256","crit":["exp"]}"#,
        r#"{"alg":"HS256","jwk":{}}"#,
        r#"{"alg":"HS256","jku":"https://evil.example.com"}"#,
        r#"{"alg":"HS256","x5u":"https://evil.example.com"}"#,
        r#"{"alg":"HS256","b64":false}"#,
        r#"[]"#,
        "HS256",
    ] {
        assert_eq!(
            outcome(&signed(SECRET, header, &claims(json!({}))), &[]),
            refused("invalid_token"),
            "{header}"
        );
    }
}

#[test]
fn a_providers_keys_verify_no_token_of_another_algorithm() {
    let settings = [("SESSION_JWKS_URL", "https://as.example.com/keys")];
    for (key, header) in [
        ("another-0123456789abcdef0123456789abcdef", HEADER),
        (SECRET, r#"{"alg":"HS512"}"#),
        (SECRET, r#"{"alg":"none"}"#),
    ] {
        let token = signed(key, header, &claims(json!({})));
        assert_eq!(
            outcome(&token, &settings),
            refused("invalid_token"),
            "{header}"
        );
    }
}

#[test]
fn signatures_and_encodings_are_exact() {
    let good = signed(SECRET, HEADER, &claims(json!({})));
    let (head, signature) = good.rsplit_once('.').expect("three parts");
    let standard = STANDARD.encode(URL_SAFE_NO_PAD.decode(signature).expect("base64"));
    for bad in [
        format!("{head}."),
        head.to_owned(),
        format!("{good}="),
        format!("{good}.x"),
        format!(" {good}"),
        format!("{head}.{standard}"),
        format!("{head}.{}", &signature[..42]),
        String::new(),
        ".".into(),
        "..".into(),
        signed(
            "another-key-another-key-another-key",
            HEADER,
            &claims(json!({})),
        ),
        good.replacen('.', "=.", 1),
        "a".repeat(100_000),
    ] {
        assert_eq!(outcome(&bad, &[]), refused("invalid_token"), "{bad:.60}");
    }
    // Two bits of the last character of 32 bytes are unused. A decoder that ignores them accepts
    // four spellings.
    let last = signature.chars().last().expect("not empty");
    for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        .chars()
        .filter(|letter| *letter != last)
    {
        let changed = format!("{}{other}", &good[..good.len() - 1]);
        assert_eq!(outcome(&changed, &[]), refused("invalid_token"), "{other}");
    }
}

#[test]
fn a_repeated_claim_is_refused() {
    let twice = claims(json!({})).replacen('{', r#"{"sub":"bob","#, 1);
    assert_eq!(
        outcome(&signed(SECRET, HEADER, &twice), &[]),
        refused("invalid_claims")
    );
}

#[test]
fn times_are_checked() {
    assert_eq!(
        with(json!({"exp": NOW - 61.0, "iat": NOW - 600.0})),
        refused("expired_token")
    );
    assert_eq!(
        with(json!({"iat": NOW + 61.0, "exp": NOW + 600.0})),
        refused("early_token")
    );
    assert_eq!(with(json!({"nbf": NOW + 61.0})), refused("early_token"));
    assert_eq!(
        with(json!({"nbf": NOW, "iat": NOW + 61.0})),
        refused("early_token")
    );
    assert_eq!(
        with(json!({"iat": NOW + 60.0, "nbf": NOW + 60.0, "exp": NOW + 3660.0})),
        alice()
    );
    assert_eq!(with(json!({"exp": NOW + 3601.0})), refused("long_token"));
    assert_eq!(with(json!({"exp": 1e300})), refused("long_token"));
    for wrong in [
        json!({"exp": null}),
        json!({"iat": null}),
        json!({"exp": "soon"}),
        json!({"iat": []}),
        json!({"nbf": "0"}),
        json!({"nbf": [1]}),
    ] {
        assert_eq!(with(wrong), refused("invalid_claims"));
    }
    let token = signed(SECRET, HEADER, &claims(json!({})));
    let not_before = |time: f64| outcome(&token, &[("SESSION_NOT_BEFORE", &time.to_string())]);
    assert_eq!(
        [not_before(NOW), not_before(NOW + 1.0)],
        [alice(), refused("revoked_token")]
    );
}

#[test]
fn the_claims_of_a_cached_token_are_checked_each_time() {
    let verifier = verifier(&[]);
    let token = signed(SECRET, HEADER, &claims(json!({})));
    let at = |token: &str, at: f64| named(now(verifier.caller(token, at)));
    assert_eq!(at(&token, NOW), alice());
    assert_eq!(at(&token, NOW + 659.0), alice());
    assert_eq!(at(&token, NOW + 660.0), refused("expired_token"));
    assert_eq!(at(&token, NOW - 61.0), refused("early_token"));
    // These claims are cached with a valid signature, but this signature is invalid.
    let forged = signed(
        "another-0123456789abcdef0123456789abcdef",
        HEADER,
        &claims(json!({})),
    );
    assert_eq!(at(&forged, NOW), refused("invalid_token"));
    assert_eq!(at(&token, NOW), alice());
}

#[test]
fn names_are_checked() {
    for aud in [
        json!("other"),
        json!(null),
        json!([]),
        json!(["Mediagate"]),
        json!(5),
        json!({"mediagate": 1}),
    ] {
        assert_eq!(with(json!({"aud": aud})), refused("wrong_audience"));
    }
    for sub in [
        json!(""),
        json!("  "),
        json!(null),
        json!(7),
        json!("anon:1"),
    ] {
        assert_eq!(with(json!({"sub": sub})), refused("invalid_subject"));
    }
    for wrong in [
        json!({"iss": ["x"]}),
        json!({"iss": 5}),
        json!({"scope": ["generate:*"]}),
    ] {
        assert_eq!(with(wrong), refused("invalid_claims"));
    }
    let token = |iss: Value| signed(SECRET, HEADER, &claims(json!({"iss": iss})));
    assert_eq!(
        outcome(&token(json!("app")), &[("SESSION_ISSUER", "app")]),
        alice()
    );
    assert_eq!(
        outcome(&token(json!("other")), &[("SESSION_ISSUER", "app")]),
        refused("wrong_issuer")
    );
    assert_eq!(
        outcome(&token(json!(null)), &[("SESSION_ISSUER", "app")]),
        refused("wrong_issuer")
    );
}

#[test]
fn a_renewed_anonymous_session_keeps_its_subject() {
    let verifier = verifier(&[]);
    let key = AnonymousIssuer::keys(&[Secret::new(SECRET)]).remove(0);
    let issuer = AnonymousIssuer::new(key, "mediagate".into(), "upload".into());
    let (token, life) = issuer.issue(&verifier, None, [7; 16], NOW);
    let first = now(verifier.caller(&token, NOW)).expect("valid");
    assert_eq!(first.subject.source, "anonymous");
    assert!(first.subject.name.starts_with("anon:") && first.scope.allows_upload());
    assert!(now(verifier.caller(&token, NOW + f64::from(life) + 61.0)).is_err());

    let day = 86_400.0;
    let issue = |previous: &str, at: f64| issuer.issue(&verifier, Some(previous), [9; 16], at).0;
    let subject = |token: &str, at: f64| {
        let caller = now(verifier.caller(token, at));
        caller.expect("valid").subject.name
    };
    let is_same = |previous: &str, at: f64| subject(&issue(previous, at), at) == first.subject.name;
    assert!(!is_same("", NOW));
    // The limit is exact to the second.
    let until = NOW + f64::from(life) + 30.0 * day;
    assert!(is_same(&token, until - 1.0) && !is_same(&token, until));
    // A session ends even if it is renewed again and again.
    let days = [20.0, 40.0, 60.0, 80.0];
    let renewed = days
        .into_iter()
        .fold(token.clone(), |token, days| issue(&token, NOW + days * day));
    let until = NOW + 90.0 * day;
    assert!(is_same(&renewed, until - 1.0) && !is_same(&renewed, until));
    // A backend's token is not an anonymous session, even with such a subject.
    let forged = signed(SECRET, HEADER, &claims(json!({"sub": first.subject.name})));
    assert!(!is_same(&forged, NOW));
}

#[test]
fn an_agents_token_may_live_longer_if_it_can_be_revoked() {
    let days = |count: f64| NOW + count * 86_400.0;
    let months = |more: Value| {
        let mut all = json!({"scope": "mcp generate:*", "exp": days(90.0), "jti": "a"});
        for (name, value) in more.as_object().expect("an object") {
            all[name] = value.clone();
        }
        all
    };
    assert_eq!(agent(months(json!({})), &[]), alice());
    assert_eq!(
        with(months(json!({}))),
        refused("long_token"),
        "elsewhere it is too long"
    );
    assert_eq!(agent(json!({}), &[]), alice(), "a short one needs nothing");
    for scope in ["generate:*", "mcp:*", "MCP", "xmcp", ""] {
        assert_eq!(
            agent(months(json!({"scope": scope})), &[]),
            refused("long_token"),
            "{scope}"
        );
    }
    assert_eq!(
        agent(months(json!({"exp": days(90.1)})), &[]),
        refused("long_token")
    );
    assert_eq!(
        agent(months(json!({})), &[("MCP_TOKEN_DAYS", "89")]),
        refused("long_token")
    );
    assert_eq!(
        agent(
            months(json!({"exp": NOW + 3_601.0})),
            &[("MCP_TOKEN_DAYS", "0")]
        ),
        refused("long_token")
    );
    for id in [
        json!(""),
        json!("a,b"),
        json!("a b"),
        json!("é"),
        json!("a".repeat(129)),
        json!(null),
    ] {
        assert_eq!(
            agent(months(json!({"jti": id})), &[]),
            refused("invalid_id"),
            "{id}"
        );
    }
    assert_eq!(
        agent(months(json!({"jti": 5})), &[]),
        refused("invalid_claims")
    );
    assert_eq!(
        agent(months(json!({})), &[("MCP_REVOKED_TOKENS", "b,a")]),
        refused("revoked_token")
    );
    assert_eq!(
        agent(json!({"jti": "a"}), &[("MCP_REVOKED_TOKENS", "a")]),
        refused("revoked_token")
    );
    assert_eq!(
        agent(months(json!({})), &[("MCP_REVOKED_TOKENS", "A,aa")]),
        alice()
    );
}

#[test]
fn an_agents_token_is_valid_only_at_mcp() {
    for scope in ["mcp", "generate:* mcp", "upload mcp upload"] {
        assert_eq!(
            with(json!({"scope": scope})),
            refused("agent_token"),
            "{scope}"
        );
        assert_eq!(agent(json!({"scope": scope}), &[]), alice(), "{scope}");
    }
    assert_eq!(
        with(json!({"scope": "mcp:* MCP"})),
        alice(),
        "words that mean nothing"
    );
}

#[test]
fn a_caller_has_the_tokens_budget_limits_assets_and_watch() {
    let caller = |more: Value| {
        let token = signed(SECRET, HEADER, &claims(more));
        now(verifier(&[]).caller(&token, NOW))
    };
    let all = json!({
        "budget": {"creates": 3, "in_flight": 2},
        "limits": {"max_seconds": 5},
        "watch": true,
        "assets": ["a1", {"id": "v1", "category": "voice"}],
    });
    let rights = |caller: Caller| (caller.budget.creates, caller.budget.in_flight, caller.watch);
    assert_eq!(
        rights(caller(json!({})).expect("valid")),
        (None, None, false)
    );
    let all = caller(all).expect("valid");
    assert_eq!(
        all.assets.list().collect::<Vec<_>>(),
        [("a1", None), ("v1", Some("voice"))]
    );
    assert_eq!(all.limits.max_seconds, Some(5));
    assert_eq!(rights(all), (Some(3), Some(2), true));
    for (wrong, reason) in [
        (json!({"budget": {"creates": "3"}}), "invalid_budget"),
        (json!({"limits": {"max_second": 5}}), "invalid_limits"),
        (json!({"watch": 1}), "invalid_claims"),
        (json!({"assets": [5]}), "invalid_assets"),
    ] {
        assert_eq!(named(caller(wrong)), refused(reason));
    }
}

#[test]
fn a_token_for_another_purpose_is_refused_and_only_a_provider_must_name_it() {
    let outcome = |kind: &str, settings: &[(&str, &str)]| {
        let header = format!(r#"{{"alg":"HS256"{kind}}}"#);
        outcome(&signed(SECRET, &header, &claims(json!({}))), settings)
    };
    let servers = [
        ("MCP_AUTHORIZATION_SERVERS", "https://as.example"),
        ("MCP_RESOURCE", "https://gateway.example/mcp"),
        ("SESSION_JWKS_URL", "https://as.example/keys"),
    ];
    for settings in [&[][..], &servers[..]] {
        for kind in ["", r#","typ":"JWT""#, r#","typ":"at+jwt""#] {
            assert_eq!(outcome(kind, settings), alice(), "{kind}");
        }
        assert_eq!(
            outcome(r#","typ":"id+jwt""#, settings),
            refused("wrong_type")
        );
    }
}
