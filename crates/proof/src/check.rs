//! The checker.
//!
//! A *walk* starts at a position and goes depth first through all play against the claimant's strategy:
//!
//! - Where the game is over, its value must keep the claim.
//! - Where the opponent is to move, all moves are gone through, in the order of the rules.
//! - Where the claimant is to move, nothing is done if this position, or an image of it, has been met
//!   in the block before. Otherwise the next answer is read. 0: the position is proved in another
//!   block. 1: it is searched here and now, and must turn out to keep the claim (`leaf.rs`).
//!   n + 1: play the n-th move, in the order of the rules.
//!
//! A block is the answers of the walks from its starts, one after the other. What a block leaves to others
//! must be proved there: so at the end every position that was put off must be among those that some block
//! has a move for or searches.
//!
//! **Why this is a proof.** A search is a proof by itself. The positions with a move are closed under replies: from any of them the
//! claimant's move leads to the end of the game with the claim kept, or, after any reply, to another of
//! them or to one that was searched. Where play always ends that is all. Where it may come back to a position (`CYCLIC`) and such play
//! keeps the claim, it is all, too. Where it does not, the walk must not meet a position that it is still
//! below, and there must be one block only: then the strategy has no circle, and play along it ends.
//!
//! Where no board may come back, a position has no value of its own: `line.rs` holds the walk for such games.
//!
//! **Library.** Where a file names an endgame database, play counts as over at all positions that it knows, with the value that it
//! states. It knows all that can be reached from there, so no circle leads out of it and back.
//!
//! **Memory.** A block's walk needs the positions of the block. Those put off to other blocks are compared
//! by their keys, in several passes over the file if all keys together are more than the memory given.

use crate::format::{self, Answer, Block, Certificate, Claim, Part, Reader, Refusal};
use crate::leaf::Search;
use crate::line;
use crate::met::{self, Met};
use crate::rules::{Ends, Library, Rules};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_game::{Game, Key, MoveList, Player, Sliced, Value};
use zermelo_games::{SlicedVisitor, Visitor};

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
    /// Positions of the claimant that were proved.
    pub positions: u64,
    /// Those of them that were searched.
    pub searched: u64,
    /// Positions looked at, those where the game is over included.
    pub looked_at: u64,
    /// Ends of games.
    pub ends: u64,
    /// Those of them that a database knows.
    pub entries: u64,
    /// The longest play from a start, in plies.
    pub depth: u32,
    /// Passes over the file.
    pub passes: u32,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// Checks a certificate. What it claims is true if this returns `Ok`.
pub fn check(certificate: &Certificate, limits: &Limits) -> Result<Checked, Refusal> {
    struct Check<'c>(&'c Certificate, &'c Limits<'c>);

    impl Visitor for Check<'_> {
        type Output = Result<Checked, Refusal>;

        fn visit<G: Game>(self, game: G) -> Self::Output {
            check_game(&game, self.0, self.1, None)
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

/// The same with databases at hand, for certificates that rest on one.
pub fn check_with(
    certificate: &Certificate,
    limits: &Limits,
    databases: &impl Library,
) -> Result<Checked, Refusal> {
    struct Check<'c, D>(&'c Certificate, &'c Limits<'c>, &'c D);

    impl<D: Library> SlicedVisitor for Check<'_, D> {
        type Output = Result<Checked, Refusal>;

        fn visit<G: Sliced>(self, game: G) -> Self::Output {
            let Check(certificate, limits, databases) = self;
            let ends = at_hand(&game, certificate, databases)?;
            check_game(&game, certificate, limits, Some(&*ends))
        }
    }

    if certificate.header.database.is_none() {
        return check(certificate, limits);
    }
    with_slices(certificate, Check(certificate, limits, databases))
}

/// The database of a certificate that rests on one.
pub(crate) fn at_hand<'d, G: Sliced>(
    game: &'d G,
    certificate: &Certificate,
    databases: &'d impl Library,
) -> Result<Box<dyn Ends<G> + 'd>, Refusal> {
    databases.of(game).map_err(|why| match &certificate.header.database {
        Some(base) => Refusal::Database { base: base.clone(), why },
        None => Refusal::Header(why),
    })
}

/// Hands a certificate's game to a visitor.
pub(crate) fn with_slices<T>(
    certificate: &Certificate,
    visitor: impl SlicedVisitor<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    let name = &certificate.header.game;
    match zermelo_games::open_sliced(name, visitor) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Refusal::Header(format!("{name} has no endgame databases"))),
        Err(error) => Err(Refusal::Header(error.to_string())),
    }
}

