//! A certificate as people read it: the main line, how long the opponent can hold out, the first plies with
//! pictures.

use crate::check::{self, Checked};
use crate::format::{Answer, Certificate, Claim, Part, Reader, Refusal, name};
use crate::leaf::Search;
use crate::rules::Rules;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use zermelo_game::{Game, Mark, Tone};
use zermelo_games::Visitor;

/// How much to tell.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    /// Replies of the opponent up to this depth.
    pub replies: u32,
    /// So many positions at most.
    pub positions: usize,
}

impl Default for Telling {
    fn default() -> Telling {
        Telling { replies: 2, positions: 2_000 }
    }
}

/// What is to be told of a certificate that holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Story {
    /// What the check found.
    pub checked: Checked,
    /// One chapter for each claim.
    pub chapters: Vec<Chapter>,
}

/// What is to be told of a claim.
#[derive(Clone, PartialEq, Debug)]
pub struct Chapter {
    /// The claim.
    pub claim: Claim,
    /// Positions of the claimant.
    pub positions: u64,
    /// Plies to the end, if the opponent holds out as long as it can.
    pub longest: u32,
    /// Such a line.
    pub line: Vec<String>,
    /// The first plies.
    pub tree: Branch,
}

/// A position, and what can happen next.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The opponent's move that led here; none at the root, or where the claimant begins.
    pub reply: Option<String>,
    /// The claimant's answer; none where the game is over or the opponent is to move at the root.
    pub answer: Option<String>,
    /// The board before the answer, with the answer marked.
    pub picture: String,
    /// Plies that the opponent can still hold out.
    pub longest: u32,
    /// What the opponent can do, as far as it is told.
    pub branches: Vec<Branch>,
    /// Replies that are not told.
    pub more: usize,
}

/// Checks a certificate and tells its story.
pub fn explain(
    certificate: &Certificate,
    limits: &check::Limits,
    telling: &Telling,
) -> Result<Story, Refusal> {
    struct Tell<'t>(&'t Certificate, Checked, &'t Telling);

    impl Visitor for Tell<'_> {
        type Output = Result<Story, Refusal>;

        fn visit<G: Game>(self, game: G) -> Self::Output {
            let Tell(certificate, checked, telling) = self;
            let chapters = (0..certificate.header.claims.len())
                .map(|part| match G::SUPERKO {
                    true => outline(&game, certificate, part, checked.depth),
                    false => chapter(&game, certificate, part, telling),
                })
                .collect::<Result<_, _>>()?;
            Ok(Story { checked, chapters })
        }
    }

    let checked = check::check(certificate, limits)?;
    let tell = Tell(certificate, checked, telling);
    match zermelo_games::open(&certificate.header.game, tell) {
        Ok(story) => story,
        Err(error) => Err(Refusal::Header(error.to_string())),
    }
}

/// What the claimant does at a position, by classes of positions.
struct Node<K> {
    /// The position after its move.
    next: K,
    /// Plies to the end after that, at most.
    longest: u32,
}

/// A strategy at hand.
struct Strategy<'s, G: Game> {
    rules: Rules<'s, G>,
    claim: Claim,
    nodes: FxHashMap<G::Key, Node<G::Key>>,
}

/// What is to be told of a strategy that hangs on the line of play: its size.
fn outline<G: Game>(
    game: &G,
    certificate: &Certificate,
    part: usize,
    longest: u32,
) -> Result<Chapter, Refusal> {
    let header = &certificate.header;
    let root = game.parse_position(&header.position);
    let root = root.map_err(|e| Refusal::Header(e.to_string()))?;
    let Part { positions, .. } = header.claims[part];
    let tree = Branch {
        reply: None,
        answer: None,
        picture: game.picture(&root).to_svg(),
        longest,
        branches: Vec::new(),
        more: 0,
    };
    let claim = header.claims[part].claim();
    Ok(Chapter { claim, positions, longest, line: Vec::new(), tree })
}

fn chapter<G: Game>(
    game: &G,
    certificate: &Certificate,
    part: usize,
    telling: &Telling,
) -> Result<Chapter, Refusal> {
    let rules = Rules::of(game);
    let header = &certificate.header;
    let root = rules.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let claim = header.claims[part].claim();
    let mut strategy = Strategy { rules, claim, nodes: FxHashMap::default() };
    let answers = certificate.answers(part)?;
    for (i, block) in answers.iter().enumerate() {
        let place = name(&header.claims[part], i);
        strategy
            .read(&block.starts, &block.symbols, header.search)
            .ok_or(Refusal::Wrong { place, why: "its walks cannot be followed".into() })?;
    }
    strategy.measure(&root);
    let mut left = telling.positions;
    Ok(Chapter {
        claim,
        positions: header.claims[part].positions,
        longest: strategy.longest(&root),
        line: strategy.line(&root),
        tree: strategy.branch(game, &root, None, telling.replies, &mut left),
    })
}

