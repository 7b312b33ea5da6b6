//! The checker.
//!
//! A *walk* starts at a position and goes depth first through all play against the claimant's strategy:
//!
//! - Where the game is over, its value must keep the claim.
//! - Where the opponent is to move, all moves are gone through, in the order of the rules.
//! - Where the claimant is to move, nothing is done if this position, or an image of it, has been met
//!   in the block before. Otherwise the next answer is read. 0: the position is proved in another
//!   block. n: play the n-th move, in the order of the rules.
//!
//! A block is the answers of the walks from its starts, one after the other. What a block leaves to others
//! must be proved there: so at the end every position that was put off must be among those that some block
//! has a move for.
//!
//! **Why this is a proof.** The positions with a move are closed under replies: from any of them the
//! claimant's move leads to the end of the game with the claim kept, or, after any reply, to another of
//! them. Where play always ends that is all. Where it may come back to a position (`CYCLIC`) and such play
//! keeps the claim, it is all, too. Where it does not, the walk must not meet a position that it is still
//! below, and there must be one block only: then the strategy has no circle, and play along it ends.
//!
//! **Memory.** A block's walk needs the positions of the block. Those put off to other blocks are compared
//! by their keys, in several passes over the file if all keys together are more than the memory given.

use crate::format::{self, Block, Certificate, Claim, Part, Reader, Refusal};
use crate::rules::Rules;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_game::{Game, Key, Player, Value};
use zermelo_games::Visitor;

/// How to check.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'c> {
    /// Threads, each with a block of its own.
    pub threads: usize,
    /// Bytes for positions.
    pub memory: u64,
    /// Stops the check when set.
    pub cancel: Option<&'c AtomicBool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { threads: 1, memory: 4 << 30, cancel: None }
    }
}

/// What was found to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Positions at which the claimant has a move.
    pub positions: u64,
    /// Positions looked at, those where the game is over included.
    pub looked_at: u64,
    /// Ends of games.
    pub ends: u64,
    /// The longest play from a start, in plies.
    pub depth: u32,
    /// Passes over the file.
    pub passes: u32,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// Bytes that a position costs a walk, and one that several blocks share.
const WALK_BYTES: u64 = 48;

/// Checks a certificate. What it claims is true if this returns `Ok`.
pub fn check(certificate: &Certificate, limits: &Limits) -> Result<Checked, Refusal> {
    struct Check<'c>(&'c Certificate, &'c Limits<'c>);

    impl Visitor for Check<'_> {
        type Output = Result<Checked, Refusal>;

        fn visit<G: Game>(self, game: G) -> Self::Output {
            check_game(&game, self.0, self.1)
        }
    }

    let name = &certificate.header.game;
    // A graph without a line is the name of a file, which is no business of a certificate.
    if name.starts_with("graph") && !name.contains([';', '=']) {
        return Err(Refusal::Header("a graph has to be written out in its name".into()));
    }
    match zermelo_games::open(name, Check(certificate, limits)) {
        Ok(result) => result,
        Err(error) => Err(Refusal::Header(error.to_string())),
    }
}

/// The same for a game at hand.
pub fn check_game<G: Game>(
    game: &G,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Checked, Refusal> {
    let start = Instant::now();
    let header = &certificate.header;
    let header_wrong = |why: String| Err(Refusal::Header(why));
    let rules = Rules::of(game);
    if G::SUPERKO || rules.repetition().is_some_and(|rule| rule.fixed().is_none()) {
        return header_wrong("values of this game hang on the line of play".into());
    }
    if header.game != game.full_name() {
        return header_wrong(format!("the game's name is written {}", game.full_name()));
    }
    let root = rules.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let claimants: Vec<Player> = header.claims.iter().map(|part| part.claimant).collect();
    if !matches!(
        claimants[..],
        [_] | [Player::First, Player::Second] | [Player::Second, Player::First]
    ) {
        return header_wrong("there are one or two claims, of different players".into());
    }
    let mut checked = Checked::default();
    for (i, part) in header.claims.iter().enumerate() {
        let place = format!("\"{}\"", part.claim().words());
        let wrong = |why: &str| Err(Refusal::Wrong { place, why: why.into() });
        if !rules.values().contains(part.value) {
            return wrong("the game has no such value");
        }
        if part.blocks.iter().any(|block| block.starts.is_empty()) {
            return wrong("a block has no start");
        }
        let sum = part.blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.positions));
        if sum != part.positions {
            return wrong("its blocks do not hold as many positions as stated");
        }
        let first = part.blocks.first().and_then(|block| block.starts.first());
        if first.and_then(|text| rules.parse(text).ok()) != Some(root) {
            return wrong("the proof does not start at the position of the claim");
        }
        let packed = certificate.packed(i);
        let job = Job { rules, part, packed: &packed, limits };
        job.check(&mut checked)?;
    }
    checked.elapsed = start.elapsed();
    Ok(checked)
}

