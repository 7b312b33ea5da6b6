//! Amounts as people write them: `4G`, `1h30m`, `12.3 million/s`. Read and written here.

use std::time::Duration;
pub use zermelo_game::amount::grouped;

/// Bytes.
pub type Memory = u64;
/// A time limit.
pub type Time = Duration;
/// A number of things.
pub type Count = u64;

/// Reads a size: `4G`, `512M`, `64MiB`, `1.5G`; K, M, G and T are powers of 1024, and a bare number
/// is bytes.
pub fn parse_memory(text: &str) -> Result<Memory, String> {
    let expected = "a size such as 512M, 4G or 1.5GiB";
    let (number, unit, rest) = amount(text.trim()).ok_or(format!("expected {expected}"))?;
    if !rest.is_empty() {
        return Err(format!("expected {expected}, found '{rest}' after it"));
    }
    let lower = unit.to_ascii_lowercase();
    let power = match lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower) {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(format!("unknown unit '{unit}', expected K, M, G or T ({expected})")),
    };
    whole(number * 1024f64.powi(power)).ok_or(format!("too large, expected {expected}"))
}

/// Reads a duration: `500ms`, `90s`, `10m`, `1h30m`; a bare number is seconds.
pub fn parse_time(text: &str) -> Result<Time, String> {
    let expected = "a time such as 500ms, 90s, 10m or 1h30m";
    let mut rest = text.trim();
    let mut seconds = 0.0;
    let mut parts = 0;
    while !rest.is_empty() || parts == 0 {
        let (number, unit, next) = amount(rest).ok_or(format!("expected {expected}"))?;
        seconds += number
            * match unit {
                "ms" => 0.001,
                "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                "" if parts == 0 && next.is_empty() => 1.0,
                "" => return Err(format!("a number without a unit, expected {expected}")),
                _ => {
                    return Err(format!(
                        "unknown unit '{unit}', expected ms, s, m, h or d ({expected})"
                    ));
                }
            };
        (rest, parts) = (next, parts + 1);
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("too long, expected {expected}"))
}

/// Reads a number: `1000`, `1_000`, `500k`, `10M`; k, M, G are powers of 1000.
pub fn parse_count(text: &str) -> Result<Count, String> {
    let expected = "a number such as 1000, 500k or 10M";
    let plain = text.trim().replace('_', "");
    if let Ok(count) = plain.parse() {
        return Ok(count);
    }
    match amount(&plain) {
        Some((number, unit, "")) => {
            let power = match unit {
                "k" | "K" => 1e3,
                "m" | "M" => 1e6,
                "g" | "G" => 1e9,
                _ => return Err(format!("unknown unit '{unit}', expected k, M or G ({expected})")),
            };
            whole(number * power).ok_or(format!("too large, expected {expected}"))
        }
        _ => Err(format!("expected {expected}")),
    }
}

/// A number at the start of the text, the letters after it, and the rest.
fn amount(text: &str) -> Option<(f64, &str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, tail) = text.split_at(end);
    let tail = tail.trim_start();
    let end = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
    let (unit, rest) = tail.split_at(end);
    Some((number.parse().ok()?, unit, rest.trim_start()))
}

fn whole(number: f64) -> Option<u64> {
    (number < u64::MAX as f64).then_some(number.round() as u64)
}

/// A number in three digits and a word: `12.3 million`.
#[must_use]
pub fn rounded(number: f64) -> String {
    let (size, word) = match number {
        n if n < 1e4 => return format!("{number:.0}"),
        n if n < 1e6 => (1e3, " thousand"),
        n if n < 1e9 => (1e6, " million"),
        _ => (1e9, " thousand million"),
    };
    let number = number / size;
    let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.digits$}{word}")
}

/// A number of bytes: `64 MiB`, `1.5 GiB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    if number == 1 {
        return "1 byte".into();
    }
    let mut size = number as f64;
    let mut units = ["bytes", "KiB", "MiB", "GiB", "TiB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, next);
    }
    let digits = usize::from(size < 10.0 && size.fract() > 0.05);
    format!("{size:.digits$} {unit}")
}

/// A time for people: `0.012 s`, `1.23 s`, `12 min 5 s`, `3 h 20 min`.
#[must_use]
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 1.0 => format!("{s:.3} s"),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7_200.0 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("4G", 4 << 30),
            ("512M", 512 << 20),
            ("64MiB", 64 << 20),
            ("64mb", 64 << 20),
            ("1.5k", 1536),
            ("1 T", 1 << 40),
            ("100", 100),
            ("7b", 7),
        ] {
            assert_eq!(parse_memory(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "4Q", "4GG", "4G4", "-1G", "1e9G", "99999999999T", "1..5G"] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
        assert!(
            parse_memory("4Q").unwrap_err().contains("unknown unit 'Q', expected K, M, G or T")
        );
    }

    #[test]
    fn times() {
        for (text, ms) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("1.5s", 1_500),
            ("10m", 600_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("2", 2_000),
            ("0s", 0),
            ("1d", 86_400_000),
        ] {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "10parsecs", "1h30", "30 1h", "-3s", "10M", "99999999999999999999d"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        assert!(parse_time("10parsecs").unwrap_err().contains("unknown unit 'parsecs'"));
    }

    #[test]
    fn counts() {
        for (text, count) in
            [("1000", 1000), ("1_000", 1000), ("500k", 500_000), ("1.5M", 1_500_000), ("0", 0)]
        {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        assert_eq!(parse_count("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "k", "10x", "1.5", "-1", "1k1", "99999999999999999999G"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(rounded(9_999.0), "9999");
        assert_eq!(rounded(12_345.0), "12.3 thousand");
        assert_eq!(rounded(2_345_678.0), "2.35 million");
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(1 << 20), "1 MiB");
        assert_eq!(bytes(3 << 29), "1.5 GiB");
        assert_eq!(time(Duration::from_millis(12)), "0.012 s");
        assert_eq!(time(Duration::from_secs(725)), "12 min 5 s");
        assert_eq!(time(Duration::from_secs(12_000)), "3 h 20 min");
    }
}
