// Opponents: the perfect player, and weaker ones that play some of their moves at random. How many is said, so that people know what
// they have beaten.

export interface Level {
  name: string;
  /** One of so many moves is played at random; none for the perfect player. */
  errs: number | null;
}

export const LEVELS: Level[] = [
  { name: 'Perfect', errs: null },
  { name: 'Strong', errs: 10 },
  { name: 'Medium', errs: 4 },
  { name: 'Easy', errs: 2 },
];

export const levelWords = ({ errs }: Level): string =>
  errs === null ? 'never errs' : errs === 2 ? 'plays every second move at random' : `plays one move in ${errs} at random`;

/** A move at random, if this is one of those; null: the best one is to be played. */
export function slip({ errs }: Level, moves: string[]): string | null {
  if (errs === null || Math.random() >= 1 / errs) return null;
  return moves[Math.floor(Math.random() * moves.length)];
}
