// A URL names a page: #/GAME/POSITION/MOVES, #/proofs/0/CLAIM/MOVES, #/stores/0, #/searches/3. An empty position is the start.

export type Route =
  | { page: 'gallery' }
  | { page: 'proofs'; id: number | null; claim: number; moves: string[] }
  | { page: 'stores'; id: number | null }
  | { page: 'searches'; id: number | null }
  | { page: 'board'; game: string; position: string; moves: string[] };

export function read(hash: string): Route {
  const parts = hash.replace(/^#?\/?/, '').split('/').map(decode);
  const [first, second = '', third = '', fourth = ''] = parts;
  if (!first) return { page: 'gallery' };
  const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : null);
  if (first === 'proofs') return { page: first, id: number(second), claim: number(third) ?? 0, moves: list(fourth) };
  if (first === 'stores' || first === 'searches') return { page: first, id: number(second) };
  return { page: 'board', game: first, position: second, moves: list(third) };
}

const list = (text: string): string[] => text.split(',').filter(Boolean);

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}

/** Blanks as +, so that a link can be read. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2C', ',').replaceAll('%3A', ':');
}

function link(parts: string[]): string {
  const written = parts.map(encode);
  while (written.at(-1) === '') written.pop();
  return '#/' + written.join('/');
}

export const board = (game: string, position = '', moves: string[] = []): string => link([game, position, moves.join(',')]);

/** A position inside a proof. */
export const proof = (id: number, claim = 0, moves: string[] = []): string =>
  link(['proofs', `${id}`, ...(claim || moves.length ? [`${claim}`, moves.join(',')] : [])]);
