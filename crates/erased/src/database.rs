//! Games with a database beside them: what it knows, every solver knows.

use crate::StaticSource;
use crate::game::Erased;
use std::path::Path;
use std::sync::OnceLock;
use zermelo_certificate::TerminalOracle;
use zermelo_certificate::format::Base;
use zermelo_endgame::folder::{self, FolderKind};
use zermelo_endgame::reachable::Strong;
use zermelo_endgame::{Damage, DatabaseFailure, Probe};
use zermelo_game::boxed::{BoxShape, BytePosition};
use zermelo_game::outside::path;
use zermelo_game::{Bounds, Boxed, Evidence, Notation, Rules, Value};

/// Databases of one game, asked one after the other. Where a file is damaged nothing is known, and the damage is remembered.
pub(crate) struct Databases<S: BoxShape> {
    sources: Vec<Box<dyn Probe<Boxed<S>>>>,
    /// What certificates call it, if there is one and they may rest on it.
    base: Option<Base>,
    damage: OnceLock<Damage>,
}

impl<S: BoxShape> Databases<S> {
    /// The first damage that was met.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.damage.get().cloned()
    }

    fn ask(
        &self,
        n: usize,
        source: &dyn Probe<Boxed<S>>,
        rules: &Boxed<S>,
        p: &BytePosition<S>,
    ) -> Result<Evidence<StaticSource>, Damage> {
        let bounds = source.probe(rules, p)?;
        let distance = source.entry(rules, p)?.and_then(|entry| entry.distance);
        Ok(Evidence::new(bounds, StaticSource::Database(n)).at_distance(distance))
    }

    /// What is kept of a position: the first that knows anything answers.
    pub(crate) fn look_up(
        &self,
        rules: &Boxed<S>,
        p: &BytePosition<S>,
    ) -> Result<Evidence<StaticSource>, Damage> {
        let (all, mut damage) = (rules.values(), None);
        for (n, source) in self.sources.iter().enumerate() {
            match self.ask(n, &**source, rules, p) {
                Ok(known) if known.bounds != all => return Ok(known),
                Ok(_) => {}
                Err(found) => damage = damage.or(Some(found)),
            }
        }
        damage.map_or(Ok(Evidence::new(all, StaticSource::Database(0))), Err)
    }

    /// Why none of them knows a position, in words of the first.
    pub(crate) fn why_unknown(&self, rules: &Boxed<S>, p: &BytePosition<S>) -> Option<String> {
        Some(self.sources.first()?.why_unknown(rules, p))
    }

    /// What each of them keeps of a position; those that know nothing are silent.
    pub(crate) fn each<'a>(
        &'a self,
        rules: &'a Boxed<S>,
        p: &'a BytePosition<S>,
    ) -> impl Iterator<Item = Evidence<StaticSource>> + 'a {
        let all = rules.values();
        let known = move |(n, source): (usize, &'a dyn Probe<Boxed<S>>)| {
            let known = self.ask(n, source, rules, p);
            let known = known.map_err(|damage| self.damage.get_or_init(|| damage)).ok()?;
            (known.bounds != all).then_some(known)
        };
        self.sources.iter().map(|source| &**source).enumerate().filter_map(known)
    }
}

/// Databases that proofs end at, and what certificates call them.
pub(crate) struct CertifiedBase<'b, S: BoxShape> {
    rules: &'b Boxed<S>,
    databases: &'b Databases<S>,
    pub(crate) base: &'b Base,
}

impl<'b, S: BoxShape> CertifiedBase<'b, S> {
    /// The databases, if certificates may rest on them.
    pub(crate) fn of(
        rules: &'b Boxed<S>,
        databases: &'b Databases<S>,
    ) -> Option<CertifiedBase<'b, S>> {
        let base = databases.base.as_ref()?;
        Some(CertifiedBase { rules, databases, base })
    }
}

impl<S: BoxShape> TerminalOracle<Boxed<S>> for CertifiedBase<'_, S> {
    fn digest(&self) -> &str {
        &self.base.digest
    }

    fn value(&self, p: &BytePosition<S>) -> Option<Value> {
        let bounds = self.databases.probe(self.rules, p);
        bounds.is_exact().then_some(bounds.lo)
    }
}

/// The database of a folder, for checkers of certificates that rest on it.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'f> {
    /// Where it is.
    pub dir: &'f Path,
    /// Bytes of it that are kept unpacked.
    pub memory: u64,
}

/// What certificates call the database of a folder, if they may rest on it.
fn base(dir: &Path) -> Result<Option<Base>, DatabaseFailure> {
    let FolderKind::Slices(name) = folder::kind(dir)? else { return Ok(None) };
    let name = format!("{name}, {} slices", folder::slices(dir)?.len());
    Ok(Some(Base { name, digest: folder::digest(dir)? }))
}

impl<S: BoxShape> Databases<S> {
    /// What is known of a position: the first that knows anything answers.
    pub(crate) fn probe(&self, rules: &Boxed<S>, p: &BytePosition<S>) -> Bounds {
        let all = rules.values();
        for source in &self.sources {
            match source.probe(rules, p) {
                Ok(bounds) if bounds != all => return bounds,
                Ok(_) => {}
                Err(damage) => {
                    self.damage.get_or_init(|| damage);
                }
            }
        }
        all
    }
}

impl<S: BoxShape> Erased<S> {
    /// The same game with the databases of some folders beside it.
    pub(crate) fn beside(
        &self,
        dirs: &[&Path],
        memory: u64,
        solvers: bool,
    ) -> Result<Erased<S>, DatabaseFailure> {
        let rules = &self.rules;
        if solvers && !self.has_own_values() {
            let name = rules.name();
            let why =
                format!("{name}: solvers cannot use a database where values depend on the line");
            return Err(DatabaseFailure::Refused(why));
        }
        let open = |dir: &&Path| -> Result<Box<dyn Probe<Boxed<S>>>, DatabaseFailure> {
            match folder::kind(dir)? {
                FolderKind::Reachable(_) => Ok(Box::new(Strong::open(&**rules, dir)?)),
                FolderKind::Slices(other) => match self.native.inner().slice_folders() {
                    Some(_) => self.native.inner().open_slices(dir, memory),
                    None => {
                        let (dir, name) = (path(dir), rules.name());
                        let why = format!("{dir}: a database of {other}, not of {name}");
                        Err(DatabaseFailure::Refused(why))
                    }
                },
            }
        };
        let sources = dirs.iter().map(open).collect::<Result<_, _>>()?;
        // Only slices are known to hold whatever their positions lead to.
        let base = match dirs {
            [dir] => base(dir)?,
            _ => None,
        };
        let databases = Databases { sources, base, damage: OnceLock::new() };
        Ok(self.asking(databases))
    }
}
