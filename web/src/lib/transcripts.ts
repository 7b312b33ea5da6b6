// Games and positions as other programs write them: FEN and PDN for draughts, FEN for chess endings, SGF for the Go family, columns for
// Connect Four. What is read here is only the form; the server says whether the moves are legal.

import type { Picture, Player } from './api';
import { family } from './look';

export interface Transcript {
  position: string;
  moves: string[];
}

const isGo = (game: string) => ['go', 'nogo', 'atarigo'].includes(family(game));
const letter = (n: number) => String.fromCharCode(97 + n);

/** Points of SGF count from the upper left, with letters; none is a pass. */
function sgfPoint(text: string, rows: number): string {
  if (!/^[a-s]{2}$/.test(text)) return 'pass';
  return `${text[0]}${rows - (text.charCodeAt(1) - 97)}`;
}

function readSgf(text: string, rows: number): Transcript | null {
  // The main line: the first variation of each branch, up to the first parenthesis that closes.
  const main = text.slice(text.indexOf('(') + 1).split(')')[0];
  const nodes = [...main.matchAll(/;\s*([BW])\[([a-z]*)\]/g)];
  if (!nodes.length) return null;
  return { position: '', moves: nodes.map(([, , point]) => sgfPoint(point, rows)) };
}

/** Draughts: [FEN "B:W21:B1"] and 1. 11-15 22x17. Comments, variations and results are left out. */
function readPdn(text: string): Transcript | null {
  const fen = text.match(/\[FEN\s+"([^"]+)"\]/i)?.[1] ?? '';
  const bare = text.replace(/\[[^\]]*\]/g, ' ').replace(/\{[^}]*\}/g, ' ').replace(/\([^)]*\)/g, ' ');
  const moves = bare.match(/\b\d+(?:\s*[-x]\s*\d+)+\b/gi) ?? [];
  const results = ['1-0', '0-1', '1-1', '0-0', '2-0', '0-2'];
  const played = moves.map((move) => move.replace(/\s/g, '').toLowerCase()).filter((move) => !results.includes(move));
  return fen || played.length ? { position: fen, moves: played } : null;
}

/** What a text from elsewhere says, where it is of a form that is known for this game; else null: it is read as a position. */
export function read(game: string, text: string, picture: Picture | null): Transcript | null {
  const trimmed = text.trim();
  if (isGo(game) && trimmed.startsWith('(')) return readSgf(trimmed, picture?.rows ?? 0);
  if (family(game) === 'checkers' && (/\[\w+\s+"/.test(trimmed) || /\d\s*[-x]\s*\d+\s+\d/.test(trimmed))) return readPdn(trimmed);
  if (family(game) === 'connect4' && /^[1-9]+$/.test(trimmed)) {
    return { position: '', moves: [...trimmed].map((digit) => letter(Number(digit) - 1)) };
  }
  return null;
}

export interface Written {
  name: string;
  file: string;
  text: string;
}

/** The moves as other programs read them; null where there is no such form. */
export function write(game: string, picture: Picture, base: string, position: string, moves: string[], first: Player = 'first'): Written | null {
  const kind = family(game);
  if (isGo(game) && !base) {
    const rows = picture.rows ?? 0;
    const colours = first === 'first' ? 'BW' : 'WB';
    const point = (move: string) => {
      const [, column, row] = move.match(/^([a-s])(\d+)$/) ?? [];
      return column ? `${column}${letter(rows - Number(row))}` : '';
    };
    const size = picture.cols === rows ? `${rows}` : `${picture.cols}:${rows}`;
    const nodes = moves.map((move, i) => `;${colours[i % 2]}[${point(move)}]`).join('');
    return { name: 'SGF', file: 'sgf', text: `(;GM[1]FF[4]CA[UTF-8]AP[Zermelo]SZ[${size}]${nodes})\n` };
  }
  if (kind === 'checkers') {
    const head = base ? `[SetUp "1"]\n[FEN "${base}"]\n` : '';
    const black = !base.startsWith('W');
    const numbered = moves.map((move, i) => (i % 2 === (black ? 0 : 1) ? `${Math.floor((i + (black ? 0 : 1)) / 2) + 1}. ${move}` : move));
    return { name: 'PDN', file: 'pdn', text: `[Event "Zermelo"]\n${head}[Result "*"]\n\n${numbered.join(' ')} *\n` };
  }
  if (kind === 'chess') return { name: 'FEN', file: 'fen', text: `${position}\n` };
  if (kind === 'connect4' && !base && moves.every((move) => /^[a-i]$/.test(move))) {
    return { name: 'Columns', file: 'txt', text: `${moves.map((move) => move.charCodeAt(0) - 96).join('')}\n` };
  }
  return null;
}
