//! The search of one attack: df-pn over pairs of a position and an order.

use super::Config;
use crate::proofnumber::dfpn::record::{NumbersCodec, NumbersEntry};
use crate::proofnumber::numbers::{INF, MOST, Number, Numbers, SumRule, Term};
use crate::proofnumber::view::{ChildMove, ChildrenVerdict, QuestionView};
use crate::table::Table;
use crate::watch::Watch;
use zermelo_game::{Knowledge, MoveList, Player, Stats, Threats, Value};

/// A child of a node on the path.
struct Child<R: Threats> {
    position: R::Position,
    key: R::Key,
    mv: R::Move,
    numbers: Numbers,
}

/// The search stays below a node while its numbers are less than these.
#[derive(Clone, Copy)]
struct Below {
    phi: Number,
    delta: Number,
}

const ALL: Below = Below { phi: INF, delta: INF };

/// What may come of a node: its numbers, and the move that decides it.
type Found<M> = (Numbers, Option<M>);

/// One attack under way.
pub struct Search<'s, R: Threats, K: Knowledge<R>> {
    pub view: QuestionView<'s, R, K>,
    pub attacker: Player,
    tables: &'s mut [Table<R::Key, NumbersCodec>],
    fields: NumbersCodec,
    watch: &'s Watch,
    rule: SumRule,
    epsilon: u32,
    stats: Stats,
    /// Nodes since the last report to the watch, and how many may come before the next.
    fresh: u64,
    quota: u64,
    stopped: bool,
    depth: u32,
    /// The move that decided the last attack that succeeded.
    pub best: Option<R::Move>,
    children: Vec<Child<R>>,
    /// Room for lists of moves: of the node, and of a position that is looked at in passing.
    replies: Vec<ChildMove<R>>,
    aside: Vec<ChildMove<R>>,
}

