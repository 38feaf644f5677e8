/** With a script, a page follows what changes, and never moves what somebody reads or writes. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { DeadLetters } from '../../src/ledger/archive/archive.ts';
import { DEAD, OFFICE_ARCHIVE, openOffice, type OfficeWorld } from '../support/office.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';

const ONE_ROW_HIGH = { width: 1280, height: 300 };

inBrowser('A page with a script', () => {
  let browser: Browser;
  let world: OfficeWorld;
  let page: Page;
  let faults: string[];
  let groups: readonly DeadLetters[];

  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser.close());

  beforeEach(async () => {
    groups = DEAD;
    faults = [];
    world = await openOffice({ ...OFFICE_ARCHIVE, deadLetters: () => Promise.resolve(groups) });
    const context = await browser.newContext({ viewport: ONE_ROW_HIGH, locale: 'en' });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (line) => void (line.type() === 'error' && faults.push(line.text())));
  });

  afterEach(async () => {
    expect(faults).to.deep.equal([]);
    await page.context().close();
    await world.close();
  });

  const open = (path: string) => page.goto(`http://127.0.0.1:${world.port}${path}`);

  const add = (destination: string) => {
    const [first] = DEAD;
    if (first === undefined) throw new Error('no group');
    groups = [{ ...first, destination }, ...groups];
  };

  const firstRow = () => page.locator('tbody tr').first().locator('th').textContent();

  /** Lets the page look at what has changed, or not. */
  const passFiveSeconds = async () => {
    await page.clock.runFor(5000);
    await page.waitForTimeout(300);
  };

  it('shows what is new where nobody reads', async () => {
    await page.clock.install();
    await open('/dead');
    add('slack:#new');
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#new');
  });

  it('moves nothing under whoever has scrolled or focused something, until they have done', async () => {
    await page.clock.install();
    await open('/dead');
    await page.evaluate(() => window.scrollTo(0, 150));
    add('slack:#new');
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#ops');
    await page
      .getByRole('link', { name: /^Deliver again/ })
      .first()
      .focus();
    await page.evaluate(() => window.scrollTo(0, 0));
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#ops');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#new');
  });

  it('closes nothing that was opened', async () => {
    await page.clock.install();
    await open('/refused');
    await page.locator('summary').first().click();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.evaluate(() => window.scrollTo(0, 0));
    await passFiveSeconds();
    expect(await page.evaluate(() => document.querySelector('details')?.open)).to.equal(true);
  });
});
