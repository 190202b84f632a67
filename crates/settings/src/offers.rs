use mediagate_core::{CAPABILITIES, Capability, find, nearest_capability};

use super::parse::{Read, SettingsReader};

/// The capabilities that the upstream offers. Others are hidden, and their creates are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offers {
    /// Every capability of the service's document.
    Documented,
    /// The capabilities with these names.
    Listed(Vec<String>),
}

impl Offers {
    pub(super) fn read(read: &SettingsReader<'_>) -> Read<Self> {
        let listed = read.parsed_list("CAPABILITIES", capability_name)?;
        Ok(if listed.is_empty() {
            Offers::Documented
        } else {
            Offers::Listed(listed)
        })
    }

    pub fn contains(&self, capability: &Capability) -> bool {
        match self {
            Offers::Documented => !capability.is_extension,
            Offers::Listed(names) => names.iter().any(|name| name == capability.name()),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &'static Capability> {
        CAPABILITIES
            .iter()
            .copied()
            .filter(|capability| self.contains(capability))
    }
}

fn capability_name(name: &str) -> Result<String, String> {
    if let Some(capability) = find(name) {
        return Ok(capability.name().to_owned());
    }
    Err(match nearest_capability(name) {
        Some(known) => format!("has a word that is no capability; did you mean {known}?"),
        None => "has a word that is no capability".to_owned(),
    })
}
