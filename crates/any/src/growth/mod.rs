//! Searches that can be watched: how a tree grows, step by step, in words and numbers.
//!
//! Proof-number search and product propagation are the real engines, with a tree that gives nothing back.
//! Alpha-beta is told here by itself, as in a textbook: on the bare rules, without a table, so that each step
//! shows its window and what was cut.

use crate::By;
use zermelo_game::{Bounds, Game, History, MoveList, Player, Question, Value};
use zermelo_search::proofnumber::numbers::{INF, Number, Numbers};
use zermelo_search::proofnumber::pp::Odds;
use zermelo_search::proofnumber::tree::{Mark, ROOT, Rule, Tree};
use zermelo_search::proofnumber::view::View;
use zermelo_search::proofnumber::{pns, pp};

/// The longest tree that is watched, in nodes.
const NODES: usize = 100_000;

/// How a tree grew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The game.
    pub game: String,
    /// The solver.
    pub by: By,
    /// What was asked, or what is searched for.
    pub question: String,
    /// All nodes in the order in which they came; the root is the first.
    pub nodes: Vec<Twig>,
    /// What happened; the first step shows the root alone.
    pub steps: Vec<Step>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Twig {
    /// The node above.
    pub parent: Option<usize>,
    /// The move that leads here; empty for the root.
    pub mv: String,
    /// Whose turn it is.
    pub turn: Player,
    /// The position, as a text picture.
    pub board: String,
}

/// What happened in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// In words.
    pub text: String,
    /// The node to look at: the one that is worked on next, or where the search stands.
    pub focus: usize,
    /// So many nodes are there.
    pub nodes: usize,
    /// Nodes that look another way now; new ones among them.
    pub changes: Vec<Change>,
}

/// How a node looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Which node.
    pub node: usize,
    /// Its numbers, first player's view.
    pub label: String,
    /// How it stands.
    pub state: State,
}

/// How a node stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Nobody was there yet.
    Fresh,
    /// It is being searched.
    Open,
    /// The first player reaches its goal, or the value is a win for it.
    First,
    /// The second player does.
    Second,
    /// The value is a draw.
    Draw,
    /// It need not be looked at.
    Cut,
}

impl State {
    /// A word for files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            State::Fresh => "fresh",
            State::Open => "open",
            State::First => "first",
            State::Second => "second",
            State::Draw => "draw",
            State::Cut => "cut",
        }
    }
}

/// Watches a search for so many steps; fails where the solver cannot be watched.
pub(crate) fn grow<G: Game>(
    game: &G,
    p: &G::Position,
    history: &History,
    by: By,
    steps: usize,
) -> Result<Growth, String> {
    match by {
        By::AlphaBeta => Ok(Telling::new(game, p, history, steps).told()),
        By::Pns | By::Pp if G::SUPERKO => {
            Err(format!("{} cannot be had for {}: no board may come back", by.word(), game.name()))
        }
        By::Pns => Ok(watch(game, p, by, pns::Config::default(), steps)),
        By::Pp => Ok(watch(game, p, by, pp::Config, steps)),
        _ => Err(format!("{} cannot be watched: take alphabeta, pns or pp", by.word())),
    }
}

/// Marks that can be written.
trait Written: Mark {
    /// As the first player sees it.
    fn written(&self, turn: Player) -> String;
}

impl Written for Numbers {
    fn written(&self, turn: Player) -> String {
        let number = |n: Number| if n == INF { "∞".into() } else { n.to_string() };
        let (proof, disproof) = match turn {
            Player::First => (self.phi, self.delta),
            Player::Second => (self.delta, self.phi),
        };
        format!("{}, {}", number(proof), number(disproof))
    }
}

impl Written for Odds {
    fn written(&self, turn: Player) -> String {
        let chance = if turn == Player::First { self.won } else { self.lost };
        match self.solved() {
            Some(_) => format!("{chance:.0}"),
            // Never shown as certain.
            None => format!("{:.3}", chance.clamp(0.001, 0.999)),
        }
    }
}

