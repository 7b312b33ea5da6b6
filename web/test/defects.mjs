// Faults that visitors found, each with the steps that showed it.

import assert from 'node:assert/strict';
import { address, open } from './harness.mjs';

/** Where the middle of a place is drawn on the board. */
const height = (page, name) => page.locator(`svg.board [data-cell="${name}"]`).evaluate((rect) => rect.getBoundingClientRect().y);

export default {
  async 'a board is turned only where each player has an edge of it'() {
    const page = await open('#/connect4+4x4');
    await page.waitForSelector('svg.board [data-cell=a1]');
    assert.ok((await height(page, 'a1')) > (await height(page, 'a4')));
    await page.click('button:has-text("I play second")');
    await page.waitForSelector('button:has-text("I play second")[aria-pressed=true]');
    assert.ok((await height(page, 'a1')) > (await height(page, 'a4')), 'discs lie on the ground');
    await page.keyboard.press('f');
    await page.click('button:has-text("Explore")');
    assert.ok((await height(page, 'a1')) > (await height(page, 'a4')), 'nothing hangs from the top');
    assert.equal(await page.locator('button:has-text("Flip")').count(), 0);

    await page.goto(`${address}/#/graph+a+first:+b+c;+b+second+%3D+1;+c+second+%3D+-1`);
    await page.waitForSelector('svg.board .node');
    assert.equal(await page.locator('button:has-text("Flip")').count(), 0);

    // Whoever plays second in a race of pawns sits at the other edge.
    await page.goto(`${address}/#/breakthrough+4x3`);
    await page.waitForSelector('svg.board [data-cell=a1]');
    await page.click('button:has-text("I play second")');
    await page.waitForFunction(() => {
      const y = (name) => document.querySelector(`svg.board [data-cell=${name}]`).getBoundingClientRect().y;
      return y('a1') < y('a4');
    });
    await page.close();
  },
};
