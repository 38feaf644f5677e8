/** What a page must not hold, wherever in it and in its frames, and how it is looked for. */
/// <reference lib="dom" />
import type { Frame, Page } from 'playwright-core';
import { inPage } from './in-page.ts';

const ANYWHERE = `object, embed, base[href], applet, portal, animate, set, meta[http-equiv="refresh" i], iframe:not([sandbox]),
  frame, [srcdoc], [sandbox~="allow-scripts"], [sandbox~="allow-same-origin"], [sandbox*="allow-top"], [ping]`;
const IN_PAGES = `${ANYWHERE}, script:not([src]), script:not(:empty), style, [style]`;
/** Their own policy lets styles in, which mail cannot do without, and nothing else. */
const IN_MESSAGES = `${ANYWHERE}, script, form, input, button`;

/** Inside a page. @returns what matches, and what would run, be gone to or be asked for by its attributes */
function found(selector: string): string[] {
  const askedFor = new Set(['src', 'srcset', 'poster', 'background', 'action', 'formaction']);
  const isWrong = ({ name, value }: Attr): boolean => {
    if (name.startsWith('on')) return true;
    const isAddress = name === 'href' || askedFor.has(name);
    if (!isAddress || value === 'data:,' || !URL.canParse(value, location.href)) return false;
    const { protocol, host } = new URL(value, location.href);
    if (askedFor.has(name) && host !== location.host) return true;
    return !['http:', 'https:', 'mailto:'].includes(protocol);
  };
  return [...document.querySelectorAll('*')]
    .filter((element) => element.matches(selector) || [...element.attributes].some(isWrong))
    .map((element) => element.outerHTML.slice(0, 200));
}

/** Of the page and of the messages in its frames; those that are not scrolled to yet have loaded nothing. */
export async function faultsOf(page: Page): Promise<string[]> {
  const isLoaded = (frame: Frame) => frame === page.mainFrame() || frame.url().startsWith('http');
  return (await Promise.all(page.frames().filter(isLoaded).map(faultsOfFrame))).flat();
}

function faultsOfFrame(frame: Frame): Promise<string[]> {
  const isMessage = /\/(message|frames\/\w+)$/.test(new URL(frame.url()).pathname);
  return inPage(frame, found, isMessage ? IN_MESSAGES : IN_PAGES);
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
