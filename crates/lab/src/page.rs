//! A page that steps through the growth of a tree: one HTML file with everything in it, for teaching and
//! for debugging.
//!
//! The page holds the [`Growth`] as JSON and a script that draws it. Nothing is fetched. Squares are nodes
//! where the first player moves (OR), circles where the second does (AND); what is solved carries a
//! sign besides its colour.

use serde_json::{Value, json};
use zermelo_erased::{EngineId, Growth};
use zermelo_game::Player;

/// The page without its data.
const PAGE: &str = include_str!("../data/tree.html");

/// The growth as JSON.
#[must_use]
pub fn json(growth: &Growth) -> Value {
    let turn = |player| if player == Player::First { "first" } else { "second" };
    json!({
        "game": growth.game,
        "solver": growth.by.word(),
        "question": growth.question,
        "legend": legend(growth.by),
        "nodes": growth.nodes.iter().map(|n| json!({
            "parent": n.parent,
            "move": n.mv,
            "turn": turn(n.turn),
            "board": n.board,
        })).collect::<Vec<_>>(),
        "steps": growth.steps.iter().map(|s| json!({
            "text": s.text,
            "focus": s.focus,
            "nodes": s.nodes,
            "changes": s.changes.iter().map(|c| json!([c.node, c.label, c.state.word()]))
                .collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

/// What labels mean.
fn legend(engine: EngineId) -> &'static str {
    match engine {
        EngineId::Pns => {
            "Labels: proof number, disproof number. The search goes to the child with the smallest proof \
             number at squares, with the smallest disproof number at circles."
        }
        EngineId::Pn2 => {
            "Labels: proof number, disproof number. The search goes to the child with the smallest proof \
             number at squares, with the smallest disproof number at circles; what a leaf's children start with was \
             found out by a second tree, which is not shown."
        }
        EngineId::Dfpn => {
            "Labels: proof number, disproof number, and for nodes on the way to where the search stands \
             in brackets the thresholds: it goes back to the parent when one of them is reached."
        }
        EngineId::Pp => {
            "Labels: how likely the answer is yes. The search goes to the largest at squares, to the \
             smallest at circles."
        }
        _ => {
            "Labels: the window between alpha and beta, then the value or a bound on it. Squares \
             maximize, circles minimize."
        }
    }
}

/// The page.
#[must_use]
pub fn html(growth: &Growth) -> String {
    // In a script element nothing but the end tag is special, and JSON can do without its first sign.
    let data = json(growth).to_string().replace('<', "\\u003c");
    let escape = |text: &str| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let title = format!("{} by {}", escape(&growth.game), growth.by.word());
    PAGE.replace("@TITLE@", &title).replace("@DATA@", &data)
}

/// The data of a page, read back.
#[must_use]
pub fn data(page: &str) -> Option<Value> {
    let (_, rest) = page.split_once("<script id=\"data\" type=\"application/json\">")?;
    let (text, _) = rest.split_once("</script>")?;
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_erased::Catalogue;

    /// The tree of figures 3 and 4 in Kishimoto and Mueller's chapter on game solvers.
    const FIGURE: &str = "graph a first: b c; b second: e d; c second: f g h; e first: i j k; \
        i second = -1; d first: p q r; f first: w; g first: w; h first: w; j second: v; \
        k second: v; p second: v; q second: v; r second: v; w second: v; v first = 1";

    fn grown(game: &str, by: EngineId, steps: usize) -> Growth {
        Catalogue::standard().open(game).unwrap().session().grow(by, steps).unwrap()
    }

    /// Labels of all nodes after each step, by replaying what the page holds.
    fn labels(page: &str) -> Vec<Vec<String>> {
        let data = data(page).unwrap();
        let mut now: Vec<String> = Vec::new();
        let mut all = Vec::new();
        for step in data["steps"].as_array().unwrap() {
            now.resize(step["nodes"].as_u64().unwrap() as usize, "?".into());
            for change in step["changes"].as_array().unwrap() {
                let node = change[0].as_u64().unwrap() as usize;
                now[node] =
                    format!("{} {}", change[1].as_str().unwrap(), change[2].as_str().unwrap());
            }
            all.push(now.clone());
        }
        all
    }

    #[test]
    fn the_figures_step_by_step() {
        let growth = grown(FIGURE, EngineId::Pns, 5);
        let moves: Vec<&str> = growth.nodes.iter().map(|n| &*n.mv).collect();
        assert_eq!(moves, ["", "b", "c", "e", "d", "f", "g", "h", "i", "j", "k", "p", "q", "r"]);
        let focus: Vec<&str> = growth.steps.iter().map(|s| moves[s.focus]).collect();
        assert_eq!(focus[..5], ["", "b", "c", "e", "d"]);
        let steps = labels(&html(&growth));
        let open = |label: &str| format!("{label} open");
        assert_eq!(steps[0], [open("1, 1")]);
        assert_eq!(steps[1], ["1, 2", "1, 1", "1, 1"].map(open));
        assert_eq!(steps[2], ["1, 2", "2, 1", "1, 1", "1, 1", "1, 1"].map(open));
        assert_eq!(steps[3][..3], ["2, 2", "2, 1", "3, 1"].map(open));
        // Figure 3.
        let mut third =
            ["2, 2", "2, 1", "3, 1", "1, 2", "1, 1", "1, 1", "1, 1", "1, 1"].map(open).to_vec();
        third.push("∞, 0 second".into());
        third.extend(["1, 1", "1, 1"].map(open));
        assert_eq!(steps[4], third);
        // Figure 4.
        assert_eq!(steps[5][..5], ["2, 3", "2, 2", "3, 1", "1, 2", "1, 3"].map(open));
        assert_eq!(growth.steps.len(), 6);
    }

    #[test]
    fn pages_hold_their_steps() {
        for (game, by, steps) in [
            ("tictactoe", EngineId::Pns, 40),
            ("tictactoe", EngineId::Pp, 40),
            ("tictactoe", EngineId::Pn2, 20),
            ("tictactoe", EngineId::Dfpn, 60),
            ("mnk 4x4x4", EngineId::Pn2, 40),
            ("mnk 4x4x4", EngineId::Dfpn, 400),
            ("tictactoe", EngineId::AlphaBeta, 40),
            ("atarigo 3x3", EngineId::Pns, 7),
            ("go 2x2", EngineId::AlphaBeta, 30),
            (
                "graph repetition 0; a first: b c; b second: a d; d first = 1; c second = -1",
                EngineId::Pns,
                3,
            ),
        ] {
            let growth = grown(game, by, steps);
            let page = html(&growth);
            assert!(
                !page.contains("@DATA@") && !page.contains("http://") && !page.contains("src=")
            );
            let data = data(&page).unwrap();
            let told = data["steps"].as_array().unwrap();
            assert!(told.len() > 1 && told.len() <= steps + 1, "{game}: {}", told.len());
            assert_eq!(data, json(&growth));
            let nodes = growth.nodes.len();
            assert_eq!(growth.steps.last().unwrap().nodes, nodes);
            for (i, node) in growth.nodes.iter().enumerate() {
                assert_eq!(node.parent.is_none(), i == 0);
                assert!(node.parent.is_none_or(|p| p < i && growth.nodes[p].turn != node.turn));
            }
            assert!(labels(&page).iter().flatten().all(|l| l != "?"), "{game}: every node is told");
        }
        assert_eq!(grown("tictactoe", EngineId::Pns, 40).steps.len(), 41);
        let error = Catalogue::standard()
            .open("go 2x2")
            .unwrap()
            .session()
            .grow(EngineId::Pns, 3)
            .unwrap_err();
        assert!(error.contains("go 2x2"), "{error}");
        assert!(
            Catalogue::standard()
                .open("tictactoe")
                .unwrap()
                .session()
                .grow(EngineId::Minimax, 3)
                .is_err()
        );
    }

    /// The same tree by df-pn. After e, d has 1, 2 against 1, 1 of e: the thresholds of b make it go to both.
    #[test]
    fn thresholds_step_by_step() {
        let growth = grown(FIGURE, EngineId::Dfpn, 200);
        let texts: Vec<&str> = growth.steps.iter().map(|s| &*s.text).collect();
        let steps = labels(&html(&growth));
        assert_eq!(texts[1], "The root is entered with thresholds ∞, ∞ and gets 2 children.");
        assert_eq!(steps[1][0], "1, 2 [∞, ∞] open");
        assert_eq!(texts[2], "b is entered with thresholds 2, ∞ and gets 2 children.");
        assert_eq!(steps[2][1], "2, 1 [2, ∞] open");
        assert_eq!(texts[3], "c is entered with thresholds 3, ∞ and gets 3 children.");
        let last = texts.last().unwrap();
        assert!(last.starts_with("The root, now 0, ∞, is solved. The answer is"), "{texts:?}");
    }

    #[test]
    fn names_cannot_break_out_of_the_page() {
        let growth = grown("graph </script><b> first: y; y second = 1", EngineId::Pns, 2);
        let page = html(&growth);
        assert_eq!(data(&page), Some(json(&growth)));
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert!(!page.contains("<b>"));
    }

    #[test]
    fn alpha_beta_as_in_textbooks() {
        // The second min node is cut after its first leaf.
        let game = "graph values 0 9; a first: b c; b second: d e; c second: f g; d first = 3; \
                    e first = 5; f first = 2; g first = 9";
        let growth = grown(game, EngineId::AlphaBeta, 100);
        let steps = labels(&html(&growth));
        let last = steps.last().unwrap();
        assert_eq!(last[..3], ["3 first", "3 first", "≤ 2 open"]);
        let texts: Vec<&str> = growth.steps.iter().map(|s| &*s.text).collect();
        assert_eq!(texts[1], "The root is entered with α -∞ β ∞.");
        assert!(texts.contains(&"c is entered with α 3 β ∞."), "{texts:?}");
        assert!(texts.contains(&"c: α 3 β 2 closes the window: one move is cut."), "{texts:?}");
        assert_eq!(last.iter().filter(|l| l.ends_with("cut")).count(), 1);
    }
}
