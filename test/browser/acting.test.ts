/** What people come to the page for, from the first click to the last: what each form and view does is proved in test/admin. */
import { expect } from 'chai';
import { translator } from '../../src/admin/page/words.ts';
import { outcomeInWords } from '../../src/people/outcomes.ts';
import { forAll } from '../support/anew.ts';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { until } from '../support/proof-wait.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';
import { visit, type Visitor } from './harness/visitor.ts';

const t = translator('en');

/** A name that no browser trusts, as in an office’s network. */
const NAME = 'botbell.test';

const CONFIG = `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
routes:
  - bot_id: prices
    notify: [{ email: gone@example.com }]
`;

inBrowser('People at the page', () => {
  const browser = forAll(() => launchChromium([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]));
  let world: BridgeWorld;
  let visitor: Visitor;

  beforeEach(async () => {
    world = await createBridgeWorld(CONFIG);
    await world.restart((yaml) => yaml.replace("admin: { listen: '127.0.0.1:0'", `$&, hosts: [${NAME}]`));
  });

  afterEach(async () => {
    const { troubles } = visitor;
    await visitor.close();
    await world.close();
    expect(troubles.filter((line) => !line.includes('origin was untrustworthy'))).to.deep.equal([]);
  });

  const come = async (host: string, javaScriptEnabled: boolean) => {
    visitor = await visit(browser, { url: `http://${host}:${world.app.admin?.port}`, javaScriptEnabled });
    return visitor.page;
  };
  const press = (name: string) => visitor.page.getByRole('button', { name }).click();
  const follow = (name: string) => visitor.page.locator('main').getByRole('link', { name }).first().click();
  const flash = () => visitor.page.locator('.flash').innerText();
  const pageSays = (what: RegExp) =>
    until(`the page to say ${String(what)}`, async () => {
      await visitor.page.reload();
      return what.test(await visitor.page.locator('main').innerText());
    });

  for (const [how, host, hasScript] of [
    ['with script', '127.0.0.1', true],
    ['without script, over plain HTTP, where a browser says no more than the Origin of a form', NAME, false],
  ] as const)
    it(`deliver again all dead letters of a cause that is mended, having seen how many, ${how}`, async () => {
      world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text: 'no such user', times: 3 });
      for (let count = 0; count < 3; count += 1) await world.post(callback({ bot_id: 'prices' }));
      const page = await come(host, hasScript);
      await visitor.open('/dead');
      await follow(t('dead.again'));
      expect(await page.locator('h1').innerText()).to.equal(t('bulk.new'));
      expect(world.mail.mails, 'nothing has been sent yet').to.have.lengthOf(0);
      const posted = page.waitForRequest((request) => request.method() === 'POST');
      await press(t('bulk.start.redelivered', { messages: '3 messages' }));
      const { 'sec-fetch-site': site } = await (await posted).allHeaders();
      expect(site).to.equal(hasScript ? 'same-origin' : undefined);
      expect(await flash()).to.contain(outcomeInWords({ name: 'bulk redelivered' }, 'en'));
      await pageSays(new RegExp(t('bulk.done')));
      expect(world.mail.mails).to.have.lengthOf(3);
    });
});
