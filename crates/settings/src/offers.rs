//! The capabilities that the upstream offers.

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
        let listed = read.parsed_list("CAPABILITIES", |name| {
            find(name)
                .map(|capability| capability.name().to_owned())
                .ok_or_else(|| match nearest_capability(name) {
                    Some(known) => {
                        format!("has a word that is no capability; did you mean {known}?")
                    }
                    None => "has a word that is no capability".to_owned(),
                })
        })?;
        Ok(if listed.is_empty() {
            Offers::Documented
        } else {
            Offers::Listed(listed)
        })
    }

    /// Returns true if the upstream offers a capability.
    pub fn contains(&self, capability: &Capability) -> bool {
        match self {
            Offers::Documented => !capability.is_extension,
            Offers::Listed(names) => names.iter().any(|name| name == capability.name()),
        }
    }

    /// Returns the offered capabilities, in the order of the catalogue.
    pub fn all(&self) -> impl Iterator<Item = &'static Capability> {
        CAPABILITIES
            .iter()
            .copied()
            .filter(|capability| self.contains(capability))
    }
}
