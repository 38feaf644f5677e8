/** What people come to the page for, from the first click to the last: what each form and view does is proved in test/admin. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { translator } from '../../src/admin/page/words.ts';
import { outcomeInWords } from '../../src/people/outcomes.ts';
import { until } from '../support/proof-wait.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';
import { type Office, openOffice } from './harness/office.ts';
import { visit, type Visitor, type VisitorOptions } from './harness/visitor.ts';

const t = translator('en');

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const rowOf = (page: Page, text: string) => page.locator('tbody tr', { hasText: text });

inBrowser('People at the page', () => {
  let browser: Browser;
  let office: Office;
  let visitor: Visitor;

  const come = async (options: Partial<VisitorOptions> = {}) => {
    visitor = await visit(browser, { url: office.url, ...options });
    return visitor;
  };
  const toldAt = (channel: string) =>
    office.remotes.slack.messages.filter((message) => message.channel === channel);
  /** How many messages: one a day, today's from half past seven in Tokyo on. */
  const deadAt = async (destination: string) => {
    const query = new URLSearchParams({ state: 'dead', destination });
    const answer = await visitor.context.request.get(`${office.url}/api/callbacks?${query}`);
    return ((await answer.json()) as { readonly items: readonly unknown[] }).items.length;
  };
  const flash = () => visitor.page.locator('.flash').innerText();

  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser.close());

  beforeEach(async () => {
    office = await openOffice();
  });

  afterEach(async () => {
    const { troubles } = visitor;
    await visitor.close();
    await office.close();
    expect(troubles).to.deep.equal([]);
  });

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with script' : 'without script';

    it(`deliver again all dead letters of a cause that is mended, having seen how many, ${how}`, async () => {
      const { page, open } = await come({ javaScriptEnabled });
      const dead = await deadAt('slack:#old-prices');
      expect(dead).to.be.greaterThan(1);
      office.remotes.slackFaults.delete('#old-prices');
      await open('/dead');
      await rowOf(page, 'slack:#old-prices')
        .getByRole('link', { name: t('dead.again') })
        .click();
      expect(await page.locator('h1').innerText()).to.equal(t('bulk.new'));
      expect(toldAt('#old-prices'), 'nothing has been sent yet').to.have.lengthOf(0);
      await button(page, t('bulk.start.redelivered', { messages: `${dead} messages` })).click();
      expect(await flash()).to.contain(outcomeInWords({ name: 'bulk redelivered' }, 'en'));
      await until('all messages', () => toldAt('#old-prices').length === dead);
      await until('the end of the redelivery', async () => {
        await page.reload();
        return (await page.locator('main').innerText()).includes(t('bulk.done'));
      });
    });
  }

  it('route anew what had no route, once the config is mended, without script', async () => {
    const { page, open } = await come({ javaScriptEnabled: false });
    await open('/callbacks?bot_id=crm-export');
    await page.locator('tbody').getByRole('link').first().click();
    expect(await page.locator('main').innerText()).to.contain('Nobody was told');
    const story = page.url();
    office.rewriteConfig((yaml) =>
      yaml.replace('routes:\n', `routes:\n  - bot_id: crm-export\n    notify: [{ slack: '#keiri' }]\n`),
    );
    await open('/config');
    await button(page, t('config.reload')).click();
    await page.goto(story);
    await button(page, t('callback.route')).click();
    expect(await flash()).to.contain('It goes to slack:#keiri now.');
    await until('the story to say so', async () => {
      await page.reload();
      return /slack:#keiri\s+✓?\s*Delivered/.test(await page.locator('.deliveries').innerText());
    });
    expect(toldAt('#keiri')).to.have.lengthOf(1);
  });
});
