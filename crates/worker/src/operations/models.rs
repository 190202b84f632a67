//! The upstream's model catalogue and credit estimation. The document has the path of neither
//! (§4.1), so both paths are settings, and an operator can disable each.

use mediagate_access::identity::{Item, ValueLimits};
use mediagate_access::refusal::Refusal;
use mediagate_core::models::{Catalogue, is_of};
use mediagate_core::{Capability, PREFIX, Reason, find, nearest_capability};
use mediagate_settings::PublicAssets;
use serde_json::{Map, Value, json};

use super::RequestContext;
use super::prepare::{Prepared, prepare};

/// `GET /api/app/v1/models`. Returns the catalogue, and in `assets` the avatars and voices that the
/// caller may use.
pub(crate) async fn models(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    let mut data = fetch_models(context).await?;
    add_assets(context, &mut data);
    Ok(data)
}

/// `GET /api/app/v1/capabilities`: `{capabilities: [{capability, is_extension, models}], limits}`
/// with the capabilities that the upstream offers and that the caller's limits allow. `models` lists
/// `{model_id, values}` for the models that serve the capability, with the values that each accepts
/// by field. It is empty if the catalogue can't be read. `limits` is absent if there are none.
pub(crate) async fn capabilities(context: &RequestContext<'_>) -> Value {
    let catalogue = context.client().catalogue().await;
    let limits = context.limits();
    let mut capabilities = Vec::new();
    for capability in context.settings().offers.all() {
        if let Some(models) = allowed_models(limits, capability, catalogue.as_deref()) {
            capabilities.push(json!({
                "capability": capability.name(),
                "is_extension": capability.is_extension,
                "models": models,
            }));
        }
    }
    let mut data = json!({ "capabilities": capabilities });
    add_limits(context, &mut data);
    data
}

/// Adds the limits on the values of creates as `limits`, if there are any.
pub(crate) fn add_limits(context: &RequestContext<'_>, data: &mut Value) {
    let limits = context.limits();
    if !limits.is_unlimited() {
        data["limits"] = json!(limits);
    }
}

/// Returns the models that serve a capability, as far as the limits allow them. Returns `None` if
/// the limits leave none of the models, or refuse each create.
fn allowed_models(
    limits: &ValueLimits,
    capability: &Capability,
    catalogue: Option<&Catalogue>,
) -> Option<Vec<Value>> {
    if !limits.allow_capability(capability) {
        return None;
    }
    let mut has_models = false;
    let mut models = Vec::new();
    for (model_id, options) in catalogue
        .into_iter()
        .flat_map(|catalogue| catalogue.models_of(capability))
    {
        has_models = true;
        let mut is_usable = limits.allow_model(model_id);
        let mut values = Map::new();
        for (field, all) in options {
            let mut allowed = all.to_vec();
            allowed.retain(|value| allows(limits, field, value));
            is_usable &= all.is_empty() || !allowed.is_empty();
            values.insert(field.to_owned(), allowed.into());
        }
        if is_usable {
            models.push(json!({"model_id": model_id, "values": values}));
        }
    }
    (!has_models || !models.is_empty()).then_some(models)
}

/// Returns true if the limits allow a value of a model's option.
fn allows(limits: &ValueLimits, option: &str, value: &Value) -> bool {
    ValueLimits::FIELDS
        .into_iter()
        .filter(|field| is_of(option, field))
        .all(|field| limits.allow_value(field, value))
}

/// Adds the assets that the caller's token or the operator lists, as `{asset_id, category}`.
fn add_assets(context: &RequestContext<'_>, data: &mut Value) {
    let public = match &context.settings().public_assets {
        PublicAssets::All => &[][..],
        PublicAssets::Listed(ids) => ids,
    };
    let own = context.caller.assets.list();
    let usable = own.chain(public.iter().map(|id| (id.as_str(), None)));
    let mut usable = usable.peekable();
    let Some(members) = data.as_object_mut().filter(|_| usable.peek().is_some()) else {
        return; // there are no assets, or the upstream's catalogue is a list
    };
    let Some(assets) = members
        .entry("assets")
        .or_insert_with(|| json!([]))
        .as_array_mut()
    else {
        return; // the upstream's own `assets` is no list
    };
    for (id, category) in usable {
        let sealed = context.seal("asset", id);
        let is_listed = assets.iter().any(|asset| {
            let fits = category
                .is_none_or(|name| asset["category"].is_null() || asset["category"] == name);
            fits && (asset["asset_id"] == id || asset["asset_id"] == sealed.as_str())
        });
        if is_listed {
            continue;
        }
        assets.push(match category {
            Some(category) => json!({"asset_id": id, "category": category}),
            None => json!({"asset_id": id}),
        });
    }
}

