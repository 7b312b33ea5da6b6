// The server's interface; its description is /api/v1/openapi.json.

export type Tone = 'win' | 'draw' | 'loss' | 'open';
export type Player = 'first' | 'second';
export interface Value {
  lo: number | null;
  hi: number | null;
}
export interface Reason {
  by: 'rules' | 'theory' | 'book' | 'database' | 'certificate' | 'store' | 'search';
  nodes: number | null;
  proof: number | null;
  database: number | null;
  store: number | null;
}
/** What one of two sources says that cannot both be right. */
export interface Said {
  of: 'position' | 'moves';
  value: Value;
  reason: Reason;
}
export interface Place {
  from: number | null;
  to: number;
  takes: number | null;
}
export interface Spot {
  kind: 'point' | 'pit' | 'store' | 'hand' | 'node';
  x: number;
  y: number;
  wide: number;
  high: number;
  name: string;
  cell: string | null;
  count: number | null;
  player: Player | null;
  here: boolean;
  value: number | null;
}
export interface Line {
  from: number;
  to: number;
  arrow: boolean;
  bend: number;
}
export interface Diagram {
  width: number;
  height: number;
  ground: boolean;
  spots: Spot[];
  lines: Line[];
  labels: { x: number; y: number; text: string }[];
}
export interface Picture {
  kind: 'board' | 'diagram' | 'text';
  rows: number | null;
  cols: number | null;
  style: 'squares' | 'chequered' | 'crossings' | null;
  cells: string[] | null;
  /** What moves call the cells, empty for those without a name; null where columns and rows name them. */
  names: string[] | null;
  diagram: Diagram | null;
  text: string | null;
}
export interface Move {
  move: string;
  after: string;
  value: Value;
  tone: Tone;
  distance: number | null;
  reason: Reason | null;
  contradiction: Said[] | null;
  place: Place | null;
}
export interface Position {
  game: string;
  position: string;
  played: string[];
  turn: Player;
  outcome: number | null;
  repetition: number | null;
  value: Value;
  tone: Tone;
  distance: number | null;
  reason: Reason | null;
  contradiction: Said[] | null;
  best: string[];
  picture: Picture;
  moves: Move[];
  /** Searches that are at work on it. */
  jobs?: number[];
  scores?: boolean;
  known?: Known;
  scope?: 'position' | 'line';
}
export interface Entry {
  name: string;
  usage: string;
  example: string;
  summary: string;
}
export interface Games {
  games: Entry[];
  databases: { id: number; name: string; game: string; damage: string | null }[];
  proofs: number;
  solvers: string[];
  limits: { batch: number; jobs: number; running: number; job_seconds: number; analysis_seconds: number; plies: number };
  version: string;
}
export interface Game {
  game: string;
  rules: string;
  values: { lo: number; hi: number };
  start: string;
  superko: boolean;
  repeats: boolean;
  databases: { id: number; name: string }[];
  proofs: number[];
  stores: number[];
}
export interface Numbers {
  proof: number | null;
  disproof: number | null;
}
export type Known = 'exact' | 'partly' | 'unknown';
export type Ending = 'solved' | 'stopped' | 'timed_out' | 'limited' | 'unsolved' | 'abandoned' | 'failed';
export interface Job {
  id: number;
  game: string;
  position: string;
  by: string;
  values: boolean;
  play?: boolean;
  state: 'waiting' | 'running' | 'paused' | 'done' | 'failed';
  /** Why it is over. */
  stop: string | null;
  ending?: Ending | null;
  solved: boolean;
  value: Value;
  known?: Known;
  scores?: boolean;
  automatic?: boolean;
  askers?: number;
  /** Where it was begun, and the moves from there to its position. */
  start?: string;
  played?: string[];
  distance?: number | null;
  phase?: 'position' | 'moves' | 'distances' | null;
  budget?: { step: number; seconds: number; most: number } | null;
  best: string | null;
  line: string[];
  engine: string | null;
  seconds: number;
  nodes: number;
  nodes_per_second: number | null;
  depth: number;
  table_permille: number;
  table_bytes: number;
  proof_numbers: Numbers | null;
  moves: { move: string; value: Value; tone: Tone; distance?: number | null; place: Place | null }[] | null;
}
export interface Sample {
  seconds: number;
  nodes: number;
  table_permille: number;
  value: Value;
  proof_numbers: Numbers | null;
}
export interface WholeJob {
  job: Job;
  samples: Sample[];
}
export interface Proof {
  id: number;
  name: string;
  game: string;
  position: string;
  state: 'searching' | 'writing' | 'checking' | 'proved' | 'refused' | 'failed';
  progress?: { nodes: number; positions: number } | null;
  made_here?: boolean;
  refusal: string | null;
  bytes: number;
  claims: {
    words: string;
    claimant: Player;
    value: number;
    positions: number;
    longest: number | null;
    line: string[];
  }[];
  made: { by: string; solver: string; nodes: number; seconds: number };
  checked: {
    positions: number;
    searched: number;
    looked_at: number;
    ends: number;
    depth: number;
    seconds: number;
  } | null;
}
export type Kind = 'inner' | 'end' | 'search' | 'elsewhere';
export interface Step {
  move: string;
  answer: string | null;
  place: Place | null;
  longest: number;
  positions: number;
  outcome: number | null;
  kind: Kind;
}
export interface ProofNode {
  position: string;
  turn: Player;
  claimant: boolean;
  outcome: number | null;
  longest: number;
  positions: number;
  kind: Kind;
  picture: Picture;
  steps: Step[];
}
export interface ProofMap {
  path: string[];
  positions: number;
  kind: Kind;
  parts: ProofMap[];
  rest: number;
}

