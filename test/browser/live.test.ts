/** With a script, a page follows what changes, and never moves what somebody reads or writes. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { DeadLetters } from '../../src/ledger/archive/archive.ts';
import { DEAD, OFFICE_ARCHIVE, openOffice, type OfficeWorld } from '../support/office.ts';
import { until } from '../support/proof-wait.ts';
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
    await page.clock.install();
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

  /** Has the page look at what has changed, if it does now; what it asks for then is answered before this ends. */
  const passFiveSeconds = async () => {
    await page.clock.runFor(5000);
    await page.evaluate(async () => (await fetch(location.href)).text());
  };

  const isShownInTime = () =>
    until('what is new', async () => {
      await passFiveSeconds();
      return (await firstRow()) === 'slack:#new';
    });

  it('shows what is new where nobody reads', async () => {
    await open('/dead');
    add('slack:#new');
    await isShownInTime();
  });

  it('moves nothing under whoever has scrolled or focused something, until they have done', async () => {
    await open('/dead');
    await page.evaluate(() => window.scrollTo(0, 150));
    add('slack:#new');
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#ops');
    const link = page.getByRole('link', { name: /^Deliver again/ }).first();
    await link.focus();
    await page.evaluate(() => window.scrollTo(0, 0));
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#ops');
    await link.blur();
    await isShownInTime();
  });

  it('closes nothing that was opened', async () => {
    await open('/refused');
    const opened = page.locator('summary').first();
    await opened.click();
    await opened.blur();
    await page.evaluate(() => window.scrollTo(0, 0));
    await passFiveSeconds();
    expect(await page.locator('details').first().getAttribute('open')).not.to.equal(null);
  });
});