/// Reads the upstream's model catalogue, with sealed ids. If the models can be read, they are in
/// `models`, and other members stay. 404 if the catalogue is disabled; also the upstream's
/// refusals.
pub(crate) async fn fetch_models(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    let path = context.settings().models_path.as_deref();
    let path = path.ok_or(Reason::UnknownPath)?;
    let client = context.client();
    let mut response = client.fetch("GET", path, None).await?;
    let catalogue = context.settings().dialect.models.read(&response);
    let data = response
        .get_mut("data")
        .map(Value::take)
        .unwrap_or(response);
    let mut data = match catalogue {
        Some(catalogue) => {
            let mut members = data.as_object().cloned().unwrap_or_default();
            members.insert("models".into(), catalogue.records().into());
            Value::Object(members)
        }
        None => data,
    };
    client.seal(&mut data, None);
    Ok(data)
}

/// `POST /api/app/v1/credits/estimate` with `{capability, input}`. Returns the upstream's estimate.
pub(crate) async fn estimate(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    fetch_estimate(context, &context.read_json().await?).await
}

/// Returns the upstream's estimate for `{capability, input}` as it is, with sealed ids. The input
/// is validated as for a create. 400 for an invalid input; 403 for a capability that the scope does
/// not allow; 404 if the estimation is disabled; 429 if anonymous callers have used up their share;
/// also the upstream's refusals.
pub(crate) async fn fetch_estimate(
    context: &RequestContext<'_>,
    request: &Value,
) -> Result<Value, Refusal> {
    let (path, body) = prepare_estimate(context, request).await?;
    // Only valid requests are counted.
    context.take(Item::Estimate, 0).await?;
    let client = context.client();
    let body = client.with_file_urls(body);
    let mut data = client.fetch_data("POST", path, Some(&body)).await?;
    client.seal(&mut data, None);
    Ok(data)
}

/// Checks a request as [`fetch_estimate`] does, and requests no estimate, so that no file is loaded
/// for a request that would be refused. The input has an id in the place of each file that is not
/// loaded yet ([`RequestContext::unloaded_file`]).
pub(crate) async fn check_estimate(
    context: &RequestContext<'_>,
    request: &Value,
) -> Result<(), Refusal> {
    prepare_estimate(context, request).await?;
    context.check_taking(Item::Estimate, 0).await
}

/// The path, and the body in the dialect's shape.
async fn prepare_estimate<'a>(
    context: &RequestContext<'a>,
    request: &Value,
) -> Result<(&'a str, String), Refusal> {
    let settings = context.settings();
    let estimate_path = settings.estimate_path.as_deref();
    let estimate_path = estimate_path.ok_or(Reason::UnknownPath)?;
    let name = request
        .get("capability")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let Some(capability) = find(name) else {
        return Err(match nearest_capability(name) {
            Some(known) => {
                let message = format!("there is no such capability; did you mean {known}?");
                Refusal::new(Reason::UnknownCapability, message)
            }
            None => Refusal::from(Reason::UnknownCapability),
        });
    };
    context.caller.authorize(capability)?;
    let Prepared {
        body: input,
        excluded,
    } = prepare(
        context,
        capability,
        request.get("input").unwrap_or(&Value::Null),
    )
    .await?;
    if let Some(refusal) = excluded {
        return Err(refusal);
    }
    let path = [PREFIX, capability.path].concat();
    let body = settings.dialect.estimate.body(name, &path, &input);
    Ok((estimate_path, body.to_string()))
}
