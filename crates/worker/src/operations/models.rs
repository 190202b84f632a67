//! The upstream's model catalogue and credit estimation. Neither path is documented (§4.1): both are settings, and an empty
//! one switches the operation off.

use mediagate_core::{PREFIX, Reason, find, nearest_capability};
use serde_json::{Value, json};

use super::RequestContext;
use super::body::read_json;
use super::prepare::{Prepared, prepare};
use crate::identity::Item;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::PublicAssets;

/// `GET /api/app/v1/models`: the catalogue, and in `assets` what the caller may use as an avatar or a voice.
pub(crate) async fn models(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    let mut data = fetch_models(context).await?;
    add_assets(context, &mut data);
    Ok(Reply::ok(data))
}

/// Adds the assets that the caller's token or the operator names, as `{asset_id, category}`, to those that the upstream lists.
fn add_assets(context: &RequestContext<'_>, data: &mut Value) {
    let public = match &context.settings().public_assets {
        PublicAssets::All => &[][..],
        PublicAssets::Listed(ids) => ids,
    };
    let own = context.caller.assets.list();
    let usable = own.chain(public.iter().map(|id| (id.as_str(), None)));
    let mut usable = usable.peekable();
    let Some(members) = data.as_object_mut().filter(|_| usable.peek().is_some()) else {
        return;
    };
    let Some(assets) = members
        .entry("assets")
        .or_insert_with(|| json!([]))
        .as_array_mut()
    else {
        return;
    };
    for (id, category) in usable {
        let sealed = context.seal("asset", id);
        let is_it = |it: &Value| it["asset_id"] == id || it["asset_id"] == sealed.as_str();
        let fits = |it: &Value| {
            category.is_none_or(|name| it["category"].is_null() || it["category"] == name)
        };
        if assets.iter().any(|it| is_it(it) && fits(it)) {
            continue;
        }
        assets.push(match category {
            Some(category) => json!({"asset_id": id, "category": category}),
            None => json!({"asset_id": id}),
        });
    }
}

/// The upstream's model catalogue, ids sealed. Where its models can be read, they are `models`; other members stay.
pub(crate) async fn fetch_models(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    let client = context.client();
    let mut response = client
        .fetch("GET", &context.settings().models_path, None)
        .await?;
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

/// `POST /api/app/v1/credits/estimate` with `{capability, input}`; the input is validated like a create's.
pub(crate) async fn estimate(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    fetch_estimate(context, &read_json(context).await?)
        .await
        .map(Reply::ok)
}

/// The upstream's estimate for `{capability, input}`, as it returns it, ids sealed.
pub(crate) async fn fetch_estimate(
    context: &RequestContext<'_>,
    request: &Value,
) -> Result<Value, Refusal> {
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
    context.take(Item::Estimate, 0).await?;
    let path = [PREFIX, capability.path].concat();
    let body = context
        .settings()
        .dialect
        .estimate
        .body(name, &path, &input)
        .to_string();
    let client = context.client();
    let mut data = client
        .fetch_data("POST", &context.settings().estimate_path, Some(&body))
        .await?;
    client.seal(&mut data, None);
    Ok(data)
}
