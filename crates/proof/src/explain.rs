//! A certificate as people read it: the main line, how long the opponent can hold out, the first plies with
//! pictures.

use crate::check::{self, Checked};
use crate::format::{Certificate, Claim, Part, Refusal};
use crate::rules::{Ends, Library, Rules};
use crate::strategy::Strategy;
use zermelo_game::{Game, Mark, Sliced, Tone};
use zermelo_games::{SlicedVisitor, Visitor};

/// The most moves that a claimant makes in a row.
const MOVES_AT_ONCE: usize = 50;

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
            tell(&game, None, self.0, self.1, self.2)
        }
    }

    let checked = check::check(certificate, limits)?;
    match zermelo_games::open(&certificate.header.game, Tell(certificate, checked, telling)) {
        Ok(story) => story,
        Err(error) => Err(Refusal::Header(error.to_string())),
    }
}

/// The same with databases at hand, for certificates that rest on one.
pub fn explain_with(
    certificate: &Certificate,
    limits: &check::Limits,
    telling: &Telling,
    databases: &impl Library,
) -> Result<Story, Refusal> {
    struct Tell<'t, D>(&'t Certificate, Checked, &'t Telling, &'t D);

    impl<D: Library> SlicedVisitor for Tell<'_, D> {
        type Output = Result<Story, Refusal>;

        fn visit<G: Sliced>(self, game: G) -> Self::Output {
            let Tell(certificate, checked, telling, databases) = self;
            let ends = check::at_hand(&game, certificate, databases)?;
            tell(&game, Some(&*ends), certificate, checked, telling)
        }
    }

    if certificate.header.database.is_none() {
        return explain(certificate, limits, telling);
    }
    let checked = check::check_with(certificate, limits, databases)?;
    check::with_slices(certificate, Tell(certificate, checked, telling, databases))
}

fn tell<'g, G: Game>(
    game: &'g G,
    ends: Option<&'g dyn Ends<G>>,
    certificate: &Certificate,
    checked: Checked,
    telling: &Telling,
) -> Result<Story, Refusal> {
    let chapters = (0..certificate.header.claims.len())
        .map(|part| match G::SUPERKO {
            true => outline(game, certificate, part, checked.depth),
            false => chapter(game, Rules::with(game, ends), certificate, part, telling),
        })
        .collect::<Result<_, _>>()?;
    Ok(Story { checked, chapters })
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
    rules: Rules<G>,
    certificate: &Certificate,
    part: usize,
    telling: &Telling,
) -> Result<Chapter, Refusal> {
    let header = &certificate.header;
    let root = rules.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let strategy = Strategy::read(rules, certificate, part)?;
    let mut left = telling.positions;
    let teller = Teller { rules, strategy: &strategy };
    Ok(Chapter {
        claim: strategy.claim,
        positions: header.claims[part].positions,
        longest: strategy.longest(rules, &root),
        line: teller.line(&root),
        tree: teller.branch(game, &root, None, telling.replies, &mut left),
    })
}

/// A strategy, and the rules to follow it by.
struct Teller<'s, G: Game> {
    rules: Rules<'s, G>,
    strategy: &'s Strategy<G>,
}

impl<G: Game> Teller<'_, G> {
    fn answer(&self, p: &G::Position) -> Option<G::Move> {
        self.strategy.answer(self.rules, p)
    }

    fn longest(&self, p: &G::Position) -> u32 {
        self.strategy.longest(self.rules, p)
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
            let mine = rules.turn(&p) == self.strategy.claim.claimant;
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
        let answer = |p: &G::Position| match rules.outcome(p) {
            None if rules.turn(p) == self.strategy.claim.claimant => self.answer(p),
            _ => None,
        };
        // The claimant may move again, in some graphs; round a circle once at most.
        let (mut next, mut answers) = (*p, Vec::new());
        while let Some(m) = answer(&next).filter(|_| answers.len() < MOVES_AT_ONCE) {
            answers.push(rules.move_text(&next, m));
            next = rules.play(&next, m);
        }
        let place = answer(p).and_then(|m| game.footprint(p, m));
        let marks = place.map(|place| Mark { place, tone: Tone::Win }).into_iter().collect();
        let mut branch = Branch {
            reply,
            answer: (!answers.is_empty()).then(|| answers.join(" ")),
            picture: game.picture(p).with_marks(marks).to_svg(),
            longest: self.longest(p),
            branches: Vec::new(),
            more: 0,
        };
        if rules.outcome(&next).is_some() || answer(&next).is_some() {
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
