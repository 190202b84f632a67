//! Reads what a prompt names.

use super::{
    Place, Subject,
    light::{DAY, LIGHTS, Light, Weather},
    places::PLACES,
    subjects::SUBJECTS,
};
use crate::media::{
    colour::{Colour, hex},
    portrait::Looks,
};

/// The most kinds of subjects in one picture. Further ones are left out.
const MAX_SUBJECTS: usize = 3;

/// The most things of one kind.
const MAX_COUNT: usize = 5;

/// The number of words that are read. Nothing in a longer prompt would be drawn larger than a dot.
const MAX_WORDS: usize = 400;

/// What a prompt names, in its order.
pub(super) struct Reading {
    pub(super) mentions: Vec<Mention>,
    pub(super) place: Option<&'static Place>,
    pub(super) light: Light,
}

pub(super) struct Mention {
    pub(super) what: What,
    pub(super) count: usize,
    /// The colour that is named before it.
    pub(super) colour: Option<Colour>,
}

#[derive(Clone, Copy)]
pub(super) enum What {
    Subject(&'static Subject),
    Person(Looks),
}

impl Reading {
    /// Returns false if the prompt names nothing that could be drawn.
    pub(super) fn is_scene(&self) -> bool {
        !self.mentions.is_empty() || self.place.is_some()
    }
}

/// The words for persons, and how the persons look.
static PERSONS: [(&[&str], Looks); 3] = [
    (
        &[
            "woman",
            "women",
            "lady",
            "girl",
            "mother",
            "grandmother",
            "hostess",
            "actress",
            "queen",
            "princess",
            "bride",
            "sister",
            "daughter",
        ],
        Looks::Woman,
    ),
    (
        &[
            "man",
            "men",
            "boy",
            "guy",
            "father",
            "grandfather",
            "king",
            "prince",
            "groom",
            "brother",
            "son",
        ],
        Looks::Man,
    ),
    (
        &[
            "person",
            "people",
            "host",
            "child",
            "children",
            "kid",
            "portrait",
            "face",
            "presenter",
            "speaker",
            "singer",
            "dancer",
            "teacher",
            "doctor",
            "chef",
            "actor",
            "character",
            "friend",
            "couple",
            "someone",
        ],
        Looks::Any,
    ),
];

/// The words that name several without a plural.
static GROUPS: &[&str] = &["people", "women", "men", "children", "couple"];

static COLOURS: &[(&str, Colour)] = &[
    ("red", hex(0xd23b33)),
    ("orange", hex(0xee8a34)),
    ("yellow", hex(0xf4c83c)),
    ("green", hex(0x4d9d57)),
    ("blue", hex(0x3d7cc9)),
    ("turquoise", hex(0x35b3ac)),
    ("teal", hex(0x2b8f8c)),
    ("purple", hex(0x8353b8)),
    ("violet", hex(0x8353b8)),
    ("pink", hex(0xef86ab)),
    ("white", hex(0xf6f4ee)),
    ("black", hex(0x34343c)),
    ("brown", hex(0x8a5a3a)),
    ("grey", hex(0x8d939b)),
    ("gray", hex(0x8d939b)),
    ("golden", hex(0xe0b044)),
    ("gold", hex(0xe0b044)),
    ("silver", hex(0xc3c9d1)),
];

static NUMBERS: &[(&str, usize)] = &[
    ("a", 1),
    ("an", 1),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("several", 3),
    ("few", 3),
    ("many", 5),
];

/// A phrase at the beginning of a list of words.
#[derive(Clone, Copy, Default, PartialEq)]
struct Found {
    words: usize,
    is_plural: bool,
}

pub(super) fn read(prompt: &str) -> Reading {
    let words: Vec<String> = prompt
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .map(str::to_lowercase)
        .collect();
    let mut mentions: Vec<Mention> = Vec::new();
    let mut place = None;
    let mut light = None;
    let mut weather = None;
    let mut at = 0;
    // The end of the last thing that was named. Its colour is not that of the next.
    let mut named_until = 0;
    while at < words.len() {
        let rest = &words[at..];
        let subject = best(SUBJECTS.iter(), rest, |subject| subject.words);
        let named_place = best(PLACES.iter(), rest, |place| place.words);
        let named_light = best(LIGHTS.into_iter(), rest, |light| light.words);
        let person = best(PERSONS.iter(), rest, |(words, _)| words);
        let lengths = [
            subject.map(|(_, found)| found.words),
            named_place.map(|(_, found)| found.words),
            named_light.map(|(_, found)| found.words),
            person.map(|(_, found)| found.words),
        ];
        let Some(longest) = lengths.into_iter().flatten().max() else {
            at += 1;
            continue;
        };
        // A coffee shop is no coffee, so only the longest phrase counts, whatever it names.
        let counts = |found: Found| found.words == longest;
        let (what, found) = match (subject, person) {
            (Some((subject, found)), _) if counts(found) => (Some(What::Subject(subject)), found),
            (_, Some(((_, looks), found))) if counts(found) => (Some(What::Person(*looks)), found),
            _ => (None, Found::default()),
        };
        // The child of a child's bed is not in the picture.
        let is_owner = words.get(at + longest).is_some_and(|word| word == "s");
        let what = what.filter(|_| !is_owner);
        // "Portrait of a woman" is one person.
        if let (Some(What::Person(looks)), Some(last)) = (what, mentions.last_mut())
            && matches!(last.what, What::Person(Looks::Any))
        {
            last.what = What::Person(looks);
        }
        let is_known = |what: What| mentions.iter().any(|mention| mention.what.is(what));
        let before = &words[at.saturating_sub(3).max(named_until)..at];
        if what.is_some() {
            named_until = at + longest;
        }
        if let Some(what) = what.filter(|what| !is_known(*what) && mentions.len() < MAX_SUBJECTS) {
            mentions.push(Mention {
                what,
                count: count(
                    before,
                    found.is_plural || GROUPS.contains(&rest[0].as_str()),
                ),
                colour: before.iter().rev().find_map(|word| look_up(COLOURS, word)),
            });
        }
        place = place.or(named_place.filter(|(_, found)| counts(*found)));
        match named_light.filter(|(_, found)| counts(*found)) {
            Some((named, _)) if named.weather == Weather::Fair => light = light.or(Some(named)),
            Some((named, _)) => weather = weather.or(Some(named)),
            None => {}
        }
        at += longest;
    }
    Reading {
        mentions,
        place: place.map(|(place, _)| place),
        light: match (light, weather) {
            (Some(light), Some(weather)) => light.in_weather(weather),
            (light, weather) => *light.or(weather).unwrap_or(&DAY),
        },
    }
}

impl What {
    fn is(self, other: What) -> bool {
        match (self, other) {
            (What::Subject(one), What::Subject(other)) => std::ptr::eq(one, other),
            (What::Person(one), What::Person(other)) => one == other || other == Looks::Any,
            _ => false,
        }
    }
}

/// Returns the entry with the longest phrase that these words begin with.
fn best<T: Copy>(
    entries: impl Iterator<Item = T>,
    words: &[String],
    phrases: impl Fn(T) -> &'static [&'static str],
) -> Option<(T, Found)> {
    let mut best: Option<(T, Found)> = None;
    for entry in entries {
        let Some(found) = find(phrases(entry), words) else {
            continue;
        };
        if best.is_none_or(|(_, longest)| found.words > longest.words) {
            best = Some((entry, found));
        }
    }
    best
}

