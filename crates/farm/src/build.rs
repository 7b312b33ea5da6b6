//! A database whose groups of slices are worked out by the workers of a farm.
//!
//! The folder is the only truth. A group is offered when the files that it rests on are there; what comes back is fetched
//! beside the folder, compared with its digest, looked at, and only then moved in: so whoever is killed, and
//! whenever, the same command goes on, and comes to the bytes of a build on one machine. What workers made for an earlier run
//! is taken, too. When all files are there, they are listed in the folder's manifest.

use crate::dispatcher::{Dispatcher, Presence, Received};
use crate::wire::{FarmTask, GroupTask, LEASE, Made, SliceObject, StreamKind};
use crate::{Address, FarmFailure, objects};
use async_nats::jetstream::Message;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use zermelo_endgame::DatabaseFailure;
use zermelo_endgame::farmed::GroupPlan;
use zermelo_erased::{AnyGame, BuildOrder, BuiltDatabase, BuiltGame};
use zermelo_game::Identity;
use zermelo_proof_tree::job::rules_digest;

/// A group is given out so often before the farm is said to fail.
const TRIES: u32 = 3;
/// How long is waited for news.
const WAIT: Duration = Duration::from_millis(100);
/// The folder for files that are not looked at yet.
const INCOMING: &str = "incoming";

/// How far a farm is with a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Groups that are there, and all.
    pub groups: [usize; 2],
    /// Places of groups finished in this run, and of all that were to be built.
    pub places: [u64; 2],
    /// Groups that are offered.
    pub out: usize,
    /// What each worker does.
    pub doing: Vec<Option<String>>,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Whoever wants to know how it goes.
pub trait BuildObserver {
    /// How far it is.
    fn standing(&self, standing: &Standing);
    /// Something that somebody should know.
    fn warn(&self, words: &str);
}

/// Builds what is missing in a folder. Workers build with threads and memory of their own, whatever the
/// order says.
pub fn build(
    address: &Address,
    game: &dyn AnyGame,
    dir: &Path,
    order: &BuildOrder,
    observer: &dyn BuildObserver,
) -> Result<BuiltGame, FarmFailure> {
    let Some(groups) = game.plan(dir, order)? else {
        let name = game.name();
        let why =
            format!("{name} is built from its start, in one piece: there is nothing to share");
        return Err(DatabaseFailure::Refused(why).into());
    };
    let done: Vec<bool> = groups.iter().map(|group| group.there).collect();
    let incoming = dir.join(INCOMING);
    let _ = fs::remove_dir_all(&incoming);
    fs::create_dir(&incoming)?;
    let kept = groups.iter().filter(|g| g.there).map(|g| g.slices.len()).sum();
    let built = zermelo_endgame::build::BuildSummary { kept, ..Default::default() };
    let mut site = Site {
        dispatcher: Dispatcher::open(address, true)?,
        identity: game.identity(),
        rules: rules_digest(game),
        tries: vec![0; groups.len()],
        out: HashMap::new(),
        next: 1,
        digests: HashMap::new(),
        put: HashSet::new(),
        since: Instant::now(),
        game,
        groups,
        done,
        dir,
        incoming,
        order,
        observer,
        built,
    };
    let ended = site.work();
    let _ = fs::remove_dir_all(&site.incoming);
    ended?;
    game.finish(dir, order)?;
    // The files are here: nobody needs the objects any more.
    let wire = site.dispatcher.wire.clone();
    site.dispatcher.runtime.block_on(async {
        let _ = tokio::time::timeout(LEASE, wire.drop_objects()).await;
        let _ = tokio::time::timeout(LEASE, wire.purge(StreamKind::Outcomes)).await;
    });
    Ok(BuiltGame {
        game: game.name(),
        values: game.values(),
        what: BuiltDatabase::Slices(site.built),
    })
}

struct Site<'s> {
    dispatcher: Dispatcher,
    game: &'s dyn AnyGame,
    groups: Vec<GroupPlan>,
    identity: Identity,
    /// For workers that are older than versions of rules.
    rules: String,
    done: Vec<bool>,
    tries: Vec<u32>,
    /// Groups that are offered, by the number of the task.
    out: HashMap<u64, usize>,
    next: u64,
    /// The digests of files, by their slices.
    digests: HashMap<String, String>,
    /// Digests of what the server is known to have.
    put: HashSet<String>,
    dir: &'s Path,
    incoming: PathBuf,
    order: &'s BuildOrder<'s>,
    observer: &'s dyn BuildObserver,
    built: zermelo_endgame::build::BuildSummary,
    since: Instant,
}

