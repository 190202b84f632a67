//! Fields outside a capability, and values that JSON does not have.

use mediagate_core::{Field, Kind, Type, Value, validate_fields};
use serde_json::json;

static SECONDS: [Field; 1] = [Field::new("seconds", Kind::Number).required()];

#[test]
fn fields_outside_a_capability_are_validated_alike() {
    let paths = |body: &serde_json::Value| -> Vec<(String, &'static str)> {
        validate_fields(&SECONDS, body).into_iter().map(|it| (it.path, it.reason)).collect()
    };
    assert_eq!(paths(&json!({"seconds": 2.5})), []);
    assert_eq!(paths(&json!({})), [("seconds".to_owned(), "missing")]);
    assert_eq!(paths(&json!({"seconds": "2"})), [("seconds".to_owned(), "wrong_type")]);
    assert_eq!(paths(&json!({"seconds": 1, "other": 1})), [("other".to_owned(), "unknown_field")]);
}

/// A page's values: JSON, and `NaN`, which here is written as a string.
#[derive(Clone, Copy)]
struct PageValue<'a>(&'a serde_json::Value);

impl<'a> Value for PageValue<'a> {
    type Str = &'a str;
    type Text = String;

    fn kind(self) -> Type {
        if self.0 == "NaN" { Type::Number } else { self.0.kind() }
    }
    fn text(self) -> Option<&'a str> {
        self.0.text()
    }
    fn number(self) -> Option<f64> {
        self.0.number()
    }
    fn get(self, name: &str) -> Option<Self> {
        Value::get(self.0, name).map(PageValue)
    }
    fn length(self) -> usize {
        self.0.length()
    }
    fn item(self, index: usize) -> Option<Self> {
        self.0.item(index).map(PageValue)
    }
    fn identifier(self) -> Option<String> {
        self.0.identifier()
    }
    fn keys(self) -> impl Iterator<Item = &'a str> {
        self.0.keys()
    }
}

#[test]
fn a_number_that_is_not_finite_is_out_of_range() {
    let reasons = |body: serde_json::Value| -> Vec<&'static str> {
        validate_fields(&SECONDS, PageValue(&body)).into_iter().map(|it| it.reason).collect()
    };
    assert_eq!(reasons(json!({"seconds": "NaN"})), ["out_of_range"]);
    assert_eq!(reasons(json!({"seconds": 1})), [""; 0]);
    assert_eq!(reasons(json!({"seconds": true})), ["wrong_type"]);
}
