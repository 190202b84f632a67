//! Public-key signatures through SubtleCrypto, which is several times faster than wasm.

use js_sys::{JSON, Object, Promise, Uint8Array};
use mediagate_platform::http::{deadline, read_body, request_init, send};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Request;

use super::jwk::Jwk;
use crate::auth::token::Token;

const MAX_SET_BYTES: usize = 65_536;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], js_name = importKey, catch)]
    fn import_key(
        format: &str,
        key: &JsValue,
        algorithm: &JsValue,
        extractable: bool,
        uses: &JsValue,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], js_name = verify, catch)]
    fn verify(
        algorithm: &JsValue,
        key: &JsValue,
        signature: &Uint8Array,
        data: &Uint8Array,
    ) -> Result<Promise, JsValue>;
}

#[derive(Clone)]
pub(super) struct Key {
    handle: JsValue,
    algorithm: JsValue,
}

/// Fetches a set of keys without credentials, and imports them. Returns `None` if the set can't be
/// fetched or read.
pub(super) async fn fetch_keys(url: &str) -> Option<Vec<(Jwk, Key)>> {
    let set = deadline(fetch_set(url)).await.flatten()?;
    let mut keys = Vec::new();
    for jwk in set {
        // A key that the host can't import is skipped. Other keys of the set may work.
        if let Some(key) = import(&jwk).await {
            keys.push((jwk, key));
        }
    }
    Some(keys)
}

async fn fetch_set(url: &str) -> Option<Vec<Jwk>> {
    let init = request_init("GET", &[]).ok()?;
    let response = send(&Request::new_with_str_and_init(url, &init).ok()?)
        .await
        .filter(web_sys::Response::ok)?;
    let bytes = read_body(&response, MAX_SET_BYTES).await.ok()?;
    Jwk::set(&serde_json::from_slice(&bytes).ok()?)
}

pub(super) async fn verifies(key: &Key, token: &Token) -> bool {
    let signature = Uint8Array::from(token.signature.as_slice());
    let signed = Uint8Array::from(token.signed.as_bytes());
    let Ok(promise) = verify(&key.algorithm, &key.handle, &signature, &signed) else {
        return false;
    };
    JsFuture::from(promise)
        .await
        .is_ok_and(|is_valid| is_valid.is_truthy())
}

async fn import(jwk: &Jwk) -> Option<Key> {
    let algorithm = javascript(&match jwk.algorithm {
        "ES256" => json!({"name": "ECDSA", "namedCurve": "P-256", "hash": "SHA-256"}),
        "EdDSA" => json!({"name": "Ed25519"}),
        _ => json!({"name": "RSASSA-PKCS1-v1_5", "hash": "SHA-256"}),
    })?;
    let key = javascript(&Value::Object(jwk.members.clone()))?;
    let promise = import_key(
        "jwk",
        &key,
        &algorithm,
        false,
        &javascript(&json!(["verify"]))?,
    )
    .ok()?;
    let handle = JsFuture::from(promise).await.ok()?;
    handle
        .is_instance_of::<Object>()
        .then_some(Key { handle, algorithm })
}

fn javascript(value: &Value) -> Option<JsValue> {
    JSON::parse(&value.to_string()).ok()
}
