//! Checking a claim: walks through all its blocks, by several threads, and a comparison of what blocks leave to each other.
//! Only a walk needs the rules of the game; the rest is compiled once for all games with such keys.

use super::block::BlockResult;
use super::{CheckLimits, CheckSummary};
use crate::blocks::{self, Packed};
use crate::format::{self, Block, ClaimProof, Refusal};
use crate::key_set;
use crate::rule_book::RuleBook;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use zermelo_game::{Key, Notation};

/// One claim to be checked.
pub(super) struct ClaimCheck<'j, R: Notation> {
    pub book: RuleBook<'j, R>,
    pub proof: &'j ClaimProof,
    /// Its blocks.
    pub packed: &'j [Packed<'j>],
    /// The most positions that a search looks at: see [`CertificateHeader`](format::CertificateHeader).
    pub search: u32,
    pub limits: &'j CheckLimits<'j>,
}

/// The walks through the blocks of a claim.
pub(super) trait BlockWalks<K>: Sync {
    /// Walks through one block, which is called so in errors.
    fn block(&self, i: usize, name: &str) -> Result<BlockResult<K>, Refusal>;
}

/// All blocks of a claim.
pub(super) struct ClaimPasses<'j, K> {
    pub proof: &'j ClaimProof,
    pub limits: &'j CheckLimits<'j>,
    pub walks: &'j dyn BlockWalks<K>,
}

/// Keys of positions for which there is a move, and of those that are put off to other blocks. Both are
/// divided into heaps by their keys, so that one heap at a time is compared in a small memory.
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

impl<K: Key> ClaimPasses<'_, K> {
    /// Checks the claim and adds what was found.
    pub(super) fn check(&self, checked: &mut CheckSummary) -> Result<(), Refusal> {
        let blocks = &self.proof.blocks;
        // A walk meets no more positions than there are answers, whatever the header says of them.
        let most = blocks.iter().map(Block::most).max().unwrap_or(0);
        let threads = self.limits.threads.clamp(1, blocks.len().max(1)) as u64;
        // With each answer comes what is known of its position: in the set of those met, and in lists for the other
        // blocks or the set of those whose visit is not over.
        let lists = most.saturating_mul(2 + 2 * size_of::<K>() as u64);
        let walk = key_set::bytes::<K>(most).saturating_add(lists);
        let walks = walk.saturating_add(blocks::READER_BYTES).saturating_mul(threads);
        if walks > self.limits.memory {
            let what = format!("a block of {most} answers on {threads} threads");
            return Err(Refusal::needs(&what, walks, self.limits.memory));
        }
        let left = (self.limits.memory - walks).max(1 << 20);
        let all = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.most()));
        let keys = all.saturating_mul(size_of::<K>() as u64);
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

    /// Walks through all blocks, and compares the keys of some heaps.
    fn pass(&self, heaps: Range<usize>) -> Result<CheckSummary, Refusal> {
        let next = AtomicUsize::new(0);
        let together = Mutex::new((
            CheckSummary::default(),
            vec![Keys { proved: vec![], put_off: vec![] }; heaps.len()],
        ));
        let failed: Mutex<Option<(usize, Refusal)>> = Mutex::new(None);
        let work = || {
            loop {
                let i = next.fetch_add(1, Relaxed);
                let over =
                    |failed: &Option<(usize, Refusal)>| failed.as_ref().is_some_and(|f| f.0 < i);
                if i >= self.proof.blocks.len() || over(&failed.lock().unwrap()) {
                    return;
                }
                let name = format::name(self.proof, i);
                match self.walks.block(i, &name) {
                    Ok(BlockResult { sum: found, proved, put_off }) => {
                        let mut together = together.lock().unwrap();
                        let (sum, keys) = &mut *together;
                        sum.positions += found.positions;
                        sum.searched += found.searched;
                        sum.looked_at += found.looked_at;
                        sum.ends += found.ends;
                        sum.entries += found.entries;
                        sum.depth = sum.depth.max(found.depth);
                        let place = |&key: &K| {
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
                    place: format!("\"{}\"", self.proof.words()),
                    why: "a position that is put off to another block is proved in none".into(),
                });
            }
        }
        Ok(sum)
    }
}