/// Returns the longest of these phrases that the words begin with.
fn find(phrases: &[&str], words: &[String]) -> Option<Found> {
    let found = phrases.iter().filter_map(|phrase| {
        let mut is_plural = false;
        let mut length = 0;
        for known in phrase.split(' ') {
            let word = words.get(length)?;
            if word != known && !is_plural_of(word, known) {
                return None;
            }
            is_plural = word != known;
            length += 1;
        }
        Some(Found {
            words: length,
            is_plural,
        })
    });
    // A plural that is listed as such is the exact word.
    found.max_by_key(|found| (found.words, !found.is_plural))
}

fn is_plural_of(word: &str, known: &str) -> bool {
    let Some(stem) = word.strip_suffix('s') else {
        return false;
    };
    stem == known
        || stem.strip_suffix('e') == Some(known)
        || stem
            .strip_suffix("ie")
            .is_some_and(|stem| known.strip_suffix('y') == Some(stem))
}

/// Returns the number of things, by the words before them.
fn count(before: &[String], is_plural: bool) -> usize {
    let named = before
        .iter()
        .rev()
        .find_map(|word| look_up(NUMBERS, word).or_else(|| word.parse().ok()));
    match named {
        Some(1) | None if is_plural => 2,
        Some(_) if !is_plural => 1,
        named => named.unwrap_or(1).clamp(1, MAX_COUNT),
    }
}

fn look_up<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    let (_, value) = table.iter().find(|(known, _)| *known == word)?;
    Some(*value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a prompt names, each with its number and the name of its colour.
    fn named(prompt: &str) -> String {
        let reading = read(prompt);
        let mentions = reading.mentions.iter().map(|mention| {
            let name = match mention.what {
                What::Subject(subject) => subject.name,
                What::Person(Looks::Any) => "person",
                What::Person(Looks::Woman) => "woman",
                What::Person(Looks::Man) => "man",
            };
            let colours = COLOURS.iter();
            let colour = mention.colour.and_then(|colour| {
                let mut named = colours.filter(|(_, known)| *known == colour);
                named.next().map(|(name, _)| *name)
            });
            format!(
                "{} {}{name}",
                mention.count,
                colour.map_or_else(String::new, |name| format!("{name} "))
            )
        });
        let place = reading.place.map_or("anywhere", |place| place.name);
        format!("{}: {place}", mentions.collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn subjects_are_read_in_their_order_with_numbers_and_colours() {
        for (prompt, expected) in [
            ("A paper boat.", "1 paper-boat: anywhere"),
            (
                "Two red cars and a lighthouse by the sea",
                "2 red car, 1 lighthouse: sea",
            ),
            ("cats", "2 cat: anywhere"),
            ("7 cats", "5 cat: anywhere"),
            (
                "a white cat, a car and a cat",
                "1 white cat, 1 car: anywhere",
            ),
            ("portrait of a man", "1 man: anywhere"),
            ("a woman and a man", "1 woman, 1 man: anywhere"),
            ("the two characters", "2 person: anywhere"),
            (
                "a robot, a cat, a car and a lamp",
                "1 robot, 1 cat, 1 car: anywhere",
            ),
            ("a lamp on a child's desk", "1 lamp: room"),
            ("slow push in", ": anywhere"),
        ] {
            assert_eq!(named(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn the_time_of_the_day_and_the_weather_are_read_apart() {
        let rainy = read("rain at night").light;
        assert_eq!(rainy.weather, Weather::Rain);
        assert_eq!(rainy.night, 1.0);
        assert_eq!(read("a snowy hill").light.weather, Weather::Snow);
        assert_eq!(read("a hill").light.night, 0.0);
    }
}
