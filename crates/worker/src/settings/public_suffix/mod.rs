//! The public suffix list: the names below which anyone can have a name of their own.
//!
//! The crate `psl` has the list, too, but would add about 270 KB to the compressed Worker. A test
//! compares its answers with these.

/// The rules with more than one label. Below a name of one label, anyone can have a name.
const RULES: &str = include_str!("rules.txt");

/// The party that gives out the names below a public suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The registry of a domain such as `co.uk`.
    Registry,
    /// A company that hosts the sites of others under a domain such as `vercel.app`.
    Company,
}

/// Returns the owner of the names below a host in ASCII, if anyone can register a name there or one
/// level further down.
pub(super) fn owner(host: &str) -> Option<Owner> {
    let Some((_, parent)) = host.split_once('.') else {
        return Some(Owner::Registry);
    };
    let sections = RULES.split("\n\n").zip([Owner::Registry, Owner::Company]);
    for (rules, owner) in sections {
        let has = |mark: &str, name: &str| {
            rules
                .lines()
                .any(|rule| rule.strip_prefix(mark) == Some(name))
        };
        if has("", host) || has("*.", host) || (has("*.", parent) && !has("!", host)) {
            return Some(owner);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_crate(host: &str) -> Option<Owner> {
        let of_suffix = |host: &str| {
            let suffix = psl::suffix(host.as_bytes())?;
            if suffix.as_bytes() != host.as_bytes() {
                return None;
            }
            match suffix.typ() {
                Some(psl::Type::Private) => Some(Owner::Company),
                Some(psl::Type::Icann) | None => Some(Owner::Registry),
            }
        };
        of_suffix(host).or_else(|| of_suffix(&format!("any.{host}")))
    }

    #[test]
    fn hosts_below_which_anyone_can_have_a_name_are_known() {
        for (host, expected) in [
            ("com", Some(Owner::Registry)),
            ("internal", Some(Owner::Registry)),
            ("co.uk", Some(Owner::Registry)),
            ("any.ck", Some(Owner::Registry)),
            ("www.ck", None),
            ("vercel.app", Some(Owner::Company)),
            ("pages.dev", Some(Owner::Company)),
            ("beget.app", Some(Owner::Company)),
            ("kawasaki.jp", Some(Owner::Registry)),
            ("myproject.pages.dev", None),
            ("example.com", None),
            ("preview.example.co.uk", None),
        ] {
            assert_eq!(owner(host), expected, "{host}");
            assert_eq!(by_crate(host), expected, "{host}");
        }
    }

    #[test]
    fn the_rules_are_those_of_the_crate() {
        let mut different = 0;
        let rules = RULES
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("//"));
        // The list and the crate may be some weeks apart.
        for (number, rule) in rules.step_by(7).enumerate() {
            let host = rule.trim_start_matches('!').replace('*', "any");
            different += usize::from(owner(&host) != by_crate(&host));
            assert!(different * 100 <= number.max(100), "{host}");
        }
    }
}
