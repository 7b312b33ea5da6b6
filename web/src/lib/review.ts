// A game looked at afterwards: the value of each of its positions, and the moves that gave something away.

import * as api from './api';
import { isOver } from './jobs';
import { exact, other } from './words';

export interface Point {
  /** The moves that lead here. */
  moves: string[];
  turn: api.Player;
  value: number | null;
}

export interface Mistake {
  /** The number of the move, from 0. */
  ply: number;
  move: string;
  player: api.Player;
  /** What the position was worth to them before and after. */
  before: number;
  after: number;
}

/** The value of a position: what is known, else what a search finds in time. */
export async function valueAt(game: string, base: string, moves: string[], seconds: number, signal: AbortSignal): Promise<Point> {
  const here = await api.position(game, base, moves.join(' '), signal);
  const known = here.outcome ?? here.repetition ?? exact(here.value);
  if (known !== null) return { moves, turn: here.turn, value: known };
  const job = await api.startJob({ game, position: base, moves: moves.join(' '), automatic: true, seconds });
  const value = await new Promise<number | null>((resolve) => {
    const end = (value: number | null, over: boolean) => {
      stop();
      if (!over) api.stopJob(job.id).catch(() => {});
      resolve(value);
    };
    // Values of its moves are not needed here.
    const stop = api.watchJob(job.id, (now) => {
      const value = exact(now.value);
      if (value !== null || isOver(now)) end(value, isOver(now));
    });
    signal.addEventListener('abort', () => end(null, false), { once: true });
  });
  return { moves, turn: here.turn, value };
}

export function mistakes(points: (Point | null)[]): Mistake[] {
  return points.flatMap((point, ply): Mistake[] => {
    const next = points[ply + 1];
    if (!point || !next || point.value === null || next.value === null) return [];
    const sign = point.turn === 'first' ? 1 : -1;
    const [before, after] = [sign * point.value, sign * next.value];
    return after < before ? [{ ply, move: next.moves[ply], player: point.turn, before, after }] : [];
  });
}

/** What a mistake cost, after "you" or a player's name. */
export function cost({ before, after }: Mistake, scores: boolean): string {
  if (before > 0 && after < 0) return 'lost a won game here';
  if (before > 0 && after === 0) return 'let the win go here';
  if (before === 0 && after < 0) return 'lost the draw here';
  return scores ? `gave away ${before - after} points here` : 'erred here';
}

/** Best play from a position: as far as it is known, else what a search finds. */
export async function bestLine(game: string, base: string, moves: string[], seconds: number, most = 16): Promise<string[]> {
  const line: string[] = [];
  while (line.length < most) {
    const { best, outcome } = await api.position(game, base, [...moves, ...line].join(' '));
    if (outcome !== null || !best.length) break;
    line.push(best[0]);
  }
  if (line.length) return line;
  const job = await api.startJob({ game, position: base, moves: moves.join(' '), play: true, seconds });
  const done = await new Promise<api.Job>((resolve) => {
    const stop = api.watchJob(job.id, (now) => {
      if (!isOver(now)) return;
      stop();
      resolve(now);
    });
  });
  return done.line.length ? done.line : done.best ? [done.best] : [];
}

export const whose = (player: api.Player, human: api.Player | null): string =>
  human === null ? (player === 'first' ? 'First' : 'Second') : player === human ? 'You' : human === other(player) ? 'The opponent' : '';
