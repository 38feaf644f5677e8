/** With a script, a page follows what changes, and never moves what somebody reads or writes. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { anew, forAll } from '../support/anew.ts';
import { openOffice } from '../support/office.ts';
import { until } from '../support/proof-wait.ts';
import { target } from '../support/recorded.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';

const ONE_ROW_HIGH = { width: 1280, height: 300 };

inBrowser('A page with a script', () => {
  const browser = forAll(() => launchChromium());
  const world = anew(() => openOffice());
  let page: Page;
  let faults: string[];

  beforeEach(async () => {
    faults = [];
    const context = await browser.newContext({ viewport: ONE_ROW_HIGH, locale: 'en' });
    page = await context.newPage();
    await page.clock.install();
    page.on('pageerror', (error) => faults.push(error.message));
    // What a test aborts, the browser reports when it likes.
    page.on('console', (line) => {
      if (line.type() === 'error' && !line.text().includes('net::ERR_FAILED')) faults.push(line.text());
    });
  });

  afterEach(async () => {
    expect(faults).to.deep.equal([]);
    await page.context().close();
  });

  const open = (path: string) => page.goto(`http://127.0.0.1:${world.port}${path}`);

  /** More than of any other cause, so that they stand first. */
  const die = () => world.recorded.deadLetters(['a', 'b', 'c'], {}, target('slack:#new'));

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

  it('shows what is new where nobody reads, and moves nothing under whoever has scrolled or focused something', async () => {
    await open('/dead');
    await page.evaluate(() => window.scrollTo(0, 150));
    await die();
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#old-prices');
    const link = page.getByRole('link', { name: /^Deliver again/ }).first();
    await link.focus();
    await page.evaluate(() => window.scrollTo(0, 0));
    await passFiveSeconds();
    expect(await firstRow()).to.equal('slack:#old-prices');
    await link.blur();
    await isShownInTime();
  });

  it('closes nothing that was opened, and says that it is not refreshed until that is closed', async () => {
    await open('/refused');
    const opened = page.locator('summary').first();
    const saying = page.getByText('not refreshed while you read or write');
    for (const isOpen of [true, false]) {
      await opened.click();
      await opened.blur();
      await page.evaluate(() => window.scrollTo(0, 0));
      await passFiveSeconds();
      await until('it says so', async () => (await saying.isVisible()) === isOpen);
      expect((await page.locator('details').first().getAttribute('open')) !== null).to.equal(isOpen);
    }
  });

  it('leaves what is written, and goes on when nothing is', async () => {
    await open('/');
    const search = page.getByRole('textbox').last();
    const time = () => page.locator('.head .quiet').textContent();
    const before = await time();
    const write = async (text: string) => {
      await search.fill(text);
      await search.blur();
      await page.evaluate(() => window.scrollTo(0, 0));
      await passFiveSeconds();
    };
    await world.store.passTime(60_000);
    await write('invoice');
    expect([await search.inputValue(), await time()]).to.deep.equal(['invoice', before]);
    await write('');
    await until('the time is a later one', async () => {
      await passFiveSeconds();
      return (await time()) !== before;
    });
  });

  it('posts a form once, however often it is clicked', async () => {
    await open('/destinations');
    const form = page.locator('form[method=post]').first();
    const isPosted = () =>
      form.evaluate((each) =>
        each.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true })),
      );
    expect([await isPosted(), await isPosted()]).to.deep.equal([true, false]);
    await page.clock.runFor(2000);
    expect(await isPosted()).to.equal(true);
  });

  it('says that Botbell does not answer, until it does, and what came of an act until the page is left', async () => {
    await open('/');
    await page.locator('summary', { hasText: 'Take up' }).first().click();
    await page.getByLabel('Your name').first().fill('kenji');
    await page.getByRole('button', { name: 'Take up' }).first().click();
    // Its script comes after it: a page cut off from here on must have it.
    await page.locator('.flash', { hasText: 'kenji is on it' }).waitFor();
    await page.waitForLoadState('load');
    const saying = page.getByText(/^No answer from Botbell since \d\d:\d\d:\d\d\.$/);
    await page.route('**/*', (route) => route.abort());
    const isSaid = async () => (await page.clock.runFor(5000), saying.isVisible());
    await until('that nothing answers', isSaid);
    await page.unroute('**/*');
    await until('an answer', async () => !(await isSaid()));
    expect(await page.locator('.flash').allTextContents()).to.deep.equal(['Done kenji is on it.']);
  });
});
