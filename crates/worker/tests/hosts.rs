//! Internationalised hosts in settings. The ASCII form is read, and other forms are refused with a
//! clear error.

use mediagate_worker::settings::{Settings, SettingsError};

fn settings(setting: &'static str, value: &str) -> Result<Settings, SettingsError> {
    let secret = "0123456789abcdef0123456789abcdef";
    Settings::read(|name| match name {
        _ if name == setting => Some(value.to_owned()),
        "UPSTREAM_BASE_URL" => Some("https://api.example.com".to_owned()),
        "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => Some(secret.to_owned()),
        "WEBHOOK_SECRET" => Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned()),
        _ => None,
    })
}

#[test]
fn hosts_in_their_ascii_form_are_read() {
    let host = "xn--mnchen-3ya.example";
    assert_eq!(
        settings("UPSTREAM_BASE_URL", &format!("https://{host}/"))
            .map(|settings| settings.upstream_base_url),
        Ok(format!("https://{host}"))
    );
    assert_eq!(
        settings("UPSTREAM_BASE_URL", &format!("https://{host}"))
            .map(|settings| settings.upload_hosts.0),
        Ok(vec![host.to_owned()])
    );
    assert_eq!(
        settings("ALLOWED_ORIGINS", &format!("https://{host}"))
            .map(|settings| settings.allowed_origins),
        Ok(vec![format!("https://{host}")])
    );
    assert_eq!(
        settings("WEBHOOK_URLS", &format!("https://{host}/hook"))
            .map(|settings| settings.webhook_urls),
        Ok(vec![format!("https://{host}/hook")])
    );
    for setting in ["SESSION_JWKS_URL", "TURNSTILE_URL"] {
        assert!(
            settings(setting, &format!("https://{host}/keys")).is_ok(),
            "{setting}"
        );
    }
}

#[test]
fn letters_of_a_host_are_compared_in_lower_case() {
    let read = settings("UPSTREAM_BASE_URL", "https://API.XN--MNCHEN-3YA.Example/v1");
    assert_eq!(
        read.map(|settings| settings.upstream_base_url),
        Ok("https://api.xn--mnchen-3ya.example/v1".to_owned())
    );
}

#[test]
fn an_origin_must_have_its_ascii_form() {
    for wrong in [
        "https://münchen.example",
        "https://MÜNCHEN.example",
        "https://XN--mnchen-3ya.example",
        "https://ｅxample.com",
    ] {
        let error = settings("ALLOWED_ORIGINS", wrong)
            .map(|_| ())
            .expect_err(wrong);
        assert_eq!(error.setting, "ALLOWED_ORIGINS", "{wrong}");
    }
}

#[test]
fn local_and_private_hosts_are_recognised_however_they_are_written() {
    for local in [
        "https://0x7f.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://[::ffff:10.0.0.1]/",
        "https://a.internal./",
    ] {
        assert!(settings("WEBHOOK_URLS", local).is_err(), "{local}");
    }
    // With Unicode tables a URL parser would map these to 127.0.0.1, localhost and 10.0.0.1.
    for disguised in [
        "https://１２７.0.0.1/",
        "https://lⓞcalhost/",
        "https://10。0。0。1/",
    ] {
        assert!(settings("WEBHOOK_URLS", disguised).is_err(), "{disguised}");
    }
    assert!(settings("UPSTREAM_BASE_URL", "http://lⓞcalhost:8788").is_err());
    assert!(
        settings("UPLOAD_HOSTS", "münchen.example").is_err(),
        "it would never match"
    );
}
