//! The hosts below which anyone can have a name, by the public suffix list.

use mediagate_settings::origins::host_after_star;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The registry of a domain such as `co.uk`.
    Registry,
    /// A company that hosts the sites of others under a domain such as `vercel.app`.
    Company,
}

/// Returns true if an origin has a star, and anyone can have a host that it matches, as for
/// `https://*.vercel.app` or `https://*-team.com`.
pub(crate) fn is_shared(origin: &str) -> bool {
    let Some(after) = host_after_star(origin) else {
        return false;
    };
    let Some((rest_of_label, parent)) = after.split_once('.') else {
        return true;
    };
    match owner(parent) {
        Some(Owner::Registry) => true,
        // A name such as x-myteam is assumed to be another deployment of the team.
        Some(Owner::Company) => rest_of_label.is_empty(),
        None => false,
    }
}

/// Returns the owner of the names below a host, if anyone can register a name there or one level
/// further down.
fn owner(host: &str) -> Option<Owner> {
    of_suffix(host).or_else(|| of_suffix(&["any.", host].concat()))
}

/// Returns the owner of the names below a public suffix. `None` for any other host.
fn of_suffix(host: &str) -> Option<Owner> {
    let suffix = psl::suffix(host.as_bytes()).filter(|suffix| *suffix == host.as_bytes())?;
    match suffix.typ() {
        Some(psl::Type::Private) => Some(Owner::Company),
        Some(psl::Type::Icann) | None => Some(Owner::Registry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        }
    }

    #[test]
    fn a_star_may_match_only_hosts_of_its_owner() {
        for shared in [
            "https://*.vercel.app",
            "https://myapp-*.vercel.app",
            "https://*.vercel.app:8443",
            "https://*.pages.dev",
            "https://*.com",
            "https://*.co.uk",
            "https://*-team.com",
            "https://*-team.co.uk",
            "https://*-team",
        ] {
            assert!(is_shared(shared), "{shared}");
        }
        for own in [
            "https://*-myteam.vercel.app",
            "https://*.myproject.pages.dev",
            "https://*--mysite.netlify.app",
            "https://*.preview.example.com",
            "https://pr-*.example.co.uk:8443",
            "https://*.apps.internal",
            "https://www.example.com",
            "http://localhost:*",
        ] {
            assert!(!is_shared(own), "{own}");
        }
    }
}
