// Values when a board opens, games against the program, and a look back at them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { address, ask, open, picture, program, top } from './harness.mjs';

const move = (page, words) => page.waitForSelector(`.verdict:has-text("${words}")`);
const position = (game, moves) => ask(`position?${new URLSearchParams({ game, moves: moves.join(' ') })}`);
const played = (page) => page.evaluate(() => decodeURIComponent(location.hash).split('/')[3]?.split(',') ?? []);

export default {
  async 'a board opens with values, and every move gets its own'() {
    const page = await open('#/connect4+4x5');
    // Nobody pressed anything.
    await page.waitForFunction(() => {
      const moves = [...document.querySelectorAll('ul[aria-label=Moves] button')];
      return moves.length === 5 && moves.every((b) => b.dataset.tone !== 'open');
    });
    await page.waitForSelector('.verdict:has-text("A draw"), .verdict:has-text("wins")');
    await page.close();
  },

  async 'an analysis shows how far it is, can be paused, and goes on after a reload'() {
    const page = await open('#/nogo+7x7//d4');
    await page.waitForSelector('[data-analysis=running] [role=progressbar]');
    assert.match(await page.textContent('[data-analysis]'), /solving.*positions/);
    const nodes = () => page.locator('[data-analysis]').getAttribute('data-nodes').then(Number);
    const before = await nodes();
    await page.waitForFunction((n) => Number(document.querySelector('[data-analysis]').dataset.nodes) > n, before);
    await page.click('[data-analysis] button:has-text("Pause")');
    await page.waitForSelector('[data-analysis=paused]:has-text("paused")');
    const jobs = async () => (await ask('jobs')).jobs.filter((job) => job.automatic && job.game === 'nogo 7x7' && job.state !== 'done');
    const [{ id }] = await jobs();
    await page.reload();
    await page.waitForSelector('[data-analysis]');
    assert.deepEqual((await jobs()).map((job) => job.id), [id], 'it is the same search');
    if (await page.locator('[data-analysis=paused]').count()) await page.click('[data-analysis] button:has-text("Go on")');
    await page.waitForSelector('[data-analysis=running]');
    await page.close();
  },

  async 'Awari tells what it has solved where it was solved'() {
    const page = await open('#/awari+2x1');
    await page.waitForSelector('.verdict:has-text("wins by"), .verdict:has-text("A draw")');
    await page.close();
  },

  async 'a weaker player errs at the rate that is said'() {
    const page = await open('#/tictactoe');
    await page.evaluate(() => (Math.random = () => 0));
    await page.click('button:has-text("Medium")');
    await page.waitForSelector('section[aria-label=Play]:has-text("one move in 4 at random")');
    await page.click('button:has-text("I play second")');
    // Chance decides for the first move of the list, and the page says that it was chance.
    const { moves } = await position('tictactoe', []);
    await page.waitForURL(`**/#/tictactoe//${moves[0].move}`);
    await page.waitForSelector('.thought:has-text("played at random")');
    await page.evaluate(() => (Math.random = () => 0.5));
    await move(page, 'Second to move');
    await page.click('svg.board [data-cell=b2]');
    await page.waitForSelector('.thought:has-text("database")');
    await page.close();
  },

  async 'a game is lost and reviewed: where, why, and once more from there'() {
    const page = await open('#/tictactoe');
    await page.evaluate(() => (Math.random = () => 0.99));
    await page.click('button:has-text("Easy")');
    await page.click('button:has-text("I play first")');
    // The worst of all moves, as long as the game lasts.
    for (;;) {
      await page.waitForFunction(() => /First to move|over/.test(document.querySelector('.verdict')?.textContent ?? ''));
      if ((await page.textContent('.verdict')).includes('over')) break;
      const now = await position('tictactoe', await played(page));
      const worst = now.moves.find((m) => m.tone === 'loss') ?? now.moves[0];
      await page.click(`svg.board [data-cell=${worst.move}]`);
      await page.waitForFunction(() => !document.querySelector('.verdict').textContent.includes('First to move'));
    }
    await page.waitForSelector('[data-result="-1"]:has-text("The easy player wins")');
    await page.click('button:has-text("Review the game")');
    await page.waitForSelector('section[aria-label=Review][data-reviewed=true]');
    const game = await played(page);
    assert.equal(await page.locator('section[aria-label=Review] svg a').count(), game.length + 1);
    const mistake = page.locator('[data-mistake]:has-text("You lost the draw here")');
    await mistake.waitFor();
    const ply = Number(await mistake.getAttribute('data-mistake'));
    const [before, after] = [await position('tictactoe', game.slice(0, ply)), await position('tictactoe', game.slice(0, ply + 1))];
    assert.deepEqual([before.value.lo, after.value.hi], [0, -1], 'it was a draw, and is lost after it');
    // The refutation, one click away; each of its moves is a link.
    await mistake.locator('button:has-text("Show the refutation")').click();
    const first = mistake.locator('.moves a').first();
    await first.waitFor();
    assert.ok(after.best.includes(await first.textContent()));
    await first.click();
    await page.waitForFunction((n) => decodeURIComponent(location.hash).split(',').length === n, ply + 2);
    // A point of the graph leads to its position.
    await page.locator('section[aria-label=Review] svg a').nth(1).click();
    await page.waitForFunction(() => location.hash.split('/')[3]?.split('%2C').join(',').split(',').length === 1);
    await page.locator('[data-mistake] button:has-text("Try again from here")').first().click();
    await page.waitForFunction((moves) => (decodeURIComponent(location.hash).split('/')[3] ?? '') === moves, game.slice(0, ply).join(','));
    await page.waitForSelector('button:has-text("I play first")[aria-pressed=true]');
    await move(page, 'First to move');
    await page.close();
  },

  async 'values that a review needs are searched, and the refutation is a line to click'() {
    const page = await open('#/connect4+4x5//a,c,a');
    await page.click('button:has-text("Review the moves")');
    await page.waitForSelector('section[aria-label=Review][data-reviewed=true]');
    assert.equal(await page.locator('section[aria-label=Review] circle.unknown').count(), 0);
    const known = [];
    for (const moves of [[], ['a'], ['a', 'c'], ['a', 'c', 'a']]) known.push((await position('connect4 4x5', moves)).value);
    assert.ok(known.every(({ lo, hi }) => lo !== null && lo === hi), 'all of it is known now');
    // What the values say is what the review says.
    const worse = known.slice(1).flatMap(({ lo }, i) => ((i % 2 ? -1 : 1) * (known[i].lo - lo) > 0 ? [i] : []));
    const told = await page.locator('[data-mistake]').evaluateAll((list) => list.map((li) => Number(li.dataset.mistake)));
    assert.deepEqual(told, worse);
    assert.ok(worse.length > 0, 'a game with a mistake');
    await page.locator('[data-mistake] button:has-text("Show the refutation")').first().click();
    await page.waitForSelector('[data-mistake] .moves a');
    await page.evaluate(() => scrollTo(0, 0));
    await picture(page, 'review');
    // Nobody asked for these searches: they are not in the list.
    const jobs = (await ask('jobs')).jobs.filter((job) => job.game === 'connect4 4x5');
    assert.ok(jobs.every((job) => job.automatic || job.play));
    await page.close();
  },

  async 'a hint tells one move'() {
    const page = await open('#/tictactoe//a1,b1');
    await page.click('button:has-text("I play first")');
    await move(page, 'First to move');
    await page.keyboard.press('h');
    await page.waitForSelector('.hint button');
    const { best } = await position('tictactoe', ['a1', 'b1']);
    assert.ok(best.includes(await page.textContent('.hint button')));
    assert.equal(await page.locator('ul[aria-label=Moves] [data-tone]').count(), 0);
    assert.equal(await page.locator('svg.board .mark').count(), 0);
    await page.close();
  },

  async 'a link has the moves; what was taken back stays in the list'() {
    const page = await open('#/tictactoe//a1,b2,c3');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.waitForSelector('[aria-label="Moves played"] [aria-current]:has-text("c3")');
    await page.click('button:has-text("Copy link")');
    await page.waitForSelector('button:has-text("Copied")');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#\/tictactoe\/\/a1,b2,c3$/);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/#/tictactoe//a1,b2');
    await page.waitForSelector('[aria-label="Moves played"] .later:has-text("c3")');
    await page.keyboard.press('Home');
    await page.waitForURL(/#\/tictactoe$/);
    await page.keyboard.press('End');
    await page.waitForURL('**/#/tictactoe//a1,b2,c3');
    await page.close();
  },

  async 'a certificate is made, checked, opened, downloaded, and both checkers accept it'() {
    const page = await open('#/connect4+4x4//a,b');
    await page.click('button:has-text("Prove it")');
    await page.waitForSelector('section[data-proof=proved]:has-text("checked by the rules alone")');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('a:has-text("Download")')]);
    const file = join(process.env.WORK, download.suggestedFilename());
    copyFileSync(await download.path(), file);
    execFileSync(program, ['check', file], { stdio: 'ignore' });
    execFileSync('python3', [join(top, 'proofcheck/zermelo_check.py'), file], { stdio: 'ignore' });
    await page.click('summary:has-text("Check it yourself")');
    const commands = await page.textContent('section[aria-label=Proof] pre');
    assert.ok(commands.includes(`zermelo check ${download.suggestedFilename()}`) && commands.includes('zermelo_check.py'));
    await page.click('a:has-text("Walk through it")');
    await page.waitForSelector('[data-state=proved]');
    await page.waitForSelector('section[aria-label=Outline] button[data-step]');
    // The board knows it again, after a reload and by itself.
    await page.goto(`${address}/#/connect4+4x4//b,a`);
    await page.waitForSelector('section[data-proof=none]');
    await page.goto(`${address}/#/connect4+4x4//a,b`);
    await page.reload();
    await page.waitForSelector('section[data-proof=proved]');
    // It is among the proofs of the server.
    await page.goto(`${address}/#/proofs`);
    await page.reload();
    await page.waitForSelector('[data-state=proved]:has-text("Connect Four 4×4")');
    await page.close();
  },

  async 'a position is kept as a picture, with its values'() {
    const page = await open('#/tictactoe//a1,b1');
    await page.waitForSelector('svg.board .mark.win');
    const keep = async (kind) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button:has-text("Picture as ${kind}")`)]);
      return readFileSync(await download.path());
    };
    const svg = (await keep('SVG')).toString();
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    assert.doesNotMatch(svg, /var\(|class=|touch/);
    // Drawn alone it is the same picture: nothing of the page is missing in it.
    const size = await page.evaluate(async (svg) => {
      const image = new Image();
      image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      await image.decode();
      return [image.width, image.height];
    }, svg);
    const { fill } = await page.locator('svg.board .mark.win circle').first().evaluate((c) => ({ fill: getComputedStyle(c).fill }));
    assert.ok(svg.includes(`fill="${fill}"`), fill);
    const png = await keep('PNG');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], size);
    await page.close();
  },
};
