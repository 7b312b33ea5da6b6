// Where things lie on a picture: the cells of a board, or the spots of a diagram. Moves name both by number.

import type { Picture, Spot } from './api';

export const SIDE = 48;
/** Room for the letters and numbers at the edge, and for none. */
const EDGE = 26;
const RIM = 8;

export interface Geometry {
  width: number;
  height: number;
  /** Where the cells of a board begin and end; the whole picture of a diagram. */
  area: { left: number; top: number; right: number; bottom: number };
  count: number;
  /** The middle of a place. */
  x(i: number): number;
  y(i: number): number;
  /** Half of its size. */
  half(i: number): [number, number];
  /** Where a mark sits, from the middle: beside what lies there. */
  beside(i: number): [number, number];
  name(i: number): string;
  /** What is there, in words. */
  what(i: number): string;
  empty(i: number): boolean;
  /** The next place to the right (1, 0), above (0, 1) and so on, as it is seen. */
  next(i: number, dx: number, dy: number): number;
}

export const letter = (col: number): string =>
  col < 26 ? String.fromCharCode(97 + col) : letter(Math.floor(col / 26) - 1) + letter(col % 26);

const PIECE: Record<string, string> = {
  '.': 'empty',
  x: 'First',
  o: 'Second',
  X: 'King of First',
  O: 'King of Second',
  '#': 'covered',
};

export const piece = (cell: string): string => PIECE[cell] ?? cell;

export interface Frame {
  flip?: boolean;
  /** Whether moves name columns only: rows have no numbers. */
  falls?: boolean;
  /** Room above the board for what comes from there. */
  above?: boolean;
  /** Without letters and numbers at the edge. */
  bare?: boolean;
}

export function geometry(picture: Picture, frame: Frame): Geometry {
  return picture.diagram ? spots(picture.diagram, !!frame.flip) : grid(picture, frame);
}

function grid(picture: Picture, { flip, falls, above, bare }: Frame): Geometry {
  const [rows, cols, cells] = [picture.rows ?? 0, picture.cols ?? 0, picture.cells ?? []];
  const column = (i: number) => i % cols;
  const line = (i: number) => Math.floor(i / cols);
  const edge = bare || picture.names ? RIM : EDGE;
  const [left, top] = [falls ? RIM : edge, above ? SIDE + 4 : RIM];
  const [right, bottom] = [left + cols * SIDE, top + rows * SIDE];
  return {
    width: right + RIM,
    height: bottom + edge,
    area: { left, top, right, bottom },
    count: cells.length,
    x: (i) => left + (flip ? cols - 1 - column(i) : column(i)) * SIDE + SIDE / 2,
    y: (i) => top + (flip ? line(i) : rows - 1 - line(i)) * SIDE + SIDE / 2,
    half: () => [SIDE / 2, SIDE / 2],
    beside: () => [0, 0],
    name: (i) => picture.names?.[i] || letter(column(i)) + (line(i) + 1),
    what: (i) => piece(cells[i]),
    empty: (i) => cells[i] === '.',
    next(i, dx, dy) {
      const step = flip ? -1 : 1;
      const [c, r] = [column(i) + dx * step, line(i) + dy * step];
      return c >= 0 && c < cols && r >= 0 && r < rows ? r * cols + c : i;
    },
  };
}

function spots({ width, height, spots }: NonNullable<Picture['diagram']>, flip: boolean): Geometry {
  const at = (i: number): Spot => spots[Math.min(i, spots.length - 1)];
  const x = (i: number) => (flip ? width - at(i).x : at(i).x);
  const y = (i: number) => (flip ? height - at(i).y : at(i).y);
  const words = (spot: Spot): string => {
    switch (spot.kind) {
      case 'point':
        return piece(spot.cell ?? '.');
      case 'hand':
        return `${spot.count} men`;
      case 'node':
        return spot.here ? 'here' : spot.value !== null ? `worth ${spot.value}` : `${spot.player} moves there`;
      default:
        return spot.count === 1 ? '1 seed' : `${spot.count} seeds`;
    }
  };
  return {
    width,
    height,
    area: { left: 0, top: 0, right: width, bottom: height },
    count: spots.length,
    x,
    y,
    half: (i) => [at(i).wide, at(i).high],
    beside: (i) => (at(i).kind === 'pit' || at(i).kind === 'node' ? [at(i).wide * 0.75, -at(i).wide * 0.75] : [0, 0]),
    name: (i) => at(i).name || at(i).kind,
    what: (i) => words(at(i)),
    empty: (i) => at(i).cell === '.',
    next(i, dx, dy) {
      // The nearest one in that direction; what lies aside counts double.
      let best = i;
      let least = Infinity;
      for (let j = 0; j < spots.length; j += 1) {
        const along = (x(j) - x(i)) * dx - (y(j) - y(i)) * dy;
        const aside = Math.abs((x(j) - x(i)) * dy) + Math.abs((y(j) - y(i)) * dx);
        if (along > 1 && along + 2 * aside < least) {
          least = along + 2 * aside;
          best = j;
        }
      }
      return best;
    },
  };
}