impl<'s, R: Threats, K: Knowledge<R>> Search<'s, R, K> {
    pub fn new(
        view: QuestionView<'s, R, K>,
        attacker: Player,
        tables: &'s mut [Table<R::Key, NumbersCodec>],
        watch: &'s Watch,
        config: &Config,
    ) -> Search<'s, R, K> {
        Search {
            fields: NumbersCodec::new(view.game),
            view,
            attacker,
            tables,
            watch,
            rule: config.rule,
            epsilon: config.epsilon.0,
            stats: Stats::default(),
            fresh: 0,
            quota: watch.spend(0),
            stopped: false,
            depth: 0,
            best: None,
            children: Vec::with_capacity(1024),
            replies: Vec::with_capacity(256),
            aside: Vec::with_capacity(256),
        }
    }

    /// What it has cost, reported to the watch.
    pub fn finish(mut self) -> Stats {
        self.report();
        self.stats
    }

    /// Whether an attack of this order succeeds; `false` also when stopped. The defender may be to
    /// move: then it succeeds after every reply, whether or not anything was threatened.
    pub fn wins(&mut self, p: &R::Position, order: u32) -> bool {
        let root = self.view.game.canonical(p);
        let attacks = self.view.game.turn(&root) == self.attacker;
        if let Some(numbers) = self.view.judge(&root) {
            return numbers.solved() == Some(attacks);
        }
        let key = self.view.game.key(&root);
        let numbers = match (attacks, order) {
            (true, 0) => return self.wins_at_once(&root),
            // With order 0 after each reply: found out as part of order 1.
            (false, 0) => return false,
            (true, _) => self.solve(|s| s.attack(&root, key, order, ALL)),
            (false, _) => self.solve(|s| s.answer(&root, order, ALL).0),
        };
        numbers.is_some_and(|n| n.solved() == Some(attacks))
    }

    fn solve(&mut self, visit: impl Fn(&mut Self) -> Numbers) -> Option<Numbers> {
        loop {
            let numbers = visit(self);
            if self.stopped {
                return None;
            }
            if numbers.solved().is_some() {
                return Some(numbers);
            }
        }
    }

    /// Enters a node; `false` when it is time to stop.
    #[inline]
    fn enter(&mut self) -> bool {
        if self.fresh >= self.quota && !self.poll() {
            return false;
        }
        self.fresh += 1;
        self.stats.depth = self.stats.depth.max(self.depth);
        true
    }

    #[cold]
    fn poll(&mut self) -> bool {
        self.report();
        self.quota = self.watch.spend(0);
        self.stopped = self.quota == 0;
        for table in self.tables.iter_mut().filter(|table| table.wants_to_grow()) {
            table.grow(1);
        }
        !self.stopped
    }

    fn report(&mut self) {
        self.stats.nodes += self.fresh;
        self.watch.spend(self.fresh);
        self.fresh = 0;
        self.stats.table_bytes = self.tables.iter().map(Table::bytes).sum();
        self.stats.table_permille = self.tables.iter().map(Table::permille).max().unwrap_or(0);
    }

    /// What the tables know of a position for an order: a success of a lower order is one, too.
    pub fn known(&self, key: R::Key, turn: Player, order: u32) -> Option<NumbersEntry> {
        let success = Some(turn == self.attacker);
        let orders = self.tables[..order as usize].iter().enumerate();
        let mut entries = orders.filter_map(|(i, table)| Some((i, table.get(key)?)));
        entries
            .find(|(i, known)| *i + 1 == order as usize || known.numbers.solved() == success)
            .map(|(_, known)| known)
    }

    fn store(&mut self, key: R::Key, order: u32, found: Found<R::Move>, before: u64) {
        let (numbers, best) = found;
        let work = (self.stats.nodes + self.fresh - before + 1).ilog2();
        let code = |mv| self.fields.note(self.view.game.code(mv) as u32 + 1);
        let note = best.map_or(0, code);
        self.stats.stores += 1;
        let table = &self.tables[order as usize - 1];
        table.count(u64::from(table.put(key, &NumbersEntry { numbers, work, note })));
    }

    /// Whether the attacker, to move in a canonical position, wins with one move.
    fn wins_at_once(&mut self, p: &R::Position) -> bool {
        self.stats.evaluations += 1;
        if let Some(numbers) = self.view.judge(p) {
            return numbers.solved() == Some(true);
        }
        self.aside.clear();
        let expansion = self.view.expand(p, &mut self.aside, |_| {}, |_, _| Numbers::ONE);
        self.stats.evaluations += self.aside.len() as u64;
        matches!(expansion, ChildrenVerdict::Decided(numbers) if numbers.solved() == Some(true))
    }

    /// Searches for an attack below a position with the attacker to move, until its numbers reach a
    /// threshold.
    fn attack(&mut self, p: &R::Position, key: R::Key, order: u32, below: Below) -> Numbers {
        if !self.enter() {
            return Numbers::ONE;
        }
        let before = self.stats.nodes + self.fresh;
        let found = self.attack_by_order(p, key, order, below);
        if found.0.solved() == Some(true) && found.1.is_some() {
            self.best = found.1;
        }
        if !self.stopped {
            self.store(key, order, found, before);
        }
        found.0
    }

    fn attack_by_order(
        &mut self,
        p: &R::Position,
        key: R::Key,
        order: u32,
        below: Below,
    ) -> Found<R::Move> {
        if order > 1 {
            // A lower order is far cheaper to try, and most positions lose to one if they lose at all.
            let known = self.known(key, self.attacker, order - 1);
            let mut numbers = known.map_or(Numbers::ONE, |known| known.numbers);
            if numbers.solved().is_none() && numbers.phi < below.phi && numbers.delta < below.delta
            {
                numbers = self.attack(p, key, order - 1, below);
            }
            if self.stopped || numbers.solved() != Some(false) {
                return (numbers, None);
            }
        }
        let base = self.children.len();
        let found = match self.expand(p, order) {
            Err(found) => found,
            Ok(floor) => {
                if order == 1 {
                    self.keep_threats(base);
                }
                self.descend(base, floor, order, below)
            }
        };
        self.children.truncate(base);
        found
    }

    /// Drops the children in which the attacker threatens nothing direct.
    fn keep_threats(&mut self, base: usize) {
        let mut kept = base;
        for i in base..self.children.len() {
            let game = self.view.game;
            let passed = game.pass(&self.children[i].position);
            if passed.is_some_and(|q| self.wins_at_once(&game.canonical(&q))) {
                self.children.swap(kept, i);
                kept += 1;
            }
        }
        self.children.truncate(kept);
    }

    /// Searches for a defence below a position with the defender to move, until its numbers reach a
    /// threshold.
    fn defend(&mut self, p: &R::Position, key: R::Key, order: u32, below: Below) -> Numbers {
        if !self.enter() {
            return Numbers::ONE;
        }
        let before = self.stats.nodes + self.fresh;
        let base = self.children.len();
        // Who can win at once, or loses whatever it does, need not be threatened.
        let found = match self.expand(p, order) {
            Err(found) => found,
            Ok(floor) => match self.threat(p, order, below) {
                Some(numbers) => (numbers, None),
                None => self.descend(base, floor, order, below),
            },
        };
        self.children.truncate(base);
        if !self.stopped {
            self.store(key, order, found, before);
        }
        found.0
    }

    /// What a pass comes to, as long as it is not refuted by a lower order. A direct threat was looked
    /// for before the position was entered.
    fn threat(&mut self, p: &R::Position, order: u32, below: Below) -> Option<Numbers> {
        if order == 1 {
            return None;
        }
        let game = self.view.game;
        let quiet = Numbers::won(self.view.goal(self.attacker.other()));
        let Some(passed) = game.pass(p) else { return Some(quiet) };
        let passed = game.canonical(&passed);
        let key = game.key(&passed);
        let numbers = match self.view.judge(&passed) {
            Some(numbers) => numbers,
            None => {
                let known = self.known(key, self.attacker, order - 1);
                let numbers = known.map_or(Numbers::ONE, |known| known.numbers);
                let open = numbers.solved().is_none();
                if open && numbers.phi < below.delta && numbers.delta < below.phi {
                    let below = Below { phi: below.delta, delta: below.phi };
                    self.depth += 1;
                    let numbers = self.attack(&passed, key, order - 1, below);
                    self.depth -= 1;
                    numbers
                } else {
                    numbers
                }
            }
        };
        match numbers.solved() {
            Some(true) => None,
            Some(false) => Some(quiet),
            None => Some(Numbers::open(numbers.delta, numbers.phi)),
        }
    }

    /// Looks at the replies of the defender, whether or not it is threatened.
    fn answer(&mut self, p: &R::Position, order: u32, below: Below) -> Found<R::Move> {
        if !self.enter() {
            return (Numbers::ONE, None);
        }
        let base = self.children.len();
        let found = match self.expand(p, order) {
            Err(found) => found,
            Ok(floor) => self.descend(base, floor, order, below),
        };
        self.children.truncate(base);
        found
    }

    /// Puts the children of `p` that are open on the stack, with their numbers; or decides it.
    fn expand(&mut self, p: &R::Position, order: u32) -> Result<Value, Found<R::Move>> {
        let mut replies = std::mem::take(&mut self.replies);
        replies.clear();
        let expansion = self.view.expand(p, &mut replies, |_| {}, |_, _| Numbers::ONE);
        self.stats.evaluations += replies.len() as u64;
        let result = match expansion {
            ChildrenVerdict::Decided(numbers) => Err((numbers, replies.first().map(|r| r.mv))),
            ChildrenVerdict::Open { mut floor, .. } => {
                let turn = self.view.game.turn(p).other();
                for reply in &replies {
                    if reply.numbers.solved() == Some(true) {
                        floor = floor.max(-reply.numbers.value);
                        continue;
                    }
                    let ChildMove { mv, position, key, .. } = *reply;
                    let numbers = self.look_up(key, turn, order).unwrap_or(Numbers::ONE);
                    self.children.push(Child { position, key, mv, numbers });
                }
                Ok(floor)
            }
        };
        self.replies = replies;
        result
    }

    fn look_up(&mut self, key: R::Key, turn: Player, order: u32) -> Option<Numbers> {
        self.stats.probes += 1;
        let known = self.known(key, turn, order)?;
        self.stats.hits += 1;
        Some(known.numbers)
    }

    /// Goes to the most promising child until a threshold is reached.
    fn descend(&mut self, base: usize, floor: Value, order: u32, below: Below) -> Found<R::Move> {
        loop {
            let children = &self.children[base..];
            if children.is_empty() {
                return (Numbers::lost(floor), None);
            }
            let terms = children.iter().map(|c| Term { numbers: c.numbers, old: false });
            let choice = self.rule.choose(terms);
            let best = &children[choice.best];
            match choice.numbers.solved() {
                Some(true) => return (choice.numbers, Some(best.mv)),
                Some(false) => return (Numbers::lost(choice.numbers.value.max(floor)), None),
                None => {}
            }
            let Numbers { phi, delta, .. } = choice.numbers;
            if phi >= below.phi || delta >= below.delta {
                return (choice.numbers, Some(best.mv));
            }
            let beyond = self.beyond(choice.second).max(best.numbers.delta + 1);
            let next = Below {
                phi: match below.delta {
                    INF => INF,
                    most => (most - delta).saturating_add(best.numbers.phi).min(MOST),
                },
                delta: below.phi.min(beyond),
            };
            let (position, key) = (best.position, best.key);
            let turn = self.view.game.turn(&position);
            self.depth += 1;
            let numbers = match turn == self.attacker {
                true => self.attack(&position, key, order, next),
                false => self.defend(&position, key, order, next),
            };
            self.depth -= 1;
            if self.stopped {
                return (Numbers::ONE, None);
            }
            for i in base..self.children.len() {
                if i == base + choice.best {
                    self.children[i].numbers = numbers;
                } else if self.children[i].numbers.solved().is_none()
                    && let Some(numbers) = self.look_up(self.children[i].key, turn, order)
                {
                    self.children[i].numbers = numbers;
                }
            }
        }
    }

    /// The threshold for a child whose best rival has this number.
    #[inline]
    fn beyond(&self, second: Number) -> Number {
        match second {
            MOST | INF => INF,
            _ => {
                (second + 1 + (u64::from(second) * u64::from(self.epsilon) / 1000) as u32).min(INF)
            }
        }
    }

    /// All moves of a position with what is known of the positions behind them.
    pub fn candidates(&mut self, p: &R::Position, order: u32) -> Vec<Candidate<R>> {
        let game = self.view.game;
        let turn = game.turn(p).other();
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        let candidate = |mv| {
            let position = game.play(p, mv);
            let canonical = game.canonical(&position);
            let known = self.known(game.key(&canonical), turn, order.max(1));
            let known_numbers = known.map(|known| known.numbers);
            let numbers = self.view.judge(&canonical).or(known_numbers).unwrap_or(Numbers::ONE);
            let over = game.outcome(&position).is_some();
            let (key, work) = (game.key(&canonical), known.map_or(0, |known| known.work));
            Candidate { mv, position, key, numbers, work, over }
        };
        list.iter().map(candidate).collect()
    }
}

/// A move with what is known of the position behind it.
pub struct Candidate<R: Threats> {
    pub mv: R::Move,
    /// The position behind it, not turned, and the key of the canonical one.
    pub position: R::Position,
    pub key: R::Key,
    pub numbers: Numbers,
    pub work: u32,
    pub over: bool,
}
