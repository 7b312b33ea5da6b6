// Names of games: those that people use, and those that the server reads.

import type { Entry } from './api';

const TITLES: Record<string, string> = {
  tictactoe: 'Tic-tac-toe',
  mnk: 'So many in a row',
  connect4: 'Connect Four',
  nogo: 'NoGo',
  atarigo: 'Atari Go',
  chess: 'Chess endings',
  loa: 'Lines of Action',
  morris: "Men's Morris",
  graph: 'Your own graph',
};

/** What else people call them, without blanks and signs; with what follows the server's name. */
const ALIASES: Record<string, string> = {
  noughtsandcrosses: 'tictactoe',
  connect4: 'connect4',
  connectfour: 'connect4',
  fourinarow: 'connect4',
  '4inarow': 'connect4',
  manyinarow: 'mnk',
  gomoku: 'mnk',
  draughts: 'checkers',
  englishdraughts: 'checkers',
  mancala: 'kalah',
  kalaha: 'kalah',
  oware: 'awari',
  atari: 'atarigo',
  capturego: 'atarigo',
  endgames: 'chess',
  endings: 'chess',
  threemensmorris: 'morris 3',
  sixmensmorris: 'morris 6',
  ninemensmorris: 'morris 9',
  mill: 'morris 9',
  mills: 'morris 9',
  merels: 'morris 9',
  graph: 'graph',
};

const capital = (word: string) => (word ? word[0].toUpperCase() + word.slice(1) : '');
const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** A kind of game, as people call it. */
export const kindTitle = (name: string): string => TITLES[name] ?? capital(name);

/** A game with its size: connect4 6x7 is Connect Four 6×7. */
export function title(game: string): string {
  const [kind, ...rest] = game.split(' ');
  if (kind === 'graph') return TITLES.graph;
  if (kind === 'morris' && rest.length) {
    const men: Record<string, string> = { 3: 'Three', 6: 'Six', 9: 'Nine' };
    return [`${men[rest[0]] ?? rest[0]} ${TITLES.morris}`, ...rest.slice(1)].join(' ');
  }
  return [kindTitle(kind), ...rest.map((word) => word.replace(/(\d)x(?=\d)/g, '$1×'))].join(' ');
}

/** What the server calls a game that is written as people do: case, ×, blanks and signs do not matter, and a size that is missing is
    the usual one. Null: no game begins like this. */
export function gameNamed(text: string, entries: Entry[]): string | null {
  const written = text.trim().replace(/[×✕]/g, 'x').replace(/(\d)\s*(?:x|by)\s*(?=\d)/gi, '$1x');
  const words = written.split(/\s+/).filter(Boolean);
  const names = new Map(Object.entries(ALIASES));
  for (const { name } of entries) for (const known of [name, kindTitle(name)]) names.set(plain(known), name);
  for (let n = words.length; n > 0; n -= 1) {
    const name = names.get(plain(words.slice(0, n).join('')));
    const entry = entries.find((e) => e.name === name?.split(' ')[0]);
    if (!name || !entry) continue;
    const rest = words.slice(n);
    if (!rest.length) return name.includes(' ') ? name : entry.example;
    // Nodes of a graph and chess men are written as they are meant.
    const kept = name === 'chess' ? rest.map((word) => word.toUpperCase()) : name === 'graph' ? rest : rest.map((word) => word.toLowerCase());
    return [name, ...kept].join(' ');
  }
  return null;
}

/** The kinds of games that what was written so far may mean. */
export function completions(text: string, entries: Entry[]): Entry[] {
  const letters = plain(text.replace(/\d+\s*[x×].*$/, ''));
  if (!letters) return entries;
  const starts = (entry: Entry) =>
    [entry.name, kindTitle(entry.name)].some((known) => plain(known).startsWith(letters)) ||
    Object.entries(ALIASES).some(([alias, name]) => name.split(' ')[0] === entry.name && alias.startsWith(letters));
  const holds = (entry: Entry) => plain(kindTitle(entry.name) + entry.summary).includes(letters);
  return [...entries.filter(starts), ...entries.filter((entry) => !starts(entry) && holds(entry))];
}

/** The numbers in a game's name, and what the game calls them: rows 6, columns 7. */
export interface Parameter {
  name: string;
  value: number;
}
export function parameters(game: string, usage: string): Parameter[] {
  const WORDS: Record<string, string> = { COLS: 'columns', LINE: 'in a row', MATERIAL: 'men' };
  if (game.startsWith('graph')) return [];
  const names = usage.match(/\b[A-Z]+(?:x[A-Z]+)*\b/)?.[0].split('x') ?? [];
  const numbers = game.match(/\s(\d+(?:x\d+)*)\b/)?.[1].split('x') ?? [];
  if (!names.length || names.length !== numbers.length) return [];
  return names.map((word, i) => ({ name: WORDS[word] ?? word.toLowerCase(), value: Number(numbers[i]) }));
}

/** The same game with other numbers. */
export const resized = (game: string, numbers: number[]): string => game.replace(/ \d+(?:x\d+)*/, ' ' + numbers.join('x'));
