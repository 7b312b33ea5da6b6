//! Plain alpha-beta, told as in a textbook: on the bare rules, without a table, so that each step shows its
//! window and what was cut.

use super::{Change, Growth, GrowthStep, Twig, TwigState};
use crate::EngineId;
use zermelo_game::{History, MoveList, Notation, Player, Value};

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
pub(super) struct Telling<'g, R: Notation> {
    rules: &'g R,
    growth: Growth,
    /// Steps still to be told.
    left: usize,
    pending: Vec<Change>,
    line: Vec<R::Position>,
    history: History<R>,
    root: R::Position,
}

impl<'g, R: Notation> Telling<'g, R> {
    pub(super) fn new(
        rules: &'g R,
        p: &R::Position,
        history: &History<R>,
        steps: usize,
    ) -> Telling<'g, R> {
        let growth = Growth {
            game: rules.name(),
            by: EngineId::AlphaBeta,
            question: "What is the value?".into(),
            nodes: Vec::new(),
            steps: Vec::new(),
        };
        let (line, pending, history) = (Vec::new(), Vec::new(), history.clone());
        Telling { rules, growth, left: steps, pending, line, history, root: *p }
    }

    pub(super) fn told(mut self) -> Growth {
        let root = self.root;
        self.add(None, String::new(), &root);
        self.tell(0, "The root, before anything is done.".into());
        let window = Window { alpha: None, beta: None };
        let _ = self.search(0, &root, window);
        self.growth
    }

    fn add(&mut self, parent: Option<usize>, mv: String, p: &R::Position) -> usize {
        let node = self.growth.nodes.len();
        let (turn, board) = (self.rules.turn(p), self.rules.picture(p).to_text());
        self.growth.nodes.push(Twig { parent, mv, turn, board });
        self.change(node, String::new(), TwigState::Fresh);
        node
    }

    fn change(&mut self, node: usize, label: String, state: TwigState) {
        self.pending.push(Change { node, label, state });
    }

    fn tell(&mut self, focus: usize, text: String) {
        let (nodes, changes) = (self.growth.nodes.len(), std::mem::take(&mut self.pending));
        self.growth.steps.push(GrowthStep { text, focus, nodes, changes });
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
            ("≤ ", if value < 0 { TwigState::Second } else { TwigState::Open })
        } else if window.beta.is_some_and(|beta| value >= beta) {
            ("≥ ", if value > 0 { TwigState::First } else { TwigState::Open })
        } else {
            let states = [TwigState::Second, TwigState::Draw, TwigState::First];
            ("", states[usize::from(value >= 0) + usize::from(value > 0)])
        };
        let label = format!("{sign}{value}");
        self.change(node, label.clone(), state);
        label
    }

    /// The value, or a bound on it where the window was left; `None` when no step is left.
    fn search(&mut self, node: usize, p: &R::Position, given: Window) -> Option<Value> {
        let mut window = given;
        self.spend()?;
        let rules = self.rules;
        let name = self.name(node);
        let back = self.line.iter().position(|q| R::CYCLIC && q == p);
        let mut list = MoveList::new();
        self.history.moves(rules, p, &mut list);
        let forbids = R::CYCLIC && rules.repetition().stuck().is_some();
        let allowed = |m: &R::Move| !forbids || !self.line.contains(&rules.play(p, *m));
        let moves: Vec<R::Move> = list.iter().filter(allowed).collect();
        let (end, why) = match back {
            Some(at) => {
                let plies = self.line.len() - at;
                let value = rules.repeated(p, plies);
                (value, "repeats a position")
            }
            None if rules.outcome(p).is_some() => (rules.outcome(p), "ends the game"),
            None if moves.is_empty() => (rules.repetition().stuck(), "leaves no move"),
            None => (None, ""),
        };
        if let Some(value) = end {
            self.close(node, value, Window { alpha: None, beta: None });
            self.tell(node, format!("{name} {why}: {value}."));
            return Some(value);
        }
        let children: Vec<(usize, R::Position)> = moves
            .into_iter()
            .map(|m| {
                let q = rules.play(p, m);
                (self.add(Some(node), rules.move_text(p, m), &q), q)
            })
            .collect();
        self.change(node, window.text(), TwigState::Open);
        self.tell(node, format!("{name} is entered with {}.", window.text()));
        self.line.push(*p);
        let maximizes = rules.turn(p) == Player::First;
        let mut best: Option<Value> = None;
        for (i, (child, q)) in children.iter().enumerate() {
            self.history.push(rules, q);
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
                    self.change(*cut, String::new(), TwigState::Cut);
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
            self.change(node, window.text(), TwigState::Open);
        }
        self.line.pop();
        let value = best?;
        self.spend()?;
        let label = self.close(node, value, given);
        self.tell(node, format!("{name} is worth {label}."));
        Some(value)
    }
}
