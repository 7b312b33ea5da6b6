// Where the marks of moves are drawn on a board.

import type { Move, Tone } from './api';
import type { Geometry } from './geometry';

export interface MoveMark {
  x: number;
  y: number;
  move: Move;
  small: boolean;
  bare: boolean;
}

export const RANK: Record<Tone, number> = { win: 3, draw: 2, open: 1, loss: 0 };

/** On the place that a move names; between two cells that it covers; for pieces that move, the best at the piece, and all of them
    when it is chosen. Of several moves in one place the best is shown. */
export function placed(moves: Move[], shape: Geometry, selected: number | null, taking: boolean): MoveMark[] {
  const { x, y, empty } = shape;
  const all = new Map<string, MoveMark>();
  const put = (where: string, mark: MoveMark) => {
    const other = all.get(where);
    if (!other || RANK[mark.move.tone] > RANK[other.move.tone]) all.set(where, mark);
  };
  const at = (i: number, move: Move, bare = false) => {
    const [dx, dy] = bare ? [15, -15] : shape.beside(i);
    put(`${i}`, { x: x(i) + dx, y: y(i) + dy, move, small: bare || dx !== 0, bare });
  };
  for (const move of moves) {
    const place = move.place;
    if (!place) continue;
    const { from, to } = place;
    if (taking) at(place.takes!, move);
    else if (from === null) at(to, move);
    else if (empty(from) && empty(to)) {
      const [mx, my] = [(x(from) + x(to)) / 2, (y(from) + y(to)) / 2];
      put(`${from}-${to}`, { x: mx, y: my, move, small: true, bare: false });
    } else if (selected === from) at(to, move);
    else if (selected === null) at(from, move, true);
  }
  return [...all.values()];
}
