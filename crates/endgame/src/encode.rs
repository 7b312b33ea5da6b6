//! The file of a slice that is worked out, written segment by segment.

use crate::build::coding;
use crate::folder::{self, PART};
use crate::format::{self, BlockIndex, Coding, Longest, Press, SliceHeader, SourceFile};
use crate::group::{EMPTY, Group, GroupPart, NOISY, Segment, plies_of};
use crate::{DatabaseFailure, work};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI16};
use zermelo_game::Sliced;

/// Does something with a segment.
pub(crate) type SegmentVisitor<'a> = &'a mut dyn FnMut(&Segment) -> Result<(), DatabaseFailure>;
/// Does something with all segments of a part, in their order.
pub(crate) type ForAllSegments<'a> =
    &'a mut dyn FnMut(SegmentVisitor) -> Result<(), DatabaseFailure>;

/// What the header says of the cells.
#[derive(Default)]
struct Summary {
    /// Wins, draws and losses.
    counts: [u64; 3],
    quiet: bool,
    /// Plies and place of the longest win.
    longest: Option<(u16, u64)>,
    /// The greatest symbol.
    most: u16,
}

impl Summary {
    fn add(&mut self, segment: &Segment) {
        for (n, (cell, mark)) in segment.cells.iter().zip(segment.marks.iter()).enumerate() {
            let (cell, mark) = (cell.load(Relaxed), mark.load(Relaxed));
            if mark == EMPTY {
                continue;
            }
            self.quiet |= mark == NOISY;
            self.counts[(1 - cell.signum()) as usize] += 1;
            self.most = self.most.max(format::folded(cell));
            if cell > 0 && self.longest.is_none_or(|(plies, _)| plies_of(cell) > plies) {
                self.longest = Some((plies_of(cell), segment.from + n as u64));
            }
        }
    }
}

/// Writes the file of a part. Compressed blocks wait in a file of their own until the header is known.
pub(crate) fn write<R: Sliced>(
    group: &Group<R>,
    part: &GroupPart<R::Slice>,
    sources: &[R::Slice],
    path: &Path,
    segments: ForAllSegments,
) -> Result<(), DatabaseFailure> {
    let mut summary = Summary::default();
    segments(&mut |segment| {
        summary.add(segment);
        Ok(())
    })?;
    let header = header(group, part, sources, &summary);
    let waiting = path.with_added_extension("blocks").with_added_extension(PART);
    let written = write_blocks(header, path, &waiting, group.config.threads, segments);
    // Also where it went wrong: the disk may be full of it.
    let removed = fs::remove_file(&waiting).map_err(|e| DatabaseFailure::io(&waiting, e));
    written.and(removed)
}

fn write_blocks(
    mut header: SliceHeader,
    path: &Path,
    waiting: &Path,
    threads: usize,
    segments: ForAllSegments,
) -> Result<(), DatabaseFailure> {
    let io = |e: io::Error| DatabaseFailure::io(waiting, e);
    let mut options = File::options();
    let mut blocks =
        options.create(true).truncate(true).read(true).write(true).open(waiting).map_err(io)?;
    let mut index = BlockIndex::default();
    segments(&mut |segment| {
        for block in compress(&header, segment, threads).map_err(io)? {
            index.push(&block);
            blocks.write_all(&block).map_err(io)?;
        }
        Ok(())
    })?;
    folder::write(path, |file| {
        file.write_all(&index.front(&mut header))?;
        blocks.rewind()?;
        io::copy(&mut blocks, file)?;
        Ok(())
    })
}

fn header<R: Sliced>(
    group: &Group<R>,
    part: &GroupPart<R::Slice>,
    sources: &[R::Slice],
    summary: &Summary,
) -> SliceHeader {
    let (rules, coding) = (group.rules, coding(group.rules, group.config));
    let width = match coding {
        Coding::Wdl => 0,
        _ => 1 + u32::from(summary.most > u16::from(u8::MAX)),
    };
    let longest = summary.longest.filter(|_| coding != Coding::Score).and_then(|(plies, place)| {
        let position = rules.position_text(&rules.at(part.slice, place)?);
        Some(Longest { plies: plies.into(), position })
    });
    let source = |slice: &R::Slice| {
        let file = group.database.file(*slice)?;
        Some(SourceFile { slice: file.header.slice.clone(), digest: file.digest.clone() })
    };
    let [wins, draws, losses] = summary.counts;
    SliceHeader {
        game: rules.full_name(),
        rules: rules.rules_version(),
        slice: rules.slice_name(part.slice),
        pieces: rules.pieces(part.slice),
        coding,
        width,
        places: part.places,
        positions: summary.counts.iter().sum(),
        wins,
        draws,
        losses,
        longest,
        quiet: summary.quiet,
        block: format::places_of_block(width),
        index: String::new(),
        rest: 0,
        sources: sources.iter().filter_map(source).collect(),
    }
}

/// The blocks of a segment, which is a whole number of them unless it is the last.
fn compress(header: &SliceHeader, segment: &Segment, threads: usize) -> io::Result<Vec<Vec<u8>>> {
    let symbol = |n: usize| {
        let (cell, mark) = (segment.cells[n].load(Relaxed), segment.marks[n].load(Relaxed));
        match (mark, header.coding) {
            (EMPTY | NOISY, _) => None,
            (_, Coding::Wdl) => Some(format::WDL[(cell.signum() + 1) as usize]),
            _ => Some(format::folded(cell)),
        }
    };
    let size = header.block as usize;
    let count = segment.cells.len().div_ceil(size);
    let made = work::share(
        threads,
        count,
        &AtomicBool::new(false),
        || (Press::new(), Vec::new(), Vec::new()),
        |(press, blocks, symbols), n| {
            let from = n * size;
            symbols.clear();
            symbols.extend((from..(from + size).min(segment.cells.len())).map(symbol));
            if let Ok(press) = press {
                blocks.push((n, press.block(header.width, symbols)));
            }
        },
    );
    let mut blocks = vec![Vec::new(); count];
    for (press, some, _) in made {
        press?;
        for (n, block) in some {
            blocks[n] = block?;
        }
    }
    Ok(blocks)
}

/// All symbols of a part, those that are left out of its file too, in the coding of that file.
pub(crate) fn whole(coding: Coding, width: u32, segment: &Segment, threads: usize) -> Box<[u8]> {
    const SOME: usize = 1 << 14;
    let symbol = |cell: &AtomicI16| {
        let cell = cell.load(Relaxed);
        Some(match coding {
            Coding::Wdl => format::WDL[(cell.signum() + 1) as usize],
            _ => format::folded(cell),
        })
    };
    let count = segment.cells.len().div_ceil(SOME);
    let made = work::share(threads, count, &AtomicBool::new(false), Vec::new, |out, n| {
        let cells = &segment.cells[n * SOME..((n + 1) * SOME).min(segment.cells.len())];
        out.push((n, format::pack(width, cells.iter().map(symbol))));
    });
    let mut made: Vec<(usize, Vec<u8>)> = made.into_iter().flatten().collect();
    made.sort_unstable_by_key(|(n, _)| *n);
    made.into_iter().flat_map(|(_, packed)| packed).collect()
}