export interface Store {
  id: number;
  name: string;
  running: boolean;
  trouble: string | null;
  about: { game: string; position: string | null; value: Value; nodes: number; settled: number; facts: number } | null;
}
export interface StoreClaim {
  words: string;
  claimant: Player;
  numbers: Numbers | null;
  line: string[];
  parts: { path: string[]; id: number; position: string; expanded: boolean; tried: boolean; numbers: Numbers | null }[];
  more: boolean;
}
export interface Moment {
  seconds: number;
  threshold: number | null;
  nodes: number;
  settled: number;
  facts: number;
  frontier: number;
  jobs: number;
  win: Numbers | null;
  loss: Numbers | null;
  visited: number;
  work: number;
}
export interface WholeStore {
  store: Store;
  roots: { id: number; position: string; value: Value }[];
  threshold: number | null;
  frontier: number;
  jobs: number;
  claims: StoreClaim[];
  provers: { prover: number; position: string; seconds: number }[];
  samples: Moment[];
}
export interface StoreStep {
  move: string;
  id: number;
  place: Place | null;
  value: Value;
  tone: Tone;
  settled: boolean;
  expanded: boolean;
  tried: boolean;
  score: number | null;
  win: Numbers | null;
  loss: Numbers | null;
  nodes: number;
  seconds: number;
}
export interface StoreNode {
  id: number;
  position: string;
  turn: Player;
  value: Value;
  tone: Tone;
  score: number | null;
  expanded: boolean;
  tried: boolean;
  win: Numbers | null;
  loss: Numbers | null;
  nodes: number;
  seconds: number;
  facts: { value: Value; source: string }[];
  picture: Picture;
  moves: StoreStep[];
  more: boolean;
}
export interface StoreArea {
  path: string[];
  id: number;
  seconds: number;
  settled: boolean;
  parts: StoreArea[];
}

/** A small game as a whole. */
export interface Statistics {
  game: string;
  state: 'counting' | 'done' | 'too_large' | 'failed';
  /** Positions so far, and the most that are counted. */
  counted: number;
  most: number;
  census: {
    positions: number;
    layers: { ply: number; positions: number; first: number; draws: number; second: number; over: number }[];
    distances: { plies: number; first: number; second: number }[];
    longest: { plies: number; position: string } | null;
    value: Value;
    distance: number | null;
    first_moves: { wins: number; draws: number; losses: number };
    values: { value: number; positions: number }[];
  } | null;
}

/** An answer that says why there is none. */
export class Trouble extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly what: string | null = null,
    readonly column: number | null = null,
    readonly expected: string | null = null,
  ) {
    super(message);
  }
}

type Words = Record<string, string | number | undefined>;

export function address(path: string, words: Words = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(words)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return `/api/v1/${path}${text && '?' + text}`;
}

