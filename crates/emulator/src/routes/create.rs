use axum::{
    Extension,
    body::Bytes,
    extract::{ConnectInfo, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use mediagate_core::{Capability, Code};
use serde_json::{Value, json};

use super::body::json_body;
use crate::{
    app::SharedApp,
    command::CreateCommand,
    config::TextToImage,
    dialect::TaskResponse,
    faults::{self, Directive, Injection, Stage, unknown_directive},
    http::{Refusal, ResetHandle},
    tasks::Output,
};

/// `POST {capability}` (§4.2, §4.3): responds with `data.task`. `fault` is the directive of the
/// scene's faults for this request. A directive in the title takes precedence.
///
/// # Errors
///
/// 12 for a malformed body or an unknown directive, then every error of the create's validation,
/// 1401 if the credits do not suffice, and HTTP 507 for a record that cannot be written.
pub(super) async fn create(
    capability: &'static Capability,
    State(app): State<SharedApp>,
    ConnectInfo(reset): ConnectInfo<ResetHandle>,
    fault: Option<Extension<Directive>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let from_title = title_directive(&body)?;
    let serve = |directive| create_task(app.clone(), capability, directive, &headers, body);
    if from_title == Directive::default() {
        // The middleware has applied the fault to this request. Its words about the task remain.
        let fault = fault.map(|Extension(directive)| directive);
        return serve(fault.unwrap_or_default()).await;
    }
    let serve = serve(from_title.clone());
    if from_title.stage != Stage::Create {
        return serve.await;
    }
    let account = app.account();
    let injection = Injection {
        directive: &from_title,
        faults: &account.faults,
        reset: &reset,
        headers: &headers,
    };
    Ok(injection.apply(async { serve.await.into_response() }).await)
}

async fn create_task(
    app: SharedApp,
    capability: &'static Capability,
    directive: Directive,
    headers: &HeaderMap,
    body: Value,
) -> Result<Response, Refusal> {
    app.config.dialect.check_shapes(capability, &body)?;
    let command = app.validate(capability, body).await?;
    if app.config.dialect.confirm_path.is_some() {
        check_confirmed(&command)?;
    }
    // Charged last: a refused create costs nothing.
    let account = app.account();
    account.charge(command.credits)?;
    if capability.may_omit_task && account.scene.text_to_image != TextToImage::Task {
        return without_task(&app, account.scene.text_to_image, command).await;
    }
    let asset = command.assets.first().map(|asset| asset.record());
    let task = app
        .start(command, directive)
        .map_err(|_| Refusal::insufficient_storage())?;
    let response = TaskResponse {
        record: task.record(&app.base_url),
        is_created: true,
        asset,
        echo: None,
    };
    Ok(faults::task_response(
        &app.config.dialect,
        &task.directive,
        headers,
        response,
    ))
}

fn check_confirmed(command: &CreateCommand) -> Result<(), Refusal> {
    for (field, files) in &command.files {
        if files.iter().any(|file| !file.is_confirmed) {
            let message = "a file that was not confirmed after its upload";
            return Err(Refusal::invalid_field(field, "unconfirmed_file", message));
        }
    }
    Ok(())
}

/// Returns the directive in the title of a body. Refuses with 12 for an unknown word.
fn title_directive(body: &Value) -> Result<Directive, Refusal> {
    let title = body
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Directive::from_title(title).map_err(|word| {
        Refusal::invalid_field("title", "unknown_directive", unknown_directive(&word))
    })
}

/// Responds to text_to_image in a form without a task, as the document does not show the fields of
/// this response (§4.2). The response waits for the image.
async fn without_task(
    app: &SharedApp,
    form: TextToImage,
    command: CreateCommand,
) -> Result<Response, Refusal> {
    if form == TextToImage::Empty {
        return Ok(StatusCode::OK.into_response());
    }
    let outputs = app
        .work(command)
        .await
        .map_err(|_| Refusal::new(Code::SERVER_ERROR))?;
    let images = match form {
        TextToImage::Inline => inline(app, &outputs).await?,
        _ => outputs
            .iter()
            .map(|output| output.record(&app.base_url))
            .collect(),
    };
    Ok(app
        .config
        .dialect
        .images_response(&images, form == TextToImage::Bare))
}

/// Returns the records of outputs with their bytes as base64: `{b64_json, content_type}`.
async fn inline(app: &SharedApp, outputs: &[Output]) -> Result<Value, Refusal> {
    let mut images = Vec::new();
    for output in outputs {
        let path = app.files.outputs().join(&output.name);
        let bytes = tokio::fs::read(path)
            .await
            .map_err(|_| Refusal::new(Code::SERVER_ERROR))?;
        images.push(json!({ "b64_json": STANDARD.encode(bytes), "content_type": output.mime }));
    }
    Ok(images.into())
}
