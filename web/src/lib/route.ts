// A URL names a page: #/GAME/POSITION/MOVES, #/proofs/0, #/stores/0, #/searches/3. An empty position is the start.

export type Route =
  | { page: 'gallery' }
  | { page: 'proofs'; id: number | null }
  | { page: 'stores'; id: number | null }
  | { page: 'searches'; id: number | null }
  | { page: 'board'; game: string; position: string; moves: string[] };

export function read(hash: string): Route {
  const parts = hash.replace(/^#?\/?/, '').split('/').map(decode);
  const [first, second = '', third = ''] = parts;
  if (!first) return { page: 'gallery' };
  if (first === 'proofs' || first === 'stores' || first === 'searches') {
    return { page: first, id: /^\d+$/.test(second) ? Number(second) : null };
  }
  return { page: 'board', game: first, position: second, moves: third.split(',').filter(Boolean) };
}

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

export function board(game: string, position = '', moves: string[] = []): string {
  const parts = [game, position, moves.join(',')].map(encode);
  while (parts.at(-1) === '') parts.pop();
  return '#/' + parts.join('/');
}