/// Watches a tree that is kept in memory.
fn watch<G: Game, R>(game: &G, p: &G::Position, by: By, rule: R, steps: usize) -> Growth
where
    R: Rule,
    R::Mark: Written,
{
    let bounds = game.static_bounds(p);
    let question = Question::halving(bounds);
    let mut growth = Growth {
        game: game.name(),
        by,
        question: match (question, game.values()) {
            (None, _) => format!("The value is {}: nothing is to be searched.", bounds),
            (Some(q), all) if q.at_least == 1 && all == Bounds::new(-1, 1) => {
                "Does the first player win?".into()
            }
            (Some(q), all) if q.at_least == 0 && all == Bounds::new(-1, 1) => {
                "Does the first player win or draw?".into()
            }
            (Some(q), _) => format!("Is the value at least {}?", q.at_least),
        },
        nodes: Vec::new(),
        steps: Vec::new(),
    };
    let question = question.unwrap_or(Question { at_least: bounds.lo });
    let view = View::new(game, question);
    let mut tree = Tree::new(view, p, rule, NODES).kept();
    let mut eyes = Eyes { game, view, real: vec![*p], marks: Vec::new() };
    if let Some(numbers) = view.judge(p) {
        tree.settle(ROOT, numbers, 0);
    }
    let next = |tree: &Tree<G, R>| match tree.answer() {
        None => tree.most_proving(),
        Some(_) => ROOT,
    };
    let mut text = String::from("The root, before anything is done.");
    for step in 0..=steps {
        let changes = eyes.look(&tree, &mut growth.nodes);
        let focus = next(&tree);
        growth.steps.push(Step { text, focus: focus as usize, nodes: growth.nodes.len(), changes });
        if tree.answer().is_some() || step == steps {
            break;
        }
        let before = tree.expanded();
        if tree.step().is_err() || tree.expanded() == before {
            break;
        }
        let moves = tree.children(focus).len();
        let of = match &*growth.nodes[focus as usize].mv {
            "" => "The root".to_owned(),
            mv => format!("The most promising leaf, {mv},"),
        };
        text = match tree.mark(focus).solved() {
            Some(_) => format!("{of} is decided by its moves."),
            None => format!("{of} gets {moves} {}.", if moves == 1 { "child" } else { "children" }),
        };
        if let Some(answer) = tree.answer() {
            let yes = (answer.phi == 0) == (game.turn(p) == Player::First);
            text += if yes { " The answer is yes." } else { " The answer is no." };
        }
    }
    growth
}

/// What was seen of a tree so far.
struct Eyes<'g, G: Game, M> {
    game: &'g G,
    view: View<'g, G>,
    /// The positions of nodes as they arise, which the tree holds in canonical form.
    real: Vec<G::Position>,
    marks: Vec<M>,
}

impl<G: Game, M: Written> Eyes<'_, G, M> {
    /// Adds new nodes, and says which nodes look another way.
    fn look<R: Rule<Mark = M>>(&mut self, tree: &Tree<G, R>, nodes: &mut Vec<Twig>) -> Vec<Change> {
        let game = self.game;
        let mut changes = Vec::new();
        for n in 0..tree.extent() as u32 {
            let i = n as usize;
            if i == nodes.len() {
                let parent = tree.parent(n);
                let mut mv = String::new();
                if let Some(parent) = parent {
                    let above = self.real[parent as usize];
                    // A move of the canonical position need not be one of this.
                    let to = tree.position(n);
                    let leads = |m: &G::Move| game.canonical(&game.play(&above, *m)) == *to;
                    let same = tree.move_to(n).filter(|m| legal(game, &above, *m) && leads(m));
                    let way = same.or_else(|| self.view.way(&above, to));
                    let real = way.map_or(*tree.position(n), |m| game.play(&above, m));
                    let own = || tree.move_to(n).map(|m| (*tree.position(parent), m));
                    let written = way.map(|m| (above, m)).or_else(own);
                    mv = written.map_or(String::new(), |(p, m)| game.move_text(&p, m));
                    self.real.push(real);
                }
                let p = &self.real[i];
                nodes.push(Twig {
                    parent: parent.map(|p| p as usize),
                    mv,
                    turn: game.turn(p),
                    board: game.picture(p).to_text(),
                });
            }
            let (mark, turn) = (tree.mark(n), nodes[i].turn);
            if self.marks.get(i) != Some(&mark) {
                let state = match mark.solved() {
                    None => State::Open,
                    Some(s) if (s.phi == 0) == (turn == Player::First) => State::First,
                    Some(_) => State::Second,
                };
                changes.push(Change { node: i, label: mark.written(turn), state });
                self.marks.truncate(self.marks.len().max(i));
                match self.marks.get_mut(i) {
                    Some(old) => *old = mark,
                    None => self.marks.push(mark),
                }
            }
        }
        changes
    }
}

fn legal<G: Game>(game: &G, p: &G::Position, m: G::Move) -> bool {
    let mut list = MoveList::new();
    if game.outcome(p).is_none() {
        game.moves(p, &mut list);
    }
    list.iter().any(|legal| legal == m)
}

/// A window of values, first player's view; `None` is without bound.
#[derive(Clone, Copy)]
struct Window {
    alpha: Option<Value>,
    beta: Option<Value>,
}

impl Window {
    fn closed(self) -> bool {
        matches!((self.alpha, self.beta), (Some(a), Some(b)) if a >= b)
    }

    fn text(self) -> String {
        let bound = |b: Option<Value>, none: &str| b.map_or(none.to_owned(), |v| v.to_string());
        format!("α {} β {}", bound(self.alpha, "-∞"), bound(self.beta, "∞"))
    }
}

/// Plain alpha-beta, told step by step.
struct Telling<'g, G: Game> {
    game: &'g G,
    growth: Growth,
    /// Steps still to be told.
    left: usize,
    pending: Vec<Change>,
    line: Vec<G::Position>,
    history: History,
    root: G::Position,
}

