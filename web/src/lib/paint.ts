// Positions by hand: how a click on a picture changes the text of a position. Each kind of text has a painter; where there
// is none, the text itself is typed.

import type { Picture } from './api';

export interface Brush {
  /** Empty: what stands there is changed in turn. */
  kind: string;
  name: string;
}

export interface Painter {
  /** What the text says, even where it is no position. */
  drawn: Picture;
  brushes: Brush[];
  /** The text after a click on a place. */
  paint(place: number, brush: string): string;
  /** What is still missing. */
  note: string;
}

const NAMES: Record<string, string> = { '.': 'empty', x: 'first', o: 'second', X: 'king of first', O: 'king of second', '#': 'covered' };
const IN_TURN: Brush = { kind: '', name: 'in turn' };

export function painter(game: string, text: string, picture: Picture): Painter | null {
  if (picture.kind === 'board') return rows(game, text, picture);
  const first = picture.diagram?.spots[0]?.kind;
  if (first === 'pit') return pits(text, picture);
  if (first === 'point') return points(text, picture);
  if (first === 'node') return nodes(picture);
  return null;
}

const words = (text: string) => text.trim().split(/\s+/);
const replaced = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1);

/** Boards that are written row by row, from the upper one. */
function rows(game: string, text: string, picture: Picture): Painter | null {
  const [board, ...rest] = words(text);
  const lines = board?.split('/') ?? [];
  const cols = picture.cols ?? 0;
  if (lines.length !== picture.rows || !lines.every((line) => line.length === cols && /^[.xoXO#]*$/.test(line))) return null;
  const covered = board.includes('#') || game.startsWith('domineering');
  const kings = game.startsWith('checkers');
  const kinds = covered ? ['.', '#'] : kings ? ['.', 'x', 'o', 'X', 'O'] : ['.', 'x', 'o'];
  return {
    drawn: { ...picture, cells: lines.toReversed().flatMap((line) => [...line]) },
    brushes: [IN_TURN, ...kinds.map((kind) => ({ kind, name: NAMES[kind] }))],
    note: '',
    paint(place, brush) {
      const [r, c] = [lines.length - 1 - Math.floor(place / cols), place % cols];
      const next = brush || kinds[(kinds.indexOf(lines[r][c]) + 1) % kinds.length];
      return [lines.map((line, i) => (i === r ? replaced(line, c, next) : line)).join('/'), ...rest].join(' ');
    },
  };
}

/** Sowing boards: 3,3,3/3,3,3 0-0 first. Seeds are taken out and put in; none may be missing in the end. */
function pits(text: string, picture: Picture): Painter | null {
  const found = text.trim().match(/^([\d,]+)\/([\d,]+) (\d+)-(\d+)( .*)$/);
  const spots = picture.diagram!.spots;
  if (!found) return null;
  const side = (text: string) => text.split(',').map(Number);
  const counts = [...side(found[1]), ...side(found[2]), Number(found[3]), Number(found[4])];
  if (counts.length !== spots.length || counts.some(Number.isNaN)) return null;
  const half = (counts.length - 2) / 2;
  const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
  const left = sum(spots.map((spot) => spot.count ?? 0)) - sum(counts);
  const drawn = { ...picture, diagram: { ...picture.diagram!, spots: spots.map((spot, i) => ({ ...spot, count: counts[i] })) } };
  const seeds = (n: number) => (n === 1 ? '1 seed' : `${n} seeds`);
  return {
    drawn,
    brushes: [
      { kind: '', name: 'put a seed in' },
      { kind: '-', name: 'take one out' },
      { kind: '0', name: 'take all out' },
    ],
    note: left > 0 ? `${seeds(left)} in hand` : left < 0 ? `${seeds(-left)} too many` : '',
    paint(place, brush) {
      const next = counts.map((n, i) => (i !== place ? n : brush === '0' ? 0 : brush === '-' ? Math.max(0, n - 1) : n + 1));
      const list = (from: number) => next.slice(from, from + half).join(',');
      return `${list(0)}/${list(half)} ${next.at(-2)}-${next.at(-1)}${found[5]}`;
    },
  };
}

/** Points that are written in the order of their numbers, and men in hand: .../.../... 3-3 first. */
function points(text: string, picture: Picture): Painter | null {
  const found = text.trim().match(/^([.xo/]+) (\d+)-(\d+)( .*)$/);
  const spots = picture.diagram!.spots;
  if (!found) return null;
  const places = [...found[1]].flatMap((sign, i) => (sign === '/' ? [] : [i]));
  const hands = [Number(found[2]), Number(found[3])];
  const count = spots.length - 2;
  if (places.length !== count) return null;
  const spot = (i: number) => (i < count ? { cell: found[1][places[i]] } : { count: hands[i - count] });
  const drawn = { ...picture, diagram: { ...picture.diagram!, spots: spots.map((s, i) => ({ ...s, ...spot(i) })) } };
  const kinds = ['.', 'x', 'o'];
  return {
    drawn,
    brushes: [IN_TURN, ...kinds.map((kind) => ({ kind, name: NAMES[kind] }))],
    note: 'A click on a hand changes the men in it.',
    paint(place, brush) {
      if (place >= count) {
        // One more, and after the largest number that a board has, none.
        const most = count === 9 ? 3 : count === 16 ? 6 : 9;
        hands[place - count] = brush === '.' ? 0 : (hands[place - count] + 1) % (most + 1);
        return `${found[1]} ${hands.join('-')}${found[4]}`;
      }
      const at = places[place];
      const next = brush || kinds[(kinds.indexOf(found[1][at]) + 1) % kinds.length];
      return `${replaced(found[1], at, next)} ${hands.join('-')}${found[4]}`;
    },
  };
}

/** A graph: the node that is clicked. */
function nodes(picture: Picture): Painter {
  const spots = picture.diagram!.spots;
  return { drawn: picture, brushes: [], note: 'Click a node.', paint: (place) => spots[place].name };
}
