// The move of the program in a game against it.

import * as api from './api';
import { type Level, slip } from './levels';
import { because, short, verdict } from './words';

interface Question {
  game: string;
  base: string;
  moves: string[];
  here: api.Position;
  level: Level;
  scores: boolean;
  /** Whether positions of the game can repeat. */
  repeats: boolean;
  seconds: number;
}

/** Chooses a move and says why; `tell` has what it thinks meanwhile. What is returned ends it. */
export function answer(question: Question, tell: (thought: string) => void, play: (move: string) => void): () => void {
  const { game, base, moves, here, level, scores, repeats, seconds } = question;
  let gone = false;
  let id: number | null = null;
  let stop = () => {};
  const end = () => {
    gone = true;
    stop();
    if (id !== null) api.stopJob(id).catch(() => {});
  };
  const soon = (move: string, why: string) => {
    const timer = setTimeout(() => {
      tell(why);
      play(move);
    }, 300);
    stop = () => clearTimeout(timer);
    return end;
  };
  const random = slip(level, here.moves.map((m) => m.move));
  if (random !== null) return soon(random, `${random}: played at random`);
  // Where positions can repeat, a move that keeps the value need not lead to the end: distances do.
  const leads = !repeats || (here.distance !== null && here.moves.every((m) => m.distance !== null));
  if (here.best.length && leads) return soon(here.best[0], `${verdict(here.value, scores)}: ${because(here.reason)}`);
  tell('thinking …');
  api.startJob({ game, position: base, moves: moves.join(' '), play: true, seconds }).then(
    (job) => {
      id = job.id;
      if (gone) return end();
      stop = api.watchJob(job.id, (job) => {
        if (gone) return;
        if (job.state !== 'done') return tell(`thinking: ${short(job.nodes)} positions …`);
        id = null;
        const sure = job.solved ? verdict(job.value, scores) : 'Not proved: the best that was found in time';
        tell(`${sure} (${short(job.nodes)} positions)`);
        play(job.best ?? here.moves[0].move);
      });
    },
    (error) => tell(error.message),
  );
  return end;
}
