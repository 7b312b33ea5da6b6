// The analysis of the board that is open: it starts by itself, tells what it has proved as it goes, can be paused, and goes on in the
// server when the page is loaded again.

import * as api from './api';
import { isOver } from './jobs';
import { exact, toneFor } from './words';

export class Analysis {
  job = $state<api.Job | null>(null);
  /** Why there is none. */
  trouble = $state('');

  /** Begins, or joins what runs already. What is returned ends it. */
  begin(order: api.Order, ondone: () => void): () => void {
    let gone = false;
    let stop = () => {};
    let id: number | null = null;
    this.job = null;
    this.trouble = '';
    const watch = (job: api.Job) => {
      id = job.id;
      if (gone) return void api.stopJob(job.id).catch(() => {});
      this.job = job;
      stop = api.watchJob(job.id, (now) => {
        if (gone) return;
        this.job = now;
        if (!isOver(now)) return;
        id = null;
        ondone();
      });
    };
    api.startJob({ ...order, automatic: true }).then(watch, (error) => {
      if (!gone) this.trouble = error.message;
    });
    return () => {
      gone = true;
      stop();
      this.job = null;
      this.trouble = '';
      if (id !== null) api.stopJob(id).catch(() => {});
    };
  }

  /** Lets it wait, or go on. */
  async toggle() {
    const job = this.job;
    if (!job || isOver(job)) return;
    // That it has happened is told as everything is that happens to it: the answer may be older.
    await (job.state === 'paused' ? api.resumeJob : api.pauseJob)(job.id).catch((error) => (this.trouble = error.message));
  }
}

/** A position with what its analysis has found so far. */
export function withFound(now: api.Position, job: api.Job | null): api.Position {
  if (!job || job.game !== now.game || job.position !== now.position) return now;
  const reason: api.Reason = { by: 'search', nodes: job.nodes, proof: null, database: null, store: null };
  const found = new Map((job.moves ?? []).map((m) => [m.move, m]));
  const moves = now.moves.map((m) => {
    const more = found.get(m.move);
    if (!more || m.contradiction) return m;
    const better = m.tone === 'open' || (exact(m.value) === null && exact(more.value) !== null);
    const told = better && more.tone !== 'open' ? { ...m, value: more.value, tone: more.tone, reason } : m;
    return { ...told, distance: told.distance ?? more.distance ?? null };
  });
  const better = exact(now.value) === null && exact(job.value) !== null && !now.contradiction;
  const known = better ? { value: job.value, tone: toneFor(job.value, now.turn), reason } : {};
  return { ...now, ...known, distance: now.distance ?? job.distance ?? null, moves };
}
