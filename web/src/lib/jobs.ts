// What is said of a search.

import type { Ending, Job } from './api';
import { exact, verdict } from './words';

export const isOver = (job: Job): boolean => job.state === 'done' || job.state === 'failed';

/** Whether a page asked for it by itself: for the values of a board, a review, or a move of the program. */
export const isAutomatic = (job: Job): boolean => !!job.automatic || !!job.play;

/** How it ended; null while it goes on. */
export function ending(job: Job): Ending | null {
  if (!isOver(job)) return null;
  if (job.ending) return job.ending;
  if (job.state === 'failed') return 'failed';
  if (job.solved) return 'solved';
  return ENDED[job.stop ?? ''] ?? 'unsolved';
}

const ENDED: Record<string, Ending> = {
  interrupted: 'stopped',
  'out of time': 'timed_out',
  'out of nodes': 'limited',
  'out of memory': 'limited',
};
const ENDINGS: Record<Ending, string> = {
  solved: 'solved',
  stopped: 'stopped',
  timed_out: 'timed out',
  limited: 'out of nodes or memory',
  unsolved: 'not solved',
  abandoned: 'given up',
  failed: 'failed',
};

/** Its state in a word or two. */
export const stateWords = (job: Job): string => {
  const end = ending(job);
  return end ? ENDINGS[end] : job.state;
};

/** What it found, where that is anything. */
export function found(job: Job): string {
  const { lo, hi } = job.value;
  if (lo === null && hi === null) return '';
  const value = exact(job.value);
  return verdict(job.value, job.scores ?? (value !== null ? Math.abs(value) > 1 : Math.max(Math.abs(lo ?? 0), Math.abs(hi ?? 0)) > 1));
}
