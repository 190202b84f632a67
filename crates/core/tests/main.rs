//! Tests of the core, but for those that count allocations, which need a program of their own.

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
