// Boards that look like their games, and are played like them.

import assert from 'node:assert/strict';
import { address, open } from './harness.mjs';

/** Drags from the middle of an element to that of another. */
async function drag(page, from, to) {
  const middle = async (selector) => {
    const { x, y, width, height } = await page.locator(selector).first().boundingBox();
    return [x + width / 2, y + height / 2];
  };
  const [a, b] = [await middle(from), await middle(to)];
  await page.mouse.move(...a);
  await page.mouse.down();
  await page.mouse.move((a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
  await page.mouse.move(...b);
  await page.mouse.up();
}
const colour = (page, selector, what = 'fill') => page.locator(selector).first().evaluate((e, what) => getComputedStyle(e)[what], what);
const at = (page, moves, game = 'connect4+4x4') => page.waitForURL(`**/#/${game}//${moves}`);

export default {
  async 'Connect Four is won by dragging, by clicks and by keyboard'() {
    const page = await open('#/connect4+4x4');
    const cell = (name) => `svg.board [data-cell=${name}]`;
    await page.waitForSelector('svg.board .hand');
    await drag(page, 'svg.board [data-above="1"]', 'svg.board [data-above="0"]');
    await at(page, 'a');
    // Red and yellow discs, the last one marked.
    await page.waitForSelector('svg.board .disc.first');
    await page.waitForSelector('svg.board .last-disc');
    await page.click(cell('b4'));
    await at(page, 'a,b');
    await page.waitForSelector('svg.board .disc.second:not(.hand *)');
    const [red, yellow] = [await colour(page, 'svg.board .disc.first'), await colour(page, 'svg.board .disc.second')];
    assert.notEqual(red, yellow);
    await page.locator('svg.board').focus();
    await page.waitForSelector('svg.board .cursor');
    await page.evaluate(() => document.querySelector('svg.board').dispatchEvent(new PointerEvent('pointerleave')));
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await at(page, 'a,b,a');
    await page.click(cell('b2'));
    await at(page, 'a,b,a,b');
    await page.waitForSelector('text=First to move');
    await drag(page, cell('d1'), cell('a3'));
    await at(page, 'a,b,a,b,a');
    await page.waitForSelector('text=Second to move');
    await page.click(cell('b3'));
    await at(page, 'a,b,a,b,a,b');
    await page.waitForSelector('text=First to move');
    await page.click(cell('a4'));
    await page.waitForSelector('.verdict:has-text("The game is over"):has-text("First wins")');
    assert.equal(await page.locator('svg.board .won').count(), 4, 'the four are shown');
    await page.close();
  },

  async 'discs fall, unless motion is not wanted'() {
    for (const reducedMotion of ['no-preference', 'reduce']) {
      const page = await open('#/connect4+4x4', { reducedMotion });
      await page.click('svg.board [data-cell=c1]');
      await page.waitForSelector('svg.board .fall .disc');
      const falls = await colour(page, 'svg.board .fall', 'animationName');
      assert.equal(falls !== 'none', reducedMotion === 'no-preference');
      // What was there before does not fall again.
      await page.reload();
      await page.waitForSelector('svg.board .disc.first');
      // But it is marked as the last move.
      await page.waitForSelector('svg.board .last-disc');
      assert.equal(await page.locator('svg.board .fall').count(), 0);
      await page.close();
    }
  },

  async 'dominoes are dominoes, those of the players differ, and blocked cells are none'() {
    const page = await open('#/domineering+4x4//b2-b3,c1-d1');
    await page.waitForSelector('svg.board .tile');
    assert.equal(await page.locator('svg.board .tile').count(), 2);
    assert.equal(await page.locator('svg.board .tile.upright').count(), 1);
    const upright = await colour(page, 'svg.board .tile.upright rect:not(.shadow)');
    assert.notEqual(upright, await colour(page, 'svg.board .tile:not(.upright) rect:not(.shadow)'));
    await drag(page, 'svg.board [data-cell=a1]', 'svg.board [data-cell=a2]');
    await page.waitForFunction(() => document.querySelectorAll('svg.board .tile').length === 3);
    await at(page, 'b2-b3,c1-d1,a1-a2', 'domineering+4x4');
    await page.close();
  },

  async 'the squares of a checker board have numbers, and men are dragged'() {
    const page = await open('#/checkers+6x6');
    await page.waitForSelector('svg.board .square');
    const numbers = await page.locator('svg.board .square').allTextContents();
    assert.deepEqual(numbers.map(Number).toSorted((a, b) => a - b), Array.from({ length: 18 }, (_, i) => i + 1));
    await drag(page, 'svg.board [data-cell="4"]', 'svg.board [data-cell="7"]');
    await page.waitForURL('**/#/checkers+6x6//4-7');
    await page.waitForSelector('svg.board .last');
    await page.close();
  },

  async 'stones, men and crosses have shapes of their own'() {
    const page = await open('#/chess+KQKR');
    await page.waitForSelector('svg.board .man');
    assert.equal(await page.locator('svg.board path.man').count(), 4);
    assert.equal(await page.locator('svg.board path.man.light').count(), 2);
    const shapes = await page.locator('svg.board path.man').evaluateAll((men) => new Set(men.map((m) => m.getAttribute('d'))).size);
    assert.equal(shapes, 3, 'two kings, a queen and a rook');
    await page.goto(`${address}/#/tictactoe//b2,a1`);
    await page.waitForSelector('svg.board path.cross');
    await page.waitForSelector('svg.board circle.cross');
    await page.goto(`${address}/#/go+9x9//e5`);
    await page.waitForSelector('svg.board .star');
    assert.equal(await page.locator('svg.board .star').count(), 5);
    await page.close();
  },

  async 'seeds are sown one by one, unless motion is not wanted'() {
    for (const reducedMotion of ['no-preference', 'reduce']) {
      const page = await open('#/kalah+4x3', { reducedMotion });
      await page.waitForSelector('svg.board .seed');
      // Every state of the second pit is noted.
      await page.evaluate(() => {
        window.states = new Set();
        const note = () => window.states.add([...document.querySelectorAll('svg.board .count')].map((t) => t.textContent).join());
        note();
        new MutationObserver(note).observe(document.querySelector('svg.board'), { subtree: true, childList: true, characterData: true });
      });
      await page.click('svg.board [data-place="0"]');
      await page.waitForURL('**/#/kalah+4x3//a');
      await page.waitForFunction(() => !document.querySelector('svg.board[data-sowing]') && [...document.querySelectorAll('svg.board .count')].some((t) => t.textContent === '4'));
      await page.waitForSelector('text=Second to move');
      await page.waitForFunction(() => document.querySelectorAll('svg.board .seed').length === 24);
      const states = await page.evaluate(() => window.states.size);
      // The first, an empty pit, three seeds: five pictures. Without motion: two.
      if (reducedMotion === 'reduce') assert.equal(states, 2);
      else assert.ok(states >= 5, `${states} pictures`);
      await page.close();
    }
  },

  async 'whose turn it is can be seen in the dark'() {
    const page = await open('#/nogo+4x4', { colorScheme: 'dark' });
    await page.waitForSelector('.verdict [data-turn=first]');
    const dot = await colour(page, '.verdict [data-turn] circle.first');
    const ground = await colour(page, '.verdict [data-turn] rect');
    const sum = (text) => text.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
    assert.ok(sum(ground) - sum(dot) > 250, `${dot} on ${ground}`);
    await page.close();
  },

  async 'times on charts are plain numbers'() {
    const page = await open('#/searches');
    const { job, samples } = {
      job: { id: 9, game: 'nogo 6x6', position: 'x', by: 'dfpn', values: false, state: 'done', stop: 'out of time', solved: false, value: { lo: null, hi: null }, best: null, line: [], engine: null, seconds: 460, nodes: 5, nodes_per_second: 1, depth: 1, table_permille: 1, table_bytes: 1, proof_numbers: null, moves: null },
      samples: [1, 230, 460].map((seconds) => ({ seconds, nodes: seconds * 10, table_permille: 1, value: { lo: null, hi: null }, proof_numbers: null })),
    };
    await page.route('**/api/v1/jobs/9', (route) => route.fulfill({ json: { job, samples } }));
    await page.goto(`${address}/#/searches/9`);
    await page.waitForSelector('svg.chart text:has-text("230 s")');
    await page.waitForSelector('svg.chart text:has-text("460 s")');
    assert.doesNotMatch(await page.textContent('main'), /\de\+/);
    await page.close();
  },
};
