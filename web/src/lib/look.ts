// What a game looks like and how a board is held, told from its name and its picture. A game that is not known here is drawn with
// plain stones on squares.

import type { Picture, Player } from './api';

/** Discs behind a frame, noughts and crosses, dominoes, draughts, chess men, or stones. */
export type Pieces = 'disc' | 'cross' | 'domino' | 'draught' | 'man' | 'stone';

export interface Look {
  pieces: Pieces;
  /** Stones come from above: a click anywhere in a column is one on its landing place. */
  falls: boolean;
  /** Both players have an edge of their own: the board is turned for the second one. */
  seats: boolean;
  /** Whether turning the board by hand makes sense: not against gravity, and not labels of a graph. */
  turns: boolean;
  /** Who has the light pieces. */
  light: Player;
}

const PIECES: Record<string, Pieces> = {
  tictactoe: 'cross',
  connect4: 'disc',
  domineering: 'domino',
  checkers: 'draught',
  breakthrough: 'man',
  knightthrough: 'man',
  chess: 'man',
};

/** The first word of a game's name. */
export const family = (game: string): string => game.trim().split(/\s+/)[0].toLowerCase();

export function look(game: string, picture: Picture | null): Look {
  const pieces = PIECES[family(game)] ?? 'stone';
  const kind = picture?.diagram?.spots[0]?.kind;
  const falls = pieces === 'disc';
  return {
    pieces,
    falls,
    seats: picture?.style === 'chequered' || kind === 'pit',
    turns: !falls && kind !== 'node' && picture?.kind !== 'text',
    light: family(game) === 'chess' ? 'first' : 'second',
  };
}

/** Cells in a line that end the game, where lines do; empty if there are none. */
export function winningCells(game: string, picture: Picture): number[] {
  const long = { tictactoe: 3, connect4: 4, mnk: Number(game.match(/x(\d+)\s*$/)?.[1] ?? 0) }[family(game)] ?? 0;
  const [rows, cols, cells] = [picture.rows ?? 0, picture.cols ?? 0, picture.cells ?? []];
  const found = new Set<number>();
  if (long < 2) return [];
  for (let i = 0; i < cells.length; i += 1) {
    if (cells[i] !== 'x' && cells[i] !== 'o') continue;
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
      const [c, r] = [(i % cols) + dx * (long - 1), Math.floor(i / cols) + dy * (long - 1)];
      if (c >= cols || r < 0 || r >= rows) continue;
      const line = Array.from({ length: long }, (_, k) => i + k * (dx + dy * cols));
      if (line.every((j) => cells[j] === cells[i])) line.forEach((j) => found.add(j));
    }
  }
  return [...found];
}

/** A domino that was laid: its two cells, and whether it stands upright. */
export interface Domino {
  cells: [number, number];
  upright: boolean;
}

/** The dominoes of a line of play. A position alone does not say how its covered cells belong together. */
export function dominoes(picture: Picture, played: string[]): Domino[] {
  const cols = picture.cols ?? 0;
  const cell = (name: string): number => {
    const [, letters, row] = name.match(/^([a-z]+)(\d+)$/) ?? ['', '', '0'];
    const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0) - 1;
    return (Number(row) - 1) * cols + column;
  };
  return played.flatMap((move): Domino[] => {
    const [a, b] = move.split('-').map(cell);
    const both = picture.cells?.[a] === '#' && picture.cells?.[b] === '#';
    return both ? [{ cells: [a, b], upright: Math.abs(a - b) === cols }] : [];
  });
}
