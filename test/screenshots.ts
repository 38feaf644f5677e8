/**
 * `npm run screenshots`: the README's pictures, of what the page shows of an office's last two weeks, at a time that stands
 * still. It needs Debian's packages chromium, fonts-noto-cjk and fonts-noto-color-emoji, or their like.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Browser } from 'playwright-core';
import { launchChromium } from './browser/harness/chromium.ts';
import { visit } from './browser/harness/visitor.ts';
import { openOffice } from './support/office.ts';

const FOLDER = join(import.meta.dirname, '../docs/images');

/** Whoever clones the repository gets them all. */
const MOST_BYTES = 150_000;

interface Picture {
  readonly name: string;
  /** An address of the page, with the result of `of` for `:id`. */
  readonly path: string;
  /** SQL. */
  readonly of?: string;
  /** Pixels. */
  readonly width: number;
  /** As high as what it shows, where it is left out. */
  readonly height?: number;
}

const CALLBACK = `select max(callback_id) as id from deliveries join callbacks on callbacks.id = callback_id
  where kind = 'callback' and state = 'delivered'`;

const PICTURES: readonly Picture[] = [
  { name: 'bots', path: '/', width: 1180, height: 760 },
  {
    name: 'story',
    path: '/callbacks/:id',
    of: `select max(callback_id) as id from deliveries where state = 'pending'`,
    width: 1180,
    height: 820,
  },
  {
    name: 'slack',
    path: '/playground/message?callback=:id&to=slack:%23shop&theme=light',
    of: `${CALLBACK} and destination = 'slack:#shop' and status = 0`,
    width: 660,
  },
  {
    name: 'mail',
    path: '/playground/message?callback=:id&to=email:ops@example.com&theme=light',
    of: `${CALLBACK} and destination = 'email:ops@example.com' and status = 1`,
    width: 660,
  },
];

const office = await openOffice();
const { reloading } = office.services;
Object.assign(reloading, { status: { ...reloading.status, failure: undefined } });
const browser = await launchChromium();
try {
  mkdirSync(FOLDER, { recursive: true });
  for (const picture of PICTURES) await take(picture, browser, `http://127.0.0.1:${office.port}`);
} finally {
  await browser.close();
  await office.close();
}

async function take(picture: Picture, browser: Browser, url: string): Promise<void> {
  const { name, path, of, width, height } = picture;
  const viewport = { width, height: height ?? 200 };
  const visitor = await visit(browser, { url, viewport, colorScheme: 'light' });
  const address = of === undefined ? path : path.replace(':id', idOf(of));
  const status = await visitor.open(address);
  if (status !== 200) throw new Error(`${address} was answered ${status}`);
  const to = join(FOLDER, `${name}.png`);
  await visitor.page.screenshot({ path: to, fullPage: height === undefined, animations: 'disabled' });
  await visitor.close();
  const { size } = statSync(to);
  if (size > MOST_BYTES) throw new Error(`${to} has ${size} bytes`);
  console.log(`${to}: ${Math.round(size / 1000)} kB`);
}

function idOf(statement: string): string {
  const database = new DatabaseSync(office.store.file, { readOnly: true });
  const { id } = database.prepare(statement).get() as { readonly id: number };
  database.close();
  return String(id);
}