impl<'g, G: Game> Telling<'g, G> {
    fn new(game: &'g G, p: &G::Position, history: &History, steps: usize) -> Telling<'g, G> {
        let growth = Growth {
            game: game.name(),
            by: By::AlphaBeta,
            question: "What is the value?".into(),
            nodes: Vec::new(),
            steps: Vec::new(),
        };
        let (line, pending, history) = (Vec::new(), Vec::new(), history.clone());
        Telling { game, growth, left: steps, pending, line, history, root: *p }
    }

    fn told(mut self) -> Growth {
        let root = self.root;
        self.add(None, String::new(), &root);
        self.tell(0, "The root, before anything is done.".into());
        let window = Window { alpha: None, beta: None };
        let _ = self.search(0, &root, window);
        self.growth
    }

    fn add(&mut self, parent: Option<usize>, mv: String, p: &G::Position) -> usize {
        let node = self.growth.nodes.len();
        let (turn, board) = (self.game.turn(p), self.game.picture(p).to_text());
        self.growth.nodes.push(Twig { parent, mv, turn, board });
        self.change(node, String::new(), State::Fresh);
        node
    }

    fn change(&mut self, node: usize, label: String, state: State) {
        self.pending.push(Change { node, label, state });
    }

    fn tell(&mut self, focus: usize, text: String) {
        let (nodes, changes) = (self.growth.nodes.len(), std::mem::take(&mut self.pending));
        self.growth.steps.push(Step { text, focus, nodes, changes });
    }

    /// Takes one of the steps that are left.
    fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    fn name(&self, node: usize) -> String {
        match &*self.growth.nodes[node].mv {
            "" => "The root".into(),
            mv => mv.into(),
        }
    }

    /// The search of a node is over: its value, or a bound on it where it lies outside the window.
    fn close(&mut self, node: usize, value: Value, window: Window) -> String {
        let (sign, state) = if window.alpha.is_some_and(|alpha| value <= alpha) {
            ("≤ ", if value < 0 { State::Second } else { State::Open })
        } else if window.beta.is_some_and(|beta| value >= beta) {
            ("≥ ", if value > 0 { State::First } else { State::Open })
        } else {
            let states = [State::Second, State::Draw, State::First];
            ("", states[usize::from(value >= 0) + usize::from(value > 0)])
        };
        let label = format!("{sign}{value}");
        self.change(node, label.clone(), state);
        label
    }

    /// The value, or a bound on it where the window was left; `None` when no step is left.
    fn search(&mut self, node: usize, p: &G::Position, given: Window) -> Option<Value> {
        let mut window = given;
        self.spend()?;
        let game = self.game;
        let name = self.name(node);
        let repeats = G::CYCLIC && self.line.contains(p);
        let end = if repeats { Some(game.repetition()) } else { game.outcome(p) };
        if let Some(value) = end {
            self.close(node, value, Window { alpha: None, beta: None });
            let why = if repeats { "repeats a position" } else { "ends the game" };
            self.tell(node, format!("{name} {why}: {value}."));
            return Some(value);
        }
        let mut list = MoveList::new();
        self.history.moves(game, p, &mut list);
        let children: Vec<(usize, G::Position)> = list
            .iter()
            .map(|m| {
                let q = game.play(p, m);
                (self.add(Some(node), game.move_text(p, m), &q), q)
            })
            .collect();
        self.change(node, window.text(), State::Open);
        self.tell(node, format!("{name} is entered with {}.", window.text()));
        self.line.push(*p);
        let maximizes = game.turn(p) == Player::First;
        let mut best: Option<Value> = None;
        for (i, (child, q)) in children.iter().enumerate() {
            self.history.push(game, q);
            let value = self.search(*child, q, window);
            self.history.pop();
            let value = value?;
            let better = best.is_none_or(|b| if maximizes { value > b } else { value < b });
            if !better {
                continue;
            }
            best = Some(value);
            let bound = if maximizes { &mut window.alpha } else { &mut window.beta };
            if bound.is_none_or(|b| if maximizes { value > b } else { value < b }) {
                *bound = Some(value);
            }
            let rest = &children[i + 1..];
            if window.closed() && !rest.is_empty() {
                for (cut, _) in rest {
                    self.change(*cut, String::new(), State::Cut);
                }
                self.spend()?;
                self.close(node, value, given);
                let bare = rest.len();
                let moves = if bare == 1 { "one move is" } else { "moves are" };
                let count = if bare == 1 { String::new() } else { format!("{bare} ") };
                let text = format!("{} closes the window: {count}{moves} cut.", window.text());
                self.tell(node, format!("{name}: {text}"));
                self.line.pop();
                return best;
            }
            self.change(node, window.text(), State::Open);
        }
        self.line.pop();
        let value = best?;
        self.spend()?;
        let label = self.close(node, value, given);
        self.tell(node, format!("{name} is worth {label}."));
        Some(value)
    }
}
