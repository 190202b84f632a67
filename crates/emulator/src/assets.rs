//! The reusable assets (§2) there are: enough to meet every rule about them.

use mediagate_core::{AssetCategory, Code};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// A reusable avatar or voice.
#[derive(Debug)]
pub(crate) struct Asset {
    id: &'static str,
    category: AssetCategory,
    name: &'static str,
    owner: Owner,
    state: State,
}

#[derive(Debug, PartialEq)]
enum Owner {
    Public,
    Caller,
    SomebodyElse,
}

#[derive(Debug, PartialEq)]
enum State {
    Ready,
    Locked,
    Expired,
}

use AssetCategory::{Avatar, Voice};

static ASSETS: &[Asset] = &[
    asset("avatar_public", Avatar, "Ada", Owner::Public, State::Ready),
    asset("avatar_owned", Avatar, "Mine", Owner::Caller, State::Ready),
    asset("avatar_locked", Avatar, "Locked", Owner::Caller, State::Locked),
    asset("avatar_expired", Avatar, "Expired", Owner::Caller, State::Expired),
    asset("avatar_foreign", Avatar, "Theirs", Owner::SomebodyElse, State::Ready),
    asset("voice_public", Voice, "Clear", Owner::Public, State::Ready),
    asset("voice_owned", Voice, "Mine", Owner::Caller, State::Ready),
    asset("voice_locked", Voice, "Locked", Owner::Caller, State::Locked),
    asset("voice_expired", Voice, "Expired", Owner::Caller, State::Expired),
    asset("voice_foreign", Voice, "Theirs", Owner::SomebodyElse, State::Ready),
];

const fn asset(id: &'static str, category: AssetCategory, name: &'static str, owner: Owner, state: State) -> Asset {
    Asset { id, category, name, owner, state }
}

impl Asset {
    /// The record, as `data.asset` carries it.
    pub(crate) fn record(&self) -> Value {
        let owner = if self.owner == Owner::Public { "public" } else { "user" };
        json!({ "id": self.id, "category": word(self.category), "name": self.name, "owner": owner })
    }
}

/// The asset of this id, where the caller may use it as one of this category.
///
/// # Errors
/// For one that is not there, or is somebody else's: 1403 where a voice is asked for, otherwise 12; 1402 for one of the
/// other category; 1407 for a locked one, 1408 for an expired one.
pub(crate) fn usable(path: &str, id: &str, category: AssetCategory) -> Result<&'static Asset, Refusal> {
    let known = ASSETS.iter().find(|it| it.id == id && it.owner != Owner::SomebodyElse);
    let refused = |code, reason, message: String| Err(Refusal::field(code, path, reason, message));
    let wanted = word(category);
    match known {
        None if category == Voice => {
            refused(Code::VOICE_ASSET_REQUIRED, "unknown_asset", "no such voice; give voice_public".into())
        }
        None => refused(Code::INVALID_INPUT, "unknown_asset", format!("no such {wanted}; give {wanted}_public")),
        Some(it) if it.category != category => {
            refused(Code::ASSET_CATEGORY_MISMATCH, "category", format!("not a {wanted} asset"))
        }
        Some(it) if it.state == State::Locked => refused(Code::ASSET_LOCKED, "locked", "the asset is locked".into()),
        Some(it) if it.state == State::Expired => {
            refused(Code::ASSET_EXPIRED, "expired", "the asset is expired".into())
        }
        Some(it) => Ok(it),
    }
}

const fn word(category: AssetCategory) -> &'static str {
    match category {
        Avatar => "avatar",
        Voice => "voice",
    }
}
