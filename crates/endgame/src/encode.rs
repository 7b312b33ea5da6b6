//! The file of a slice that is worked out, written piece by piece.

use crate::build::coding;
use crate::folder::{self, PART};
use crate::format::{self, Coding, Header, Index, Longest, Press, RULES, Source};
use crate::group::{EMPTY, Group, LOUD, Part, Piece, plies_of};
use crate::{Failure, work};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI16};
use zermelo_game::Sliced;

/// Does something with a piece.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&Piece) -> Result<(), Failure>;
/// Does something with all pieces of a part, in their order.
pub(crate) type Pieces<'a> = &'a mut dyn FnMut(Each) -> Result<(), Failure>;

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
    fn add(&mut self, piece: &Piece) {
        for (n, (cell, mark)) in piece.cells.iter().zip(piece.marks.iter()).enumerate() {
            let (cell, mark) = (cell.load(Relaxed), mark.load(Relaxed));
            if mark == EMPTY {
                continue;
            }
            self.quiet |= mark == LOUD;
            self.counts[(1 - cell.signum()) as usize] += 1;
            self.most = self.most.max(format::folded(cell));
            if cell > 0 && self.longest.is_none_or(|(plies, _)| plies_of(cell) > plies) {
                self.longest = Some((plies_of(cell), piece.from + n as u64));
            }
        }
    }
}

/// Writes the file of a part. Compressed blocks wait in a file of their own until the header is known.
pub(crate) fn write<G: Sliced>(
    group: &Group<G>,
    part: &Part<G::Slice>,
    sources: &[G::Slice],
    path: &Path,
    pieces: Pieces,
) -> Result<(), Failure> {
    let mut summary = Summary::default();
    pieces(&mut |piece| {
        summary.add(piece);
        Ok(())
    })?;
    let header = header(group, part, sources, &summary);
    let waiting = path.with_added_extension("blocks").with_added_extension(PART);
    let written = write_blocks(header, path, &waiting, group.config.threads, pieces);
    // Also where it went wrong: the disk may be full of it.
    let removed = fs::remove_file(&waiting).map_err(|e| Failure::io(&waiting, e));
    written.and(removed)
}

fn write_blocks(
    mut header: Header,
    path: &Path,
    waiting: &Path,
    threads: usize,
    pieces: Pieces,
) -> Result<(), Failure> {
    let io = |e: io::Error| Failure::io(waiting, e);
    let mut options = File::options();
    let mut blocks =
        options.create(true).truncate(true).read(true).write(true).open(waiting).map_err(io)?;
    let mut index = Index::default();
    pieces(&mut |piece| {
        for block in compress(&header, piece, threads).map_err(io)? {
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

fn header<G: Sliced>(
    group: &Group<G>,
    part: &Part<G::Slice>,
    sources: &[G::Slice],
    summary: &Summary,
) -> Header {
    let (game, coding) = (group.game, coding(group.game, group.config));
    let width = match coding {
        Coding::Wdl => 0,
        _ => 1 + u32::from(summary.most > u16::from(u8::MAX)),
    };
    let longest = summary.longest.filter(|_| coding != Coding::Score).and_then(|(plies, place)| {
        let position = game.position_text(&game.at(part.slice, place)?);
        Some(Longest { plies: plies.into(), position })
    });
    let source = |slice: &G::Slice| {
        let file = group.database.file(*slice)?;
        Some(Source { slice: file.header.slice.clone(), digest: file.digest.clone() })
    };
    let [wins, draws, losses] = summary.counts;
    Header {
        game: game.full_name(),
        rules: RULES,
        slice: game.slice_name(part.slice),
        pieces: game.pieces(part.slice),
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

/// The blocks of a piece, which is a whole number of them unless it is the last.
fn compress(header: &Header, piece: &Piece, threads: usize) -> io::Result<Vec<Vec<u8>>> {
    let symbol = |n: usize| {
        let (cell, mark) = (piece.cells[n].load(Relaxed), piece.marks[n].load(Relaxed));
        match (mark, header.coding) {
            (EMPTY | LOUD, _) => None,
            (_, Coding::Wdl) => Some(format::WDL[(cell.signum() + 1) as usize]),
            _ => Some(format::folded(cell)),
        }
    };
    let size = header.block as usize;
    let count = piece.cells.len().div_ceil(size);
    let made = work::share(
        threads,
        count,
        &AtomicBool::new(false),
        || (Press::new(), Vec::new(), Vec::new()),
        |(press, blocks, symbols), n| {
            let from = n * size;
            symbols.clear();
            symbols.extend((from..(from + size).min(piece.cells.len())).map(symbol));
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
pub(crate) fn whole(coding: Coding, width: u32, piece: &Piece, threads: usize) -> Box<[u8]> {
    const SOME: usize = 1 << 14;
    let symbol = |cell: &AtomicI16| {
        let cell = cell.load(Relaxed);
        Some(match coding {
            Coding::Wdl => format::WDL[(cell.signum() + 1) as usize],
            _ => format::folded(cell),
        })
    };
    let count = piece.cells.len().div_ceil(SOME);
    let made = work::share(threads, count, &AtomicBool::new(false), Vec::new, |out, n| {
        let cells = &piece.cells[n * SOME..((n + 1) * SOME).min(piece.cells.len())];
        out.push((n, format::pack(width, cells.iter().map(symbol))));
    });
    let mut made: Vec<(usize, Vec<u8>)> = made.into_iter().flatten().collect();
    made.sort_unstable_by_key(|(n, _)| *n);
    made.into_iter().flat_map(|(_, packed)| packed).collect()
}