impl Site<'_> {
    fn work(&mut self) -> Result<(), FarmFailure> {
        let mut told: Option<Instant> = None;
        while !self.done.iter().all(|done| *done) {
            if self.order.cancel.load(Relaxed) {
                self.dispatcher.cancel();
                return Err(DatabaseFailure::Interrupted.into());
            }
            self.offer()?;
            if told.is_none_or(|told| told.elapsed() > 3 * WAIT) {
                self.observer.standing(&self.standing());
                told = Some(Instant::now());
            }
            if let Ok(Received::Made { made, ours, message }) =
                self.dispatcher.answers.recv_timeout(WAIT)
            {
                self.record(made, ours, &message)?;
                let ack = async { drop(tokio::time::timeout(LEASE, message.ack()).await) };
                self.dispatcher.runtime.block_on(ack);
            }
        }
        Ok(())
    }

    fn standing(&self) -> Standing {
        let mut state = self.dispatcher.shared.state();
        state.present();
        let doing = |prover: &Presence| Some(prover.sign.doing.as_ref()?.0.clone());
        let doing = state.provers.values().map(doing).collect();
        let open = self.groups.iter().filter(|group| !group.there);
        Standing {
            groups: [self.done.iter().filter(|done| **done).count(), self.done.len()],
            places: [self.built.places, open.map(|group| group.places).sum()],
            out: self.out.len(),
            doing,
            elapsed: self.since.elapsed(),
        }
    }

    /// Offers every group that can be worked out now.
    fn offer(&mut self) -> Result<(), FarmFailure> {
        for number in 0..self.done.len() {
            let ready = self.groups[number].needs.iter().all(|&need| self.done[need]);
            if self.done[number] || !ready || self.out.values().any(|&out| out == number) {
                continue;
            }
            let group = self.groups[number].clone();
            let named = |&need: &usize| self.groups[need].slices.clone();
            let names: Vec<String> = group.needs.iter().flat_map(named).collect();
            let needs = names.into_iter().map(|name| self.put(name)).collect::<Result<_, _>>()?;
            let id = self.next;
            self.next += 1;
            self.out.insert(id, number);
            self.dispatcher.offer(FarmTask::Group(GroupTask {
                id,
                game: self.identity.game.clone(),
                rules_version: self.identity.rules_version,
                rules: self.rules.clone(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                pieces: self.order.pieces,
                distance: self.order.distance,
                number,
                slices: group.slices,
                needs,
            }));
        }
        Ok(())
    }

    fn file(&self, slice: &str) -> PathBuf {
        self.dir.join(slice).with_extension(zermelo_endgame::folder::SLICE)
    }

    /// Sees to it that the server has the file of a slice.
    fn put(&mut self, name: String) -> Result<SliceObject, FarmFailure> {
        let path = self.file(&name);
        let digest = match self.digests.get(&name) {
            Some(digest) => digest.clone(),
            None => objects::digest(&path)?,
        };
        self.digests.insert(name.clone(), digest.clone());
        if self.put.insert(digest.clone()) {
            self.dispatcher.runtime.block_on(self.dispatcher.wire.put(&path, &digest));
        }
        Ok(SliceObject { name, digest })
    }

    /// Takes over what a worker has made.
    fn record(&mut self, made: Made, ours: bool, message: &Message) -> Result<(), FarmFailure> {
        let task = if ours { self.out.remove(&made.id) } else { None };
        let names: Vec<&String> = made.slices.iter().map(|slice| &slice.name).collect();
        let fits = |&n: &usize| self.groups[n].slices.iter().eq(names.iter().copied());
        let number = match &made.error {
            None if made.is_of(&self.identity, &self.rules) => (0..self.done.len()).find(fits),
            _ => None,
        };
        let Some(number) = number.filter(|&n| !self.done[n]) else {
            let why = made.error.unwrap_or_else(|| "it came to other slices".into());
            return task.map_or(Ok(()), |number| self.failed(number, &why));
        };
        let lease = self.dispatcher.runtime.spawn(crate::worker::extend(message.clone()));
        let taken = self.take(&made.slices);
        lease.abort();
        if let Err(why) = taken {
            // What others have made of an earlier run may not fit any more.
            return task.map_or(Ok(()), |number| self.failed(number, &why));
        }
        self.done[number] = true;
        self.out.retain(|_, out| *out != number);
        self.built.written += made.slices.len();
        self.built.places += self.groups[number].places;
        for SliceObject { name, digest } in made.slices {
            self.put.insert(digest.clone());
            self.digests.insert(name, digest);
        }
        Ok(())
    }

    /// Fetches files, looks at all, and moves them in.
    fn take(&self, slices: &[SliceObject]) -> Result<(), String> {
        let path = |slice: &SliceObject| self.incoming.join(&slice.name).with_extension("slice");
        for slice in slices {
            self.dispatcher.runtime.block_on(self.dispatcher.wire.fetch(slice, &path(slice)))?;
        }
        for slice in slices {
            self.game.admit(self.dir, self.order, &path(slice)).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// A group was not worked out: somebody else may try.
    fn failed(&mut self, number: usize, why: &str) -> Result<(), FarmFailure> {
        let slices = self.groups[number].slices.join(" ");
        self.tries[number] += 1;
        let tries = self.tries[number];
        self.observer.warn(&format!("{slices} failed, try {tries}: {why}"));
        // Perhaps the server has lost something.
        self.put.clear();
        if tries < TRIES {
            return Ok(());
        }
        self.dispatcher.cancel();
        Err(FarmFailure::Failed(format!("{slices}: {why}; what is finished stays")))
    }
}
