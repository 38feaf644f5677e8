/** A real browser for the tests of the page: Debian's Chromium, or the one that CHROMIUM_PATH names. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Suite } from 'mocha';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Beside those of Playwright, by which it asks nobody for updates, lists or hints: what it asks for is the page's doing. */
const FLAGS = ['--disable-gpu', '--disable-quic', '--font-render-hinting=none'];

const CHROMIUM_PATH = findChromium();

let leftOut = 0;

/** A suite in a real browser. Where there is none, its tests are left out, and counted in one line at the end. */
export function inBrowser(title: string, body: () => void): void {
  describe(title, function () {
    body();
    if (CHROMIUM_PATH === undefined) leaveOut(this);
  });
}

/** With a profile of its own, which goes when it is closed. @throws {Error} there is none */
export function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM_PATH === undefined) throw new Error(`no browser: ${HOW_TO_GET_ONE}`);
  // Chromium's own sandbox needs a user who is not root.
  const chromiumSandbox = process.getuid?.() !== 0;
  return chromium.launch({
    executablePath: CHROMIUM_PATH,
    chromiumSandbox,
    args: [...FLAGS, ...flags],
    timeout: 60_000,
  });
}

const HOW_TO_GET_ONE = 'install Debian’s package chromium, or name a Chromium by CHROMIUM_PATH';

function findChromium(): string | undefined {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env;
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  const places = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Mocha counts what it has been given, and a pending test fails the run: so none of them stays. */
function leaveOut(suite: Suite): void {
  if (leftOut === 0) process.once('exit', () => console.error(summary()));
  leftOut += suite.total();
  suite.tests.splice(0);
  suite.suites.splice(0);
}

function summary(): string {
  return `left out: ${leftOut} tests in a real browser, since there is none here: ${HOW_TO_GET_ONE}`;
}
