//! Searches that can be watched: how a tree grows, step by step, in words and numbers.
//!
//! Proof-number search and product propagation are the real engines, with a tree that gives nothing back; the
//! second trees of PN2 are grown beside it and not shown. Alpha-beta and df-pn are told as in textbooks, in
//! `alphabeta` and `dfpn`: without a table, so that each step shows its window or its thresholds.

mod alphabeta;
mod dfpn;

use crate::EngineId;
use zermelo_game::{Bounds, Game, History, Knowledge, MoveList, Notation, Player, Question};
use zermelo_search::proofnumber::numbers::{INF, Number, Numbers};
use zermelo_search::proofnumber::pp::Odds;
use zermelo_search::proofnumber::tree::{BackupRule, Full, NodeMark, ProofNumberTree, ROOT};
use zermelo_search::proofnumber::view::QuestionView;
use zermelo_search::proofnumber::{pn2, pns, pp};

/// The longest tree that is watched, in nodes.
const NODES: usize = 100_000;

/// How a tree grew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The game.
    pub game: String,
    /// The solver.
    pub by: EngineId,
    /// What was asked, or what is searched for.
    pub question: String,
    /// All nodes in the order in which they came; the root is the first.
    pub nodes: Vec<Twig>,
    /// What happened; the first step shows the root alone.
    pub steps: Vec<GrowthStep>,
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
pub struct GrowthStep {
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
    pub state: TwigState,
}

/// How a node stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TwigState {
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

impl TwigState {
    /// A word for files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            TwigState::Fresh => "fresh",
            TwigState::Open => "open",
            TwigState::First => "first",
            TwigState::Second => "second",
            TwigState::Draw => "draw",
            TwigState::Cut => "cut",
        }
    }
}

/// Watches a search for so many steps; fails where the solver cannot be watched.
pub(crate) fn grow<R: Notation, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    history: &History<R>,
    by: EngineId,
    steps: usize,
) -> Result<Growth, String> {
    match by {
        EngineId::AlphaBeta => Ok(alphabeta::Telling::new(game.rules(), p, history, steps).told()),
        EngineId::Pns | EngineId::Pn2 | EngineId::Pp | EngineId::Dfpn if R::SUPERKO => {
            Err(format!("{} cannot search {}: boards must not be repeated", by.word(), game.name()))
        }
        EngineId::Pns => Ok(watch(game, p, by, pns::Config::default(), steps, expand)),
        EngineId::Pn2 => Ok(watch(game, p, by, pns::Config::default(), steps, expand_twice)),
        EngineId::Pp => Ok(watch(game, p, by, pp::Config, steps, expand)),
        EngineId::Dfpn => Ok(dfpn::told(game, p, steps)),
        _ => Err(format!("{} cannot be watched: take alphabeta, pns, pn2, pp or dfpn", by.word())),
    }
}

/// Marks that can be written.
trait Written: NodeMark {
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

/// Works on a leaf of a tree; how many nodes a second tree had, if there was one.
type Work<'g, R, K, S> = fn(&mut ProofNumberTree<'g, R, K, S>, u32) -> Result<Option<u64>, Full>;

/// Gives the leaf its children.
fn expand<R: Notation, K: Knowledge<R>, S: BackupRule>(
    tree: &mut ProofNumberTree<R, K, S>,
    leaf: u32,
) -> Result<Option<u64>, Full> {
    tree.expand(leaf).map(|()| None)
}

/// The same with what a second tree says of them, which grows as large as the first and is thrown away.
fn expand_twice<R: Notation, K: Knowledge<R>>(
    tree: &mut ProofNumberTree<R, K, pns::Config>,
    leaf: u32,
) -> Result<Option<u64>, Full> {
    let past = if R::CYCLIC { tree.ancestors(leaf) } else { Vec::new() };
    let mut second = tree.beside(leaf, pn2::SecondTreeSize::Equal.nodes(tree.live()));
    second.restart(tree.position(leaf), past.get(1..).unwrap_or(&[]));
    while second.answer().is_none() && second.step().is_ok() {}
    if second.is_expanded(ROOT) && second.answer().is_none() {
        let child = |c| second.move_to(c).map(|m| (m, *second.position(c), second.mark(c)));
        let children: Vec<_> = second.children(ROOT).filter_map(child).collect();
        tree.add_children(leaf, second.floor(ROOT), children.into_iter())?;
    } else {
        tree.expand(leaf)?;
        if let Some(numbers) = second.answer() {
            tree.settle(leaf, numbers, second.expanded());
        }
    }
    Ok(Some(second.expanded()))
}

