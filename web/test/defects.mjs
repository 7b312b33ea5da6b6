// Faults that visitors found, each with the steps that showed it: on a desk and on a phone, in light and dark.

import assert from 'node:assert/strict';
import { address, jobEnds, open as openAt, startJob, stopJob } from './harness.mjs';

/** Where the middle of a place is drawn on the board. */
const height = (page, name) => page.locator(`svg.board [data-cell="${name}"]`).evaluate((rect) => rect.getBoundingClientRect().y);

/** The tests on a screen of this kind. */
const tests = (screen) => {
  const open = (hash, options = {}) => openAt(hash, { ...screen, ...options });
  return {
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

    async 'stores are in the gallery'() {
      const page = await open('#/');
      await page.waitForSelector('[data-store="growing.tree"]');
      await page.close();
    },

    async 'a certificate of a draw says so, and its moves are no wins'() {
      const page = await open('#/proofs');
      await page.waitForSelector('[data-state=proved]:has-text("Tic-tac-toe"):has-text("A draw: neither side can win")');
      await page.click('[data-state=proved]:has-text("Tic-tac-toe")');
      await page.waitForSelector('h1:has-text("A draw: neither side can win")');
      await page.waitForSelector('.small-board svg.board .mark.draw');
      assert.equal(await page.locator('.small-board svg.board .mark.win').count(), 0);
      await page.close();
    },

    async 'a position inside a proof has an address and survives a reload'() {
      const page = await open('#/proofs/1');
      const step = page.locator('section[aria-label=Outline] button[data-step]').first();
      await step.waitFor();
      const move = await step.getAttribute('data-step');
      const first = page.locator('section[aria-label=Outline] .fold:not([disabled])').first();
      await first.click();
      await page.locator('section[aria-label=Outline] ul ul button[data-step]').first().click();
      await page.waitForFunction((move) => location.hash.split('/')[4]?.split(',').includes(move), move);
      const address = page.url();
      const words = () => page.textContent('section.card dl.facts:has(dt:text-is("here"))');
      await page.waitForSelector('[aria-label="Moves of the proof"]');
      const before = await words();
      await page.reload();
      // The same position, and the outline is open where it lies.
      await page.waitForSelector('section[aria-label=Outline] ul ul .line.chosen');
      await page.waitForSelector('[aria-label="Moves of the proof"]');
      assert.equal(page.url(), address);
      assert.equal(await words(), before);
      await page.goBack();
      await page.waitForFunction(() => !location.hash.includes(','));
      await page.close();
    },

    async 'any game is opened by the names that people use'() {
      const page = await open('#/');
      await page.waitForSelector('#game-name');
      const to = async (text, hash) => {
        await page.goto(`${address}/#/`);
        await page.fill('#game-name', text);
        await page.click('button.main:has-text("Open")');
        await page.waitForFunction((hash) => location.hash === hash, hash);
      };
      await to('Connect Four', '#/connect4+6x7');
      await to('nogo 4×4', '#/nogo+4x4');
      await to('  CONNECT 4  5 x 6 ', '#/connect4+5x6');
      await to('tic tac toe', '#/tictactoe');
      await to("Nine Men's Morris", '#/morris+9');
      await to('chess krk', '#/chess+KRK');
      // What is wrong is said as a whole: the last game is among those that are named.
      await page.goto(`${address}/#/`);
      await page.fill('#game-name', 'ludo');
      await page.click('button.main:has-text("Open")');
      const wrong = page.locator('[role=alert]:has-text("There is no game called “ludo”")');
      assert.match(await wrong.textContent(), /Lines of Action, Your own graph/);
      const cut = await wrong.evaluate((p) => p.scrollWidth - p.clientWidth);
      assert.ok(cut <= 0, `${cut} pixels of the error cannot be seen`);
      await page.fill('#game-name', 'nogo 40x40');
      await page.click('button.main:has-text("Open")');
      await page.waitForSelector('[role=alert]:has-text("NoGo is written as nogo ROWSxCOLS")');
      await page.close();
    },

    async 'names of games are completed, by keyboard as well'() {
      const page = await open('#/');
      await page.fill('#game-name', 'lin');
      await page.waitForSelector('[role=option]:has-text("Lines of Action")');
      await page.keyboard.press('ArrowDown');
      await page.waitForSelector('[role=option][aria-selected=true]');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('#game-name').value === 'Lines of Action 4×4');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/#/loa+4x4');
      await page.close();
    },

    async 'the size of a board is changed by steps, over sizes that are none'() {
      const page = await open('#/connect4+6x7');
      await page.click('button[aria-label="More: columns"]');
      await page.waitForURL('**/#/connect4+6x8');
      await page.waitForSelector('h1:has-text("Connect Four 6×8")');
      await page.click('button[aria-label="Fewer: rows"]');
      await page.waitForURL('**/#/connect4+5x8');
      await page.goto(`${address}/#/checkers+4x4`);
      await page.click('button[aria-label="More: rows"]');
      await page.waitForURL('**/#/checkers+6x4');
      await page.goto(`${address}/#/morris+3`);
      await page.click('button[aria-label="More: men"]');
      await page.waitForURL('**/#/morris+6');
      await page.close();
    },

    async 'the list of searches tells them apart, with scores, and fits a phone'() {
      const solved = await startJob({ game: 'kalah 2x2', by: 'alphabeta' });
      const late = await startJob({ game: 'nogo 7x7', moves: 'd4', by: 'dfpn', seconds: 0.2 });
      const halted = await startJob({ game: 'nogo 7x7', moves: 'e4', by: 'dfpn' });
      await jobEnds(solved.id);
      await jobEnds(late.id);
      await stopJob(halted.id);
      await jobEnds(halted.id);
      const values = await startJob({ game: 'tictactoe', moves: 'b2 a1', automatic: true });
      await jobEnds(values.id);
      const page = await open('#/searches');
      const phone = page.viewportSize();
      const row = (id) => page.locator(`[data-search="${id}"]`);
      await row(solved.id).waitFor();
      assert.match(await row(solved.id).textContent(), /solved\s*Second wins by 2/);
      assert.match(await row(late.id).textContent(), /timed out/);
      assert.match(await row(halted.id).textContent(), /stopped/);
      for (const { id } of [solved, late, halted]) {
        const { height, right } = await row(id).evaluate((li) => li.getBoundingClientRect());
        assert.ok(height < 140 && right <= phone.width, `search ${id} takes ${height} pixels and ends at ${right}`);
        const lines = await row(id).locator('.id').evaluate((a) => a.getClientRects().length);
        assert.equal(lines, 1);
      }
      // Analyses that nobody asked for are shown when they are wanted.
      assert.equal(await row(values.id).count(), 0);
      await page.check('input[type=checkbox]');
      await row(values.id).waitFor();
      await page.close();
    },

    async 'bounds that leave everything open are no answer'() {
      const page = await open('#/kalah+6x4');
      await page.route('**/api/v1/position?*', async (route) => {
        const answer = await route.fetch();
        const body = await answer.json();
        // As if a game's own theory knew how many seeds there are, and nothing else.
        for (const each of [body, ...body.moves]) each.value = { lo: -46, hi: 46 };
        await route.fulfill({ response: answer, json: body });
      });
      await page.route('**/api/v1/jobs', (route) => route.fulfill({ status: 503, json: { error: { message: 'too many searches' } } }));
      await page.reload();
      await page.waitForSelector('ul[aria-label=Moves] button');
      assert.match(await page.textContent('.verdict'), /Not known yet/);
      assert.doesNotMatch(await page.textContent('.left'), /46/);
      assert.doesNotMatch(await page.textContent('ul[aria-label=Moves]'), /46/);
      await page.close();
    },

    async 'a search that runs is found again after a reload, and says which position it is about'() {
      const page = await open('#/nogo+7x7//d4');
      await page.waitForSelector('svg.board');
      await page.click('button.main:has-text("Solve")');
      const panel = page.locator('section[data-state=running]');
      await panel.waitFor();
      const name = await panel.getAttribute('aria-label');
      // Whoever asks again, here or elsewhere, gets the same search.
      assert.ok(await page.locator('button.main:has-text("Solving")').isDisabled());
      await page.keyboard.press('s');
      const again = await startJob({ game: 'nogo 7x7', moves: 'd4' });
      assert.equal(`Search ${again.id}`, name);
      assert.equal(again.askers, 2);
      await stopJob(again.id);
      await page.reload();
      await page.waitForSelector(`section[aria-label="${name}"][data-state=running]`);
      // In another position the panel says that the search is not about it.
      await page.click('[data-cell=a1]');
      await page.waitForURL('**/#/nogo+7x7//d4,a1');
      const about = page.locator(`section[aria-label="${name}"] .of`);
      await about.waitFor();
      assert.match(await about.textContent(), /NoGo 7×7, (after d4$|\S*\.\.\.x)/);
      await page.waitForSelector('.elsewhere:has-text("another position")');
      await page.click(`section[aria-label="${name}"] .of a`);
      await page.waitForFunction(() => !location.hash.includes('a1'));
      await page.waitForFunction(() => !document.querySelector('.elsewhere'));
      await page.click('button:has-text("Stop")');
      await page.waitForSelector('section[data-state=done]');
      await page.close();
    },
  };
};

const all = {};
for (const [size, viewport] of [['desk', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]]) {
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, test] of Object.entries(tests({ viewport, colorScheme }))) all[`${name} (${size}, ${colorScheme})`] = test;
  }
}
export default all;
