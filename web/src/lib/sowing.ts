// How seeds are sown, one by one, from a position to the next. What the last seed takes is seen in the last step: the rules are
// the server's, this is a picture of a hand that goes around.

import type { Diagram } from './api';

const counts = (diagram: Diagram): number[] => diagram.spots.map((spot) => spot.count ?? 0);

/** Spots in the order of sowing: along the lower row, up at the right, back along the upper one. */
function ring({ spots, height }: Diagram): number[] {
  const all = spots.map((_, i) => i);
  const pits = (lower: boolean) => all.filter((i) => spots[i].kind === 'pit' && spots[i].y > height / 2 === lower);
  const [left, right] = all.filter((i) => spots[i].kind === 'store').toSorted((a, b) => spots[a].x - spots[b].x);
  const byX = (a: number, b: number) => spots[a].x - spots[b].x;
  return [...pits(true).toSorted(byX), right, ...pits(false).toSorted(byX).toReversed(), left].filter((i) => i !== undefined);
}

/** The counts of all spots after each seed. Stores get one in passing where `passing` says so. */
export function sowing(before: Diagram, after: Diagram, source: number, passing: boolean): number[][] {
  const order = ring(before);
  const [old, end] = [counts(before), counts(after)];
  if (before.spots[source]?.kind !== 'pit' || old.length !== end.length) return [];
  const now = [...old];
  let hand = now[source];
  now[source] = 0;
  const steps = [[...now]];
  for (let at = order.indexOf(source); hand > 0; ) {
    at = (at + 1) % order.length;
    const spot = order[at];
    const store = before.spots[spot].kind === 'store';
    if (store && (!passing || end[spot] <= old[spot])) continue;
    if (spot === source && !passing) continue;
    now[spot] += 1;
    hand -= 1;
    steps.push([...now]);
  }
  return [...steps, end];
}
