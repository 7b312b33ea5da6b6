//! Writing a strategy down.
//!
//! The walk is the checker's ([`check`](mod@crate::check)), only that the moves come from someone who knows
//! them, the [`Advisor`]. When a block has its number of positions, what the walk still meets is put off;
//! the next block starts from there, unless it has been proved meanwhile.
//!
//! **Memory.** Of all positions that are met the keys are kept, 8 or 16 bytes each, a byte beside, and between a half and
//! twice of it again for room between them (`marks.rs`), no more than [`Advisor::room`] allows. Answers take a byte each.

use crate::format::{Answer, Answers, Claim};
use crate::leaf::{self, Search};
use crate::line::{Source, Walk};
use crate::marks::Marks;
use crate::progress;
use crate::rules::Rules;
use zermelo_game::{Game, MoveList, Value};

/// Positions of the claimant in a block: few enough for a walk to find its way in a small memory, and
/// for several threads to have something to do.
pub const BLOCK: u64 = 1 << 20;

/// How a strategy is laid out in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Positions of the claimant in a block.
    pub block: u64,
    /// Where no more positions than this have to be looked at, the search is left to the checker.
    pub search: u32,
    /// Whether moves are chosen that ask for few positions that are not there already, as far as a look at
    /// the replies tells.
    pub smaller: bool,
}

impl Default for Layout {
    /// Nothing is left to the checker: that makes files smaller and checks longer (BENCHMARKS.md), and files
    /// are small.
    fn default() -> Layout {
        Layout { block: BLOCK, search: 0, smaller: false }
    }
}

/// Someone who knows a move that keeps the claim.
pub trait Advisor<G: Game> {
    /// A move of `p`, where the claimant is to move; `None` if none keeps the claim, or the work was
    /// stopped. Its class and its moves are given, as the walk has found them out already.
    fn advise(
        &mut self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move>;

    /// The same where no board may come back: these have stood, the present one last.
    fn advise_after(&mut self, p: &G::Position, boards: &[u64]) -> Option<G::Move> {
        let _ = (p, boards);
        None
    }

    /// Adds other moves that are known to keep the claim, and perhaps that one again.
    fn others(&mut self, p: &G::Position, out: &mut Vec<G::Move>) {
        let _ = (p, out);
    }

    /// Proves anew, without what is known, that the claim is kept at `p`: what is known may have been proved the one from the
    /// other. False if that cannot be done.
    fn renew(&mut self, p: &G::Position) -> bool {
        let _ = p;
        false
    }

    /// Bytes that may be taken for the positions that are proved, and to find a strategy that gets somewhere.
    fn room(&self) -> u64 {
        u64::MAX
    }

    /// The position, of this class, will perhaps be asked for soon: whoever looks it up somewhere can fetch it meanwhile.
    fn ahead(&mut self, p: &G::Position, class: G::Key) {
        let _ = (p, class);
    }

    /// Called now and then with the number of positions written; false stops the work.
    fn goes_on(&mut self, positions: u64) -> bool {
        let _ = positions;
        true
    }
}

/// Why a strategy could not be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The advisor knows no move.
    #[error("no move is known that keeps the claim \"{claim}\" at {position}")]
    NoMove {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// The game ends otherwise.
    #[error("the claim \"{claim}\" does not hold: the game is over at {position}")]
    Broken {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// What the advisor was told contradicts what it has proved.
    #[error("the facts contradict each other: {0}")]
    Contradiction(String),
    /// A win would have to be found among too many positions.
    #[error(
        "no way to win without circles was found among {0} positions, for which there was memory"
    )]
    Circles(usize),
    /// There are too many positions.
    #[error("the proof has more than {0} positions, for which there was memory")]
    Room(u64),
    /// The work was stopped.
    #[error("stopped before the proof was written")]
    Stopped,
    /// The game has no certificates.
    #[error("{0}")]
    Unsupported(String),
}

/// Writes the strategy that keeps a claim from `root`.
pub fn write<G: Game>(
    rules: Rules<G>,
    root: &G::Position,
    claim: Claim,
    layout: Layout,
    advisor: &mut dyn Advisor<G>,
) -> Result<Vec<Answers>, Failure> {
    if G::SUPERKO {
        return along_lines(rules, root, claim, advisor);
    }
    match claim.allows_circles(rules.repetition()) {
        Some(true) => return Writer::new(rules, claim, layout, advisor).all(root),
        Some(false) => {}
        None => return Err(Failure::Unsupported("positions have no values of their own".into())),
    }
    let mut steps = progress::Steps::towards(rules, root, claim, advisor)?;
    Writer::new(rules, claim, Layout { block: u64::MAX, ..layout }, &mut steps).all(root)
}

