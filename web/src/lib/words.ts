// Values, numbers and reasons as people read them.

import type { Numbers, Player, Reason, Said, Tone, Value } from './api';

export const exact = (value: Value): number | null =>
  value.lo !== null && value.lo === value.hi ? value.lo : null;

export const other = (player: Player): Player => (player === 'first' ? 'second' : 'first');

/** x plays first, o second. */
export const name = (player: Player): string => (player === 'first' ? 'First' : 'Second');

export const SIGN: Record<Tone, string> = { win: '+', draw: '=', loss: '−', open: '?' };

/** What a value is worth to a player. */
export function toneFor(value: Value, player: Player): Tone {
  const v = exact(value);
  const { lo, hi } = player === 'first' ? value : { lo: value.hi === null ? null : -value.hi, hi: value.lo === null ? null : -value.lo };
  if (lo !== null && lo > 0) return 'win';
  if (hi !== null && hi < 0) return 'loss';
  return v === 0 ? 'draw' : 'open';
}

/** Of so many plies, who ends the game moves: 23 of them. */
export const inPlies = (distance: number | null | undefined): string => (distance ? ` in ${distance}` : '');

/** The plies of a move: itself, and those from the position after it. So the best move takes as many as the position. */
export const pliesOf = (move: { distance: number | null }): number | null => (move.distance === null ? null : move.distance + 1);

export const TONE: Record<Tone, string> = { win: 'wins', draw: 'draws', loss: 'loses', open: 'open' };

/** The verdict about a position for whoever reads it. */
export function verdict(value: Value, scores: boolean): string {
  const v = exact(value);
  if (v === null) {
    if (value.lo !== null && value.lo > 0) return scores ? `First wins by ${value.lo} or more` : 'First wins';
    if (value.hi !== null && value.hi < 0) return scores ? `Second wins by ${-value.hi} or more` : 'Second wins';
    if (value.lo === 0) return 'First does not lose';
    if (value.hi === 0) return 'First does not win';
    // Bounds that leave open who wins are no answer.
    return 'Not known yet';
  }
  if (v === 0) return 'A draw';
  const who = v > 0 ? 'First' : 'Second';
  return scores ? `${who} wins by ${Math.abs(v)}` : `${who} wins`;
}

/** A claim as people say it: what the claimant can make sure of. */
export function claimed(claim: Claim): string {
  const { claimant, value } = claim;
  return verdict(claimant === 'first' ? { lo: value, hi: null } : { lo: null, hi: value }, Math.abs(value) > 1);
}

type Claim = { claimant: Player; value: number };

/** What several claims say together: both players may be sure of a draw. */
export function claimedTogether(claims: Claim[]): string {
  const of = (player: Player) => claims.filter((c) => c.claimant === player).map((c) => c.value);
  const [lo, hi] = [Math.max(...of('first')), Math.min(...of('second'))];
  if (lo !== hi) return claims.map(claimed).join(', ');
  return lo === 0 ? 'A draw: neither side can win' : verdict({ lo, hi }, Math.abs(lo) > 1);
}

/** What a claim is worth to the claimant. */
export function claimTone({ claimant, value }: Claim): Tone {
  const worth = claimant === 'first' ? value : -value;
  return worth > 0 ? 'win' : worth === 0 ? 'draw' : 'open';
}

/** The same for the other player. */
export const opposite = (tone: Tone): Tone => (tone === 'win' ? 'loss' : tone === 'loss' ? 'win' : tone);

export const plies = (n: number): string => (n === 1 ? '1 ply' : `${n} plies`);

export const positions = (n: number): string => (n === 1 ? '1 position' : `${grouped(n)} positions`);

const GROUP = new Intl.NumberFormat('en');
export const grouped = (n: number): string => GROUP.format(n);

export function short(n: number): string {
  if (n >= 1e9) return (n / 1e9).toFixed(2) + ' G';
  if (n >= 1e6) return (n / 1e6).toFixed(2) + ' M';
  if (n >= 1e4) return (n / 1e3).toFixed(1) + ' k';
  return grouped(Math.round(n));
}

export function bytes(n: number): string {
  if (n >= 1 << 30) return (n / (1 << 30)).toFixed(2) + ' GiB';
  if (n >= 1 << 20) return (n / (1 << 20)).toFixed(1) + ' MiB';
  if (n >= 1 << 10) return (n / (1 << 10)).toFixed(1) + ' KiB';
  return `${n} bytes`;
}

export const seconds = (n: number): string => (n < 10 ? n.toFixed(2) : n.toFixed(1)) + ' s';

/** A time on an axis: 230 s, 4.6 s, 0.05 s. */
export function duration(n: number): string {
  const digits = n >= 10 || n === 0 ? 0 : n >= 1 ? 1 : n >= 0.1 ? 2 : 3;
  return `${grouped(Number(n.toFixed(digits)))} s`;
}

/** Proof and disproof number. */
export const pair = (n: Numbers | null): string => (n ? `${n.proof ?? '∞'}/${n.disproof ?? '∞'}` : '');

/** Why a value is known. Where there are several databases, which one it was. */
export function because(reason: Reason | null, names: Map<number, string> = new Map()): string {
  switch (reason?.by) {
    case 'rules':
      return 'the game is over';
    case 'theory':
    case 'book':
      return reason.by;
    case 'database':
      return names.size > 1 ? `database ${names.get(reason.database ?? -1) ?? ''}` : 'database';
    case 'certificate':
    case 'store':
      return reason.by;
    case 'search':
      return `search, ${short(reason.nodes ?? 0)} nodes`;
    default:
      return '';
  }
}

/** Two sources that cannot both be right, in a sentence. `names` are those of the databases. */
export function clash([one, other]: Said[], scores: boolean, names: Map<number, string>): string {
  const who = (said: Said): string => {
    const { by, database, proof, store, nodes } = said.reason;
    const of = said.of === 'moves' ? ' (by what it says of the moves)' : '';
    if (by === 'database') return `the database ${names.get(database ?? -1) ?? ''}${of}`;
    if (by === 'certificate') return `certificate ${proof}${of}`;
    if (by === 'store') return `store ${store}${of}`;
    if (by === 'search') return `a search of ${short(nodes ?? 0)} nodes${of}`;
    return (by === 'rules' ? 'the rules' : by === 'book' ? 'the book' : "the game's own theory") + of;
  };
  const says = (said: Said) => `${who(said)} says “${verdict(said.value, scores)}”`;
  return `Two sources contradict each other, so one of them is wrong and nothing is known: ${says(one)}, ${says(other)}.`;
}
