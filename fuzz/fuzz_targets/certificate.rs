//! `cargo +nightly fuzz run certificate`: no file makes the reader or the checker panic, and none proves what is
//! false.
//!
//! The input is tried as a file as it stands. As digests keep nearly all such files out, it is also taken
//! for a strategy, in a file made to fit: the first byte chooses the claim, the second the limit of searches, the rest
//! are answers.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zermelo_game::{Player, Value};
use zermelo_proof::check::Limits;
use zermelo_proof::format::Answers;
use zermelo_proof::{Certificate, Claim, Made, check};

/// Games, positions and their values.
const TRUTH: [(&str, &str, Value); 4] = [
    ("tictactoe", ".../.../... first", 0),
    ("clobber 2x3", "oxo/xox first", -1),
    ("nogo 2x3", ".../... first", -1),
    ("graph repetition 0; a first: b c; b second: a d; d first = 1; c second = -1", "a", 0),
];

fn is_proved(certificate: &Certificate) -> bool {
    let limits = Limits { memory: 64 << 20, ..Limits::default() };
    check(certificate, &limits).is_ok()
}

fuzz_target!(|data: &[u8]| {
    if let Ok(certificate) = Certificate::read(data) {
        let _ = is_proved(&certificate);
    }
    let [choice, search, symbols @ ..] = data else { return };
    let (game, position, value) = TRUTH[usize::from(choice & 3)];
    let claimant = if choice & 4 == 0 { Player::First } else { Player::Second };
    let claim = Claim { claimant, value: Value::from(choice >> 3 & 3) - 1 };
    let mut certificate =
        Certificate::new(game.into(), position.into(), (*search).into(), Made::default());
    let positions = symbols.iter().filter(|&&symbol| symbol != 0).count() as u64;
    let starts = vec![position.to_string()];
    certificate.add(claim, vec![Answers { starts, positions, symbols: symbols.to_vec() }]);
    let again = Certificate::read(&certificate.bytes()).expect("what is written is read");
    assert!(again == certificate);
    assert!(!is_proved(&certificate) || claim.is_kept_by(value), "{game}: {claim:?}");
});
