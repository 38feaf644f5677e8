/** Somebody at the page with a real browser, and all that went wrong while they looked. */
/// <reference lib="dom" />
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { inPage } from './in-page.ts';

interface VisitorOptions extends Pick<
  BrowserContextOptions,
  'locale' | 'colorScheme' | 'viewport' | 'javaScriptEnabled'
> {
  /** Of the page: `http://127.0.0.1:<port>`. */
  readonly url: string;
}

export type Visitor = Awaited<ReturnType<typeof visit>>;

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 900 };

export async function visit(browser: Browser, { url, ...options }: VisitorOptions) {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'America/New_York',
    viewport: DESK,
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(60_000);
  const troubles = watch(context, url);
  const page = await context.newPage();
  return {
    context,
    page,
    troubles,
    /** @param path `/callbacks?status=1`. @returns the status of its answer */
    async open(path: string) {
      const response = await page.goto(`${url}${path}`);
      return response?.status() ?? 0;
    },
    close: () => context.close(),
  };
}

/** Each in a line: errors and warnings of the console, among them what the page's policy forbade; dialogs; requests elsewhere. */
function watch(context: BrowserContext, url: string): string[] {
  const troubles: string[] = [];
  context.on('console', (message) => {
    // What the page itself was answered is for the tests to say.
    const isAnswer = message.location().url === message.page()?.url();
    if (isAnswer && message.text().startsWith('Failed to load resource')) return;
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => troubles.push(`error: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const isOurs = request.url().startsWith(`${url}/`) || request.url().startsWith('data:');
    if (!isOurs) troubles.push(`elsewhere: ${request.url()}`);
  });
  return troubles;
}

/** How far the page, not a box in it, could be scrolled sideways: 0 is right. */
export function sidewaysScroll(page: Page): Promise<number> {
  return inPage(page, sidewaysOverflow, undefined);
}

function sidewaysOverflow(): number {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth - clientWidth;
}
