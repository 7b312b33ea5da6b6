// Games from other programs, and for them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { address, open } from './harness.mjs';

const form = 'form[aria-label="Set up a position"]';

/** Opens a game, sets up what is written, and waits for the address. */
async function use(page, hash, text, wanted) {
  await page.goto(`${address}/${hash}`);
  await page.waitForSelector('.left svg.board');
  await page.keyboard.press('p');
  await page.fill('#position-text', text);
  await page.click(`${form} button.main:enabled`);
  await page.waitForFunction((wanted) => decodeURIComponent(location.hash.replaceAll('+', ' ')) === wanted, wanted);
}
async function written(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button:has-text("${name} file")`)]);
  return readFileSync(await download.path(), 'utf8');
}

export default {
  async 'columns, PDN, SGF and FEN are read'() {
    const page = await open('#/');
    await use(page, '#/connect4+6x7', '4453', '#/connect4 6x7//d,d,e,c');
    await use(page, '#/checkers+8x8', '[Event "A game"] 1. 11-15 {a comment} 23-19 2. 8-11 22-17 *', '#/checkers 8x8//11-15,23-19,8-11,22-17');
    await use(page, '#/checkers+8x8', '[SetUp "1"] [FEN "W:W21,K30:B1,2"] 1. 21-17 1-6', '#/checkers 8x8/W:W21,K30:B1,2/21-17,1-6');
    await use(page, '#/nogo+5x5', '(;GM[1]FF[4]SZ[5];B[cc];W[bd](;B[aa])(;B[ee]))', '#/nogo 5x5//c3,b2,a5');
    await use(page, '#/chess+KRK', '4k3/8/8/8/8/8/8/4K2R w - - 0 1', '#/chess KRK/4k3/8/8/8/8/8/8/4K2R w - - 0 1');
    // A move that cannot be played is refused with its place, not left out.
    await page.goto(`${address}/#/checkers+8x8`);
    await page.waitForSelector('.left svg.board');
    await page.keyboard.press('p');
    await page.fill('#position-text', '1. 11-15 23-19 2. 1-32');
    await page.waitForSelector(`${form} [role=alert]:has-text("1-32")`);
    assert.ok(await page.locator(`${form} button.main`).isDisabled());
    await page.close();
  },

  async 'and written, so that they are the same when they are read again'() {
    const page = await open('#/connect4+6x7//d,d,e,c');
    assert.equal(await written(page, 'Columns'), '4453\n');
    await page.goto(`${address}/#/checkers+8x8//11-15,23-19,8-11`);
    await page.waitForSelector('.square');
    const pdn = await written(page, 'PDN');
    assert.match(pdn, /1\. 11-15 23-19 2\. 8-11 \*/);
    await use(page, '#/checkers+8x8', pdn.replaceAll('\n', ' '), '#/checkers 8x8//11-15,23-19,8-11');
    await page.goto(`${address}/#/go+5x4//a1,d5,pass`);
    await page.waitForSelector('svg.board circle.first');
    const sgf = await written(page, 'SGF');
    assert.match(sgf, /SZ\[4:5\];B\[ae\];W\[da\];B\[\]\)/);
    await use(page, '#/go+5x4', sgf, '#/go 5x4//a1,d5,pass');
    await page.goto(`${address}/#/chess+KRK`);
    await page.waitForSelector('svg.board .man');
    assert.match(await written(page, 'FEN'), /^[kKrR1-8/]+ [wb] /);
    await page.close();
  },

  async 'a position by hand can be undone step by step'() {
    const page = await open('#/tictactoe');
    await page.waitForSelector('.left svg.board');
    await page.keyboard.press('p');
    const text = () => page.inputValue('#position-text');
    const start = await text();
    await page.click(`${form} [data-cell=a1]`);
    await page.waitForFunction((old) => document.querySelector('#position-text').value !== old, start);
    const one = await text();
    await page.click(`${form} [data-cell=b2]`);
    await page.waitForFunction((old) => document.querySelector('#position-text').value !== old, one);
    await page.click(`${form} button:has-text("Undo")`);
    assert.equal(await text(), one);
    await page.click(`${form} button:has-text("Undo")`);
    assert.equal(await text(), start);
    await page.close();
  },
};
