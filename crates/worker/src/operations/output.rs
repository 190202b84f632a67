//! Serves an output that the upstream sent as text.

use mediagate_core::Reason;
use worker::Env;

use crate::ids::MediumRef;
use crate::objects::read_medium;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::{Medium, UpstreamClient};

/// The `Cache-Control` of an output. Its bytes never change, and its URL is a secret.
const CACHE: &str = "private, max-age=86400, immutable";

/// `GET /api/app/v1/outputs/{output}`, without a token: the URL authorises the request.
///
/// # Errors
/// 404 if there is no such output.
pub(crate) async fn output(
    env: &Env,
    client: UpstreamClient<'_>,
    sealed: &str,
) -> Result<Reply, Refusal> {
    let medium = MediumRef::unseal(&client.upstream.sealer, sealed)
        .ok_or_else(|| Refusal::from(Reason::UnknownOutput))?;
    let Medium { media_type, bytes } = read_medium(env, client, &medium).await?;
    Ok(Reply::file(media_type, bytes, CACHE))
}
