//! The reusable assets (§2): at the start, enough to meet every rule about them.

use std::collections::BTreeMap;

use mediagate_core::{AssetCategory, Code};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// A reusable avatar or voice.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asset {
    /// Its name in the catalogue.
    #[serde(skip)]
    pub(crate) id: String,
    category: Category,
    name: String,
    #[serde(default)]
    owner: Owner,
    #[serde(default)]
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Category {
    Avatar,
    Voice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Owner {
    Public,
    #[default]
    User,
    /// Somebody else: nothing that the caller may know of.
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    #[default]
    Ready,
    Locked,
    Expired,
}

/// The assets there are at the start: of both categories, each owner and each state.
pub(crate) fn catalogue() -> BTreeMap<String, Asset> {
    let of = |category: Category, names: [&str; 2]| {
        let word = category.word();
        [
            ("public", names[0], Owner::Public, State::Ready),
            ("owned", names[1], Owner::User, State::Ready),
            ("locked", "Locked", Owner::User, State::Locked),
            ("expired", "Expired", Owner::User, State::Expired),
            ("foreign", "Theirs", Owner::Other, State::Ready),
        ]
        .map(|(kind, name, owner, state)| {
            let id = format!("{word}_{kind}");
            (id.clone(), Asset { id, category, name: name.into(), owner, state })
        })
    };
    of(Category::Avatar, ["Ada", "Mine"]).into_iter().chain(of(Category::Voice, ["Clear", "Mine"])).collect()
}

impl Asset {
    /// The record, as `data.asset` carries it.
    pub(crate) fn record(&self) -> Value {
        let owner = if self.owner == Owner::Public { "public" } else { "user" };
        json!({ "id": self.id, "category": self.category.word(), "name": self.name, "owner": owner })
    }
}

/// The asset of this id, where the caller may use it as one of this category.
///
/// # Errors
/// For one that is not there, or is somebody else's: 1403 where a voice is asked for, otherwise 12; 1402 for one of the
/// other category; 1407 for a locked one, 1408 for an expired one.
pub(crate) fn usable<'a>(
    assets: &'a BTreeMap<String, Asset>,
    path: &str,
    id: &str,
    category: AssetCategory,
) -> Result<&'a Asset, Refusal> {
    let category = Category::from(category);
    let known = assets.get(id).filter(|it| it.owner != Owner::Other);
    let refused = |code, reason, message: String| Err(Refusal::field(code, path, reason, message));
    let wanted = category.word();
    match known {
        None if category == Category::Voice => {
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

impl From<AssetCategory> for Category {
    fn from(category: AssetCategory) -> Self {
        match category {
            AssetCategory::Avatar => Category::Avatar,
            AssetCategory::Voice => Category::Voice,
        }
    }
}

impl Category {
    const fn word(self) -> &'static str {
        match self {
            Category::Avatar => "avatar",
            Category::Voice => "voice",
        }
    }
}
