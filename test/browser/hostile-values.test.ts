/** Whatever strangers put into a callback, no view of the page runs it, asks for it, or lets it out of its frame. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { request } from 'undici';
import { VIEW_PATHS } from '../../src/admin/page/page-router.tsx';
import { bodyOf, PLACES } from '../hostile/hostile-callbacks.ts';
import { type BridgeWorld, createBridgeWorld } from '../support/bridge-world.ts';
import { fixture, FIXTURE_NAMES } from '../support/callbacks.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';
import { type Elsewhere, startElsewhere } from './harness/elsewhere.ts';
import { addressesOf, type Known, knownIn } from './harness/every-view.ts';
import { faultsOf, handle } from './harness/inspection.ts';
import { naughtyStrings } from './harness/naughty-strings.ts';
import { visit, type Visitor } from './harness/visitor.ts';

/** Each callback is told, or fails to be told, by Slack and by mail. */
const CONFIG = `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1 }
display:
  links: { job: 'https://bots.example.com/jobs/{{ job_id }}', file: 'https://bots.example.com/{{ ref }}' }
routes:
  - bot_id: '*'
    notify: [{ slack: '#log' }, { email: owner@example.com }]
`;

/** By the third answer, what can never pass is a dead letter. */
const POSTS = 3;

const CARELESS = [
  '<style>p { color: red }</style>',
  '<p srcdoc="c">b</p>',
  '<p onclick="x">d</p>',
  '<a href="javascript:x">e</a>',
  '<img src="http://192.0.2.1/x">',
];

/** Every so often, a view is also used: it takes longer than to show it. */
const HANDLED = 5;

/** What is shown in a frame of a view. */
const FRAMES = ['/deliveries/:id/message'];

inBrowser('Hostile values', () => {
  let browser: Browser;
  let elsewhere: Elsewhere;
  let world: BridgeWorld;
  let slackFault: SlackFault | undefined;
  let url: string;
  let known: Known;
  let visitor: Visitor;
  let runs: string[];

  /** In each field of a callback at once; every third time the remotes fail with the same words. */
  const postEverywhere = async (text: string, index: number) => {
    const body = {
      code: 500,
      job_id: text,
      bot_id: text,
      bot_name: text,
      status: index % 3,
      start_time: '2026-11-20T09:00:00+09:00',
      elapsed_time: 3,
      message: text,
      output: { [text]: text, list: [text, { [text]: text }], files: filesNamed(text) },
    };
    const fails = index % 3 === 1;
    if (fails) {
      slackFault = { kind: 'error', error: text };
      const answer = text.replaceAll(/[\r\n]/g, ' ');
      world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text: answer });
    }
    for (let attempt = 0; attempt < (fails ? POSTS : 1); attempt += 1) await world.post(body);
    await world.post({ ...body, status: text, [text]: text });
    slackFault = undefined;
    world.mail.faults.splice(0);
  };

  /** All of a BOT of that name: nothing, but the page tells who asked for it. */
  const dismiss = async (text: string) => {
    const query = new URLSearchParams({ bot_id: text.slice(0, 300) });
    const { statusCode, body } = await request(`${url}/api/dismiss?${query}`, { method: 'POST' });
    await body.dump();
    expect(statusCode, text).to.be.oneOf([202, 400, 503]);
  };

  before(async () => {
    elsewhere = await startElsewhere();
    world = await createBridgeWorld(CONFIG, { faultOf: () => slackFault });
    url = `http://127.0.0.1:${world.app.admin?.port}`;
    const strings = naughtyStrings(elsewhere.origin);
    for (const [index, text] of strings.entries()) await postEverywhere(text, index);
    for (const place of PLACES.keys()) await world.post(bodyOf(place, strings[0] ?? '', 1).toString());
    for (const name of FIXTURE_NAMES) await world.post(fixture(name));
    for (const text of strings) await dismiss(text);
    known = knownIn(join(world.folder, 'botbell.db'), strings);
    browser = await launchChromium();
  });

  after(async () => {
    await browser.close();
    await world.close();
    await elsewhere.close();
  });

  beforeEach(async () => {
    runs = [];
    elsewhere.asked.splice(0);
    visitor = await visit(browser, { url });
    const run = ({ frame }: { frame: { url(): string } }, what: string) =>
      void runs.push(`${frame.url()} ${what}`);
    await visitor.context.exposeBinding('ran', run);
  });

  afterEach(() => visitor.close());

  it('would be noticed if they were run, asked for, or shown as they are', async () => {
    elsewhere.html = naughtyStrings(elsewhere.origin)[0] ?? '';
    await visitor.page.goto(`${elsewhere.origin}/`);
    expect(runs).to.include(`${elsewhere.origin}/ naughty`);
    expect(visitor.troubles).to.include('dialog: 1');
    expect(visitor.troubles).to.include(`elsewhere: ${elsewhere.origin}/`);
    elsewhere.html = CARELESS.join('');
    await visitor.page.goto(`${elsewhere.origin}/`);
    expect(await faultsOf(visitor.page)).to.have.lengthOf(CARELESS.length);
  });

  it('were really told, refused and given up here, before they are looked at', () => {
    expect(known.callbacks.length).to.be.above(known.strings.length);
    expect(known.refused.length).to.be.above(20);
    expect(known.deliveries.length).to.be.above(known.strings.length);
  });

  for (const path of [...VIEW_PATHS, ...FRAMES]) {
    it(`do nothing at ${path}`, async () => {
      const addresses = addressesOf(path, known);
      for (const [index, address] of addresses.entries()) {
        const status = await visitor.open(address);
        expect(status, address).to.be.oneOf([200, 400, 404]);
        if (index % HANDLED === 0) await handle(visitor.page);
        expect(await faultsOf(visitor.page), address).to.deep.equal([]);
        expect(await visitor.page.title(), address).not.to.match(/[\u0000-\u001f\u007f-\u009f]/);
        expect(visitor.page.url(), address).to.equal(new URL(address, url).href);
        expect(visitor.troubles, address).to.deep.equal([]);
        expect(runs, address).to.deep.equal([]);
      }
      expect(elsewhere.asked).to.deep.equal([]);
      const cookies = (await visitor.context.cookies()).map(({ name }) => name);
      expect(cookies.filter((name) => !name.startsWith('botbell_'))).to.deep.equal([]);
    });
  }
});

function filesNamed(text: string): unknown {
  return { type: 'files', files: [{ ref: text, meta: { name: text, size: 1, timestamp: 1 } }] };
}
