//! The steps in Firefox and WebKit.

use anyhow::Result;

use super::node;
use super::options::Options;
use crate::browser;
use crate::checkout::Checkout;

pub(super) fn engines(checkout: &Checkout, options: &Options) -> Result<()> {
    test_in_each(checkout, options, "tests/engines")
}

/// Runs a folder's tests in Firefox and in WebKit.
pub(super) fn test_in_each(checkout: &Checkout, options: &Options, folder: &str) -> Result<()> {
    for browser::Engine { name, programs } in browser::ensure_engines()? {
        println!("in {name}:");
        node::test(checkout, options, folder, |node| {
            node.env("ENGINE", name).envs(programs);
        })?;
    }
    Ok(())
}
