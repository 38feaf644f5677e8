/** What a page must not hold, wherever in it and in its frames, and how it is looked for. */
/// <reference lib="dom" />
import type { Frame, Page } from 'playwright-core';
import { inPage } from './in-page.ts';

/** By a selector each. */
type Rules = Readonly<Record<string, string>>;

const ANYWHERE: Rules = {
  'an element': 'object, embed, base[href], applet, portal, animate, set',
  'a refresh': 'meta[http-equiv="refresh" i]',
  'a frame':
    'iframe:not([sandbox]), frame, [srcdoc], [sandbox~="allow-scripts"], [sandbox~="allow-same-origin"], [sandbox*="allow-top"]',
  'a ping': '[ping]',
};

const IN_PAGES: Rules = {
  ...ANYWHERE,
  'a script': 'script:not([src]), script:not(:empty)',
  'a style': 'style',
  'an inline style': '[style]',
};

/** Their own policy lets styles in, which mail cannot do without, and nothing else. */
const IN_MESSAGES: Rules = { ...ANYWHERE, 'a script': 'script', 'a form': 'form, input, button' };

/** Inside a page. @returns each wrong thing in a line */
function foundBy(rules: Rules): string[] {
  return Object.entries(rules).flatMap(([what, selector]) =>
    [...document.querySelectorAll(selector)].map((element) => `${what}: ${element.outerHTML.slice(0, 200)}`),
  );
}

/** Inside a page: what would run, be gone to or be asked for, by its attributes. */
function foundInAttributes(): string[] {
  const goneTo = new Set(['href', 'action', 'formaction']);
  const askedFor = new Set(['src', 'srcset', 'poster', 'background', 'action', 'formaction']);
  const addressIn = (text: string) =>
    URL.canParse(text, location.href) ? new URL(text, location.href) : undefined;
  const isWrong = ({ name, value }: Attr): boolean => {
    if (name.startsWith('on')) return true;
    const address = goneTo.has(name) || askedFor.has(name) ? addressIn(value) : undefined;
    if (address === undefined || value === 'data:,') return false;
    if (!['http:', 'https:', 'mailto:'].includes(address.protocol)) return true;
    return askedFor.has(name) && address.host !== location.host;
  };
  return [...document.querySelectorAll('*')]
    .filter((element) => [...element.attributes].some(isWrong))
    .map((element) => `an attribute: ${element.outerHTML.slice(0, 200)}`);
}

/** Of the page and of the messages in its frames; those that are not scrolled to yet have loaded nothing. */
export async function faultsOf(page: Page): Promise<string[]> {
  const loaded = page
    .frames()
    .filter((frame) => frame === page.mainFrame() || frame.url().startsWith('http'));
  return (await Promise.all(loaded.map(faultsOfFrame))).flat();
}

async function faultsOfFrame(frame: Frame): Promise<string[]> {
  const isMessage = /\/(message|frames\/\w+)$/.test(new URL(frame.url()).pathname);
  const byRules = await inPage(frame, foundBy, isMessage ? IN_MESSAGES : IN_PAGES);
  return [...byRules, ...(await inPage(frame, foundInAttributes, null))];
}

function openAll(): void {
  for (const details of document.querySelectorAll('details')) details.open = true;
}

/** What a person may do without meaning harm: opens what can be opened, points at it and tabs through it. */
export async function handle(page: Page): Promise<void> {
  await inPage(page, openAll, null);
  await page.mouse.move(300, 300);
  await page.mouse.move(640, 420);
  for (let key = 0; key < 3; key += 1) await page.keyboard.press('Tab');
}
