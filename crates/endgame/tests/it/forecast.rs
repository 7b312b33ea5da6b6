//! What a build would take, against what it took.

use zermelo_endgame::forecast::{Forecast, reachable as whole, slices};
use zermelo_endgame::reachable::{self, ReachableConfig};
use zermelo_endgame::{Basis, BuildConfig, build, folder};
use zermelo_game::{Knowledge, Notation, Sliced};
use zermelo_games::{SlicedVisitor, Visitor};

/// A forecast after so many positions, and what there really is: positions, those that are kept, bytes with distances.
struct Whole(usize);

impl Visitor for Whole {
    type Output = (Forecast, [u64; 3]);

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
        let config = ReachableConfig { distance: true, ..ReachableConfig::default() };
        let forecast = whole::forecast(&rules, None, &config, self.0).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let header = reachable::build(&rules, None, dir.path(), &config).unwrap();
        let bytes = reachable::header(dir.path()).unwrap().1;
        (forecast, [header.positions, header.kept, bytes])
    }
}

#[test]
fn small_games_are_built_on_trial_and_forecasts_of_them_are_exact() {
    for name in ["tictactoe", "connect4 4x4", "loa 3x3"] {
        let (forecast, [positions, kept, bytes]) =
            zermelo_games::open(name, Whole(200_000)).unwrap();
        assert_eq!(forecast.basis, Basis::Trial, "{name}");
        assert_eq!((forecast.positions, forecast.kept), (positions, Some(kept)), "{name}");
        assert_eq!(forecast.bytes[1], Some(bytes), "{name}");
        assert!(forecast.bytes[0] < Some(bytes) && forecast.memory > 0, "{name}");
    }
}

/// Near where stones are put anywhere, a bound everywhere.
#[test]
fn samples_are_bounds() {
    for (name, most) in [
        ("tictactoe", 1.1),
        ("mnk 3x4x3", 1.1),
        ("connect4 4x4", 50.0),
        ("connect4 3x5", 50.0),
        ("domineering 4x5", 2.0),
        ("nogo 3x4", 2.0),
        ("atarigo 3x4", 2.0),
        ("clobber 4x4", 100.0),
        ("breakthrough 4x3", f64::MAX),
        ("breakthrough 5x3", f64::MAX),
        ("knightthrough 4x3", f64::MAX),
    ] {
        let (forecast, [positions, kept, bytes]) = zermelo_games::open(name, Whole(100)).unwrap();
        let Basis::Sample { error, .. } = forecast.basis else {
            panic!("{name}: {:?}", forecast.basis)
        };
        let times = |said: u64, is: u64| said as f64 / is as f64;
        let said = [
            times(forecast.positions, positions),
            times(forecast.kept.unwrap(), kept),
            times(forecast.bytes[1].unwrap(), bytes),
        ];
        println!(
            "{name}: {positions} positions, {kept} kept, {bytes} bytes, said {said:.2?}, error {error:.3}"
        );
        assert!(said[0] < most && said[1] < most, "{name}: {said:?}");
        // But for chance, and what is known of bytes.
        assert!(said[0] > 0.9 && said[1] > 0.9 && said[2] > 0.7, "{name}: {said:?}");
        assert_eq!((forecast.positions_within(), forecast.bytes_within()), (None, None));
    }
}

#[test]
fn where_positions_repeat_there_is_a_bound() {
    let (forecast, [positions, kept, bytes]) = zermelo_games::open("loa 3x3", Whole(20)).unwrap();
    assert!(matches!(forecast.basis, Basis::MostKeys(found) if found > 20));
    assert!(forecast.positions >= positions && forecast.kept >= Some(kept));
    assert!(forecast.bytes[1] >= Some(bytes) && forecast.bytes_within().is_none());
}

/// A forecast by a trial of so many places, and what there really is: positions, bytes without distances and with them.
struct Slices(u32, u64);

impl SlicedVisitor for Slices {
    type Output = (Forecast, u64, [u64; 2]);

    fn visit<R: Sliced>(self, rules: R) -> Self::Output {
        let config = BuildConfig { pieces: self.0, ..BuildConfig::default() };
        let none = std::path::Path::new("/nowhere/at/all");
        let forecast = slices::forecast(&rules, none, &config, self.1).unwrap();
        let mut positions = 0;
        let bytes = [false, true].map(|distance| {
            let dir = tempfile::tempdir().unwrap();
            if build(&rules, dir.path(), &BuildConfig { distance, ..config }).is_err() {
                return 0;
            }
            let files = folder::slices(dir.path()).unwrap();
            positions = files.iter().map(|(h, _)| h.positions).sum();
            files.iter().map(|(_, bytes)| bytes).sum()
        });
        (forecast, positions, bytes)
    }
}

#[test]
fn slices_are_forecast_from_those_with_few_pieces() {
    for (name, pieces, trial) in [
        ("checkers 6x6", 4, 20_000),
        ("checkers 4x4", 6, 20_000),
        ("checkers 8x8", 3, 300_000),
        ("chess KRK", 3, 300_000),
        ("chess KPK", 3, 60_000),
        ("morris 3", u32::MAX, 2_000),
        ("awari 3x2", u32::MAX, 5_000),
        ("kalah 3x2", u32::MAX, 5_000),
    ] {
        let found = zermelo_games::open_sliced(name, Slices(pieces, trial)).unwrap();
        let (forecast, positions, bytes) = found.unwrap_or_else(|_| panic!("{name}"));
        let said = |n: usize| forecast.bytes[n].map(|said| said as f64 / bytes[n] as f64);
        let share = forecast.positions as f64 / positions as f64;
        println!(
            "{name}: {bytes:?} bytes, said {:?}, positions {share:.3}, {:?}",
            [said(0), said(1)],
            forecast.basis
        );
        let near = |said: f64, most: f64| said <= most && 1.0 / said <= most;
        assert!(near(share, forecast.positions_within().unwrap()), "{name}: {share}");
        for said in [0, 1].into_iter().filter_map(said).filter(|said| said.is_finite()) {
            assert!(near(said, forecast.bytes_within().unwrap()), "{name}: {said}");
        }
        assert_eq!(forecast.bytes[1].is_some(), bytes[1] > 0, "{name}");
    }
}