/// One claim to be checked.
struct Job<'j, G> {
    rules: Rules<'j, G>,
    part: &'j Part,
    packed: &'j [&'j [u8]],
    limits: &'j Limits<'j>,
}

/// Keys of positions for which there is a move, and of those that are put off to other blocks.
struct Keys<K> {
    proved: Vec<K>,
    put_off: Vec<K>,
}

impl<G: Game> Job<'_, G> {
    fn check(&self, checked: &mut Checked) -> Result<(), Refusal> {
        let blocks = &self.part.blocks;
        // A walk meets no more positions than there are answers, whatever the header says of them.
        let met = |block: &Block| block.size.max(block.positions);
        let most = blocks.iter().map(met).max().unwrap_or(0);
        let threads = self.limits.threads.clamp(1, blocks.len().max(1)) as u64;
        let walks = most.saturating_mul(WALK_BYTES).saturating_mul(threads);
        if walks > self.limits.memory {
            let needed = walks.div_ceil(1 << 20);
            return Err(Refusal::Limit(format!(
                "a block of {most} answers needs {needed} MiB on {threads} threads"
            )));
        }
        let left = (self.limits.memory - walks).max(1 << 20);
        let all = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(met(block)));
        let keys = all.saturating_mul(size_of::<G::Key>() as u64);
        let passes = if blocks.len() == 1 { 1 } else { keys.div_ceil(left).clamp(1, 1 << 16) };
        for pass in 0..passes {
            let sum = self.pass(pass, passes)?;
            if pass == 0 {
                checked.positions += sum.positions;
                checked.looked_at += sum.looked_at;
                checked.ends += sum.ends;
                checked.depth = checked.depth.max(sum.depth);
            }
            checked.passes += 1;
        }
        Ok(())
    }

    /// Walks through all blocks, and compares the keys that fall to this pass.
    fn pass(&self, pass: u64, passes: u64) -> Result<Checked, Refusal> {
        let next = AtomicUsize::new(0);
        let alone = self.part.blocks.len() == 1;
        let together = Mutex::new((Checked::default(), Keys { proved: vec![], put_off: vec![] }));
        let failed: Mutex<Option<(usize, Refusal)>> = Mutex::new(None);
        let work = || {
            loop {
                let i = next.fetch_add(1, Relaxed);
                let over =
                    |failed: &Option<(usize, Refusal)>| failed.as_ref().is_some_and(|f| f.0 < i);
                if i >= self.part.blocks.len() || over(&failed.lock().unwrap()) {
                    return;
                }
                let name = format::name(self.part, i);
                match self.block(i, &name) {
                    Ok((found, met)) => {
                        let mut together = together.lock().unwrap();
                        let sum = &mut together.0;
                        sum.positions += found.positions;
                        sum.looked_at += found.looked_at;
                        sum.ends += found.ends;
                        sum.depth = sum.depth.max(found.depth);
                        let mine = |key: &G::Key| {
                            key.mix(G::Key::BITS).wide() % u128::from(passes) == u128::from(pass)
                        };
                        for (key, state) in met.into_iter().filter(|(key, _)| mine(key)) {
                            match state {
                                State::PutOff => together.1.put_off.push(key),
                                // What is put off to another block is never proved in the same one.
                                State::Proved if alone => {}
                                State::Proved | State::Open => together.1.proved.push(key),
                            }
                        }
                    }
                    Err(refusal) => {
                        let mut failed = failed.lock().unwrap();
                        if failed.as_ref().is_none_or(|f| f.0 > i) {
                            *failed = Some((i, refusal));
                        }
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            (1..self.limits.threads.max(1)).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        if let Some((_, refusal)) = failed.into_inner().unwrap() {
            return Err(refusal);
        }
        let (sum, Keys { mut proved, put_off }) = together.into_inner().unwrap();
        proved.sort_unstable();
        match put_off.iter().all(|key| proved.binary_search(key).is_ok()) {
            true => Ok(sum),
            false => Err(Refusal::Wrong {
                place: format!("\"{}\"", self.part.claim().words()),
                why: "a position that is put off to another block is proved in none".into(),
            }),
        }
    }

    /// Walks through one block.
    fn block(&self, i: usize, name: &str) -> Result<(Checked, Met<G>), Refusal> {
        let block = &self.part.blocks[i];
        let symbols = format::unpack(block, self.packed[i], name)?;
        let wrong = |why: String| Refusal::Wrong { place: name.into(), why };
        let (claim, blocks) = (self.part.claim(), &self.part.blocks);
        let circles = claim.allows_circles(self.rules.repetition()) != Some(true);
        if circles && blocks.len() > 1 {
            return Err(wrong("a win where positions can come back must be one block".into()));
        }
        // An honest file has as many answers as positions, and more only where some are put off.
        let room = block.positions.min(block.size) as usize;
        let mut walk = Walk {
            rules: self.rules,
            claim,
            circles,
            met: FxHashMap::with_capacity_and_hasher(room, FxBuildHasher),
            answers: Reader::new(&symbols),
            stack: Vec::new(),
            sum: Checked::default(),
            cancel: self.limits.cancel,
        };
        for start in &block.starts {
            let p = self.rules.parse(start).map_err(|e| wrong(e.to_string()))?;
            walk.from(p).map_err(|why| match self.limits.cancel {
                Some(cancel) if cancel.load(Relaxed) => Refusal::Stopped,
                _ => wrong(why),
            })?;
        }
        if !walk.answers.is_at_end() {
            return Err(wrong("it holds more answers than its walks ask for".into()));
        }
        if walk.sum.positions != block.positions {
            return Err(wrong("it does not hold as many positions as stated".into()));
        }
        Ok((walk.sum, walk.met))
    }
}

/// What is known of a position of the claimant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The walk is below it (only told where circles matter).
    Open,
    /// It has a move.
    Proved,
    /// It is left to another block.
    PutOff,
}

/// The positions of the claimant that were met, by their classes.
type Met<G> = FxHashMap<<G as Game>::Key, State>;

/// What is still to be done.
enum Task<G: Game> {
    Visit(G::Position, u32),
    Leave(G::Key),
}

/// The walks of one block.
struct Walk<'w, G: Game> {
    rules: Rules<'w, G>,
    claim: Claim,
    circles: bool,
    met: Met<G>,
    answers: Reader<'w>,
    stack: Vec<Task<G>>,
    sum: Checked,
    cancel: Option<&'w AtomicBool>,
}

impl<G: Game> Walk<'_, G> {
    fn from(&mut self, start: G::Position) -> Result<(), String> {
        self.stack.push(Task::Visit(start, 0));
        while let Some(task) = self.stack.pop() {
            match task {
                Task::Visit(p, ply) => self.visit(p, ply)?,
                Task::Leave(key) => {
                    self.met.insert(key, State::Proved);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn visit(&mut self, p: G::Position, ply: u32) -> Result<(), String> {
        self.sum.looked_at += 1;
        self.sum.depth = self.sum.depth.max(ply);
        if self.sum.looked_at.is_multiple_of(1 << 16)
            && self.cancel.is_some_and(|c| c.load(Relaxed))
        {
            return Err("stopped".into());
        }
        if let Some(value) = self.rules.outcome(&p) {
            self.sum.ends += 1;
            return self.end(&p, value);
        }
        if self.rules.turn(&p) == self.claim.claimant {
            return self.answer(p, ply);
        }
        let moves = self.rules.moves(&p);
        for m in moves.iter().rev() {
            self.stack.push(Task::Visit(self.rules.play(&p, m), ply + 1));
        }
        Ok(())
    }

    fn end(&self, p: &G::Position, value: Value) -> Result<(), String> {
        match self.claim.is_kept_by(value) {
            true => Ok(()),
            false => Err(format!("the game ends with the value {value} at {}", self.rules.text(p))),
        }
    }

    #[inline]
    fn answer(&mut self, p: G::Position, ply: u32) -> Result<(), String> {
        let key = self.rules.class(&p);
        match self.met.get(&key) {
            None => {}
            Some(State::Open) => {
                return Err(format!("the strategy runs in a circle at {}", self.rules.text(&p)));
            }
            Some(_) => return Ok(()),
        }
        let Some(answer) = self.answers.next() else {
            return Err(format!("there is no answer for {}", self.rules.text(&p)));
        };
        if answer == 0 {
            self.met.insert(key, State::PutOff);
            return Ok(());
        }
        let moves = self.rules.moves(&p);
        let Some(m) = moves.iter().nth(answer - 1) else {
            let (text, of) = (self.rules.text(&p), moves.len());
            return Err(format!("the answer for {text} is move {answer} of {of}"));
        };
        self.sum.positions += 1;
        if self.circles {
            self.met.insert(key, State::Open);
            self.stack.push(Task::Leave(key));
        } else {
            self.met.insert(key, State::Proved);
        }
        self.stack.push(Task::Visit(self.rules.play(&p, m), ply + 1));
        Ok(())
    }
}
