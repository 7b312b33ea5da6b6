// Small games as a whole.

import assert from 'node:assert/strict';
import { address, open } from './harness.mjs';

export default {
  async 'a small game is counted as a whole'() {
    const page = await open('#/tictactoe');
    await page.click('summary:has-text("The whole game")');
    const card = page.locator('details[data-census=done]');
    await card.waitFor();
    const text = await card.textContent();
    // 5,478 positions can be reached, as many have counted; all nine first moves draw.
    assert.match(text, /5,478/);
    assert.match(text, /9 draw/);
    assert.equal(await card.locator('table').first().locator('tbody tr').count(), 10, 'a layer for each number of moves');
    await card.locator('a:has-text("from here")').click();
    await page.waitForURL(/#\/tictactoe\/./);
    await page.goto(`${address}/#/nogo+7x7`);
    await page.click('summary:has-text("The whole game")');
    await page.waitForSelector('details[data-census=too_large]:has-text("too many")');
    await page.close();
  },
};
