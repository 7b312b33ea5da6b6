// The explorer end to end: a served program, a browser, and what a person would do (harness.mjs says what is needed).
// --only=WORDS runs the tests with these words in their name, --screens writes docs/screens.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import access from './access.mjs';
import basics from './basics.mjs';
import boards from './boards.mjs';
import census from './census.mjs';
import contrast from './contrast.mjs';
import defects from './defects.mjs';
import play from './play.mjs';
import transfer from './transfer.mjs';
import { browser, complaints, outside, screens, server, top } from './harness.mjs';

const only = process.argv.find((word) => word.startsWith('--only='))?.slice(7);
const tests = { ...defects, ...boards, ...contrast, ...access, ...play, ...transfer, ...census, ...basics };

if (screens && !only) rmSync(join(top, 'docs/screens'), { recursive: true, force: true });
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  try {
    await test();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}
if (outside.length) console.log(`FAIL  requests to outside: ${outside}`);
if (complaints.length) console.log(`FAIL  the browser complains: ${complaints.join('\n')}`);
await browser.close();

// Ctrl-C ends the server cleanly.
const ended = new Promise((resolve) => server.on('exit', resolve));
server.kill('SIGINT');
const code = await ended;
if (code !== 0) console.log(`FAIL  the server ended with ${code}`);
process.exit(failed || outside.length || complaints.length || code !== 0 ? 1 : 0);
