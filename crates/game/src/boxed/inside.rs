//! The game inside a box: everything that rules, notation and knowledge can be asked of positions and moves, which are bytes here.

use super::{BoxShape, ByteMove, BytePosition, Pass, pack_move, pack_position};
use crate::{
    Bounds, Footprint, Images, Knowledge, MoveList, Notation, ParseError, Picture, Rules, Soon,
    SuperkoRule, Value,
};
use std::sync::Arc;

/// All that rules, notation and knowledge can be asked of positions and moves.
pub(super) trait Inside<S: BoxShape>: Send + Sync {
    fn outcome(&self, p: &BytePosition<S>) -> Option<Value>;
    fn moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>);
    fn play(&self, p: &BytePosition<S>, m: ByteMove<S>) -> BytePosition<S>;
    fn key(&self, p: &BytePosition<S>) -> S::Key;
    fn code(&self, m: ByteMove<S>) -> usize;
    fn expand(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Option<Value>;
    fn images(&self, p: &BytePosition<S>) -> Images<BytePosition<S>>;
    fn symmetry_key(&self, p: &BytePosition<S>) -> S::Key;
    fn map_move_code(
        &self,
        p: &BytePosition<S>,
        symmetry_key: S::Key,
        code: usize,
    ) -> Option<usize>;
    fn standing(&self, p: &BytePosition<S>) -> Value;
    fn repeated(&self, p: &BytePosition<S>, plies: usize) -> Option<Value>;
    fn pass(&self, p: &BytePosition<S>) -> Option<BytePosition<S>>;
    fn board(&self, p: &BytePosition<S>) -> S::Key;
    fn board_before(&self, p: &BytePosition<S>) -> Option<S::Key>;

    fn move_text(&self, p: &BytePosition<S>, m: ByteMove<S>) -> String;
    fn position_text(&self, p: &BytePosition<S>) -> String;
    fn parse_position(&self, text: &str) -> Result<BytePosition<S>, ParseError>;
    fn parse_move(&self, p: &BytePosition<S>, text: &str) -> Result<ByteMove<S>, ParseError>;
    fn why_illegal(&self, p: &BytePosition<S>, text: &str) -> Option<String>;
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str>;
    fn picture(&self, p: &BytePosition<S>) -> Picture;
    fn footprint(&self, p: &BytePosition<S>, m: ByteMove<S>) -> Option<Footprint>;

    fn canonical(&self, p: &BytePosition<S>) -> BytePosition<S>;
    fn static_bounds(&self, p: &BytePosition<S>) -> Bounds;
    fn proving_move(&self, p: &BytePosition<S>, value: Value) -> Option<ByteMove<S>>;
    fn candidate_moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Value;
    fn distance_moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Option<Soon>;
    fn plies_left(&self, p: &BytePosition<S>) -> u32;
    fn leaf_numbers(&self, p: &BytePosition<S>, place: u32) -> Option<(u32, u32)>;
    fn evaluate(&self, p: &BytePosition<S>) -> i32;
    fn forcing(&self, p: &BytePosition<S>) -> bool;
    fn pattern(&self, p: &BytePosition<S>, m: ByteMove<S>) -> usize;
}

/// A game as it was before it was boxed.
pub(super) struct Pair<R: Rules, Kn> {
    pub(super) rules: Arc<R>,
    pub(super) knowledge: Kn,
    pub(super) pass: Option<Pass<R>>,
    pub(super) superko: SuperkoRule<R>,
}

impl<R: Rules, Kn> Pair<R, Kn> {
    #[inline(always)]
    fn boxed<S: BoxShape<Key = R::Key>>(&self, p: R::Position) -> BytePosition<S> {
        pack_position::<R, S>(&self.rules, p)
    }

    /// Copies a list.
    #[inline(always)]
    fn list<S: BoxShape>(&self, list: &MoveList<R::Move>, out: &mut MoveList<ByteMove<S>>) {
        list.scored().iter().for_each(|s| out.push_scored(pack_move::<R, S>(s.mv), s.score));
    }
}

impl<R: Notation, Kn: Knowledge<R>, S: BoxShape<Key = R::Key>> Inside<S> for Pair<R, Kn> {
    fn outcome(&self, p: &BytePosition<S>) -> Option<Value> {
        self.rules.outcome(p.get())
    }

