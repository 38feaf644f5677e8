/** A channel of another markup, whose message is an object: what its folder would hold, and one line of the registry. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { object, string } from 'yup';
import { type RunningApp, startApp } from '../../src/app/app.ts';
import type { ChannelType, MessageFormat, Outgoing, TemplateValue } from '../../src/channels/channel.ts';
import { type Markup, TEXT_FRAME, URL_PART } from '../../src/channels/markup.ts';
import { outboxOf } from '../../src/channels/outbox/channel.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { readConfig, readConfigInTurns } from '../../src/app/read-config.ts';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import { cleanText } from '../../src/text/clean.ts';
import { CHARACTERS } from '../../src/text/cut.ts';
import { systemClock } from '../../src/time/clock.ts';
import { callback, post } from '../support/bridge-world.ts';

/** Words between plus signs are bold, a link is `words -> address`. */
const CARD_TEXT: Markup = {
  escape: (text) => cleanText(text).replaceAll('+', '＋'),
  longestValue: 500,
  unit: CHARACTERS,
  linkTo: (words, address) => `${words} -> ${address}`,
  lineBreak: '\n',
  lists: 'lines',
  outputFrame: TEXT_FRAME,
};

interface CardMessage {
  readonly card: TemplateValue;
}

const cardFormat: MessageFormat<CardMessage> = {
  name: 'card',
  parts: { card: { required: true, kind: 'object' } },
  markupOf: (path) => (path.at(-1) === 'url' ? URL_PART : CARD_TEXT),
  compose: (parts) => ({ card: parts['card'] ?? {} }),
  inspect: () => [],
  asText: ({ card }) => JSON.stringify(card),
  asHtml: ({ card }) => JSON.stringify(card),
};

const printed: string[] = [];
const sent: (Pick<Outgoing, 'address' | 'message'> & {
  readonly id: string;
  readonly replyTo?: string;
  readonly replaces?: string;
})[] = [];

/** A job's later messages reply to its first one, or take its place, as the destination has it. */
function placeInJob({ options, earlier }: Outgoing): { replyTo?: string; replaces?: string } {
  const first = earlier[0]?.['id'];
  if (first === undefined) return {};
  return options['per_job'] === 'update' ? { replaces: first } : { replyTo: first };
}

const cardChannel: ChannelType = {
  type: 'card',
  pace: { addressMs: 1000, channelMs: 100 },
  settings: object({ room: string().required() }).noUnknown().strict(),
  options: { per_job: string().strict().oneOf(['thread', 'update']) },
  formatOf: () => cardFormat,
  capabilitiesOf: () => ({ thread: true, update: true }),
  needsEarlier: ({ per_job }) => per_job !== undefined,
  parseAddress: (text) => text.toLowerCase(),
  secretsOf: () => [],
  warningsOf: () => [],
  open: () =>
    Promise.resolve({
      send: (outgoing) => {
        const { address, message } = outgoing;
        const id = String(sent.length + 1);
        sent.push({ id, address, message, ...placeInJob(outgoing) });
        return Promise.resolve({ id });
      },
      verify: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
};

const OTHER_TEMPLATE = 'card: { type: AdaptiveCard }';

const ERROR_TEMPLATE = `
card:
  type: AdaptiveCard
  version: "1.5"
  body:
    - { type: TextBlock, wrap: true, text: "+{{ bot_name }}+ failed: {{ message }}" }
    - { type: TextBlock, text: "{{ bot_id | link: 'https://example.com/jobs' }}" }
  actions: [{ type: Action.OpenUrl, title: Job, url: "https://example.com/jobs/{{ job_id }}" }]
`;

function writeTemplates(into: string): void {
  mkdirSync(into);
  for (const name of TEMPLATE_NAMES) writeFileSync(join(into, `${name}.yaml`), OTHER_TEMPLATE);
  writeFileSync(join(into, 'error.yaml'), ERROR_TEMPLATE);
}

describe('A third channel, of a markup of its own', () => {
  const types = new Map([
    ...channelTypes,
    [cardChannel.type, cardChannel],
    ['outbox', outboxOf([cardChannel])],
  ]);
  let folder: string;
  let app: RunningApp;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-third-'));
    const builtInTemplates = join(folder, 'built-in');
    cpSync(BUILT_IN_TEMPLATES, builtInTemplates, { recursive: true });
    for (const language of ['en', 'ja']) writeTemplates(join(builtInTemplates, language, 'card'));
    const file = join(folder, 'botbell.yaml');
    writeFileSync(
      file,
      `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { cards: { type: card, room: ops }, look: { type: outbox, as: card } }
routes: [{ bot_id: several, notify: [{ cards: Thread, per_job: thread }, { cards: Board, per_job: update }] }]
default_route: { on: [error], notify: [{ cards: Ops }, { look: Ops }] }
`,
    );
    const toRead = { file, variables: {}, channelTypes: types, builtInTemplates };
    const { loaded, problems } = readConfig(toRead);
    if (loaded === undefined) throw new Error(JSON.stringify(problems));
    app = await startApp({
      ...loaded,
      readConfig: () => readConfigInTurns(toRead),
      channelTypes: types,
      clock: systemClock,
      isLedgerInProcess: true,
      logger: await createLogger('silent', false, (line) => line),
      version: '0.0.0-test',
      print: (text) => printed.push(text),
    });
  });

  after(async () => {
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is told by its template, each value escaped in the markup of where it stands', async () => {
    const { status, body } = await post(
      `http://127.0.0.1:${app.receiver.port}/callbacks`,
      callback({ job_id: 'a b+c', bot_id: 'x+y', bot_name: '請求+書', message: 'no\u0000 +login+' }),
    );
    expect([status, body.result]).to.deep.equal([200, 'delivered']);
    expect(sent).to.deep.equal([
      {
        id: '1',
        address: 'ops',
        message: {
          card: {
            type: 'AdaptiveCard',
            version: '1.5',
            body: [
              { type: 'TextBlock', wrap: true, text: '+請求＋書+ failed: no ＋login＋' },
              { type: 'TextBlock', text: 'x＋y -> https://example.com/jobs' },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Job', url: 'https://example.com/jobs/a%20b%2Bc' }],
          },
        },
      },
    ]);
  });

  it('can reply to the first message of a job, or replace it', async () => {
    const url = `http://127.0.0.1:${app.receiver.port}/callbacks`;
    for (const [code, status] of [2, 2, 1].entries())
      await post(url, callback({ job_id: 'long', bot_id: 'several', status, code }));
    const at = (address: string) => sent.filter((each) => each.address === address);
    const [root, ...replies] = at('thread');
    expect(replies.map(({ replyTo }) => replyTo)).to.deep.equal([root?.id, root?.id]);
    const [posted, ...updates] = at('board');
    expect(updates.map(({ replaces }) => replaces)).to.deep.equal([posted?.id, posted?.id]);
  });

  it('is posed as by an outbox', () => {
    expect(printed.join('')).to.match(/^--- outbox \(card\): ops\n.*AdaptiveCard/);
  });
});
