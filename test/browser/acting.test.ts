/** What people do at the page: deliver again, mark as done, route anew, send a test, reload; and what comes of it. */
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
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });

const rowOf = (page: Page, text: string) => page.locator('tbody tr', { hasText: text });

/** Of a text, as it stands. */
function literally(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
}

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

  /** @returns the status of the answer */
  const sent = async ({ request }: Visitor['context'], form: Record<string, string>) => {
    const answer = await request.post(`${office.url}/act/redeliver`, { form, maxRedirects: 0 });
    return answer.status();
  };

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

    it(`route anew what had no route, once the config is mended, ${how}`, async () => {
      const { page, open } = await come({ javaScriptEnabled });
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
  }

  it('mark a dead letter as done, after which nobody is asked to do anything about it', async () => {
    const { page, open } = await come();
    await open('/callbacks?state=dead&destination=email:readers@example.com');
    await page.locator('tbody').getByRole('link').first().click();
    await button(page, t('callback.dismiss')).click();
    expect(await flash()).to.contain(outcomeInWords({ name: 'dismissed' }, 'en'));
    await open('/dead');
    expect(await page.locator('main').innerText()).not.to.contain('email:readers@example.com');
  });

  it('deliver one message again, once for however often the same form is sent', async () => {
    const { page, context, open } = await come();
    await open('/callbacks?bot_id=get_items');
    await page.locator('tbody').getByRole('link').first().click();
    const form = page.locator('form[action="/act/redeliver"]').first();
    const fields: Record<string, string> = {};
    for (const input of await form.locator('input').all())
      fields[(await input.getAttribute('name')) ?? ''] = await input.inputValue();
    const answers = await Promise.all([1, 2, 3].map(() => sent(context, fields)));
    expect(answers).to.deep.equal([303, 303, 303]);
    await until('the message', () => toldAt('#shop').length > 0);
    expect(await sent(context, fields), 'the same once more').to.equal(303);
    await open('/');
    expect(toldAt('#shop')).to.have.lengthOf(1);
  });

  it('send a test to a destination, and learn what it answered', async () => {
    const { page, open } = await come();
    await open('/destinations');
    await rowOf(page, 'slack:#keiri').getByRole('button').click();
    expect(await flash()).to.match(literally('The test for slack:#keiri'));
    expect(toldAt('#keiri')).to.have.lengthOf(1);
    await rowOf(page, 'slack:#old-prices').getByRole('button').click();
    expect(await flash()).to.match(literally('The test did not reach slack:#old-prices'));
    expect(await page.locator('.flash').getAttribute('role')).to.equal('alert');
  });

  it('see what is wrong with a config that was refused, and that the one before stays', async () => {
    const { page, open } = await come();
    await open('/config');
    const inForce = await page.locator('footer').innerText();
    office.rewriteConfig((yaml) => yaml.replace('notify: [operators]', 'notify: [operaters]'));
    await button(page, t('config.reload')).click();
    expect(await page.locator('main').innerText())
      .to.contain(t('config.failed'))
      .and.to.contain('operaters');
    expect(await page.locator('footer').innerText()).to.equal(inForce);
  });

  it('choose a language, which stays, with and without script', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, open, close } = await come({ javaScriptEnabled });
      await open('/callbacks?status=error');
      await link(page, '日本語').click();
      expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal('/callbacks?status=error');
      await open('/dead');
      expect(await page.locator('html').getAttribute('lang')).to.equal('ja');
      expect(await page.locator('h1').innerText()).to.equal(translator('ja')('nav.dead'));
      if (javaScriptEnabled) await close();
    }
  });
});