/// The same for a game at hand, and perhaps a database.
pub fn check_game<'g, G: Game>(
    game: &'g G,
    certificate: &Certificate,
    limits: &Limits,
    ends: Option<&'g dyn Ends<G>>,
) -> Result<Checked, Refusal> {
    let start = Instant::now();
    let header = &certificate.header;
    let header_wrong = |why: String| Err(Refusal::Header(why));
    match (&header.database, ends) {
        (Some(base), None) => {
            return Err(Refusal::Database { base: base.clone(), why: "it is not at hand".into() });
        }
        (Some(base), Some(ends)) if ends.digest() != base.digest => {
            let why = format!("the one at hand is another ({})", ends.digest());
            return Err(Refusal::Database { base: base.clone(), why });
        }
        (Some(_), Some(_)) if G::SUPERKO => {
            return header_wrong("where no board may come back there are no databases".into());
        }
        _ => {}
    }
    let rules = Rules::with(game, ends.filter(|_| header.database.is_some()));
    if rules.repetition().is_some_and(|rule| rule.fixed().is_none()) {
        return header_wrong("there are no certificates yet under this rule of repetition".into());
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
        let job = Job { rules, part, packed: &packed, search: header.search, limits };
        job.check(&mut checked)?;
    }
    checked.elapsed = start.elapsed();
    Ok(checked)
}

/// One claim to be checked.
struct Job<'j, G: Game> {
    rules: Rules<'j, G>,
    part: &'j Part,
    packed: &'j [&'j [u8]],
    /// See [`Header`](format::Header).
    search: u32,
    limits: &'j Limits<'j>,
}

/// Keys of positions for which there is a move, and of those that are put off to other blocks. Both are
/// dealt out to heaps by their keys, so that one heap at a time can be compared near at hand.
#[derive(Clone)]
struct Keys<K> {
    proved: Vec<K>,
    put_off: Vec<K>,
}

/// Heaps of keys, and the most passes over the file.
const HEAPS: usize = 1 << 10;

/// The heap of a key.
#[inline]
fn heap<K: Key>(key: K) -> usize {
    key.mix(K::BITS).split(K::BITS - HEAPS.ilog2()).0
}

