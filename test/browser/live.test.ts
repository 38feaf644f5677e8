/** With a script, a page follows what changes, and never moves what somebody reads or writes. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { Changes } from '../../src/admin/live/changes.ts';
import { EventStreams } from '../../src/admin/live/event-streams.ts';
import type { DeadLetters } from '../../src/ledger/archive/archive.ts';
import { systemClock } from '../../src/time/clock.ts';
import { callbackWith } from '../support/callbacks.ts';
import { DEAD, OFFICE_ARCHIVE, openOperationWorld, type OperationWorld } from '../support/operation-world.ts';
import { openPageWorld, type PageWorld } from '../support/page-world.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';

const ONE_ROW_HIGH = { width: 1280, height: 300 };

inBrowser('A page with a script', () => {
  let browser: Browser;
  let office: OperationWorld;
  let streams: EventStreams;
  let world: PageWorld;
  let page: Page;
  let faults: string[];
  let groups: readonly DeadLetters[];
  let mark: string;

  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser.close());

  beforeEach(async () => {
    mark = 'first';
    groups = DEAD;
    faults = [];
    office = await openOperationWorld();
    const changes = new Changes({ clock: systemClock, mark: () => Promise.resolve(mark) });
    streams = new EventStreams({ clock: systemClock, changes });
    world = await openPageWorld({ ...office.services, streams });
    Object.assign(world.services.archive, {
      ...OFFICE_ARCHIVE,
      deadLetters: () => Promise.resolve({ groups, isComplete: true }),
    });
    const context = await browser.newContext({ viewport: ONE_ROW_HIGH, locale: 'en' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (line) => void (line.type() === 'error' && faults.push(line.text())));
  });

  afterEach(async () => {
    expect(faults).to.deep.equal([]);
    await page.context().close();
    streams.close();
    await world.close();
    await office.close();
  });

  const open = async (path: string) => {
    const isLive = path !== '/playground';
    const asked = isLive ? page.waitForRequest((request) => request.url().endsWith('/live')) : undefined;
    await page.goto(`http://127.0.0.1:${world.port}${path}`);
    await asked;
    // So that what follows is a change to the server, too.
    if (isLive) await page.waitForTimeout(300);
  };

  const add = (destination: string) => {
    const [first] = DEAD;
    if (first === undefined) throw new Error('no group');
    groups = [{ ...first, destination }, ...groups];
    mark = destination;
  };

  const firstRow = () => page.locator('tbody tr').first().locator('th').textContent();

  it('shows what is new where nobody reads', async () => {
    await open('/dead');
    add('slack:#new');
    await page.getByText('slack:#new').first().waitFor();
    expect(await firstRow()).to.equal('slack:#new');
    expect(await page.locator('.news').count()).to.equal(0);
  });

  it('offers what is new to whoever has scrolled, and shows it when they want it', async () => {
    await open('/dead');
    await page.evaluate(() => window.scrollTo(0, 150));
    add('slack:#new');
    const button = page.getByRole('button', { name: 'Show 1 new' });
    await button.waitFor();
    expect(await firstRow()).to.equal('slack:#ops');
    expect(await page.evaluate(() => window.scrollY)).to.be.above(100);
    await button.click();
    expect(await firstRow()).to.equal('slack:#new');
    expect(await page.locator('.news').count()).to.equal(0);
    expect(await page.evaluate(() => [window.scrollY, document.activeElement?.id])).to.deep.equal([
      0,
      'content',
    ]);
  });

  it('takes no focus, and closes nothing that was opened', async () => {
    await open('/refused');
    await page.locator('summary').first().click();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    mark = 'another';
    const asked = await page.waitForResponse((response) => response.url().endsWith('/refused'));
    await asked.finished();
    await page.waitForTimeout(200);
    expect(await page.evaluate(() => document.querySelector('details')?.open)).to.equal(true);
    await page.goto(`http://127.0.0.1:${world.port}/dead`);
    await page.waitForTimeout(1200);
    await page
      .getByRole('link', { name: /^Deliver again/ })
      .first()
      .focus();
    add('slack:#new');
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).to.match(
      /^Deliver again/,
    );
  });

  it('lets go of its stream where it is left', async () => {
    await open('/dead');
    expect(streams.count).to.equal(1);
    await page.goto('about:blank');
    for (let tries = 0; tries < 100 && streams.count > 0; tries += 1) await page.waitForTimeout(20);
    expect(streams.count).to.equal(0);
  });

  it('draws in the playground while one types, without a step in the history', async () => {
    await open('/playground');
    const steps = await page.evaluate(() => history.length);
    await page.fill('#text', '{"code": 1}');
    await page.locator('#result').getByText('This is no callback').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('text');
    for (const message of ['first words', 'other words']) {
      await page.fill('#text', JSON.stringify(callbackWith({ bot_id: 'invoice-a', status: 1, message })));
      await page.frameLocator('#result iframe').first().getByText(message).waitFor();
    }
    expect(await page.evaluate(() => history.length)).to.equal(steps);
    expect(office.done).to.deep.equal([]);
  });

  it('waits for the end of what an input method composes', async () => {
    await open('/playground');
    const asked: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && asked.push(request.url())));
    await page.evaluate(() => {
      const field = document.querySelector('#text');
      field?.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    });
    await page.waitForTimeout(700);
    expect(asked).to.deep.equal([]);
    await page.evaluate(() => {
      document
        .querySelector('#text')
        ?.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    });
    await page.waitForTimeout(700);
    expect(asked).to.have.length(1);
  });

  it('copies', async () => {
    await open('/config');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.contain('listen: 127.0.0.1:8080');
  });
});
