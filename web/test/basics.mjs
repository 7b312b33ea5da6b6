// What a visitor does with every part of the page, and what a person would do with a game.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { address, open, picture, program, screens, startJob, store, top } from './harness.mjs';

export default {
  async 'the gallery shows all games and one to try'() {
    const page = await open('', { viewport: { width: 1180, height: 1120 } });
    await page.waitForSelector('[data-game=tictactoe] svg.board');
    await page.waitForSelector('[data-game=kalah] svg.board .seed');
    const games = await (await fetch(address + '/api/v1/games')).json();
    assert.equal(await page.locator('[data-game]').count(), games.games.length);
    await page.waitForSelector('.taster svg.board');
    // Its moves get values while one looks.
    await page.waitForSelector('.taster .mark.win, .taster .mark.loss, .taster .mark.draw');
    await page.click('[data-game=nogo]');
    await page.waitForSelector('h1:has-text("NoGo 4×4")');
    await page.close();
  },

  async 'a perfect game is played to the end'() {
    const page = await open('#/tictactoe');
    await page.waitForSelector('.pill:has-text("database")');
    await page.click('button:has-text("I play second")');
    // The perfect player begins; a hint tells an answer that holds, and it is played.
    for (;;) {
      await page.waitForFunction(() => {
        const text = document.querySelector('.verdict')?.textContent ?? '';
        return text.includes('Second to move') || text.includes('over');
      });
      if ((await page.textContent('.verdict')).includes('over')) break;
      assert.equal(await page.locator('ul[aria-label=Moves] [data-tone]').count(), 0, 'values are hidden in play');
      await page.keyboard.press('h');
      // A hint tells one move, and no more.
      await page.click('.hint button');
      await page.waitForFunction(() => !document.querySelector('.verdict')?.textContent?.includes('Second to move'));
    }
    assert.match(await page.textContent('.verdict'), /A draw/);
    assert.match(await page.textContent('body'), /A draw against perfection/);
    await page.close();
  },

  async 'every move is marked by colour and shape, with its distance'() {
    const page = await open('#/tictactoe//a1,b1');
    await page.waitForSelector('ul[aria-label=Moves] button[data-tone=win]');
    const text = await page.textContent('ul[aria-label=Moves]');
    // The plies of a move count it, too: the best one takes as many as the position.
    const [, plies] = (await page.textContent('.verdict')).match(/First wins in (\d+)/);
    assert.ok(text.includes(`wins in ${plies}`) && !text.includes(`wins in ${plies - 1}`), text);
    assert.match(text, /database/);
    const shapes = new Set();
    for (const tone of ['win', 'draw', 'loss']) {
      const mark = page.locator(`svg.board .mark.${tone}`).first();
      if (await mark.count()) shapes.add(await mark.evaluate((g) => g.firstElementChild.tagName));
    }
    assert.ok(shapes.size >= 2, 'different results have different shapes');
    await page.close();
  },

  async 'moves by mouse, typing, links; taking back; a bad position shows its column'() {
    const page = await open('#/tictactoe');
    await page.click('[data-cell=b2]');
    await page.waitForURL('**/#/tictactoe//b2');
    await page.fill('#typed-move', 'a1');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/#/tictactoe//b2,a1');
    await page.fill('#typed-move', 'z9');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]:has-text("column")');
    await page.click('button:has-text("Take back")');
    await page.waitForURL('**/#/tictactoe//b2');
    await page.click('button:has-text("Again")');
    await page.waitForURL('**/#/tictactoe//b2,a1');
    await page.click('button:has-text("Set up")');
    await page.fill('#position-text', 'x.o/.q./... first');
    await page.waitForSelector('form[aria-label="Set up a position"] [role=alert]:has-text("column 6")');
    await page.fill('#position-text', 'x.o/.../... first');
    await page.locator('form[aria-label="Set up a position"] [data-cell=a1]').click();
    await page.waitForFunction(() => document.querySelector('#position-text').value === 'x.o/.../x.. first');
    await page.click('button:has-text("Other player to move")');
    await page.click('button:has-text("Use this position")');
    await page.waitForFunction(() => location.hash.includes('second'));
    // Pasted anywhere, a position is shown before it is used.
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'xo./.../... first');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.waitForFunction(() => document.querySelector('#position-text').value === 'xo./.../... first');
    await page.click('button:has-text("Use this position")');
    await page.waitForFunction(() => location.hash.includes('xo.'));
    await page.close();
  },

  async 'sowing boards, Morris boards and graphs are played by mouse and keyboard'() {
    const page = await open('#/kalah+2x2');
    await page.waitForSelector('svg.board .pit');
    assert.equal(await page.locator('svg.board .seed').count(), 8);
    await page.click('[data-place="0"]');
    await page.waitForURL('**/#/kalah+2x2//a');
    // The last seed in the store: the only move is to pass, which has no place on the board.
    await page.click('button[data-other=pass]');
    await page.waitForURL('**/#/kalah+2x2//a,pass');
    // From pit to pit by arrow keys.
    await page.waitForSelector('text=First to move');
    await page.focus('svg.board');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/#/kalah+2x2//a,pass,b');

    // Morris: a mill is closed, and the man to take is clicked.
    await page.goto(`${address}/#/morris+6//a1,b2,c1,d2`);
    await page.waitForSelector('svg.board .dot');
    await page.click('[data-cell=e1]');
    await page.waitForSelector('text=Click the man to take');
    await page.click('[data-cell=d2]');
    await page.waitForURL('**/#/morris+6//a1,b2,c1,d2,e1xd2');

    // A piece is chosen, then where it goes.
    await page.goto(`${address}/#/breakthrough+5x4`);
    await page.waitForSelector('svg.board .cell.dark');
    await page.click('[data-cell=b2]');
    await page.waitForSelector('svg.board .chosen.target');
    await page.click('[data-cell=b3]');
    await page.waitForURL('**/#/breakthrough+5x4//b2-b3');

    await page.goto(`${address}/#/graph+a+first:+b+c;+b+second+%3D+1;+c+second+%3D+-1`);
    await page.waitForSelector('svg.board .node.here');
    await page.click('[data-cell=c]');
    await page.waitForURL(/\/\/c$/);
    await page.waitForSelector('.verdict:has-text("Second wins")');
    await page.close();
  },

  async 'positions by hand on boards of every kind'() {
    const page = await open('#/kalah+2x2');
    const form = 'form[aria-label="Set up a position"]';
    const text = (wanted) => page.waitForFunction((wanted) => document.querySelector('#position-text').value === wanted, wanted);
    await page.waitForSelector('svg.board .pit');
    await page.keyboard.press('p');
    await page.click(`${form} button:has-text("take one out")`);
    await page.click(`${form} [data-place="0"]`);
    await text('1,2/2,2 0-0 first');
    await page.waitForSelector(`${form} :text("1 seed in hand")`);
    await page.waitForSelector(`${form} [role=alert]:has-text("missing")`);
    await page.click(`${form} button:has-text("put a seed in")`);
    await page.click(`${form} [data-place="3"]`);
    await text('1,2/2,3 0-0 first');
    await page.click('button:has-text("Use this position")');
    await page.waitForFunction(() => location.hash.includes('1,2%2F2,3'));

    await page.goto(`${address}/#/morris+3`);
    await page.waitForSelector('svg.board .dot');
    await page.keyboard.press('p');
    await page.click(`${form} [data-cell=b2]`);
    await text('.../.x./... 3-3 first');
    await page.click(`${form} [data-place="9"]`);
    await text('.../.x./... 0-3 first');

    await page.goto(`${address}/#/checkers+4x4`);
    await page.waitForSelector('svg.board .cell');
    await page.keyboard.press('p');
    await page.click(`${form} button:has-text("king of second")`);
    await page.click(`${form} [data-cell="3"]`);
    await text('B:WK3,7,8:B1,2');
    await page.click('button:has-text("Other player to move")');
    await text('W:WK3,7,8:B1,2');

    await page.goto(`${address}/#/chess+KRK`);
    await page.waitForSelector('svg.board .man');
    await page.keyboard.press('p');
    await page.click(`${form} button:has-text("empty")`);
    await page.click(`${form} [data-cell=a1]`);
    await page.click(`${form} button:has-text("♖")`);
    await page.click(`${form} [data-cell=h1]`);
    await text('4k3/8/8/8/8/8/8/4K2R w - - 0 1');
    await page.click('button:has-text("Use this position")');
    await page.waitForFunction(() => location.hash.includes('4K2R'));
    await page.close();
  },

  async 'the keyboard is enough'() {
    const page = await open('#/tictactoe');
    await page.waitForSelector('svg.board');
    for (let i = 0; i < 12; i += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.classList.contains('board'))) break;
    }
    assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('board')), 'Tab reaches the board');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/#/tictactoe//b2');
    // The address changes a moment before the page does.
    await page.waitForSelector('button:has-text("Take back"):enabled');
    await page.keyboard.press('u');
    await page.waitForURL(/#\/tictactoe$/);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    // It is closed a moment before the page knows.
    await page.waitForFunction(() => !document.querySelector('dialog'));
    await page.keyboard.press('g');
    await page.waitForURL(/#\/$/);
    await page.close();
  },

  async 'a search is watched to its end, with charts to keep'() {
    // One that takes some seconds: its numbers are seen while it goes on.
    const page = await open('#/nogo+5x4');
    await page.waitForSelector('svg.board');
    await page.keyboard.press('v');
    await page.selectOption('select', 'dfpn');
    await page.click('button.main:has-text("Solve")');
    await page.waitForSelector('section[data-state=running]');
    await page.waitForSelector('dt:has-text("proof numbers")');
    await page.waitForSelector('section[data-state=done]', { timeout: 240_000 });
    assert.match(await page.textContent('section[data-state=done]'), /solved|timed out/);
    const [svg] = await Promise.all([page.waitForEvent('download'), page.click('button:has-text("Charts as SVG")')]);
    assert.match(readFileSync(await svg.path(), 'utf8'), /^<svg[\s\S]*nodes a second[\s\S]*<\/svg>/);
    const [json] = await Promise.all([page.waitForEvent('download'), page.click('button:has-text("Run as JSON")')]);
    const run = JSON.parse(readFileSync(await json.path(), 'utf8'));
    assert.ok(run.samples.length > 1 && run.job.nodes > 0);
    await page.goto(`${address}/#/searches/${run.job.id}`);
    await page.waitForSelector('section[data-state=done] svg.chart path');
    if (screens) {
      // A longer one, for the picture.
      const { id } = await startJob({ game: 'connect4 5x6', by: 'dfpn', seconds: 20 });
      await page.goto(`${address}/#/searches/${id}`);
      await page.waitForSelector(`section[aria-label="Search ${id}"][data-state=done]`, { timeout: 120_000 });
      await page.waitForTimeout(1000);
      await picture(page, 'charts');
    }
    await page.close();
  },

  async 'a search can be stopped, and the page stays alive'() {
    const page = await open('#/nogo+7x7');
    await page.waitForSelector('svg.board');
    await page.keyboard.press('v');
    await page.keyboard.press('s');
    await page.waitForSelector('section[data-state=running]');
    await page.click('[data-cell=d4]');
    await page.waitForURL('**/#/nogo+7x7//d4');
    await page.click('button:has-text("Stop")');
    await page.waitForSelector('section[data-state=done]:has-text("stopped")');
    await page.close();
  },

  async 'a certificate is opened and walked through'() {
    const page = await open('#/proofs');
    await page.waitForSelector('[data-state=proved]:has-text("NoGo 4×4")');
    await page.click('[data-state=proved]:has-text("NoGo 4×4")');
    await page.waitForSelector('[data-state=proved]:has-text("checked by the rules alone")');
    const first = page.locator('section[aria-label=Outline] .fold:not([disabled])').first();
    await first.click();
    await page.waitForSelector('section[aria-label=Outline] ul ul li');
    await page.locator('section[aria-label=Outline] ul ul .fold:not([disabled])').first().click();
    await page.waitForSelector('section[aria-label=Outline] ul ul ul li');
    await page.locator('section[aria-label=Outline] ul ul ul .text').first().click();
    await page.waitForSelector('svg[aria-label="Sizes of the parts of the proof"] rect.d2');
    assert.match(await page.textContent('main'), /can hold out for \d+ plies/);
    await page.waitForTimeout(300);
    await picture(page, 'proof');
    await page.close();
  },

  async 'a proof is watched while it grows'() {
    // A large board and small jobs: it is not over soon.
    const args = ['prove', 'nogo', '6x6', '--store', store, '--threads', '1', '--nodes-per-job', screens ? '20000' : '2000'];
    const prover = spawn(program, args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => prover.on('exit', resolve));
    try {
      const page = await open('#/proofs', { viewport: { width: 1180, height: screens ? 1240 : 820 } });
      // Before the first commit there is nothing to be read, and the page says so.
      await page.waitForSelector('[data-store="growing.tree"]:has-text("at work"):has-text("positions")');
      await page.click('[data-store="growing.tree"]');
      await page.waitForSelector('p[data-running=true]');
      const nodes = () => page.locator('[data-nodes]').getAttribute('data-nodes').then(Number);
      const before = await nodes();
      await page.waitForFunction((n) => Number(document.querySelector('[data-nodes]').dataset.nodes) > n, before);
      await page.waitForSelector('section[aria-label=Provers] tbody tr a');
      assert.match(await page.textContent('section[aria-label="What would finish it"]'), /the first player wins/);
      // By keyboard: to the first move that can be opened, and into it.
      await page.waitForSelector('section[aria-label=Outline] .next');
      await page.locator('section[aria-label=Outline] .fold:not([disabled])').first().focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('section[aria-label=Outline] ul ul li');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('dl[data-node] dt:has-text("after")');
      await page.waitForSelector('svg[aria-label="Sizes of the parts of the proof"] rect.d1');
      await page.waitForSelector('svg.chart[aria-label="root: does First win?"]');
      const [svg] = await Promise.all([page.waitForEvent('download'), page.click('button:has-text("Charts as SVG")')]);
      assert.match(readFileSync(await svg.path(), 'utf8'), /positions in the tree[\s\S]*open leaves[\s\S]*does First win/);
      await page.setViewportSize({ width: 390, height: 800 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
      await page.setViewportSize({ width: 1180, height: screens ? 1240 : 820 });
      if (screens) {
        await page.waitForTimeout(15_000);
        await page.evaluate(() => scrollTo(0, 0));
        await picture(page, 'store');
        await page.locator('section.over-time').screenshot({ path: join(top, 'docs/screens/store-charts.png') });
      }
      prover.kill('SIGINT');
      await ended;
      await page.waitForSelector('p[data-running=false]:has-text("nobody is at work")');
      await page.close();
    } finally {
      prover.kill('SIGKILL');
    }
  },

  async 'a server with too much to do is asked again'() {
    const page = await open('#/');
    let refused = 0;
    await page.route('**/api/v1/position?*', (route) =>
      (refused += 1) > 1 ? route.continue() : route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { error: { message: 'too many' } } }),
    );
    await page.route('**/events', (route) => route.fulfill({ status: 503, json: { error: { message: 'too many streams are open' } } }));
    await page.goto(`${address}/#/connect4+4x4`);
    await page.waitForSelector('svg.board .frame');
    assert.ok(refused > 1);
    // Without a stream the end of a search is seen all the same.
    await page.click('button.main:has-text("Solve")');
    await page.waitForSelector('section[data-state=done]:has-text("solved")');
    await page.close();
  },

  async 'two sources that disagree are both named'() {
    // The server tells the truth; here it is made to seem otherwise.
    const page = await open('#/');
    await page.route('**/api/v1/position?*', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const reason = (by, more) => ({ by, nodes: null, proof: null, database: null, store: null, ...more });
      body.value = { lo: null, hi: null };
      body.contradiction = [
        { of: 'position', value: { lo: 0, hi: 0 }, reason: reason('database', { database: 0 }) },
        { of: 'moves', value: { lo: 1, hi: 1 }, reason: reason('search', { nodes: 7 }) },
      ];
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto(`${address}/#/tictactoe`);
    // Names of databases may come after the position.
    const told = await page.textContent('[role=alert]:has-text("contradict"):has-text("database tictactoe")');
    assert.match(told, /database tictactoe says “A draw”.*search of 7 nodes.*“First wins”/);
    await page.close();
  },

  async 'narrow and dark'() {
    const page = await open('#/tictactoe//a1', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await page.waitForSelector('ul[aria-label=Moves] button[data-tone]');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.ok(ground.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 80), ground);
    await picture(page, 'dark');
    // No page is too wide, and nothing that can be clicked is out of reach.
    for (const hash of ['#/', '#/proofs', '#/proofs/0', '#/searches', '#/kalah+6x4', '#/morris+9', '#/checkers']) {
      await page.goto(`${address}/${hash}`);
      await page.waitForSelector('main h1');
      await page.waitForTimeout(400);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${hash} is ${wide} pixels too wide`);
    }
    await page.close();
  },

  async 'a board with values, for the picture'() {
    const page = await open('#/tictactoe//a1,b1');
    await page.waitForSelector('ul[aria-label=Moves] button[data-tone=win], ul[aria-label=Moves] button[data-tone=draw]');
    await page.waitForFunction(() => !document.querySelector('.verdict')?.textContent?.includes('solving'));
    await picture(page, 'board');
    await page.goto(`${address}/#/connect4+5x6//c,c,d,b`);
    await page.waitForSelector('h1:has-text("Connect Four 5×6")');
    await page.waitForFunction(() => {
      const moves = [...document.querySelectorAll('ul[aria-label=Moves] button')];
      return moves.length === 6 && moves.every((b) => b.dataset.tone !== 'open');
    });
    await picture(page, 'connect4');
    await page.goto(`${address}/#/kalah+4x3//b,pass`);
    await page.waitForSelector('svg.board .mark.win, svg.board .mark.loss');
    await picture(page, 'kalah');
    await page.setViewportSize({ width: 1180, height: 1120 });
    await page.goto(`${address}/#/`);
    await page.waitForSelector('.taster .mark');
    await page.waitForFunction(() => document.querySelectorAll('[data-game] svg.board').length === document.querySelectorAll('[data-game]').length);
    await picture(page, 'gallery');
    await page.close();
  },
};
