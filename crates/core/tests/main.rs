//! The tests of the core.

mod catalogue;
mod codes;
mod decoding;
mod document;
mod fields;
mod forecast;
mod grammar;
mod properties;
mod seed;
mod strategies;
mod validation;