impl<G: Game> Job<'_, G> {
    fn check(&self, checked: &mut Checked) -> Result<(), Refusal> {
        if G::SUPERKO {
            return self.along_lines(checked);
        }
        let blocks = &self.part.blocks;
        // A walk meets no more positions than there are answers, whatever the header says of them.
        let met = |block: &Block| block.size.max(block.positions);
        let most = blocks.iter().map(met).max().unwrap_or(0);
        let threads = self.limits.threads.clamp(1, blocks.len().max(1)) as u64;
        // Each answer takes a byte before and after unpacking, and what is known of its position: in the set
        // of those met, and in the list for the other blocks.
        let lists = most.saturating_mul(2 + 2 * size_of::<G::Key>() as u64);
        let walks = met::bytes::<G::Key>(most).saturating_add(lists).saturating_mul(threads);
        if walks > self.limits.memory {
            let needed = walks.div_ceil(1 << 20);
            return Err(Refusal::Limit(format!(
                "a block of {most} answers needs {needed} MiB on {threads} threads"
            )));
        }
        let left = (self.limits.memory - walks).max(1 << 20);
        let all = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(met(block)));
        let keys = all.saturating_mul(size_of::<G::Key>() as u64);
        let passes = if blocks.len() == 1 { 1 } else { keys.div_ceil(left).clamp(1, HEAPS as u64) };
        for pass in 0..passes {
            let of = |n: u64| (n * HEAPS as u64 / passes) as usize;
            let sum = self.pass(of(pass)..of(pass + 1))?;
            if pass == 0 {
                checked.positions += sum.positions;
                checked.searched += sum.searched;
                checked.looked_at += sum.looked_at;
                checked.ends += sum.ends;
                checked.entries += sum.entries;
                checked.depth = checked.depth.max(sum.depth);
            }
            checked.passes += 1;
        }
        Ok(())
    }

    /// Walks where no board may come back.
    fn along_lines(&self, checked: &mut Checked) -> Result<(), Refusal> {
        struct Written<'a>(Reader<'a>, Option<&'a AtomicBool>);

        impl<G: Game> line::Source<G> for Written<'_> {
            fn answer(
                &mut self,
                _: &G::Position,
                _: &[u64],
                _: &MoveList<G::Move>,
            ) -> Result<Answer, String> {
                if self.1.is_some_and(|cancel| cancel.load(Relaxed)) {
                    return Err(String::new());
                }
                self.0.next().ok_or_else(|| "there are not enough answers".into())
            }
        }

        let name = format::name(self.part, 0);
        let wrong = |why: String| Refusal::Wrong { place: name.clone(), why };
        let [block] = &self.part.blocks[..] else {
            return Err(wrong("where no board may come back there is one block".into()));
        };
        let [start] = &block.starts[..] else {
            return Err(wrong("where no board may come back there is one start".into()));
        };
        let symbols = format::unpack(block, self.packed[0], &name)?;
        let p = self.rules.parse(start).map_err(|e| wrong(e.to_string()))?;
        let source = Written(Reader::new(&symbols), self.limits.cancel);
        let mut walk = line::Walk::new(self.rules, self.part.claim(), source);
        walk.memory = self.limits.memory;
        walk.from(&p).map_err(|why| match (self.limits.cancel, walk.kept > walk.memory) {
            (Some(cancel), _) if cancel.load(Relaxed) => Refusal::Stopped,
            (_, true) => Refusal::Limit(why),
            _ => wrong(why),
        })?;
        if !walk.source.0.is_at_end() {
            return Err(wrong("it holds more answers than its walk asks for".into()));
        }
        if walk.positions != block.positions {
            return Err(wrong("it does not hold as many positions as stated".into()));
        }
        checked.positions += walk.positions;
        checked.looked_at += walk.looked_at;
        checked.ends += walk.ends;
        checked.depth = checked.depth.max(walk.depth);
        checked.passes += 1;
        Ok(())
    }

    /// Walks through all blocks, and compares the keys of some heaps.
    fn pass(&self, heaps: Range<usize>) -> Result<Checked, Refusal> {
        let next = AtomicUsize::new(0);
        let together = Mutex::new((
            Checked::default(),
            vec![Keys { proved: vec![], put_off: vec![] }; heaps.len()],
        ));
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
                    Ok(Found { sum: found, proved, put_off }) => {
                        let mut together = together.lock().unwrap();
                        let (sum, keys) = &mut *together;
                        sum.positions += found.positions;
                        sum.searched += found.searched;
                        sum.looked_at += found.looked_at;
                        sum.ends += found.ends;
                        sum.entries += found.entries;
                        sum.depth = sum.depth.max(found.depth);
                        let place = |&key: &G::Key| {
                            let heap = heap(key);
                            heaps.contains(&heap).then(|| heap - heaps.start)
                        };
                        for key in proved {
                            place(&key).into_iter().for_each(|i| keys[i].proved.push(key));
                        }
                        for key in put_off {
                            place(&key).into_iter().for_each(|i| keys[i].put_off.push(key));
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
        let (sum, keys) = together.into_inner().unwrap();
        let mut known = FxHashSet::default();
        for Keys { proved, put_off } in keys {
            known.clear();
            known.extend(proved);
            if !put_off.iter().all(|key| known.contains(key)) {
                return Err(Refusal::Wrong {
                    place: format!("\"{}\"", self.part.claim().words()),
                    why: "a position that is put off to another block is proved in none".into(),
                });
            }
        }
        Ok(sum)
    }

    /// Walks through one block.
    fn block(&self, i: usize, name: &str) -> Result<Found<G::Key>, Refusal> {
        let block = &self.part.blocks[i];
        let symbols = format::unpack(block, self.packed[i], name)?;
        let wrong = |why: String| Refusal::Wrong { place: name.into(), why };
        let (claim, blocks) = (self.part.claim(), &self.part.blocks);
        let circles = claim.allows_circles(self.rules.repetition()) != Some(true);
        if circles && blocks.len() > 1 {
            return Err(wrong("a win where positions can come back must be one block".into()));
        }
        let mut walk = Walk {
            rules: self.rules,
            claim,
            circles,
            open: Vec::new(),
            shared: blocks.len() > 1,
            // Every position that is met takes an answer, which takes a byte.
            met: Met::new(symbols.len()),
            answers: Reader::new(&symbols),
            stack: Vec::new(),
            list: MoveList::new(),
            found: Found { sum: Checked::default(), proved: Vec::new(), put_off: Vec::new() },
            leaf: Search::new(self.rules, claim, self.search),
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
        if walk.found.sum.positions != block.positions {
            return Err(wrong("it does not hold as many positions as stated".into()));
        }
        Ok(walk.found)
    }
}

/// A position of the claimant that is still to be visited, its class and its ply.
enum Task<G: Game> {
    Visit(G::Position, G::Key, u32),
    /// The visit that the last open position belongs to is over.
    Leave,
}

/// What the walks of a block have met, by classes.
struct Found<K> {
    sum: Checked,
    proved: Vec<K>,
    put_off: Vec<K>,
}

/// The walks of one block.
struct Walk<'w, G: Game> {
    rules: Rules<'w, G>,
    claim: Claim,
    /// Whether the strategy must not run in a circle; then the positions whose visits are not over.
    circles: bool,
    open: Vec<G::Key>,
    /// Whether others will ask what is proved here.
    shared: bool,
    met: Met<G::Key>,
    answers: Reader<'w>,
    stack: Vec<Task<G>>,
    list: MoveList<G::Move>,
    found: Found<G::Key>,
    leaf: Search<'w, G>,
    cancel: Option<&'w AtomicBool>,
}

impl<G: Game> Walk<'_, G> {
    fn from(&mut self, start: G::Position) -> Result<(), String> {
        self.look_at(1, 0)?;
        if self.rules.turn(&start) == self.claim.claimant {
            self.stack.push(Task::Visit(start, self.rules.class(&start), 0));
        } else {
            self.replies(&start, 0)?;
        }
        while let Some(task) = self.stack.pop() {
            match task {
                Task::Visit(p, class, ply) => self.answer(&p, class, ply)?,
                Task::Leave => drop(self.open.pop()),
            }
        }
        Ok(())
    }

    #[inline]
    fn look_at(&mut self, positions: u64, ply: u32) -> Result<(), String> {
        let before = self.found.sum.looked_at;
        self.found.sum.looked_at += positions;
        self.found.sum.depth = self.found.sum.depth.max(ply);
        if before >> 14 != self.found.sum.looked_at >> 14
            && self.cancel.is_some_and(|cancel| cancel.load(Relaxed))
        {
            return Err(String::new());
        }
        Ok(())
    }

    fn end(&mut self, p: &G::Position, value: Value) -> Result<(), String> {
        self.found.sum.ends += 1;
        self.found.sum.entries += u64::from(self.rules.is_entry(p));
        match self.claim.is_kept_by(value) {
            true => Ok(()),
            false => Err(format!("the game ends with the value {value} at {}", self.rules.text(p))),
        }
    }

    /// Takes note of all replies of the opponent, the first last.
    #[inline]
    fn replies(&mut self, p: &G::Position, ply: u32) -> Result<(), String> {
        if let Some(value) = self.rules.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        self.look_at(self.list.len() as u64, ply + 1)?;
        // What comes first on the stack is fetched first, and looked at when its turn comes.
        let first = self.stack.len();
        for m in self.list.iter() {
            let child = self.rules.play(p, m);
            let class = self.rules.class(&child);
            self.met.fetch(self.met.place(class));
            self.stack.push(Task::Visit(child, class, ply + 1));
        }
        self.stack[first..].reverse();
        Ok(())
    }

    /// Visits a position of the claimant. One that has been met is not over: it need not be expanded.
    #[inline]
    fn answer(&mut self, p: &G::Position, class: G::Key, ply: u32) -> Result<(), String> {
        let place = self.met.place(class);
        if self.met.contains(class, place) {
            return match self.circles && self.open.contains(&class) {
                false => Ok(()),
                true => Err(format!("the strategy runs in a circle at {}", self.rules.text(p))),
            };
        }
        if let Some(value) = self.rules.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        let Some(answer) = self.answers.next() else {
            return Err(format!("there is no answer for {}", self.rules.text(p)));
        };
        self.met.insert(class, place);
        if answer == Answer::PutOff {
            self.found.put_off.push(class);
            return Ok(());
        }
        self.found.sum.positions += 1;
        if self.shared {
            self.found.proved.push(class);
        }
        let Answer::Play(at) = answer else {
            return self.search(p, ply);
        };
        let Some(chosen) = self.list.scored().get(at) else {
            let (text, of) = (self.rules.text(p), self.list.len());
            return Err(format!("the answer for {text} is move {} of {of}", at + 1));
        };
        let next = self.rules.play(p, chosen.mv);
        if self.circles {
            self.open.push(class);
            self.stack.push(Task::Leave);
        }
        self.look_at(1, ply + 1)?;
        self.replies(&next, ply + 1)
    }

    /// Searches a position that is left to the checker.
    fn search(&mut self, p: &G::Position, ply: u32) -> Result<(), String> {
        let found = self.leaf.search(p);
        self.found.sum.searched += 1;
        self.found.sum.ends += found.ends;
        self.found.sum.entries += found.entries;
        // The position itself has been counted.
        self.look_at(found.looked_at.saturating_sub(1), ply)?;
        match found.kept {
            Some(true) => Ok(()),
            Some(false) => Err(format!("the claim cannot be kept at {}", self.rules.text(p))),
            None => Err(format!("there is too much to search at {}", self.rules.text(p))),
        }
    }
}
