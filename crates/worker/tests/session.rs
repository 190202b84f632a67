//! The decisions on session tokens.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures_util::FutureExt;
use hmac::{Hmac, KeyInit, Mac};
use mediagate_worker::auth::{AnonymousIssuer, Verifier};
use mediagate_worker::crypto::Secret;
use mediagate_worker::identity::Scope;
use mediagate_worker::refusal::Refusal;
use mediagate_worker::settings::Settings;
use serde_json::{Value, json};
use sha2::Sha256;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const OLD_SECRET: &str = "old-0123456789abcdef0123456789abcdef";
const NOW: f64 = 1_800_000_000.0;

fn settings(changes: &[(&str, &str)]) -> Settings {
    let keys = format!("{SECRET},{OLD_SECRET}");
    let value = |name: &str| {
        if let Some((_, value)) = changes.iter().find(|(changed, _)| *changed == name) {
            return Some(*value);
        }
        match name {
            "UPSTREAM_BASE_URL" => Some("https://api.example.com"),
            "UPSTREAM_API_KEY" => Some("upstream-key-of-tests"),
            "SESSION_SECRET" => Some(keys.as_str()),
            "SEAL_SECRET" => Some(SECRET),
            _ => None,
        }
    };
    Settings::read(|name| value(name).map(str::to_owned)).expect("complete")
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
fn outcome(token: &str, changes: &[(&str, &str)]) -> Result<String, String> {
    let caller = now(verifier(changes).caller(token, NOW));
    caller.map(|caller| caller.subject.name).map_err(|refusal| {
        assert_eq!((refusal.status, refusal.code.0), (401, 13));
        reason_of(&refusal)
    })
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
    assert_eq!(
        with(json!({"aud": ["other", "mediagate"]})),
        Ok("alice".into())
    );
    assert_eq!(
        with(json!({"exp": NOW - 59.0, "iat": NOW - 600.0})),
        Ok("alice".into())
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
            Err("invalid_token".into()),
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
            Err("invalid_token".into()),
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
        assert_eq!(outcome(&bad, &[]), Err("invalid_token".into()), "{bad:.60}");
    }
    // Two bits of the last character of 32 bytes are unused. A decoder that ignores them accepts
    // four spellings.
    let last = signature.chars().last().expect("not empty");
    for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        .chars()
        .filter(|letter| *letter != last)
    {
        let changed = format!("{}{other}", &good[..good.len() - 1]);
        assert_eq!(
            outcome(&changed, &[]),
            Err("invalid_token".into()),
            "{other}"
        );
    }
}

#[test]
fn a_repeated_claim_is_refused() {
    let twice = claims(json!({})).replacen('{', r#"{"sub":"bob","#, 1);
    assert_eq!(
        outcome(&signed(SECRET, HEADER, &twice), &[]),
        Err("invalid_claims".into())
    );
}

#[test]
fn times_are_checked() {
    assert_eq!(
        with(json!({"exp": NOW - 61.0, "iat": NOW - 600.0})),
        Err("expired_token".into())
    );
    assert_eq!(
        with(json!({"iat": NOW + 61.0, "exp": NOW + 600.0})),
        Err("early_token".into())
    );
    assert_eq!(with(json!({"nbf": NOW + 61.0})), Err("early_token".into()));
    assert_eq!(
        with(json!({"nbf": NOW, "iat": NOW + 61.0})),
        Err("early_token".into())
    );
    assert_eq!(
        with(json!({"iat": NOW + 60.0, "nbf": NOW + 60.0, "exp": NOW + 3660.0})),
        Ok("alice".into())
    );
    assert_eq!(with(json!({"exp": NOW + 3601.0})), Err("long_token".into()));
    assert_eq!(with(json!({"exp": 1e300})), Err("long_token".into()));
    for missing in [
        json!({"exp": null}),
        json!({"iat": null}),
        json!({"exp": "soon"}),
        json!({"iat": []}),
    ] {
        assert_eq!(with(missing), Err("invalid_claims".into()));
    }
    let token = signed(SECRET, HEADER, &claims(json!({})));
    let not_before = |time: f64| outcome(&token, &[("SESSION_NOT_BEFORE", &time.to_string())]);
    assert_eq!(
        [not_before(NOW), not_before(NOW + 1.0)],
        [Ok("alice".into()), Err("revoked_token".into())]
    );
}

#[test]
fn the_claims_of_a_cached_token_are_checked_each_time() {
    let verifier = verifier(&[]);
    let token = signed(SECRET, HEADER, &claims(json!({})));
    let reason = |token: &str, at: f64| {
        let caller = now(verifier.caller(token, at));
        caller
            .map(|caller| caller.subject.name)
            .map_err(|refusal| refusal.data["reason"].clone())
    };
    assert_eq!(reason(&token, NOW), Ok("alice".into()));
    assert_eq!(reason(&token, NOW + 659.0), Ok("alice".into()));
    assert_eq!(reason(&token, NOW + 660.0), Err("expired_token".into()));
    assert_eq!(reason(&token, NOW - 61.0), Err("early_token".into()));
    // These claims are cached with a valid signature, but this signature is invalid.
    let forged = signed(
        "another-0123456789abcdef0123456789abcdef",
        HEADER,
        &claims(json!({})),
    );
    assert_eq!(reason(&forged, NOW), Err("invalid_token".into()));
    assert_eq!(reason(&token, NOW), Ok("alice".into()));
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
        assert_eq!(with(json!({"aud": aud})), Err("wrong_audience".into()));
    }
    for sub in [
        json!(""),
        json!("  "),
        json!(null),
        json!(7),
        json!("anon:1"),
    ] {
        assert_eq!(with(json!({"sub": sub})), Err("invalid_subject".into()));
    }
    let token = |iss: Value| signed(SECRET, HEADER, &claims(json!({"iss": iss})));
    assert_eq!(
        outcome(&token(json!("app")), &[("SESSION_ISSUER", "app")]),
        Ok("alice".into())
    );
    assert_eq!(
        outcome(&token(json!("other")), &[("SESSION_ISSUER", "app")]),
        Err("wrong_issuer".into())
    );
    assert_eq!(
        outcome(&token(json!(null)), &[("SESSION_ISSUER", "app")]),
        Err("wrong_issuer".into())
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

    let subject = |previous: Option<&str>, now: f64| {
        let (token, _) = issuer.issue(&verifier, previous, [9; 16], now);
        self::now(verifier.caller(&token, now))
            .expect("valid")
            .subject
            .name
    };
    let day = 86_400.0;
    assert_eq!(subject(Some(&token), NOW + 29.0 * day), first.subject.name);
    assert_ne!(subject(Some(&token), NOW + 31.0 * day), first.subject.name);
    assert_ne!(subject(None, NOW), first.subject.name);
    // The limit is exact to the second.
    let expires = NOW + f64::from(life);
    assert_eq!(
        subject(Some(&token), expires + 30.0 * day - 1.0),
        first.subject.name
    );
    assert_ne!(
        subject(Some(&token), expires + 30.0 * day),
        first.subject.name
    );
    let in_80_days = [20.0, 40.0, 60.0, 80.0]
        .into_iter()
        .fold(token.clone(), |token, days| {
            issuer
                .issue(&verifier, Some(&token), [9; 16], NOW + days * day)
                .0
        });
    assert_eq!(
        subject(Some(&in_80_days), NOW + 90.0 * day - 1.0),
        first.subject.name
    );
    assert_ne!(
        subject(Some(&in_80_days), NOW + 90.0 * day),
        first.subject.name
    );
    // A session ends even if it is renewed again and again.
    let renewed_until = |last_day: u32| {
        let renew = |token: String, days: u32| {
            issuer
                .issue(
                    &verifier,
                    Some(&token),
                    [9; 16],
                    NOW + f64::from(days) * day,
                )
                .0
        };
        let token = (20..=last_day).step_by(20).fold(token.clone(), renew);
        let until = NOW + f64::from(last_day) * day;
        self::now(verifier.caller(&token, until))
            .expect("valid")
            .subject
            .name
    };
    assert_eq!(renewed_until(80), first.subject.name);
    assert_ne!(renewed_until(100), first.subject.name);
    // A backend's token is not an anonymous session, even with such a subject.
    let forged = signed(SECRET, HEADER, &claims(json!({"sub": first.subject.name})));
    assert_ne!(subject(Some(&forged), NOW), first.subject.name);
}

/// Returns the subject's name of an agent's token, or the reason of the refusal.
fn agent(claims_of: Value, settings: &[(&str, &str)]) -> Result<String, String> {
    let token = signed(SECRET, HEADER, &claims(claims_of));
    let caller = now(verifier(settings).agent(&token, NOW));
    caller
        .map(|caller| caller.subject.name)
        .map_err(|refusal| reason_of(&refusal))
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
    let reason = |name: &str| Err(name.to_owned());
    assert_eq!(agent(months(json!({})), &[]), Ok("alice".into()));
    assert_eq!(
        with(months(json!({}))),
        reason("long_token"),
        "elsewhere it is too long"
    );
    assert_eq!(
        agent(json!({}), &[]),
        Ok("alice".into()),
        "a short one needs nothing"
    );
    for scope in ["generate:*", "mcp:*", "MCP", "xmcp", ""] {
        assert_eq!(
            agent(months(json!({"scope": scope})), &[]),
            reason("long_token"),
            "{scope}"
        );
    }
    assert_eq!(
        agent(months(json!({"exp": days(90.1)})), &[]),
        reason("long_token")
    );
    assert_eq!(
        agent(months(json!({})), &[("MCP_TOKEN_DAYS", "89")]),
        reason("long_token")
    );
    assert_eq!(
        agent(
            months(json!({"exp": NOW + 3_601.0})),
            &[("MCP_TOKEN_DAYS", "0")]
        ),
        reason("long_token")
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
            reason("invalid_id"),
            "{id}"
        );
    }
    assert_eq!(
        agent(months(json!({"jti": 5})), &[]),
        reason("invalid_claims")
    );
    assert_eq!(
        agent(months(json!({})), &[("MCP_REVOKED_TOKENS", "b,a")]),
        reason("revoked_token")
    );
    assert_eq!(
        agent(json!({"jti": "a"}), &[("MCP_REVOKED_TOKENS", "a")]),
        reason("revoked_token")
    );
    assert_eq!(
        agent(months(json!({})), &[("MCP_REVOKED_TOKENS", "A,aa")]),
        Ok("alice".into())
    );
}

#[test]
fn the_url_of_mcp_is_no_audience_of_the_backends_tokens() {
    let resource = [("MCP_RESOURCE", "https://media.example.com/mcp")];
    let named = json!({"aud": "https://media.example.com/mcp"});
    assert_eq!(
        agent(named, &resource),
        Err("wrong_audience".into()),
        "only an authorization server issues tokens with that name"
    );
}

#[test]
fn an_agents_token_is_valid_only_at_mcp() {
    for scope in ["mcp", "generate:* mcp", "upload mcp upload"] {
        assert_eq!(
            with(json!({"scope": scope})),
            Err("agent_token".into()),
            "{scope}"
        );
        assert_eq!(
            agent(json!({"scope": scope}), &[]),
            Ok("alice".into()),
            "{scope}"
        );
    }
    assert_eq!(
        with(json!({"scope": "mcp:* MCP"})),
        Ok("alice".into()),
        "words that mean nothing"
    );
}

#[test]
fn a_caller_has_the_tokens_budget_assets_and_watch() {
    let caller = |more: Value| {
        let token = signed(SECRET, HEADER, &claims(more));
        now(verifier(&[]).caller(&token, NOW))
            .map(|caller| (caller.budget.creates, caller.budget.in_flight, caller.watch))
    };
    assert_eq!(caller(json!({})).expect("valid"), (None, None, false));
    let all = json!({"budget": {"creates": 3, "in_flight": 2}, "watch": true});
    assert_eq!(caller(all).expect("valid"), (Some(3), Some(2), true));
    assert_eq!(
        caller(json!({"budget": {"creates": "3"}}))
            .expect_err("no number")
            .data["reason"],
        "invalid_budget"
    );
    assert_eq!(
        caller(json!({"watch": 1})).expect_err("no boolean").data["reason"],
        "invalid_claims"
    );
    assert_eq!(
        caller(json!({"assets": [5]})).expect_err("no ids").data["reason"],
        "invalid_assets"
    );
    let token = signed(
        SECRET,
        HEADER,
        &claims(json!({"assets": ["a1", {"id": "v1", "category": "voice"}]})),
    );
    let assets = now(verifier(&[]).caller(&token, NOW))
        .expect("valid")
        .assets;
    assert_eq!(
        assets.list().collect::<Vec<_>>(),
        [("a1", None), ("v1", Some("voice"))]
    );
}

#[test]
fn a_token_for_another_purpose_is_refused_and_only_a_provider_must_name_it() {
    let outcome = |kind: &str, settings: &[(&str, &str)]| {
        let token = signed(
            SECRET,
            &format!(r#"{{"alg":"HS256"{kind}}}"#),
            &claims(json!({})),
        );
        let caller = now(verifier(settings).caller(&token, NOW));
        caller
            .map(|caller| caller.subject.name)
            .map_err(|refusal| reason_of(&refusal))
    };
    let servers = [
        ("MCP_AUTHORIZATION_SERVERS", "https://as.example"),
        ("MCP_RESOURCE", "https://gateway.example/mcp"),
        ("SESSION_JWKS_URL", "https://as.example/keys"),
    ];
    for settings in [&[][..], &servers[..]] {
        for kind in ["", r#","typ":"JWT""#, r#","typ":"at+jwt""#] {
            assert_eq!(outcome(kind, settings), Ok("alice".to_owned()), "{kind}");
        }
        assert_eq!(
            outcome(r#","typ":"id+jwt""#, settings),
            Err("wrong_type".to_owned())
        );
    }
}
