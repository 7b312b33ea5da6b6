use super::*;
use proptest::prelude::*;
use zermelo_game::{Game, Knowledge, Notation, conformance};

const EXAMPLE: &str = "\
repetition 0       # a comment
a first: b c
b second: a d
c second = -1
d first = 1
";

fn texts() -> Vec<String> {
    let mut out = vec![EXAMPLE.to_owned()];
    for seed in 0..4 {
        let recipe = Recipe { seed, nodes: 12, values: Bounds::new(-3, 3), ..Recipe::default() };
        out.push(random_tree(&recipe).to_string());
        out.push(random_dag(&recipe).to_string());
        out.push(random_cyclic(&recipe).to_string());
    }
    out
}

/// The words after `repetition`, and what they mean.
const RULES: [(&str, Repetition); 5] = [
    ("0", Repetition::Worth(0)),
    ("loses", Repetition::Loses),
    ("parity", Repetition::Parity),
    ("forbidden 0", Repetition::Forbidden(0)),
    ("forbidden -1", Repetition::Forbidden(-1)),
];

fn example((words, rule): (&str, Repetition)) -> GraphGame<true> {
    let text = EXAMPLE.replace("repetition 0", &format!("repetition {words}"));
    let AnyGraph::Cyclic(graph) = AnyGraph::parse(&text).unwrap() else { panic!("a cycle") };
    assert_eq!(graph.repetition(), rule);
    graph
}

#[test]
fn rules_of_repetition_are_read_written_and_told() {
    let mut told = Vec::new();
    for (words, rule) in RULES {
        let graph = example((words, rule));
        let text = graph.to_string();
        assert!(text.starts_with(&format!("repetition {words}\n")), "{text}");
        assert_eq!(print(&AnyGraph::parse(&text).unwrap()), text);
        assert_eq!(under(&example(RULES[0]), rule).to_string(), text);
        told.push(graph.rules_text());
    }
    told.dedup();
    assert_eq!(told.len(), RULES.len(), "{told:?}");
}

fn print(graph: &AnyGraph) -> String {
    match graph {
        AnyGraph::Acyclic(g) => g.to_string(),
        AnyGraph::Cyclic(g) => g.to_string(),
    }
}

fn check_conformance<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>) {
    conformance::check(graph, &GraphKnowledge::new(graph));
}

#[test]
fn conforms() {
    for rule in RULES {
        check_conformance(&example(rule));
    }
    for seed in 0..10 {
        let recipe = Recipe { seed, nodes: 40, values: Bounds::new(-2, 3), ..Recipe::default() };
        check_conformance(&random_tree(&recipe));
        check_conformance(&random_dag(&recipe));
        check_conformance(&random_cyclic(&Recipe { nodes: 12, moves: 3, ..recipe }));
    }
}

#[test]
fn errors_show_line_and_column() {
    for (text, line, column) in [
        ("", 1, 1),
        ("# nothing\n", 1, 1),
        ("a", 1, 2),
        ("a third: b", 1, 3),
        ("a first", 1, 8),
        ("a first:", 1, 9),
        ("a first: b", 1, 10),
        ("a first = 2", 1, 11),
        ("a first = x", 1, 11),
        ("a first = 1 1", 1, 13),
        ("first first = 1", 1, 1),
        ("a first: b\nb first = 1", 1, 10),
        ("a first: b b\nb second = 1", 1, 12),
        ("a first: b\nb second: a", 2, 11),
        ("a first: b\na second = 1", 2, 1),
        ("a first = 1; start b", 1, 20),
        ("a first = 1\nvalues 2 1", 2, 10),
        ("values 0 3\na first = 1; repetition -1", 2, 25),
        ("a first = 1; repetition", 1, 24),
        ("a first = 1; repetition draw", 1, 25),
        ("a first = 1; repetition loses 1", 1, 31),
        ("a first = 1; repetition parity -1", 1, 32),
        ("a first = 1; repetition forbidden", 1, 34),
        ("a first = 1; repetition forbidden x", 1, 35),
        ("a first = 1; repetition forbidden 2", 1, 35),
        ("a first = 1; repetition forbidden 0 0", 1, 37),
        ("é first = 1; ü second: é\nß second =", 2, 11),
    ] {
        let flaw = AnyGraph::parse(text).unwrap_err();
        assert_eq!((flaw.line, flaw.column + 1), (line, column), "{text:?}: {flaw}");
    }
}