    fn moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) {
        let mut list = MoveList::new();
        self.rules.moves(p.get(), &mut list);
        self.list::<S>(&list, out);
    }

    fn play(&self, p: &BytePosition<S>, m: ByteMove<S>) -> BytePosition<S> {
        self.boxed::<S>(self.rules.play(p.get(), *m.get()))
    }

    fn key(&self, p: &BytePosition<S>) -> R::Key {
        self.rules.key(p.get())
    }

    fn code(&self, m: ByteMove<S>) -> usize {
        self.rules.code(*m.get())
    }

    fn expand(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Option<Value> {
        let mut list = MoveList::new();
        let outcome = self.rules.expand(p.get(), &mut list);
        self.list::<S>(&list, out);
        outcome
    }

    fn images(&self, p: &BytePosition<S>) -> Images<BytePosition<S>> {
        self.rules.images(p.get()).into_iter().map(|image| self.boxed::<S>(image)).collect()
    }

    fn symmetry_key(&self, p: &BytePosition<S>) -> R::Key {
        self.rules.symmetry_key(p.get())
    }

    fn map_move_code(
        &self,
        p: &BytePosition<S>,
        symmetry_key: R::Key,
        code: usize,
    ) -> Option<usize> {
        self.rules.map_move_code(p.get(), symmetry_key, code)
    }

    fn standing(&self, p: &BytePosition<S>) -> Value {
        self.rules.standing(p.get())
    }

    fn repeated(&self, p: &BytePosition<S>, plies: usize) -> Option<Value> {
        self.rules.repeated(p.get(), plies)
    }

    fn pass(&self, p: &BytePosition<S>) -> Option<BytePosition<S>> {
        self.pass?(&self.rules, p.get()).map(|after| self.boxed::<S>(after))
    }

    fn board(&self, p: &BytePosition<S>) -> R::Key {
        self.superko.expect("boards may be repeated").board(&self.rules, p.get())
    }

    fn board_before(&self, p: &BytePosition<S>) -> Option<R::Key> {
        self.superko?.board_before(&self.rules, p.get())
    }

    fn move_text(&self, p: &BytePosition<S>, m: ByteMove<S>) -> String {
        self.rules.move_text(p.get(), *m.get())
    }

    fn position_text(&self, p: &BytePosition<S>) -> String {
        self.rules.position_text(p.get())
    }

    fn parse_position(&self, text: &str) -> Result<BytePosition<S>, ParseError> {
        self.rules.parse_position(text).map(|p| self.boxed::<S>(p))
    }

    fn parse_move(&self, p: &BytePosition<S>, text: &str) -> Result<ByteMove<S>, ParseError> {
        self.rules.parse_move(p.get(), text).map(pack_move::<R, S>)
    }

    fn why_illegal(&self, p: &BytePosition<S>, text: &str) -> Option<String> {
        self.rules.why_illegal(p.get(), text)
    }

    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.rules.split_moves(text)
    }

    fn picture(&self, p: &BytePosition<S>) -> Picture {
        self.rules.picture(p.get())
    }

    fn footprint(&self, p: &BytePosition<S>, m: ByteMove<S>) -> Option<Footprint> {
        self.rules.footprint(p.get(), *m.get())
    }

    fn canonical(&self, p: &BytePosition<S>) -> BytePosition<S> {
        self.boxed::<S>(self.knowledge.canonical(&self.rules, p.get()))
    }

    fn static_bounds(&self, p: &BytePosition<S>) -> Bounds {
        self.knowledge.static_bounds(&self.rules, p.get())
    }

    fn proving_move(&self, p: &BytePosition<S>, value: Value) -> Option<ByteMove<S>> {
        let proving = self.knowledge.proving_move(&self.rules, p.get(), value);
        proving.map(pack_move::<R, S>)
    }

    fn candidate_moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Value {
        let mut list = MoveList::new();
        let value = self.knowledge.candidate_moves(&self.rules, p.get(), &mut list);
        self.list::<S>(&list, out);
        value
    }

    fn distance_moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Option<Soon> {
        let mut list = MoveList::new();
        let soon = self.knowledge.distance_moves(&self.rules, p.get(), &mut list);
        self.list::<S>(&list, out);
        soon
    }

    fn plies_left(&self, p: &BytePosition<S>) -> u32 {
        self.knowledge.plies_left(&self.rules, p.get())
    }

    fn leaf_numbers(&self, p: &BytePosition<S>, place: u32) -> Option<(u32, u32)> {
        self.knowledge.leaf_numbers(&self.rules, p.get(), place)
    }

    fn evaluate(&self, p: &BytePosition<S>) -> i32 {
        self.knowledge.evaluate(&self.rules, p.get())
    }

    fn forcing(&self, p: &BytePosition<S>) -> bool {
        self.knowledge.forcing(&self.rules, p.get())
    }

    fn pattern(&self, p: &BytePosition<S>, m: ByteMove<S>) -> usize {
        self.knowledge.pattern(&self.rules, p.get(), *m.get())
    }
}
