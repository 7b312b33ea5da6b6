//! Wins, draws and losses of a group that does not fit into memory: the layers of [`retro`](crate::retro), piece by piece.
//!
//! A layer takes the pieces one after the other. Each first reads its mail, which decides the cells of this layer, and then
//! sends news of these cells to the places before them. As nobody can look into another piece, every news must be true
//! and come once: a place counts its different ways within the group, un-moves are confirmed by
//! moves before they are sent, and a place whose count comes to nothing is lost without a further look. The cells are the same as
//! in memory.

use crate::Failure;
use crate::build::Step;
use crate::group::{Group, Hand, MOST, Piece, To, cell, plies_of, sources, too_long};
use crate::shelf::{Message, News, Shelf};
use crate::work;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;
use zermelo_game::Sliced;

/// Messages that one thread deals with at a time.
const LETTERS: usize = 4096;

impl<G: Sliced> Group<'_, G> {
    /// Works out all cells on the shelf. Returns the slices that the group rests on.
    pub(crate) fn solve_on_disk(&self, shelf: &mut Shelf) -> Result<Vec<G::Slice>, Failure> {
        let mut hands = Vec::new();
        self.tell(Step::First);
        for n in 0..shelf.bins.len() {
            let bin = &shelf.bins[n];
            let (piece, part) = (Piece::new(bin.from, bin.places), bin.part);
            hands.extend(self.each(&piece.chunks(part), |hand, part, _, places| {
                self.first_look(hand, self.parts[part].slice, &piece, places)
            })?);
            if piece.marks.iter().any(|mark| mark.load(Relaxed) == MOST) {
                return Err(Failure::Refused(format!(
                    "a position of the slice {} has {MOST} moves or more, too many to count on disk; \
                     with more memory it can be built",
                    self.game.slice_name(self.parts[part].slice)
                )));
            }
            let due = piece.next.iter().map(|next| next.load(Relaxed)).min();
            shelf.bins[n].due = due.unwrap_or(u16::MAX);
            shelf.put(n, &piece)?;
        }
        let mut layer = 0u16;
        loop {
            if shelf.deliver()? {
                layer = layer.checked_add(1).ok_or_else(too_long)?;
            } else {
                match shelf.bins.iter().map(|bin| bin.due).min() {
                    None | Some(u16::MAX) => return Ok(sources(hands)),
                    Some(due) => layer = due,
                }
            }
            self.tell(Step::Layer(layer.into()));
            for n in 0..shelf.bins.len() {
                if shelf.bins[n].mail || shelf.bins[n].due == layer {
                    self.one_piece(shelf, n, layer)?;
                }
            }
        }
    }

    /// Reads the mail of a piece, and sends what its cells of this layer mean to others.
    fn one_piece(&self, shelf: &mut Shelf, n: usize, layer: u16) -> Result<(), Failure> {
        let (piece, part) = (shelf.get(n)?, shelf.bins[n].part);
        if shelf.bins[n].mail {
            shelf.read(n, |batch| self.hear(&piece, part, batch, layer - 1))?;
            shelf.put(n, &piece)?;
        }
        let least = AtomicU16::new(u16::MAX);
        self.each(&piece.chunks(part), |hand, part, _, places| {
            let mut letters = Vec::new();
            for place in places {
                match piece.cell(place).load(Relaxed) {
                    0 => {}
                    c if plies_of(c) == layer => {
                        let news = if c < 0 { News::Win } else { News::Less };
                        self.send_back(hand, part, place, news, shelf, &mut letters);
                    }
                    c if plies_of(c) > layer => {
                        least.fetch_min(plies_of(c), Relaxed);
                    }
                    _ => {}
                }
            }
            shelf.send(&mut letters)
        })?;
        shelf.bins[n].due = least.into_inner();
        Ok(())
    }

    /// Sends news of a place to all places from which a move leads there.
    fn send_back(
        &self,
        hand: &mut Hand<G>,
        part: usize,
        place: u64,
        news: News,
        shelf: &Shelf,
        letters: &mut Vec<Message>,
    ) {
        let game = self.game;
        let Some(p) = game.at(self.parts[part].slice, place) else { return };
        let mut before = std::mem::take(&mut hand.before);
        before.clear();
        game.unmoves(&p, &mut before);
        let mut told = std::mem::take(&mut hand.inside);
        told.clear();
        for q in &before {
            let Some((slice, at)) = game.place(q) else { continue };
            let Some(n) = self.part(slice) else { continue };
            if !told.contains(&(n, at)) && (G::EXACT || self.leads(hand, q, part, place)) {
                told.push((n, at));
                letters.push(shelf.message(n, at, news));
            }
        }
        (hand.before, hand.inside) = (before, told);
    }

    /// Takes in a batch of news of the layer before.
    fn hear(
        &self,
        piece: &Piece,
        part: usize,
        batch: &[(News, u64)],
        layer: u16,
    ) -> Result<(), Failure> {
        let failure: Mutex<Option<Failure>> = Mutex::new(None);
        let letters: Vec<_> = batch.chunks(LETTERS).collect();
        work::share(self.config.threads, letters.len(), &self.stop, Hand::new, |hand, n| {
            for &(news, place) in letters[n] {
                if let Err(e) = self.hear_one(hand, piece, part, news, place, layer) {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                }
            }
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn hear_one(
        &self,
        hand: &mut Hand<G>,
        piece: &Piece,
        part: usize,
        news: News,
        place: u64,
        layer: u16,
    ) -> Result<(), Failure> {
        let known = piece.cell(place).load(Relaxed);
        if news == News::Win {
            if known == 0 || plies_of(known) > layer + 1 {
                piece.set(place, cell(1, layer + 1)?);
            }
            return Ok(());
        }
        if known != 0 {
            return Ok(());
        }
        let fewer = piece
            .mark(place)
            .fetch_update(Relaxed, Relaxed, |m| (m > 0 && m < MOST).then(|| m - 1));
        if fewer == Ok(1) {
            let longest = self.longest_way_out(hand, part, place)?.max(layer);
            piece.set(place, cell(-1, longest.checked_add(1).ok_or_else(too_long)?)?);
        }
        Ok(())
    }

    /// The plies of the longest way out of the group, all of which lose.
    pub(crate) fn longest_way_out(
        &self,
        hand: &mut Hand<G>,
        part: usize,
        place: u64,
    ) -> Result<u16, Failure> {
        if !self.config.distance {
            return Ok(0);
        }
        let game = self.game;
        let Some(p) = game.at(self.parts[part].slice, place) else { return Ok(0) };
        hand.after.clear();
        game.places_after(&p, &mut hand.moves, &mut hand.after);
        let mut longest = 0;
        for next in &hand.after {
            if let To::Outside(entry) = self.find(*next, None)? {
                longest = longest.max(self.plies(entry)?);
            }
        }
        Ok(longest)
    }
}
