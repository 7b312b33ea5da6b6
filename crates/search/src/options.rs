//! Settings of engines as text: what a person can choose, with names, ranges and defaults.
//!
//! Each engine's settings are a plain struct; [`options!`](crate::options!) lists which of its fields have a name and writes the
//! implementation of [`Options`]. The text form is the same everywhere: `sum=weak,epsilon=1/8`.

use crate::proofnumber::dfpn::{Loops, ReplacementPolicy};
use crate::proofnumber::leaf::Leaf;
use crate::proofnumber::numbers::{SumRule, Tie};
use crate::proofnumber::pn2::SecondTreeSize;
use std::fmt;
use std::num::NonZeroU32;

/// A setting that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionInfo {
    /// The name.
    pub name: &'static str,
    /// Which values there are.
    pub values: String,
    /// The value unless something else is said.
    pub default: String,
    /// What it does.
    pub help: &'static str,
}

/// Why a setting cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// There is none of this name.
    Unknown {
        /// The engine.
        engine: &'static str,
        /// The name.
        name: String,
        /// Those that there are.
        names: String,
    },
    /// It has no such value.
    Value {
        /// The engine.
        engine: &'static str,
        /// The name.
        name: String,
        /// Which values there are.
        values: String,
        /// What was given.
        value: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown { engine, name, names } => {
                let names = if names.is_empty() { "none" } else { names };
                write!(f, "{engine} has no option '{name}': it has {names}")
            }
            OptionError::Value { engine, name, values, value } => {
                write!(f, "{name} of {engine} is {values}, not '{value}'")
            }
        }
    }
}

impl std::error::Error for OptionError {}

impl OptionError {
    /// What would be right in its place.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            OptionError::Unknown { engine, names, .. } if names.is_empty() => {
                format!("nothing: {engine} has no options")
            }
            OptionError::Unknown { engine, names, .. } => {
                format!("an option of {engine} ({names})")
            }
            OptionError::Value { name, values, .. } => format!("a value of {name}: {values}"),
        }
    }
}

/// A type of values that have a text form.
pub trait OptionValue: Sized {
    /// Which texts there are, for people.
    fn accepted() -> String;
    /// The value of a text.
    fn read(text: &str) -> Option<Self>;
    /// The text of a value.
    fn write(&self) -> String;
}

/// Settings, some of which have names.
pub trait Options: Clone + Default {
    /// All that have a name.
    fn list(&self) -> Vec<OptionInfo>;
    /// Sets one. `None` if there is none of that name; the error says which values there are.
    fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>>;
    /// The value of one, as text.
    fn get(&self, name: &str) -> Option<String>;
}

/// Implements [`Options`] for a struct: `options! { Config { "seed" = seed: "The seed of ..." } }`.
#[macro_export]
macro_rules! options {
    ($config:ty { $($name:literal = $($field:ident).+ : $help:literal),* $(,)? }) => {
        impl $crate::options::Options for $config {
            fn list(&self) -> Vec<$crate::options::OptionInfo> {
                vec![$($crate::options::OptionInfo {
                    name: $name,
                    values: $crate::options::accepted(&self.$($field).+),
                    default: $crate::options::OptionValue::write(&self.$($field).+),
                    help: $help,
                }),*]
            }

            #[allow(unused_variables)]
            fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
                match name {
                    $($name => Some($crate::options::read(&mut self.$($field).+, value)),)*
                    _ => None,
                }
            }

            fn get(&self, name: &str) -> Option<String> {
                match name {
                    $($name => Some($crate::options::OptionValue::write(&self.$($field).+)),)*
                    _ => None,
                }
            }
        }
    };
}

/// Which texts there are for values of the type of this one.
#[doc(hidden)]
pub fn accepted<T: OptionValue>(_: &T) -> String {
    T::accepted()
}

/// Sets a value; the error says which texts there are.
#[doc(hidden)]
pub fn read<T: OptionValue>(to: &mut T, text: &str) -> Result<(), String> {
    *to = T::read(text).ok_or_else(T::accepted)?;
    Ok(())
}

impl OptionValue for bool {
    fn accepted() -> String {
        "yes or no".into()
    }