/// A growth that has not begun, and what is asked.
fn begin<R: Notation, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    by: EngineId,
) -> (Growth, Question) {
    let bounds = game.static_bounds(p);
    let question = Question::halving(bounds);
    let growth = Growth {
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
    (growth, question.unwrap_or(Question { at_least: bounds.lo }))
}

/// So many, in words.
fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The end of a text, once the root is solved.
fn verdict(answer: Numbers, turn: Player) -> &'static str {
    if (answer.phi == 0) == (turn == Player::First) {
        " The answer is yes."
    } else {
        " The answer is no."
    }
}

/// Watches a tree that is kept in memory.
fn watch<'g, R: Notation, K: Knowledge<R>, S>(
    game: Game<'g, R, K>,
    p: &R::Position,
    by: EngineId,
    rule: S,
    steps: usize,
    work: Work<'g, R, K, S>,
) -> Growth
where
    S: BackupRule,
    S::Mark: Written,
{
    let (mut growth, question) = begin(game, p, by);
    let view = QuestionView::new(game, question);
    let mut tree = ProofNumberTree::new(view, p, rule, NODES).kept();
    let mut eyes = Eyes::new(game, view, p);
    if let Some(numbers) = view.judge(p) {
        tree.settle(ROOT, numbers, 0);
    }
    let mut text = String::from("The root, before anything is done.");
    for step in 0..=steps {
        let changes = eyes.look(&tree, &mut growth.nodes);
        let focus = if tree.answer().is_none() { tree.descend() } else { ROOT };
        growth.steps.push(GrowthStep {
            text,
            focus: focus as usize,
            nodes: growth.nodes.len(),
            changes,
        });
        if tree.answer().is_some() || step == steps {
            break;
        }
        let Ok(second) = work(&mut tree, focus) else { break };
        tree.back_up(focus);
        let moves = tree.children(focus).len();
        let of = match &*growth.nodes[focus as usize].mv {
            "" => "The root".to_owned(),
            mv => format!("The most promising leaf, {mv},"),
        };
        let beside = second
            .map(|n| format!(" by a second tree of {}", counted(n as usize, "node", "nodes")))
            .unwrap_or_default();
        text = match tree.mark(focus).solved() {
            Some(_) if second.is_some() => format!("{of} is decided{beside}."),
            Some(_) => format!("{of} is decided by its moves."),
            None if second.is_some() => {
                format!("{of} gets {}, judged{beside}.", counted(moves, "child", "children"))
            }
            None => format!("{of} gets {}.", counted(moves, "child", "children")),
        };
        if let Some(answer) = tree.answer() {
            text += verdict(answer, game.turn(p));
        }
    }
    growth
}

/// What was seen of a tree so far.
struct Eyes<'g, R: Notation, K: Knowledge<R>, M> {
    game: Game<'g, R, K>,
    view: QuestionView<'g, R, K>,
    /// The positions of nodes as they arise, which the tree holds in canonical form.
    real: Vec<R::Position>,
    marks: Vec<M>,
}

impl<'g, R: Notation, K: Knowledge<R>, M: Written> Eyes<'g, R, K, M> {
    fn new(
        game: Game<'g, R, K>,
        view: QuestionView<'g, R, K>,
        root: &R::Position,
    ) -> Eyes<'g, R, K, M> {
        Eyes { game, view, real: vec![*root], marks: Vec::new() }
    }

    /// Adds new nodes, and says which nodes look another way.
    fn look<S: BackupRule<Mark = M>>(
        &mut self,
        tree: &ProofNumberTree<R, K, S>,
        nodes: &mut Vec<Twig>,
    ) -> Vec<Change> {
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
                    let leads = |m: &R::Move| game.canonical(&game.play(&above, *m)) == *to;
                    let same =
                        tree.move_to(n).filter(|m| legal(game.rules(), &above, *m) && leads(m));
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
                changes.push(change(i, &mark, turn));
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

/// How a node with this mark looks.
fn change<M: Written>(node: usize, mark: &M, turn: Player) -> Change {
    let state = match mark.solved() {
        None => TwigState::Open,
        Some(s) if (s.phi == 0) == (turn == Player::First) => TwigState::First,
        Some(_) => TwigState::Second,
    };
    Change { node, label: mark.written(turn), state }
}

fn legal<R: Notation>(rules: &R, p: &R::Position, m: R::Move) -> bool {
    let mut list = MoveList::new();
    if rules.outcome(p).is_none() {
        rules.moves(p, &mut list);
    }
    list.iter().any(|legal| legal == m)
}
