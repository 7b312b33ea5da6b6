//! The catalogue: rows by name, and what opens them.

use zermelo_erased::{Catalogue, Row};

#[test]
fn rows_are_found_by_name() {
    let catalogue = Catalogue::standard();
    assert_eq!(catalogue.rows().len(), zermelo_games::entries().len());
    for row in catalogue.rows() {
        for example in row.examples() {
            let game = catalogue.open(example).unwrap_or_else(|e| panic!("{e}"));
            assert!(game.name().starts_with(row.name()), "{}", game.name());
        }
    }
    assert_eq!(catalogue.row("NOGO").map(Row::usage_text), Some("nogo ROWSxCOLS"));
    let expects = |name: &str| catalogue.row(name).unwrap().expects();
    assert_eq!(expects("nogo").unwrap(), "ROWSxCOLS of at most 361 cells, such as 5x4");
    assert!(expects("connect4").unwrap().contains("at most 19 rows"));
    assert_eq!(expects("tictactoe"), None);
    for row in catalogue.rows() {
        assert_eq!(row.help_text().is_empty(), row.usage_text() == row.name(), "{row:?}");
    }
    let error = Catalogue::empty().open("nogo 5x5").err().unwrap();
    assert_eq!(error.column(), 1);
}

#[test]
#[should_panic(expected = "two games are called nogo")]
fn names_are_unique() {
    let other = Row::new("NoGo", |args| Catalogue::standard().open(args.text()));
    let _ = Catalogue::standard().with(other);
}

#[test]
fn names_from_outside_open_no_file() {
    let catalogue = Catalogue::standard();
    assert!(catalogue.open_foreign("graph /etc/hostname").is_err());
    assert!(catalogue.open_foreign("graph a first: b; b second = 1").is_ok());
}
