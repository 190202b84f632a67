use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Number, Value};

/// Millionths of a credit in a credit.
const MILLIONTHS: f64 = 1e6;

/// The highest readable amount, in credits. Sums of a day stay whole numbers in JSON.
const MAX: f64 = 1e9;

/// An amount of credits, in millionths, so that sums have no rounding errors. In JSON it is a
/// number of credits, such as 12.5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credits(u64);

impl Credits {
    /// Returns an amount of millionths of a credit.
    pub const fn from_millionths(millionths: u64) -> Self {
        Credits(millionths)
    }

    /// Returns the millionths of a credit.
    pub const fn millionths(self) -> u64 {
        self.0
    }

    /// Rounds a number of credits to millionths. Returns `None` unless it is from 0 to 10^9.
    pub fn from_number(credits: f64) -> Option<Self> {
        // `NaN` is in no range.
        (0.0..=MAX)
            .contains(&credits)
            .then(|| Credits((credits * MILLIONTHS).round() as u64))
    }

    /// Reads a member of JSON. Returns `None` for anything but a number from 0 to 10^9.
    pub fn read(value: &Value) -> Option<Self> {
        Credits::from_number(value.as_f64()?)
    }

    /// Parses decimal text such as `20` or `12.5`. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_decimal = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number = text.parse().ok().filter(|_| is_decimal)?;
        Credits::from_number(number)
    }

    /// Returns the JSON number of credits, a whole number if it is one.
    pub fn to_json(self) -> Value {
        let millionths = MILLIONTHS as u64;
        if self.0.is_multiple_of(millionths) {
            return Value::from(self.0 / millionths);
        }
        Number::from_f64(self.0 as f64 / MILLIONTHS).map_or(Value::Null, Value::Number)
    }
}

impl std::fmt::Display for Credits {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_json().fmt(formatter)
    }
}

impl Serialize for Credits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Credits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Credits::from_number(number).ok_or_else(|| de::Error::custom("is no amount of credits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_amount_is_read_and_written_as_a_number_of_credits() {
        for (number, millionths) in [
            (json!(0), 0),
            (json!(12.5), 12_500_000),
            (json!(0.1), 100_000),
            (json!(0.000_000_4), 0),
            (json!(1_000_000_000), 1_000_000_000_000_000),
        ] {
            let credits = Credits::read(&number).expect("an amount");
            assert_eq!(credits.millionths(), millionths, "{number}");
        }
        for credits in ["12.5", "20", "0.1"] {
            let read = Credits::parse(credits).expect("an amount");
            assert_eq!(json!(read).to_string(), credits);
            assert_eq!(serde_json::from_str(credits).ok(), Some(read));
        }
    }

    #[test]
    fn nothing_else_is_an_amount() {
        for wrong in [
            json!(-1),
            json!(1e9 + 1.0),
            json!("3"),
            json!(null),
            json!([1]),
        ] {
            assert_eq!(Credits::read(&wrong), None, "{wrong}");
        }
        for wrong in ["", "-1", "1e3", "+2", "NaN", "inf", ".", "1.2.3", "2 "] {
            assert_eq!(Credits::parse(wrong), None, "{wrong:?}");
        }
    }
}
