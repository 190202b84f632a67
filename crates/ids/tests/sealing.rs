//! Sealed ids of random subjects.

use mediagate_access::crypto::Secret;
use mediagate_access::identity::Subject;
use mediagate_ids::Sealer;
use proptest::prelude::*;

#[path = "../../core/tests/seed/mod.rs"]
mod seed;

fn subject(source: String, issuer: String, name: String) -> Subject {
    Subject {
        source: source.into(),
        issuer,
        name,
    }
}

/// One of few short strings, so that two parts are often equal, or have equal characters when they
/// are joined.
fn part() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]{0,3}", ".{0,6}"]
}

proptest! {
    #![proptest_config(seed::config(1_000))]

    #[test]
    fn a_sealed_id_is_readable_only_for_its_owner(
        one in (part(), part(), part()),
        two in (part(), part(), part()),
        kinds in (part(), part()),
        id in ".{0,40}",
    ) {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let owner = subject(one.0, one.1, one.2);
        let other = subject(two.0, two.1, two.2);
        let sealed = sealer.seal(&owner, &kinds.0, &id);
        prop_assert_eq!(sealer.unseal(&owner, &kinds.0, &sealed), Some(id.clone()));
        let is_same = owner == other && kinds.0 == kinds.1;
        prop_assert_eq!(sealer.unseal(&other, &kinds.1, &sealed), is_same.then_some(id));
    }
}