impl<G: Game> Strategy<'_, G> {
    /// The walks of a block that has been checked.
    fn read(&mut self, starts: &[String], symbols: &[u8], search: u32) -> Option<()> {
        let rules = self.rules;
        let mut leaf = Search::new(rules, self.claim, search);
        let mut answers = Reader::new(symbols);
        let mut met = rustc_hash::FxHashSet::default();
        for start in starts {
            let mut stack = vec![rules.parse(start).ok()?];
            while let Some(p) = stack.pop() {
                if rules.outcome(&p).is_some() {
                    continue;
                }
                let moves = rules.moves(&p);
                if rules.turn(&p) != self.claim.claimant {
                    stack.extend(moves.iter().rev().map(|m| rules.play(&p, m)));
                    continue;
                }
                let class = rules.class(&p);
                if !met.insert(class) {
                    continue;
                }
                match answers.next()? {
                    Answer::PutOff => {}
                    Answer::Search => self.search(p, &mut leaf)?,
                    Answer::Play(at) => {
                        let next = rules.play(&p, moves.iter().nth(at)?);
                        self.nodes.insert(class, Node { next: rules.class(&next), longest: 0 });
                        stack.push(next);
                    }
                }
            }
        }
        Some(())
    }

    /// The moves that a search finds below a position that was left to it, where none is known.
    fn search(&mut self, p: G::Position, leaf: &mut Search<G>) -> Option<()> {
        let rules = self.rules;
        let mut stack = vec![p];
        while let Some(p) = stack.pop() {
            if rules.outcome(&p).is_some() {
                continue;
            }
            if rules.turn(&p) != self.claim.claimant {
                stack.extend(rules.moves(&p).iter().map(|m| rules.play(&p, m)));
                continue;
            }
            if let Entry::Vacant(node) = self.nodes.entry(rules.class(&p)) {
                let next = rules.play(&p, leaf.search(&p).by?);
                node.insert(Node { next: rules.class(&next), longest: 0 });
                stack.push(next);
            }
        }
        Some(())
    }

    /// The claimant's move. Several may lead to images of the same position: any of them will do.
    fn answer(&self, p: &G::Position) -> Option<G::Move> {
        let next = self.nodes.get(&self.rules.class(p))?.next;
        let moves = self.rules.moves(p);
        moves.iter().find(|&m| self.rules.class(&self.rules.play(p, m)) == next)
    }

    /// Finds out for every position how long the opponent can hold out. Circles, where they are allowed,
    /// count once.
    fn measure(&mut self, root: &G::Position) {
        // Children first: a position is measured when it is met for the second time.
        let mut stack = vec![(*root, false)];
        let mut begun = rustc_hash::FxHashSet::default();
        while let Some((p, measured)) = stack.pop() {
            let rules = self.rules;
            if rules.outcome(&p).is_some() {
                continue;
            }
            let mine = rules.turn(&p) == self.claim.claimant;
            if mine && measured {
                if let Some(m) = self.answer(&p) {
                    let longest = self.longest(&rules.play(&p, m));
                    if let Some(node) = self.nodes.get_mut(&rules.class(&p)) {
                        node.longest = longest + 1;
                    }
                }
                continue;
            }
            if mine {
                if begun.insert(rules.class(&p))
                    && let Some(m) = self.answer(&p)
                {
                    stack.push((p, true));
                    stack.push((rules.play(&p, m), false));
                }
                continue;
            }
            let moves = rules.moves(&p);
            stack.extend(moves.iter().map(|m| (rules.play(&p, m), false)));
        }
    }

    /// Plies to the end, if the opponent holds out as long as it can.
    fn longest(&self, p: &G::Position) -> u32 {
        let rules = self.rules;
        if rules.outcome(p).is_some() {
            return 0;
        }
        if rules.turn(p) == self.claim.claimant {
            return self.nodes.get(&rules.class(p)).map_or(0, |node| node.longest);
        }
        let after = |m| 1 + self.longest(&rules.play(p, m));
        rules.moves(p).iter().map(after).max().unwrap_or(0)
    }

    /// A line in which the opponent holds out as long as it can.
    fn line(&self, root: &G::Position) -> Vec<String> {
        let rules = self.rules;
        let mut p = *root;
        let mut line = Vec::new();
        let longest = self.longest(root);
        while rules.outcome(&p).is_none() && (line.len() as u32) < longest {
            let hardest = || {
                let moves = rules.moves(&p);
                // The first of the hardest.
                moves.iter().rev().max_by_key(|&m| self.longest(&rules.play(&p, m)))
            };
            let mine = rules.turn(&p) == self.claim.claimant;
            let Some(m) = (if mine { self.answer(&p) } else { hardest() }) else { break };
            line.push(rules.move_text(&p, m));
            p = rules.play(&p, m);
        }
        line
    }

    fn branch(
        &self,
        game: &G,
        p: &G::Position,
        reply: Option<String>,
        replies: u32,
        left: &mut usize,
    ) -> Branch {
        let rules = self.rules;
        *left = left.saturating_sub(1);
        let answer = match rules.outcome(p) {
            None if rules.turn(p) == self.claim.claimant => self.answer(p),
            _ => None,
        };
        let place = answer.and_then(|m| game.footprint(p, m));
        let marks = place.map(|place| Mark { place, tone: Tone::Win }).into_iter().collect();
        let mut branch = Branch {
            reply,
            answer: answer.map(|m| rules.move_text(p, m)),
            picture: game.picture(p).with_marks(marks).to_svg(),
            longest: self.longest(p),
            branches: Vec::new(),
            more: 0,
        };
        let next = answer.map_or(*p, |m| rules.play(p, m));
        if rules.outcome(&next).is_some() {
            return branch;
        }
        let moves = rules.moves(&next);
        for m in moves.iter() {
            if replies == 0 || *left == 0 {
                branch.more += 1;
                continue;
            }
            let text = rules.move_text(&next, m);
            let after = rules.play(&next, m);
            branch.branches.push(self.branch(game, &after, Some(text), replies - 1, left));
        }
        branch
    }
}
