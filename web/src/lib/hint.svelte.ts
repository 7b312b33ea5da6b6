// One move that is best, and what it is worth; where that is not known, the move that the program would play.

import * as api from './api';
import { isOver } from './jobs';
import { inPlies, pliesOf, verdict } from './words';

export class Hint {
  /** The move, empty while it is looked for, and what is said of it. */
  told = $state<{ move: string; words: string } | null>(null);
  #end = () => {};

  /** Another position, or not wanted any more. */
  forget() {
    this.#end();
    this.#end = () => {};
    this.told = null;
  }

  give(here: api.Position, order: api.Order, scores: boolean) {
    this.forget();
    const best = here.moves.find((m) => m.move === here.best[0]);
    if (best) {
      this.told = { move: best.move, words: `${verdict(best.value, scores)}${inPlies(pliesOf(best))}` };
      return;
    }
    let gone = false;
    let id: number | null = null;
    let stop = () => {};
    this.told = { move: '', words: 'looking …' };
    this.#end = () => {
      gone = true;
      stop();
      if (id !== null) api.stopJob(id).catch(() => {});
    };
    const show = (job: api.Job) => {
      if (gone || !isOver(job)) return;
      id = null;
      this.told = { move: job.best ?? '', words: job.solved ? verdict(job.value, scores) : 'not proved: the best that was found in time' };
    };
    api.startJob({ ...order, play: true }).then(
      (job) => {
        id = job.id;
        if (gone) return void api.stopJob(job.id).catch(() => {});
        stop = api.watchJob(job.id, show);
      },
      (error) => {
        if (!gone) this.told = { move: '', words: error.message };
      },
    );
  }
}
