// The page by keyboard and screen reader, and on a phone.

import assert from 'node:assert/strict';
import { address, open, picture } from './harness.mjs';

const PAGES = [
  ['#/', '[data-game=loa] svg.board'],
  ['#/tictactoe//a1,b1', 'button[data-tone=win]'],
  ['#/connect4+4x5//a', 'button[data-tone]'],
  ['#/kalah+6x4', 'svg.board .seed'],
  ['#/morris+9', 'svg.board .dot'],
  ['#/checkers', 'svg.board .square'],
  ['#/domineering+8x8//b2-b3,d4-e4', 'svg.board .tile'],
  ['#/proofs', '[data-state=proved]'],
  ['#/proofs/0', 'section[aria-label=Outline] button[data-step]'],
  ['#/searches', 'h1'],
];

/** Everything that can be used but has no name for who does not see it. Runs in the page. */
function nameless() {
  const used = 'a[href], button, input, select, textarea, summary, [tabindex="0"], [role=button], [role=group], [role=progressbar], img, svg[role]';
  const named = (element) => {
    if (element.getAttribute('alt') === '' || element.getAttribute('aria-hidden') === 'true') return true;
    const by = element.getAttribute('aria-labelledby');
    const label = element.labels?.[0]?.textContent ?? (by && document.getElementById(by)?.textContent) ?? '';
    return [element.getAttribute('aria-label'), element.getAttribute('title'), element.getAttribute('alt'), label, element.textContent].some((text) => text?.trim());
  };
  return [...document.querySelectorAll(used)].filter((e) => e.checkVisibility() && !named(e)).map((e) => e.outerHTML.slice(0, 90));
}

export default {
  async 'everything that can be used has a name'() {
    const page = await open('#/');
    for (const [hash, ready] of PAGES) {
      await page.goto(`${address}/${hash}`);
      await page.waitForSelector(ready);
      assert.deepEqual(await page.evaluate(nameless), [], hash);
      assert.equal(await page.locator('h1').count(), 1, `${hash} has one title`);
      assert.equal(await page.locator('main').count(), 1);
      // Nothing jumps the queue: Tab follows the order of the page.
      assert.equal(await page.locator('[tabindex]:not([tabindex="0"], [tabindex="-1"])').count(), 0);
    }
    await page.close();
  },

  async 'Tab reaches everything, in the order in which it is read'() {
    const page = await open('#/tictactoe//a1,b1');
    await page.waitForSelector('button[data-tone=win]');
    const wanted = await page.evaluate(() => {
      const used = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')];
      const list = used.filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0);
      list.forEach((e, i) => (e.dataset.order = i));
      return list.length;
    });
    assert.ok(wanted > 20);
    const seen = [];
    for (let i = 0; i < wanted; i += 1) {
      await page.keyboard.press('Tab');
      const { order, outlined } = await page.evaluate(() => {
        const e = document.activeElement;
        return { order: Number(e.dataset.order), outlined: getComputedStyle(e).outlineStyle !== 'none' };
      });
      assert.ok(outlined, `where the keyboard is can be seen (${order})`);
      seen.push(order);
    }
    assert.deepEqual(seen, Array.from({ length: wanted }, (_, i) => i));
    await page.close();
  },

  async 'no page is wider than a phone, and boards fill it'() {
    const page = await open('#/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    for (const [hash, ready] of PAGES) {
      await page.goto(`${address}/${hash}`);
      await page.waitForSelector(ready);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${hash} is ${wide} pixels too wide`);
    }
    // The board, who is to move and the buttons for play fit above the fold.
    for (const hash of ['#/connect4+6x7//d', '#/checkers', '#/tictactoe']) {
      await page.goto(`${address}/${hash}`);
      await page.waitForSelector('.left svg.board');
      const { board, tools } = await page.evaluate(() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        return { board: box('.left svg.board'), tools: box('.tools') };
      });
      assert.ok(board.width >= 340, `${hash}: ${board.width}`);
      assert.ok(tools.bottom <= 844, `${hash}: ${tools.bottom}`);
    }
    // And it is played by touch.
    await page.goto(`${address}/#/connect4+6x7`);
    await page.waitForSelector('svg.board .hand');
    await picture(page, 'phone');
    await page.tap('svg.board [data-cell=c1]');
    await page.waitForURL('**/#/connect4+6x7//c');
    await page.close();
  },

  async 'the board does not move while values come'() {
    const page = await open('#/connect4+4x5');
    await page.waitForSelector('.left svg.board');
    const top = () => page.locator('.left svg.board').evaluate((svg) => svg.getBoundingClientRect().y);
    const before = await top();
    await page.waitForFunction(() => {
      const moves = [...document.querySelectorAll('ul[aria-label=Moves] button')];
      return moves.length === 5 && moves.every((b) => b.dataset.tone !== 'open');
    });
    assert.equal(await top(), before);
    await page.close();
  },

  async 'help is on "?", and colours are chosen there and kept'() {
    const page = await open('#/breakthrough+4x3', { colorScheme: 'light' });
    await page.waitForSelector('svg.board .cell.dark');
    const cell = () => page.locator('svg.board .cell.dark').first().evaluate((c) => getComputedStyle(c).fill);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const [wood, light] = [await cell(), await ground()];
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open] kbd:has-text("Home, End")');
    await page.click('dialog button:has-text("green")');
    await page.click('dialog button:has-text("dark")');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    assert.notEqual(await cell(), wood);
    assert.notEqual(await ground(), light);
    const green = await cell();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.waitForSelector('svg.board .cell.dark');
    assert.equal(await cell(), green);
    await page.close();
  },
};
