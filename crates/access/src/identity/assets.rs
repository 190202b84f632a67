use mediagate_core::AssetCategory;
use serde_json::Value;

/// The upstream's own ids of assets that a subject may use, such as a team's avatars (§2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assets(Vec<Asset>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Asset {
    id: String,
    category: Option<AssetCategory>,
}

/// The decision on the use of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetUse {
    /// The token lists the asset.
    Allowed,
    /// The token lists the asset only with another category.
    WrongCategory,
    /// The token does not list the asset.
    Unknown,
}

impl Assets {
    /// Reads the claim: a list of ids or of `{id, category}`. Returns `None` if it is malformed.
    pub fn read(claim: Option<&Value>) -> Option<Self> {
        let Some(claim) = claim else {
            return Some(Assets::default());
        };
        claim
            .as_array()?
            .iter()
            .map(asset)
            .collect::<Option<_>>()
            .map(Assets)
    }

    /// Decides if the subject may use an asset for a field of a category. An absent category fits
    /// every category. A token may list an id several times.
    pub fn find(&self, id: &str, category: Option<AssetCategory>) -> AssetUse {
        let mut found = AssetUse::Unknown;
        for asset in self.0.iter().filter(|asset| asset.id == id) {
            if asset.category.is_none() || category.is_none() || asset.category == category {
                return AssetUse::Allowed;
            }
            // A later entry may list the id with the right category.
            found = AssetUse::WrongCategory;
        }
        found
    }

    /// Lists the ids, each with the name of its category if the token has one.
    pub fn list(&self) -> impl Iterator<Item = (&str, Option<&'static str>)> {
        self.0
            .iter()
            .map(|asset| (asset.id.as_str(), asset.category.map(AssetCategory::name)))
    }
}

fn asset(entry: &Value) -> Option<Asset> {
    let id = entry
        .as_str()
        .or_else(|| entry.get("id")?.as_str())
        .filter(|id| !id.trim().is_empty())?
        .to_owned();
    let category = match entry.get("category") {
        None => None,
        Some(named) => {
            let mut all = AssetCategory::ALL.into_iter();
            Some(all.find(|category| *named == category.name())?)
        }
    };
    Some(Asset { id, category })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_claim_lists_ids_with_and_without_a_category() {
        let claim = json!([
            "a",
            {"id": "b", "category": "voice"},
            {"id": "c", "category": "avatar"},
            {"id": "c", "category": "voice"},
        ]);
        let assets = Assets::read(Some(&claim)).expect("a list");
        let [avatar, voice] = [AssetCategory::Avatar, AssetCategory::Voice].map(Some);
        for (id, category, expected) in [
            ("a", voice, AssetUse::Allowed),
            ("b", voice, AssetUse::Allowed),
            ("b", None, AssetUse::Allowed),
            ("b", avatar, AssetUse::WrongCategory),
            ("c", voice, AssetUse::Allowed),
            ("d", voice, AssetUse::Unknown),
        ] {
            assert_eq!(assets.find(id, category), expected, "{id}");
        }
        let listed: Vec<_> = assets.list().take(2).collect();
        assert_eq!(listed, [("a", None), ("b", Some("voice"))]);
        assert_eq!(Assets::read(None), Some(Assets::default()));
    }

    #[test]
    fn a_malformed_claim_is_none() {
        for claim in [
            json!("a"),
            json!([""]),
            json!([7]),
            json!([{"category": "voice"}]),
            json!([{"id": "a", "category": "logo"}]),
            json!([{"id": "a", "category": null}]),
            json!({"a": true}),
            json!(null),
        ] {
            assert_eq!(Assets::read(Some(&claim)), None, "{claim}");
        }
    }
}
