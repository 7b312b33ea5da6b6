// Whether what is written can be read: contrast of all text, in light and dark, computed from what the browser draws.

import assert from 'node:assert/strict';
import { address, open } from './harness.mjs';

/** Texts of the page with too little contrast to what is behind them (WCAG: 4.5, and 3 for large ones). Runs in the page. */
function faint() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** Red, green, blue and opacity of any CSS colour. */
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = '#000';
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => {
    const f = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].toSorted((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parts(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    const text = walk.currentNode.textContent.trim();
    if (!text || !element.checkVisibility() || element.closest('svg, .hidden, :disabled, noscript, script')) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    const value = contrast(over(parts(style.color), ground), ground);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    seen += 1;
    if (value < (large ? 3 : 4.5)) bad.push(`${value.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  // What is written on boards: on the first thing below it that has a colour.
  for (const text of document.querySelectorAll('main svg.board text:not(.mark text)')) {
    const { x, y, width, height } = text.getBoundingClientRect();
    const below = document.elementsFromPoint(x + width / 2, y + height / 2).filter((e) => e !== text && !text.contains(e) && !e.closest('text, defs'));
    const fill = below.filter((e) => /^(rect|circle|path|ellipse)$/.test(e.tagName)).map((e) => parts(getComputedStyle(e).fill === 'none' ? 'transparent' : getComputedStyle(e).fill));
    if (!below.length) continue;
    const ground = fill.find((colour) => colour[3] === 1) ?? behind(below.find((e) => !e.namespaceURI.endsWith('svg')) ?? document.body);
    const value = contrast(parts(getComputedStyle(text.querySelector('tspan') ?? text).fill), ground);
    seen += 1;
    if (value < 4.5) bad.push(`${value.toFixed(2)}: ${text.textContent} on the board`);
  }
  // Drawings: what is written on what, by the names of their colours.
  const named = (name) => {
    document.body.style.outlineColor = `var(--${name})`;
    return parts(getComputedStyle(document.body).outlineColor);
  };
  const pairs = [
    ['mark-ink', 'win'], ['mark-ink', 'draw'], ['mark-ink', 'loss'], ['accent-ink', 'accent'],
    ['square', 'cell'], ['square', 'cell-dark'], ['quiet', 'bg'], ['quiet', 'card'], ['stone-1', 'cell'], ['seed', 'cell'],
    ...['ink', 'quiet', 'win', 'draw', 'loss', 'open', 'accent'].flatMap((a) => ['bg', 'card', 'soft'].map((b) => [a, b])),
  ];
  for (const [a, b] of pairs) {
    const value = contrast(named(a), named(b));
    if (value < 4.5) bad.push(`${value.toFixed(2)}: --${a} on --${b}`);
  }
  return { bad, seen };
}

const tests = {};
for (const colorScheme of ['light', 'dark']) {
  tests[`contrast of everything that is written, ${colorScheme}`] = async () => {
    const page = await open('#/', { colorScheme });
    for (const [hash, ready] of [
      ['#/', '[data-game]'],
      ['#/tictactoe//a1,b1', 'button[data-tone=win]'],
      ['#/tictactoe//b2,a1', 'button[data-tone=draw]'],
      ['#/connect4+4x4', 'svg.board'],
      ['#/kalah+6x4', 'svg.board .seed'],
      ['#/morris+9', 'svg.board .dot'],
      ['#/checkers', 'svg.board .square'],
      ['#/graph+a+first:+b+c;+b+second+%3D+1;+c+second+%3D+-1', 'svg.board .node'],
      ['#/proofs', '[data-state=proved]'],
      ['#/proofs/0', 'section[aria-label=Outline] button[data-step]'],
      ['#/searches', 'h1'],
    ]) {
      await page.goto(`${address}/${hash}`);
      await page.waitForSelector(ready);
      const { bad, seen } = await page.evaluate(faint);
      assert.ok(seen > 5, `${hash} has only ${seen} texts`);
      assert.deepEqual(bad, [], hash);
    }
    await page.close();
  };
}
export default tests;