struct Name;
impl Visitor for Name {
    type Output = (String, bool);
    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> (String, bool) {
        (rules.name(), R::CYCLIC)
    }
}

#[test]
fn the_registry_opens_files_and_lines() {
    let file = std::env::temp_dir().join(format!("zermelo-graph-{}.txt", std::process::id()));
    let name = format!("graph {}", file.display());
    std::fs::write(&file, EXAMPLE).unwrap();
    assert_eq!(crate::open(&name, Name).unwrap(), (name.clone(), true));
    std::fs::write(&file, "a first: b\nb first = 1\n").unwrap();
    let error = crate::open(&name, Name).unwrap_err();
    assert_eq!((error.what, error.column()), ("graph", 10));
    assert!(error.to_string().contains(&format!("line 1 of {}", file.display())), "{error}");
    std::fs::write(&file, "a first: b\n# \x1b[2J\nb second = 1\n").unwrap();
    let error = crate::open(&name, Name).unwrap_err();
    assert_eq!((error.what, error.column()), ("graph", 3));
    assert!(!error.to_string().contains('\x1b'), "{error}");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(crate::open(&name, Name).unwrap_err().column(), 7);
    // A colour in the name of a node, and a file whose name goes on in the next line.
    assert_eq!(crate::open("graph a\x1b[31m first = 0", Name).unwrap_err().column(), 8);
    let file = std::env::temp_dir().join(format!("zermelo-graph-{}\u{7}x", std::process::id()));
    std::fs::write(&file, EXAMPLE).unwrap();
    let error = crate::open(&format!("graph {}", file.display()), Name).unwrap_err().to_string();
    assert!(error.contains("without control characters"), "{error}");
    std::fs::remove_file(&file).unwrap();
    let error = crate::open("graph /dev/zero", Name).unwrap_err().to_string();
    assert!(error.contains("/dev/zero: it is no regular file"), "{error}");
    assert_eq!(crate::open("graph", Name).unwrap_err().column(), 6);
    assert_eq!(crate::open("graph a first: b; b first = 1", Name).unwrap_err().column(), 16);
    let (_, cyclic) = crate::open("graph a first: b; b second = 1", Name).unwrap();
    assert!(!cyclic);
}

/// The value by the rules alone, with the line so far.
fn minimax<const C: bool>(
    g: &GraphGame<C>,
    p: GraphNode,
    path: &mut Vec<GraphNode>,
    budget: &mut u32,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    if let Some(value) = g.outcome(&p) {
        return Some(value);
    }
    if path.contains(&p) {
        return g.repetition().fixed();
    }
    path.push(p);
    let sign = g.turn(&p).sign();
    let mut best = None;
    for to in g.successors(p) {
        best = best.max(Some(sign * minimax(g, to, path, budget)?));
    }
    path.pop();
    best.map(|b| sign * b)
}

fn check_labels<const C: bool>(g: &GraphGame<C>) -> u32 {
    let labels = labels(g);
    let mut checked = 0;
    for node in g.nodes() {
        if let Some(value) = minimax(g, node, &mut Vec::new(), &mut 20_000) {
            assert_eq!(value, labels[node.0 as usize], "{} of\n{g}", g.position_text(&node));
            checked += 1;
        }
    }
    checked
}