/// The same where no board may come back: one block, in the order of the walk of `line.rs`.
fn along_lines<G: Game>(
    rules: Rules<G>,
    root: &G::Position,
    claim: Claim,
    advisor: &mut dyn Advisor<G>,
) -> Result<Vec<Answers>, Failure> {
    struct Asked<'a, G: Game> {
        rules: Rules<'a, G>,
        advisor: &'a mut dyn Advisor<G>,
        answers: Answers,
        failure: Option<Failure>,
        claim: Claim,
    }

    impl<G: Game> Source<G> for Asked<'_, G> {
        fn answer(
            &mut self,
            p: &G::Position,
            boards: &[u64],
            moves: &MoveList<G::Move>,
        ) -> Result<Answer, String> {
            let advice = self.advisor.advise_after(p, boards);
            let positions = self.answers.positions;
            let goes_on = !positions.is_multiple_of(1 << 8) || self.advisor.goes_on(positions);
            let Some(at) = advice.and_then(|m| moves.iter().position(|o| o == m)) else {
                let (claim, position) = (self.claim.words(), self.rules.text(p));
                let stopped = !self.advisor.goes_on(positions);
                let no_move = Failure::NoMove { claim, position };
                self.failure = Some(if stopped { Failure::Stopped } else { no_move });
                return Err(String::new());
            };
            if !goes_on {
                self.failure = Some(Failure::Stopped);
                return Err(String::new());
            }
            self.answers.push(Answer::Play(at));
            self.answers.positions += 1;
            Ok(Answer::Play(at))
        }
    }

    let answers = Answers { starts: vec![rules.text(root)], ..Answers::default() };
    let mut walk = Walk::new(rules, claim, Asked { rules, advisor, answers, failure: None, claim });
    if let Err(position) = walk.from(root) {
        let claim = claim.words();
        return Err(walk.source.failure.unwrap_or(Failure::Broken { claim, position }));
    }
    Ok(vec![walk.source.answers])
}

/// Whether a strategy of the game can be written down by positions; if not, why.
pub fn has_certificates<G: Game>(game: &G) -> Result<(), Failure> {
    if G::CYCLIC && game.repetition().fixed().is_none() {
        let why = "where values hang on the line of play";
        let name = game.name();
        return Err(Failure::Unsupported(format!(
            "there are no certificates yet for {name}, {why}"
        )));
    }
    Ok(())
}

/// A position of the claimant that is still to be visited.
struct Visit<G: Game> {
    position: G::Position,
    class: G::Key,
    ply: u32,
}

struct Writer<'w, G: Game> {
    rules: Rules<'w, G>,
    claim: Claim,
    block: u64,
    leaf: Search<'w, G>,
    /// Whether anything is left to the checker.
    searches: bool,
    odds: Odds,
    smaller: bool,
    advisor: &'w mut dyn Advisor<G>,
    list: MoveList<G::Move>,
    stack: Vec<Visit<G>>,
    /// What the block at hand has met, and what is proved.
    marks: Marks<G::Key>,
    /// What was put off, with its ply.
    pending: Vec<(G::Position, u32)>,
    positions: u64,
}

