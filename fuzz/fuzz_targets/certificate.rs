//! `cargo +nightly fuzz run certificate`: no file makes the reader or the checker panic, and none proves what is
//! false.
//!
//! The input is tried as a file as it stands. As digests keep nearly all such files out, it is also taken
//! for a strategy, in a file made to fit: the first byte chooses the claim, the second the limit of searches, the rest
//! are answers. And it is taken for the header of a file with nothing after it, and for a block as it is packed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zermelo_certificate::check::CheckLimits;
use zermelo_certificate::format::{self, Answers, Block, ClaimProof, CertificateHeader};
use zermelo_certificate::{Certificate, Claim, Provenance};
use zermelo_erased::Catalogue;
use zermelo_game::{Player, Value};

/// Games, positions and their values.
const TRUTH: [(&str, &str, Value); 4] = [
    ("tictactoe", ".../.../... first", 0),
    ("clobber 2x3", "oxo/xox first", -1),
    ("nogo 2x3", ".../... first", -1),
    ("graph repetition 0; a first: b c; b second: a d; d first = 1; c second = -1", "a", 0),
];

fn is_proved(certificate: &Certificate) -> bool {
    let limits = CheckLimits { memory: 64 << 20, ..CheckLimits::default() };
    Catalogue::standard().check(certificate, &limits, None).is_ok()
}

/// The header of a claim whose one block is these bytes.
fn packed(block: &[u8]) -> CertificateHeader {
    let (game, position, value) = TRUTH[2];
    let (size, bytes) = (block.len() as u64, block.len() as u64);
    let (starts, sha256) = (vec![position.to_owned()], format::digest(block));
    let block = Block { starts, positions: size, size, bytes, sha256 };
    let (claimant, within, blocks) = (Player::Second, None, vec![block]);
    let part = ClaimProof { claimant, value, within, positions: size, blocks };
    let mut header = Certificate::new(game.into(), position.into(), 0, Provenance::default()).header;
    header.claims.push(part);
    header
}

fuzz_target!(|data: &[u8]| {
    if let Ok(certificate) = Certificate::read(data) {
        let _ = is_proved(&certificate);
    }
    for version in [format::VERSION, format::BOUNDED_VERSION] {
        let file = [&format::head_of(version, data), data].concat();
        let _ = Certificate::read(&file).map(|c| is_proved(&c));
    }
    if let Ok(text) = serde_json::to_vec(&packed(data)) {
        let file = [&format::head(&text), &text[..], data].concat();
        let _ = Certificate::read(&file).map(|c| is_proved(&c));
    }
    let [choice, search, symbols @ ..] = data else { return };
    let (game, position, value) = TRUTH[usize::from(choice & 3)];
    let claimant = if choice & 4 == 0 { Player::First } else { Player::Second };
    let claim = Claim { claimant, value: Value::from(choice >> 3 & 3) - 1 };
    let mut certificate =
        Certificate::new(game.into(), position.into(), (*search).into(), Provenance::default());
    let positions = symbols.iter().filter(|&&symbol| symbol != 0).count() as u64;
    let starts = vec![position.to_string()];
    certificate.add(claim, vec![Answers { starts, positions, symbols: symbols.to_vec() }]);
    let again = Certificate::read(&certificate.bytes()).expect("what is written is read");
    assert!(again == certificate);
    assert!(!is_proved(&certificate) || claim.is_kept_by(value), "{game}: {claim:?}");
    // The same with a length: what is proved of it is true without one, too.
    certificate.header.claims[0].within = Some(u32::from(*search));
    assert!(!is_proved(&certificate) || claim.is_kept_by(value), "{game}: {claim:?}");
});
