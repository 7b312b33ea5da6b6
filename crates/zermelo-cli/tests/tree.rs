//! `zermelo tree`: pages on standard output and in files.

mod common;
use common::{holds, stderr, stdout};
use zermelo_lab::page::data;

#[test]
fn a_page_on_standard_output() {
    let page = stdout("tree tictactoe --steps 40 --out -", 0);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let data = data(&page).unwrap();
    assert_eq!(data["steps"].as_array().unwrap().len(), 41);
    assert_eq!(
        (&*data["game"].to_string(), &*data["solver"].to_string()),
        ("\"tictactoe\"", "\"pns\"")
    );
    let short = "tree tictactoe --position xox/o.x/..o|first --by alphabeta --out -";
    let page = stdout(short, 0);
    let last = common::text(page.as_bytes());
    holds(&last, &["alphabeta", "The root is worth", "α"]);
}

#[test]
fn thresholds_and_second_trees() {
    let page = stdout("tree tictactoe --by dfpn --steps 30 --out -", 0);
    holds(&page, &["\"solver\":\"dfpn\"", "is entered with thresholds ∞, ∞", "[∞, ∞]"]);
    let page = stdout("tree tictactoe --by pn2 --steps 10 --out -", 0);
    holds(&page, &["\"solver\":\"pn2\"", "by a second tree of"]);
    holds(&stderr("tree go 2x2 --by dfpn", 2), &["dfpn", "go 2x2"]);
}

#[test]
fn a_page_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = common::zermelo("tree nogo 2x3 --moves a1 --by pp --steps 5")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = common::text(&output.stdout);
    holds(&said, &["nogo-2x3.html: ", "steps"]);
    let page = std::fs::read_to_string(folder.path().join("nogo-2x3.html")).unwrap();
    assert!(data(&page).is_some());
}

#[test]
fn what_cannot_be_watched() {
    holds(&stderr("tree tictactoe --by minimax", 2), &["alphabeta", "pns"]);
    holds(&stderr("tree go 2x2 --by pns", 2), &["pns", "go 2x2"]);
    holds(&stderr("tree tictactoe --steps 0", 2), &["--steps"]);
    holds(&stderr("tree tictactoe --out /proc/nowhere/a.html", 1), &["/proc/nowhere"]);
}
