//! The step in Firefox and WebKit.

use anyhow::Result;

use super::node;
use super::options::Options;
use crate::browser;
use crate::checkout::Checkout;

pub(super) fn engines(checkout: &Checkout, options: &Options) -> Result<()> {
    for browser::Engine { name, programs } in browser::ensure_engines()? {
        println!("in {name}:");
        node::test(checkout, options, "tests/engines", |node| {
            node.env("ENGINE", name).envs(programs);
        })?;
    }
    Ok(())
}