impl<'w, G: Game> Writer<'w, G> {
    fn new(
        rules: Rules<'w, G>,
        claim: Claim,
        layout: Layout,
        advisor: &'w mut dyn Advisor<G>,
    ) -> Writer<'w, G> {
        Writer {
            rules,
            claim,
            block: layout.block.max(1),
            leaf: Search::new(rules, claim, layout.search.min(leaf::MOST)),
            searches: layout.search > 0,
            odds: Odds::default(),
            smaller: layout.smaller,
            advisor,
            list: MoveList::new(),
            stack: Vec::new(),
            marks: Marks::new(),
            pending: Vec::new(),
            positions: 0,
        }
    }

    fn all(mut self, root: &G::Position) -> Result<Vec<Answers>, Failure> {
        let (mut blocks, mut block) = (Vec::new(), Answers::default());
        self.walk(*root, 0, &mut block)?;
        while let Some((p, ply)) = self.pending.pop() {
            // A block is filled with walks from what was put off.
            if block.positions >= self.block {
                blocks.push(std::mem::take(&mut block));
                self.next_block()?;
            }
            let mark = self.marks.look(self.rules.class(&p)).0;
            if !mark.proved && !mark.met {
                self.walk(p, ply, &mut block)?;
            }
        }
        blocks.push(block);
        blocks.retain(|b| !b.starts.is_empty());
        Ok(blocks)
    }

    /// The block at hand is full.
    fn next_block(&mut self) -> Result<(), Failure> {
        self.marks.next_block();
        match self.marks.bytes() > self.advisor.room() {
            true => Err(Failure::Room(self.positions)),
            false => Ok(()),
        }
    }

    /// Walks from a position; its answers go to the end of a block.
    fn walk(&mut self, start: G::Position, ply: u32, out: &mut Answers) -> Result<(), Failure> {
        out.starts.push(self.rules.text(&start));
        if self.rules.turn(&start) == self.claim.claimant {
            let class = self.rules.class(&start);
            self.stack.push(Visit { position: start, class, ply });
        } else {
            self.replies(&start, ply)?;
        }
        while let Some(Visit { position: p, class, ply }) = self.stack.pop() {
            let known = self.marks.look(class);
            let mark = known.0;
            if mark.met {
                continue;
            }
            // What a block before proves is not over, and not proved again.
            if mark.proved {
                self.marks.meet(class, known, false);
                out.push(Answer::PutOff);
                continue;
            }
            self.advisor.ahead(&p, class);
            if let Some(next) = self.stack.last() {
                self.advisor.ahead(&next.position, next.class);
            }
            if let Some(value) = self.rules.expand(&p, &mut self.list) {
                self.end(&p, value)?;
                continue;
            }
            let here = out.positions < self.block;
            self.marks.meet(class, known, here);
            if !here {
                out.push(Answer::PutOff);
                self.pending.push((p, ply));
                continue;
            }
            let answer = self.answer(&p, class, ply)?;
            out.push(answer);
            out.positions += 1;
            self.positions += 1;
            if self.positions.is_multiple_of(1 << 12) && !self.advisor.goes_on(self.positions) {
                return Err(Failure::Stopped);
            }
            if let Answer::Play(at) = answer {
                self.replies(&self.rules.play(&p, self.list.scored()[at].mv), ply + 1)?;
            }
        }
        Ok(())
    }

    fn end(&self, p: &G::Position, value: Value) -> Result<(), Failure> {
        if self.claim.is_kept_by(value) {
            return Ok(());
        }
        let (claim, position) = (self.claim.words(), self.rules.text(p));
        Err(Failure::Broken { claim, position })
    }

    /// Takes note of all replies of the opponent, the first last.
    #[inline]
    fn replies(&mut self, p: &G::Position, ply: u32) -> Result<(), Failure> {
        if let Some(value) = self.rules.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        // What comes first on the stack is fetched first, and looked at when its turn comes.
        let first = self.stack.len();
        for m in self.list.iter() {
            let position = self.rules.play(p, m);
            let class = self.rules.class(&position);
            self.marks.fetch(class);
            self.stack.push(Visit { position, class, ply: ply + 1 });
        }
        self.stack[first..].reverse();
        Ok(())
    }

    /// The answer for a position of the claimant, whose moves are in the list.
    fn answer(&mut self, p: &G::Position, class: G::Key, ply: u32) -> Result<Answer, Failure> {
        if self.searches && self.odds.worth_a_try(ply) {
            let short = self.leaf.search(p).kept == Some(true);
            self.odds.learn(ply, short);
            if short {
                return Ok(Answer::Search);
            }
        }
        let advice = self.advisor.advise(p, class, &self.list).map(|m| match self.smaller {
            true => self.cheapest(p, m),
            false => m,
        });
        if let Some(at) = advice.and_then(|m| self.list.iter().position(|o| o == m)) {
            return Ok(Answer::Play(at));
        }
        if !self.advisor.goes_on(self.positions) {
            return Err(Failure::Stopped);
        }
        let (claim, position) = (self.claim.words(), self.rules.text(p));
        Err(Failure::NoMove { claim, position })
    }
}

/// What a new position counts where the claimant cannot end the game at once, in positions where it can.
const OPEN: u32 = 8;

