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
  /** The text with the other player to move. */
  turn(): string;
}

const NAMES: Record<string, string> = { '.': 'empty', x: 'first', o: 'second', X: 'king of first', O: 'king of second', '#': 'covered' };
const IN_TURN: Brush = { kind: '', name: 'in turn' };

export function painter(game: string, text: string, picture: Picture): Painter | null {
  if (picture.kind === 'board') return rows(game, text, picture) ?? numbered(text, picture) ?? ranks(text, picture);
  const first = picture.diagram?.spots[0]?.kind;
  if (first === 'pit') return pits(text, picture);
  if (first === 'point') return points(text, picture);
  if (first === 'node') return nodes(picture);
  return null;
}

/** Where a text says first or second, the other one. */
const otherWord = (text: string) => text.replace(/\b(first|second)\b/, (word) => (word === 'first' ? 'second' : 'first'));
const words = (text: string) => text.trim().split(/\s+/);
const replaced = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1);

/** Boards that are written row by row, from the upper one. */
function rows(game: string, text: string, picture: Picture): Painter | null {
  const [board, ...rest] = words(text);
  const lines = board?.split('/') ?? [];
  const cols = picture.cols ?? 0;
  if (lines.length !== picture.rows || !lines.every((line) => line.length === cols && /^[.xo#]*$/.test(line))) return null;
  const covered = board.includes('#') || game.startsWith('domineering');
  const kinds = covered ? ['.', '#'] : ['.', 'x', 'o'];
  return {
    drawn: { ...picture, cells: lines.toReversed().flatMap((line) => [...line]) },
    brushes: [IN_TURN, ...kinds.map((kind) => ({ kind, name: NAMES[kind] }))],
    note: '',
    turn: () => otherWord(text),
    paint(place, brush) {
      const [r, c] = [lines.length - 1 - Math.floor(place / cols), place % cols];
      const next = brush || kinds[(kinds.indexOf(lines[r][c]) + 1) % kinds.length];
      return [lines.map((line, i) => (i === r ? replaced(line, c, next) : line)).join('/'), ...rest].join(' ');
    },
  };
}

/** Draughts: B:W21,K30:B1,2. Dark squares are numbered from the upper left, black is the first player. */
function numbered(text: string, picture: Picture): Painter | null {
  const found = text.trim().match(/^([BW]):W((?:K?\d+,?)*):B((?:K?\d+,?)*)$/);
  const [rows, cols] = [picture.rows ?? 0, picture.cols ?? 0];
  if (!found) return null;
  const dark: number[] = [];
  for (let r = rows - 1; r >= 0; r -= 1) for (let c = 0; c < cols; c += 1) if ((r + c) % 2 === 0) dark.push(r * cols + c);
  const cells = Array<string>(rows * cols).fill('.');
  const put = (list: string, man: string, king: string) => {
    for (const word of list.split(',').filter(Boolean)) cells[dark[Number(word.replace('K', '')) - 1]] = word.startsWith('K') ? king : man;
  };
  put(found[2], 'o', 'O');
  put(found[3], 'x', 'X');
  const kinds = ['.', 'x', 'o', 'X', 'O'];
  const list = (man: string, king: string) =>
    dark.flatMap((cell, i) => (cells[cell] === man ? [`${i + 1}`] : cells[cell] === king ? [`K${i + 1}`] : [])).join(',');
  return {
    drawn: { ...picture, cells },
    brushes: [IN_TURN, ...kinds.map((kind) => ({ kind, name: NAMES[kind] }))],
    note: '',
    turn: () => text.replace(/^\s*[BW]/, found[1] === 'B' ? 'W' : 'B'),
    paint(place, brush) {
      if (!dark.includes(place)) return text;
      cells[place] = brush || kinds[(kinds.indexOf(cells[place]) + 1) % kinds.length];
      return `${found[1]}:W${list('o', 'O')}:B${list('x', 'X')}`;
    },
  };
}

const MEN = 'KQRBNPkqrbnp';
const FIGURES = '♔♕♖♗♘♙♚♛♜♝♞♟';

/** Chess: ranks from the upper one, empty squares counted, and who moves: 4k3/8/8/8/8/8/8/R3K3 w - - 0 1. */
function ranks(text: string, picture: Picture): Painter | null {
  const [board, turn, ...rest] = words(text);
  const [rows, cols] = [picture.rows ?? 0, picture.cols ?? 0];
  const lines = (board ?? '').split('/').map((line) => line.replace(/\d/g, (n) => '.'.repeat(Number(n))));
  if (lines.length !== rows || !lines.every((line) => line.length === cols && /^[.KQRBNP]*$/i.test(line)) || !turn) return null;
  const figure = (man: string) => (man === '.' ? '.' : FIGURES[MEN.indexOf(man)]);
  const written = (lines: string[]) => lines.map((line) => line.replace(/\.+/g, (gap) => `${gap.length}`)).join('/');
  // Nobody knows which rights a position by hand has.
  const tail = rest.length ? ['-', '-', '0', '1'] : [];
  return {
    drawn: { ...picture, cells: lines.toReversed().flatMap((line) => [...line].map(figure)) },
    brushes: [...`.${MEN}`].map((kind) => ({ kind: kind === '.' ? '' : kind, name: kind === '.' ? 'empty' : figure(kind) })),
    note: '',
    turn: () => [board, turn === 'w' ? 'b' : 'w', ...tail].join(' '),
    paint(place, brush) {
      const [r, c] = [rows - 1 - Math.floor(place / cols), place % cols];
      const next = lines.map((line, i) => (i === r ? replaced(line, c, brush || '.') : line));
      return [written(next), turn, ...tail].join(' ');
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
    turn: () => otherWord(text),
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
    turn: () => otherWord(text),
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
  const here = spots.find((spot) => spot.here)?.name ?? '';
  return { drawn: picture, brushes: [], note: 'Click a node.', paint: (place) => spots[place].name, turn: () => here };
}
