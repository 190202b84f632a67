use std::collections::BTreeMap;

use mediagate_core::{AssetCategory, Code};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::http::Refusal;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asset {
    /// The asset's id: its key in the scene.
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
    /// Another user. The asset does not exist for the caller.
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

pub(super) fn catalogue() -> BTreeMap<String, Asset> {
    let mut catalogue = BTreeMap::new();
    for (category, public) in [(Category::Avatar, "Ada"), (Category::Voice, "Clear")] {
        for (kind, name, owner, state) in [
            ("public", public, Owner::Public, State::Ready),
            ("owned", "Mine", Owner::User, State::Ready),
            ("locked", "Locked", Owner::User, State::Locked),
            ("expired", "Expired", Owner::User, State::Expired),
            ("foreign", "Theirs", Owner::Other, State::Ready),
        ] {
            let id = format!("{}_{kind}", category.name());
            let asset = Asset {
                id: id.clone(),
                category,
                name: name.into(),
                owner,
                state,
            };
            catalogue.insert(id, asset);
        }
    }
    catalogue
}

impl Asset {
    pub(crate) fn is_public(&self) -> bool {
        self.owner == Owner::Public
    }

    /// Returns true if the asset is a person, of whom there is a picture.
    pub(crate) fn is_avatar(&self) -> bool {
        self.category == Category::Avatar
    }

    /// Returns the entry in the catalogue: `{asset_id, category, title}`, and `preview_url` for an
    /// avatar.
    pub(crate) fn entry(&self, base_url: &str) -> Value {
        let mut entry =
            json!({ "asset_id": self.id, "category": self.category, "title": self.name });
        if self.is_avatar() {
            entry["preview_url"] = json!(format!("{base_url}/avatars/{}", self.id));
        }
        entry
    }

    /// Returns the record for `data.asset`: `{id, category, name, owner}`.
    pub(crate) fn record(&self) -> Value {
        json!({
            "id": self.id,
            "category": self.category,
            "name": self.name,
            "owner": self.owner,
        })
    }
}

/// Returns the asset with this id, if the caller may use it as an asset of this category. `path` is
/// the field with the id.
///
/// # Errors
///
/// For an asset that does not exist or has another user as its owner: 1403 if it should be a voice,
/// or else 12. For an asset of another category: 1402. For a locked asset: 1407. For an expired
/// asset: 1408 (§7).
pub(crate) fn usable_asset<'a>(
    assets: &'a BTreeMap<String, Asset>,
    path: &str,
    id: &str,
    category: AssetCategory,
) -> Result<&'a Asset, Refusal> {
    let category = Category::from(category);
    let asset = assets.get(id).filter(|asset| asset.owner != Owner::Other);
    let refuse = |code, reason, message: String| Err(Refusal::field(code, path, reason, message));
    let wanted = category.name();
    match asset {
        None if category == Category::Voice => refuse(
            Code::VOICE_ASSET_REQUIRED,
            "unknown_asset",
            "no such voice; give voice_public".into(),
        ),
        None => refuse(
            Code::INVALID_INPUT,
            "unknown_asset",
            format!("no such {wanted}; give {wanted}_public"),
        ),
        Some(asset) if asset.category != category => refuse(
            Code::ASSET_CATEGORY_MISMATCH,
            "category",
            format!("not a {wanted} asset"),
        ),
        Some(asset) if asset.state == State::Locked => {
            refuse(Code::ASSET_LOCKED, "locked", "the asset is locked".into())
        }
        Some(asset) if asset.state == State::Expired => refuse(
            Code::ASSET_EXPIRED,
            "expired",
            "the asset is expired".into(),
        ),
        Some(asset) => Ok(asset),
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
    const fn name(self) -> &'static str {
        match self {
            Category::Avatar => "avatar",
            Category::Voice => "voice",
        }
    }
}