impl<G: Game> Writer<'_, G> {
    /// Of the moves that are known to keep the claim, one that asks for the least.
    fn cheapest(&mut self, p: &G::Position, advised: G::Move) -> G::Move {
        let mut moves = vec![advised];
        self.advisor.others(p, &mut moves);
        let mut best = (advised, self.price(p, advised, u32::MAX));
        for &m in &moves[1..] {
            if best.1 == 0 {
                break;
            }
            let price = self.price(p, m, best.1);
            if price < best.1 {
                best = (m, price);
            }
        }
        best.0
    }

    /// What a move asks for that is not there yet; no more than `enough` is counted.
    fn price(&self, p: &G::Position, m: G::Move, enough: u32) -> u32 {
        let rules = self.rules;
        let next = rules.play(p, m);
        if rules.outcome(&next).is_some() {
            return 0;
        }
        let mut price = 0;
        for reply in rules.moves(&next).iter() {
            let child = rules.play(&next, reply);
            let class = rules.class(&child);
            let mark = self.marks.look(class).0;
            if mark.met || mark.proved || rules.outcome(&child).is_some() {
                continue;
            }
            let ends = |m| {
                let value = rules.outcome(&rules.play(&child, m));
                value.is_some_and(|value| self.claim.is_kept_by(value))
            };
            price += if rules.moves(&child).iter().any(ends) { 1 } else { OPEN };
            if price >= enough {
                break;
            }
        }
        price
    }
}

/// How often positions turn out to be short searches, ply by ply: most that are far from the end do not, and
/// are not tried every time.
#[derive(Default)]
struct Odds(Vec<Tries>);

#[derive(Clone, Copy, Default)]
struct Tries {
    met: u32,
    tried: u32,
    short: u32,
}

impl Odds {
    fn at(&mut self, ply: u32) -> &mut Tries {
        let ply = ply as usize;
        if self.0.len() <= ply {
            self.0.resize(ply + 1, Tries::default());
        }
        &mut self.0[ply]
    }

    /// Whether one in eight was short lately; if not, every sixteenth is tried.
    fn worth_a_try(&mut self, ply: u32) -> bool {
        let tries = self.at(ply);
        tries.met = tries.met.wrapping_add(1);
        tries.short * 8 >= tries.tried || tries.met.is_multiple_of(16)
    }

    fn learn(&mut self, ply: u32, short: bool) {
        let tries = self.at(ply);
        tries.tried += 1;
        tries.short += u32::from(short);
        if tries.tried == 1 << 12 {
            tries.tried /= 2;
            tries.short /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, check_game};
    use crate::format::{Certificate, Made};
    use zermelo_game::Player;
    use zermelo_games::Visitor;

    /// Plays the first move there is, within so many bytes.
    struct Anything {
        room: u64,
    }

    impl<G: Game> Advisor<G> for Anything {
        fn advise(
            &mut self,
            _: &G::Position,
            _: G::Key,
            moves: &MoveList<G::Move>,
        ) -> Option<G::Move> {
            moves.iter().next()
        }

        fn room(&self) -> u64 {
            self.room
        }
    }

    /// Writes that the value is at least the smallest there is, and checks it.
    struct Write {
        block: u64,
        room: u64,
    }

    impl Visitor for Write {
        type Output = Result<u64, Failure>;

        fn visit<G: Game>(self, game: G) -> Self::Output {
            let Write { block, room } = self;
            let (root, rules) = (game.start(), Rules::of(&game));
            let claim = Claim { claimant: Player::First, value: -1 };
            let layout = Layout { block, ..Layout::default() };
            let answers = write(rules, &root, claim, layout, &mut Anything { room })?;
            let mut paper =
                Certificate::new(game.name(), game.position_text(&root), 0, Made::default());
            paper.add(claim, answers);
            let checked = check_game(&game, &paper, &check::Limits::default(), None);
            Ok(checked.expect("every play keeps the claim").positions)
        }
    }

    #[test]
    fn blocks_share_out_the_positions_within_the_memory_given() {
        let write = |block, room| zermelo_games::open("mnk 3x4x4", Write { block, room }).unwrap();
        for block in [1, 7, 100, BLOCK] {
            assert!(write(block, u64::MAX).is_ok_and(|n| n > 100), "blocks of {block}");
        }
        assert!(matches!(write(7, 1_000), Err(Failure::Room(_))));
        assert!(write(BLOCK, 1_000).is_ok(), "one block needs no list of others");
    }
}
