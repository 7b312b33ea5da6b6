//! Who is to blame for a contradiction, and what becomes of what it said. (`contradiction` has the argument.)

use super::ProofTree;
use crate::ProofTreeFailure;
use crate::contradiction::{ContradictionReport, Withdrawn};
use crate::graph::{Clash, Id, ProofGraph};
use crate::missing::go_round;
use crate::source::{FactSource, SourceKind};
use crate::store::LoadedFact;
use rustc_hash::{FxHashMap, FxHashSet};
use zermelo_game::Bounds;

/// With more suspects than this nobody asks which of them may be the liar.
const SUSPECTS: usize = 50;

/// One by a name that we gave.
type Name = (SourceKind, String);

/// All that was said, and who said it.
struct Case<'t> {
    graph: &'t ProofGraph,
    facts: Vec<LoadedFact>,
    givers: FxHashMap<i64, Name>,
    /// The last word, which is no fact of the store.
    last: Option<(Id, Bounds, Name)>,
}

/// Who is left out first.
fn level(kind: SourceKind) -> u8 {
    match kind {
        SourceKind::Outside | SourceKind::Unknown => 0,
        SourceKind::Engine => 1,
        SourceKind::Rules => 2,
    }
}

impl Case<'_> {
    /// What follows from the facts of all others.
    fn without(&self, out: &FxHashSet<Name>) -> Result<ProofGraph, Clash> {
        let mut graph = self.graph.cleared();
        for fact in &self.facts {
            if self.givers.get(&fact.source).is_none_or(|giver| !out.contains(giver)) {
                graph.tell(fact.node, fact.bounds)?;
            }
        }
        if let Some((id, bounds, _)) = self.last.as_ref().filter(|(.., name)| !out.contains(name)) {
            graph.tell(*id, *bounds)?;
        }
        graph.follow_all()?;
        Ok(graph)
    }

    /// Whether what all others said holds together.
    fn holds(&self, out: &FxHashSet<Name>) -> bool {
        self.without(out).and_then(|mut graph| go_round(&mut graph)).is_ok()
    }

    /// Everybody who said something, in order.
    fn everybody(&self) -> Vec<Name> {
        let used: FxHashSet<i64> = self.facts.iter().map(|fact| fact.source).collect();
        let mut all: Vec<Name> =
            used.iter().filter_map(|source| self.givers.get(source).cloned()).collect();
        all.extend(self.last.iter().map(|(.., name)| name.clone()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Those whose words are to be withdrawn, so that the rest holds together.
    fn liars(&self) -> FxHashSet<Name> {
        let all = self.everybody();
        let mut out = FxHashSet::default();
        while !self.holds(&out) {
            let up_to = |most: u8| all.iter().filter(move |(kind, _)| level(*kind) <= most);
            let with = |more: &mut dyn Iterator<Item = &Name>| {
                let mut out = out.clone();
                out.extend(more.cloned());
                out
            };
            let Some(guilty) = (0..=1).find(|&most| self.holds(&with(&mut up_to(most)))) else {
                // The rules contradict themselves. That is no prover's fault.
                break;
            };
            let suspects: Vec<&Name> =
                all.iter().filter(|n| level(n.0) == guilty && !out.contains(*n)).collect();
            let below = with(&mut all.iter().filter(|(kind, _)| level(*kind) < guilty));
            let alone = |name: &&Name| {
                let mut out = below.clone();
                out.insert((*name).clone());
                self.holds(&out)
            };
            let few = suspects.len() <= SUSPECTS;
            let mut found: Vec<&Name> =
                suspects.iter().copied().filter(|name| few && alone(name)).collect();
            if found.is_empty() {
                found = suspects;
            }
            if found.is_empty() {
                break;
            }
            out.extend(found.into_iter().cloned());
        }
        out
    }
}

impl ProofTree {
    /// Withdraws what the liar has said, or all who may be, and ends with the contradiction. `last` is the last word,
    /// if it is no fact of the store. Whatever else was learned is kept.
    pub(super) fn blame(
        &mut self,
        mut found: ContradictionReport,
        last: Option<(Id, Bounds, FactSource)>,
    ) -> ProofTreeFailure {
        match self.withdraw_lies(last) {
            Ok(withdrawn) => found.withdrawn = withdrawn,
            Err(failure) => return failure,
        }
        ProofTreeFailure::Contradiction(Box::new(found))
    }

    fn withdraw_lies(
        &mut self,
        last: Option<(Id, Bounds, FactSource)>,
    ) -> Result<Vec<Withdrawn>, ProofTreeFailure> {
        let name = |source: FactSource| (source.kind, source.giver);
        let sources = self.store.sources()?;
        let case = Case {
            graph: &self.graph,
            facts: self.entries()?,
            givers: sources.into_iter().map(|(id, source)| (id, name(source))).collect(),
            last: last.map(|(id, bounds, source)| (id, bounds, name(source))),
        };
        let liars = case.liars();
        let mut withdrawn = Vec::new();
        for liar in case.everybody().into_iter().filter(|name| liars.contains(name)) {
            let of = |(id, name): (&i64, &Name)| (*name == liar).then_some(*id);
            let sources: Vec<i64> = case.givers.iter().filter_map(of).collect();
            let facts = self.store.withdraw(&sources)?;
            withdrawn.push(Withdrawn { kind: liar.0, giver: liar.1, facts });
        }
        let positions: Vec<Id> = case
            .facts
            .iter()
            .filter(|fact| case.givers.get(&fact.source).is_some_and(|name| liars.contains(name)))
            .map(|fact| fact.node)
            .collect();
        // If the rules contradict themselves, the store stays as it was.
        let Ok(mut graph) = (Case { last: None, ..case }).without(&liars) else {
            self.store.roll_back()?;
            return Ok(Vec::new());
        };
        positions.into_iter().for_each(|id| graph.untry(id));
        graph.news();
        let mut changed = self.graph.news();
        let before = |id: &Id| self.graph.node(*id).bounds;
        changed.extend((0..graph.len() as Id).filter(|id| before(id) != graph.node(*id).bounds));
        for id in changed {
            self.store.set_bounds(id, graph.node(id).bounds)?;
        }
        self.graph = graph;
        self.store.commit()?;
        Ok(withdrawn)
    }

    /// All facts.
    pub(crate) fn entries(&self) -> Result<Vec<LoadedFact>, ProofTreeFailure> {
        let mut facts = Vec::new();
        self.store.each_fact(self.graph.values, &self.names, &mut |fact| {
            facts.push(fact);
            Ok(())
        })?;
        Ok(facts)
    }
}