#[test]
fn labels_agree_with_minimax_along_the_path() {
    let (mut acyclic, mut cyclic) = (0, 0);
    for seed in 0..300 {
        let (values, draws) = match seed % 3 {
            0 => (Bounds::new(-1, 1), false),
            1 => (Bounds::new(-1, 1), true),
            _ => (Bounds::new(-3, 3), true),
        };
        let recipe = Recipe { seed, nodes: 30, moves: 3, values, draws };
        acyclic += check_labels(&random_tree(&recipe)) + check_labels(&random_dag(&recipe));
        cyclic += check_labels(&random_cyclic(&Recipe { nodes: 9 + (seed % 8) as u32, ..recipe }));
    }
    assert!(acyclic > 10_000 && cyclic > 3_000, "{acyclic} {cyclic}");
}

#[test]
fn recipes_are_kept() {
    let recipe = Recipe { seed: 5, nodes: 200, draws: false, ..Recipe::default() };
    let graph = random_cyclic(&recipe);
    assert_eq!(graph.to_string(), random_cyclic(&recipe).to_string());
    assert_eq!(graph.len(), 200);
    assert_ne!(graph.repetition(), Repetition::Worth(0));
    assert!(graph.nodes().all(|n| graph.outcome(&n) != Some(0)));
    assert!(graph.picture(&graph.start()).to_svg().ends_with("</svg>\n"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = AnyGraph::parse(&text);
    }

    #[test]
    fn what_looks_like_a_graph_is_read_or_refused(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "a", "b", "c", "first", "second", ":", "=", "1", "-1", "0", "\n", "\n", ";", " ", "#",
                "start", "values", "repetition", "99999999999", "é", "\r", "\t", "loses", "parity",
                "forbidden",
            ]),
            0..40,
        ),
        glue in prop::sample::select(vec!["", " "]),
    ) {
        let text = words.join(glue);
        if let Ok(graph) = AnyGraph::parse(&text) {
            let printed = print(&graph);
            prop_assert_eq!(&print(&AnyGraph::parse(&printed).unwrap()), &printed);
        }
    }

    #[test]
    fn damaged_graphs_are_read_or_refused(
        which in 0usize..13, at in any::<prop::sample::Index>(), new in "[a-d:=;# \n0-9-]{0,3}",
        cut in 0usize..4,
    ) {
        let mut chars: Vec<char> = texts()[which].chars().collect();
        let at = at.index(chars.len());
        chars.splice(at..(at + cut).min(chars.len()), new.chars());
        let text: String = chars.into_iter().collect();
        match AnyGraph::parse(&text) {
            Ok(graph) => {
                let printed = print(&graph);
                prop_assert_eq!(&print(&AnyGraph::parse(&printed).unwrap()), &printed);
            }
            Err(flaw) => {
                let line = text.lines().nth(flaw.line - 1).unwrap_or("");
                prop_assert!(flaw.column <= line.chars().count(), "{} in {:?}", flaw, text);
            }
        }
    }
}

/// Half a million nodes in a name, each with one successor: whatever takes a step for every word before a word, or for every node
/// above a node, does not come to an end here.
#[test]
fn a_long_graph_opens_by_its_name() {
    struct Text;

    impl crate::Visitor for Text {
        type Output = (String, u32, usize);

        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
            let game = Game::new(&rules, &knowledge);
            let p = game.start();
            (game.full_name(), game.plies_left(&p), game.position_text(&p).len())
        }
    }

    let nodes = 500_000;
    let turn = |i: usize| ["first", "second"][i % 2];
    let mut name = "graph".to_owned();
    for i in 1..nodes {
        name += &format!(" n{} {}: n{i};", i - 1, turn(i - 1));
    }
    name += &format!(" n{} {} = 1", nodes - 1, turn(nodes - 1));
    let (full_name, plies, long) = crate::open(&name, Text).unwrap();
    assert!(full_name == name, "another name");
    assert_eq!((plies, long), (nodes as u32 - 1, 2));
}