    fn read(text: &str) -> Option<bool> {
        match text {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    fn write(&self) -> String {
        if *self { "yes" } else { "no" }.into()
    }
}

/// A count, which may end in k, M or G.
fn count(text: &str) -> Option<u64> {
    let (digits, factor) = match text.char_indices().next_back()? {
        (at, 'k') => (&text[..at], 1_000),
        (at, 'M') => (&text[..at], 1_000_000),
        (at, 'G') => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse::<u64>().ok().filter(|_| plain)?.checked_mul(factor)
}

impl OptionValue for u64 {
    fn accepted() -> String {
        "a whole number, such as 0, 1000, 10k, 2M".into()
    }

    fn read(text: &str) -> Option<u64> {
        count(text)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for u32 {
    fn accepted() -> String {
        "a whole number up to 4294967295, such as 0, 100, 10k".into()
    }

    fn read(text: &str) -> Option<u32> {
        count(text)?.try_into().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// The most threads of a search.
pub const MOST_THREADS: usize = 1024;

/// A number of threads.
impl OptionValue for usize {
    fn accepted() -> String {
        format!("1 to {MOST_THREADS}")
    }

    fn read(text: &str) -> Option<usize> {
        let number: usize = count(text)?.try_into().ok()?;
        (1..=MOST_THREADS).contains(&number).then_some(number)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// A number that may be left out.
impl OptionValue for Option<u64> {
    fn accepted() -> String {
        "none, or a whole number from 1, such as 1000, 10k, 2M".into()
    }

    fn read(text: &str) -> Option<Option<u64>> {
        match text {
            "none" => Some(None),
            _ => count(text).filter(|&n| n > 0).map(Some),
        }
    }

    fn write(&self) -> String {
        self.map_or("none".into(), |n| n.to_string())
    }
}

/// A number of plies that the game chooses unless one is named; the largest stands for a limit that is never reached.
impl OptionValue for Option<u32> {
    fn accepted() -> String {
        "own, never, or a whole number".into()
    }

    fn read(text: &str) -> Option<Option<u32>> {
        match text {
            "own" => Some(None),
            "never" => Some(Some(u32::MAX)),
            _ => u32::read(text).map(Some),
        }
    }

    fn write(&self) -> String {
        match *self {
            None => "own".into(),
            Some(u32::MAX) => "never".into(),
            Some(n) => n.to_string(),
        }
    }
}

/// Thousandths, up to ten wholes, that are written as a fraction or a decimal number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thousandths(pub u32);

impl OptionValue for Thousandths {
    fn accepted() -> String {
        "a number from 0 to 10 in steps of 1/1000, such as 1/8, 0.25, 1".into()
    }

    fn read(text: &str) -> Option<Thousandths> {
        thousandths(text).filter(|&n| n <= 10_000).map(Thousandths)
    }

    fn write(&self) -> String {
        write_thousandths(self.0)
    }
}

/// A part of a whole: more than nothing, and not more than all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fraction(Thousandths);

impl Fraction {
    /// So many thousandths.
    ///
    /// # Panics
    /// If that is none, or more than a thousand.
    #[must_use]
    pub const fn permille(n: u32) -> Fraction {
        assert!(1 <= n && n <= 1000);
        Fraction(Thousandths(n))
    }

    /// Its thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        self.0.0
    }
}

impl OptionValue for Fraction {
    fn accepted() -> String {
        "a number from 1/1000 to 1 in steps of 1/1000, such as 1/8, 0.25, 1".into()
    }

    fn read(text: &str) -> Option<Fraction> {
        thousandths(text).filter(|n| (1..=1000).contains(n)).map(Fraction::permille)
    }

    fn write(&self) -> String {
        self.0.write()
    }
}

/// The thousandths of a fraction or a decimal number.
fn thousandths(text: &str) -> Option<u32> {
    let whole = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|&n: &u64| digits && n <= 10_000)
    };
    let thousandths = match text.split_once('/') {
        Some((above, below)) => {
            let (above, below) = (whole(above)?, whole(below).filter(|&n| n > 0)?);
            let exact = (above * 1000).is_multiple_of(below);
            Some(above * 1000 / below).filter(|_| exact)?
        }
        None => {
            let (units, part) = text.split_once('.').unwrap_or((text, ""));
            let digits = part.len() <= 3 && part.is_empty() != text.contains('.');
            let part = if part.is_empty() { 0 } else { whole(&format!("{part:0<3}"))? };
            Some(whole(units)? * 1000 + part).filter(|_| digits)?
        }
    };
    u32::try_from(thousandths).ok()
}

/// Thousandths as a fraction, reduced.
fn write_thousandths(n: u32) -> String {
    let (mut a, mut b) = (n, 1000);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    match 1000 / a {
        1 => (n / 1000).to_string(),
        below => format!("{}/{below}", n / a),
    }
}

impl OptionValue for SumRule {
    fn accepted() -> String {
        "sum, weak, topN or rateN (the N best, or one in N of the children, such as top5), with -less or -order \
         behind these for how ties are broken"
            .into()
    }

    fn read(text: &str) -> Option<SumRule> {
        match text {
            "sum" => return Some(SumRule::Sum),
            "weak" => return Some(SumRule::Weak),
            _ => {}
        }
        let (rule, tie) = match text.split_once('-') {
            None => (text, Tie::Greater),
            Some((rule, "less")) => (rule, Tie::Less),
            Some((rule, "order")) => (rule, Tie::Order),
            Some(_) => return None,
        };
        let number = |text: &str| -> Option<u32> {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<NonZeroU32>().ok().filter(|_| digits).map(NonZeroU32::get)
        };
        match (rule.strip_prefix("top"), rule.strip_prefix("rate")) {
            (Some(n), _) => Some(SumRule::Top(number(n)?, tie)),
            (_, Some(n)) => Some(SumRule::Rate(number(n)?, tie)),
            _ => None,
        }
    }

    fn write(&self) -> String {
        let tie = |tie: Tie| match tie {
            Tie::Greater => "",
            Tie::Less => "-less",
            Tie::Order => "-order",
        };
        match *self {
            SumRule::Sum => "sum".into(),
            SumRule::Weak => "weak".into(),
            SumRule::Top(n, t) => format!("top{n}{}", tie(t)),
            SumRule::Rate(n, t) => format!("rate{n}{}", tie(t)),
        }
    }
}

impl OptionValue for SecondTreeSize {
    fn accepted() -> String {
        "equal, or logistic/A/B with whole numbers from 1 to 10^12, such as logistic/1800000/240000"
            .into()
    }

    fn read(text: &str) -> Option<SecondTreeSize> {
        if text == "equal" {
            return Some(SecondTreeSize::Equal);
        }
        let mut words = text.split('/');
        let ("logistic", Some(a), Some(b), None) =
            (words.next()?, words.next(), words.next(), words.next())
        else {
            return None;
        };
        let number = |text| count(text).filter(|n| (1..=1_000_000_000_000).contains(n));
        Some(SecondTreeSize::Logistic { a: number(a)?, b: number(b)? })
    }

    fn write(&self) -> String {
        match self {
            SecondTreeSize::Equal => "equal".into(),
            SecondTreeSize::Logistic { a, b } => format!("logistic/{a}/{b}"),
        }
    }
}

/// Types with a word for each value.
macro_rules! words {
    ($($type:ty { $($word:literal = $value:path),* })*) => {$(
        impl OptionValue for $type {
            fn accepted() -> String {
                [$($word),*].join(", ")
            }

            fn read(text: &str) -> Option<$type> {
                match text {
                    $($word => Some($value),)*
                    _ => None,
                }
            }

            fn write(&self) -> String {
                match self {
                    $($value => $word.into(),)*
                }
            }
        }
    )*};
}

words! {
    Leaf { "one" = Leaf::One, "mobility" = Leaf::Mobility, "own" = Leaf::Own }
    Loops { "control" = Loops::Control, "old" = Loops::Old, "both" = Loops::Both, "plain" = Loops::Plain }
    ReplacementPolicy { "bucket" = ReplacementPolicy::Bucket, "smalltree" = ReplacementPolicy::Sweep }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::fmt::Debug;

    fn holds<T: OptionValue + PartialEq + Debug>(good: &[&str], bad: &[&str]) {
        for text in good {
            let value = T::read(text).unwrap_or_else(|| panic!("{text}"));
            let written = value.write();
            assert_eq!(T::read(&written).as_ref(), Some(&value), "{text} as {written}");
        }
        for text in bad {
            assert_eq!(T::read(text), None, "{text}");
        }
    }

    #[test]
    fn values_are_read_and_written() {
        holds::<bool>(&["yes", "no"], &["", "true", "Yes"]);
        holds::<u64>(
            &["0", "7", "10k", "2M"],
            &["", "-1", "+1", "1.5", "k", "99999999999999999999"],
        );
        holds::<u32>(&["0", "4294967295"], &["4294967296", "x"]);
        holds::<usize>(&["1", "1024"], &["0", "1025"]);
        holds::<Option<u64>>(&["none", "1", "1M"], &["0", "", "nothing"]);
        holds::<SumRule>(
            &["sum", "weak", "top5", "rate3-less", "top1-order"],
            &["top", "top0", "top-", "rate+3", "top5-more", "Sum"],
        );
        holds::<SecondTreeSize>(
            &["equal", "logistic/1800000/240k"],
            &["logistic", "logistic/1", "logistic/0/1", "logistic/1/1/1"],
        );
        holds::<Leaf>(&["one", "mobility", "own"], &["two"]);
        holds::<Loops>(&["control", "old", "both", "plain"], &["none"]);
        holds::<ReplacementPolicy>(&["bucket", "smalltree"], &["sweep"]);
        holds::<Fraction>(&["1/1000", "0.5", "1"], &["0", "1.001", "2", "0/5"]);
        holds::<Thousandths>(
            &["0", "1", "10", "1/8", "0.25", "3.5", "0.125", "1/1"],
            &["", "-1", "1/0", "1/3", "11", ".5", "1.", "0.1234", "1/8/2", "0,5"],
        );
    }

    #[test]
    fn fractions_are_reduced() {
        let written = |text: &str| Thousandths::read(text).map(|value| value.write());
        assert_eq!(written("0.25").as_deref(), Some("1/4"));
        assert_eq!(written("2/16").as_deref(), Some("1/8"));
        assert_eq!(written("0").as_deref(), Some("0"));
        assert_eq!(written("2.5").as_deref(), Some("5/2"));
    }
}
