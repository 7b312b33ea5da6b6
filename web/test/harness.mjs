// A served program and a browser for the tests of the page.
// Environment: ZERMELO the program, WORK a folder with a database of tictactoe and for stores, CHROMIUM the browser. PAGE, if it is
// given, is a folder with a built page that is used in place of the program's.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const top = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const screens = process.argv.includes('--screens');
const { ZERMELO, WORK, CHROMIUM, PAGE } = process.env;
export const program = ZERMELO;
export const golden = (name) => join(top, 'proofcheck/golden', name);
export const store = join(WORK, 'growing.tree');

/** Starts the server and waits for its address. */
function serve() {
  const proofs = ['nogo-4x4.proof', 'tictactoe.proof', 'connect4-4x5-leaves.proof'].flatMap((p) => ['--proof', golden(p)]);
  mkdirSync(store, { recursive: true });
  const args = ['explore', '--listen', '127.0.0.1:0', '--db', join(WORK, 'tictactoe'), '--store', store, ...proofs];
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (data) => {
      said += data;
      const address = said.match(/http:\/\/[\d.:]+/);
      if (address) resolve([server, address[0]]);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

export const [server, address] = await serve();
export const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
export const outside = [];
export const complaints = [];

/** What a page may do, as the program says. */
const policy = (await fetch(address)).headers.get('content-security-policy');
const fileOf = (url) => join(PAGE, url.pathname === '/' ? 'index.html' : url.pathname);

/** A page that notes every request and every complaint of the browser. */
export async function open(hash, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 820 }, ...options });
  if (PAGE) {
    const isFile = (url) => url.origin === address && existsSync(fileOf(url));
    await context.route(isFile, (route) =>
      route.fulfill({ path: fileOf(new URL(route.request().url())), headers: { 'content-security-policy': policy } }).catch(() => {}),
    );
  }
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address + '/') && !url.startsWith('blob:' + address)) outside.push(url);
  });
  page.on('console', (message) => {
    // A refusal that a test asks for is told by the browser, too.
    if (message.type() === 'error' && !/status of (4\d\d|503)/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${address}/${hash}`);
  return page;
}

export async function picture(page, name) {
  if (!screens) return;
  mkdirSync(join(top, 'docs/screens'), { recursive: true });
  await page.screenshot({ path: join(top, 'docs/screens', `${name}.png`) });
}

/** What the server answers to a question of a program, and the same when a search is over. */
export async function ask(path, options) {
  const answer = await fetch(`${address}/api/v1/${path}`, options);
  return answer.json();
}
export const startJob = (order) =>
  ask('jobs', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order) });
export const stopJob = (id) => ask(`jobs/${id}`, { method: 'DELETE' });
export async function jobEnds(id) {
  for (;;) {
    const { job } = await ask(`jobs/${id}`);
    if (job.state === 'done' || job.state === 'failed') return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