/** How often a question is asked again when the server has too much to do, and how long after. */
const PATIENCE = [400, 1000];

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function ask<T>(url: string, options: RequestInit = {}): Promise<T> {
  let answer: Response;
  for (let tries = 0; ; tries += 1) {
    try {
      answer = await fetch(url, options);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new Trouble(0, 'The server does not answer. Is zermelo explore still running?');
    }
    // Only what changes nothing is asked again.
    if (answer.status !== 503 || options.method || tries >= PATIENCE.length) break;
    await pause(PATIENCE[tries]);
  }
  const body = await answer.json().catch(() => null);
  if (answer.ok && body) return body as T;
  const error = body?.error;
  throw new Trouble(answer.status, error?.message ?? answer.statusText, error?.what, error?.column, error?.expected);
}

const send = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export interface Order {
  game: string;
  position?: string;
  moves?: string;
  by?: string;
  values?: boolean;
  play?: boolean;
  automatic?: boolean;
  seconds?: number;
}

export const games = () => ask<Games>(address('games'));
export const game = (game: string, position = '') => ask<Game>(address('game', position ? { game, position } : { game }));
export const position = (game: string, position: string, moves: string, signal?: AbortSignal) =>
  ask<Position>(address('position', { game, position, moves }), { signal });
export const jobs = (of: { game?: string; position?: string; moves?: string; automatic?: string } = {}) =>
  ask<{ jobs: Job[] }>(address('jobs', of));
export const job = (id: number) => ask<WholeJob>(address(`jobs/${id}`));
export const startJob = (order: Order) => ask<Job>(address('jobs'), send('POST', order));
export const stopJob = (id: number) => ask<Job>(address(`jobs/${id}`), { method: 'DELETE' });
export const pauseJob = (id: number) => ask<Job>(address(`jobs/${id}/pause`), { method: 'POST' });
export const resumeJob = (id: number) => ask<Job>(address(`jobs/${id}/resume`), { method: 'POST' });
export const makeProof = (order: { game: string; position?: string; moves?: string; seconds?: number }) =>
  ask<Proof>(address('proofs'), send('POST', order));
export const proofFile = (id: number): string => address(`proofs/${id}/file`);
export const proofs = () => ask<{ proofs: Proof[] }>(address('proofs'));
export const proof = (id: number) => ask<Proof>(address(`proofs/${id}`));
export const node = (id: number, claim: number, moves: string[]) =>
  ask<ProofNode>(address(`proofs/${id}/node`, { claim, moves: moves.join(' ') }));
export const map = (id: number, claim: number, moves: string[], depth: number) =>
  ask<ProofMap>(address(`proofs/${id}/map`, { claim, moves: moves.join(' '), depth }));
export const statistics = (game: string) => ask<Statistics>(address('statistics', { game }));
export const stores = () => ask<{ stores: Store[] }>(address('stores'));
export const store = (id: number) => ask<WholeStore>(address(`stores/${id}`));
export const storeNode = (store: number, id: number) => ask<StoreNode>(address(`stores/${store}/node`, { id }));
export const storeMap = (store: number, id: number, depth: number) =>
  ask<StoreArea>(address(`stores/${store}/map`, { id, depth }));

/** Watches a job until it is over or the returned function is called. Where there is no stream, it is asked for now and then. */
export function watchJob(id: number, tell: (job: Job) => void): () => void {
  let gone = false;
  const source = new EventSource(address(`jobs/${id}/events`));
  const read = (event: MessageEvent) => tell(JSON.parse(event.data) as Job);
  const look = async () => {
    while (!gone) {
      try {
        const { job: now } = await job(id);
        if (gone) return;
        tell(now);
        if (now.state === 'done' || now.state === 'failed') return;
      } catch (error) {
        // A job that is not there any more will not come back.
        if (error instanceof Trouble && error.status === 404) return;
      }
      await pause(1000);
    }
  };
  source.addEventListener('progress', read);
  source.addEventListener('done', (event) => {
    source.close();
    read(event);
  });
  source.addEventListener('error', () => {
    if (!gone && source.readyState === EventSource.CLOSED) look();
  });
  return () => {
    gone = true;
    source.close();
  };
}
