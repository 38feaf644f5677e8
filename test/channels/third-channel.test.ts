/** A channel more: what its folder would hold, and one line of the registry. No template and no other file is touched. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type InferType, mixed, object } from 'yup';
import { type RunningApp, startApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/read-config.ts';
import { SYMBOLS } from '../../src/channels/card.ts';
import { markedUp, UNMARKED } from '../../src/channels/card-lines.ts';
import {
  AddressError,
  type ChannelType,
  type MessageFormat,
  type Outgoing,
  type Receipt,
} from '../../src/channels/channel.ts';
import { DeliveryFailure, failureOf, type Words } from '../../src/channels/failure.ts';
import { openedChannel, sendOrPlain } from '../../src/channels/open-channel.ts';
import { outboxOf } from '../../src/channels/outbox/channel.ts';
import { linesOfCard, showCard } from '../../src/channels/show-card.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { isJsonObject } from '../../src/text/json-object.ts';
import { cleanLine, cleanText } from '../../src/text/clean.ts';
import { systemClock } from '../../src/time/clock.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { callback, post } from '../support/bridge-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

interface PagerMessage {
  readonly line: string;
  readonly body: string;
}

const pagerFormat: MessageFormat<PagerMessage> = {
  name: 'pager',
  compose: (card, { isError }) => ({
    line: `${isError ? '!' : ''}${SYMBOLS[card.tone]} ${cleanLine(card.summary)}`,
    body: [
      cleanText(card.message),
      markedUp(linesOfCard(showCard(card, 1000), ['outputs']), UNMARKED),
      ...card.facts.map(({ name, value, url }) => `${name}=${value} ${url}`.trim()),
    ].join('|'),
  }),
  asText: ({ line, body }) => `${line}\n${body}`,
};

/** The remote's codes: what they mean, whom they concern, and in words. */
const CODES: Readonly<Record<string, { readonly details: Omit<Details, 'code'>; readonly words: Words }>> = {
  unknown_hook: {
    details: { class: 'config', concerns: 'address', retryAfterMs: 3_600_000 },
    words: { en: 'The hook is gone; make another', ja: 'フックがありません。作り直してください' },
  },
  too_fancy: {
    details: { class: 'permanent', concerns: 'address' },
    words: { en: 'The card was refused', ja: 'カードが受け付けられませんでした' },
  },
};

type Details = Parameters<typeof failureOf>[0];

/** Stands in for the remote: answers with a code, or none. */
let answer = (_url: string, _body: string): string => '';
const sent: { readonly url: string; readonly body: string }[] = [];

function call(url: string, body: string): Promise<Receipt> {
  const code = answer(url, body);
  const { details, words } = CODES[code] ?? {};
  if (details !== undefined && words !== undefined) throw failureOf({ ...details, code }, words);
  sent.push({ url, body });
  return Promise.resolve({ id: String(sent.length) });
}

const settings = object({ hooks: mixed((value): value is Hooks => isJsonObject(value)).required() })
  .noUnknown()
  .strict();

type Hooks = Readonly<Record<string, string>>;

const pagerChannel: ChannelType<InferType<typeof settings>> = {
  type: 'pager',
  pace: { addressMs: 1000, channelMs: 0 },
  settings,
  optionsOf: () => ({}),
  formatOf: () => pagerFormat,
  parseAddress: (text, { hooks } = { hooks: { [text]: '' } }) => {
    if (text in hooks) return text;
    throw new AddressError(`there is no hook ${text}`);
  },
  secretsOf: ({ hooks }) => Object.values(hooks),
  warningsOf: () => [],
  open: ({ hooks }) => {
    const send = async ({ address, message }: Outgoing) => {
      const { line, body } = message as PagerMessage;
      const url = hooks[address] ?? '';
      return sendOrPlain(async (text) => call(url, text), `${line}\n${body}`, line);
    };
    const verify = () => Promise.resolve();
    const unforeseen = () => new DeliveryFailure({ class: 'transient', code: 'unforeseen', message: 'Oh.' });
    return Promise.resolve(openedChannel({ send, verify, free: () => undefined, failureOf: unforeseen }));
  },
};

const printed: string[] = [];

describe('A third channel', () => {
  const types = new Map([
    ...channelTypes,
    [pagerChannel.type, pagerChannel],
    ['outbox', outboxOf([pagerChannel])],
  ]);
  let folder: string;
  let app: RunningApp;

  before(async () => {
    folder = tempFolder();
    const file = join(folder, 'botbell.yaml');
    writeFileSync(
      file,
      `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { pagers: { type: pager, hooks: { ops: https://pager.test/secret-of-ops } }, look: { type: outbox, as: pager } }
default_route: { on: [error], notify: [{ pagers: ops }, { look: ops }] }
`,
    );
    const toRead = { file, variables: {}, channelTypes: types };
    const { loaded, problems } = await readConfig(toRead);
    if (loaded === undefined) throw new Error(JSON.stringify(problems));
    app = await startApp({
      ...loaded,
      readConfig: () => readConfig(toRead),
      channelTypes: types,
      clock: systemClock,
      secrets: new HiddenSecrets(),
      isLedgerInProcess: true,
      logger: await createLogger('silent', false, (line) => line),
      version: '0.0.0-test',
      print: (text) => printed.push(text),
    });
  });

  const tell = (jobId: string) =>
    post(
      `http://127.0.0.1:${app.receiver.port}/callbacks`,
      callback({ job_id: jobId, bot_id: 'x', bot_name: 'x' }),
    );

  after(async () => {
    await app.stop();
  });

  it('is told what the card says, by the templates that every channel shares', async () => {
    const output = {
      rows: [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
      count: '2',
    };
    const { status, body } = await post(
      `http://127.0.0.1:${app.receiver.port}/callbacks`,
      callback({ job_id: 'j-9', bot_id: 'x', bot_name: '請求書', message: 'no\u0000 login', output }),
    );
    expect([status, body.result]).to.deep.equal([200, 'delivered']);
    const [{ url, body: told } = { url: '', body: '' }] = sent.splice(0);
    expect(url).to.equal('https://pager.test/secret-of-ops');
    expect(told).to.match(
      /^!❌ 請求書 failed.*: no login\nno login\|rows \(2\):\n• a: 1 · b: 2\n• a: 3 · b: 4\ncount: 2\|.*Job=j-9/,
    );
  });

  it('is told in plain text where the remote refuses the card', async () => {
    answer = (_url, body) => (body.includes('\n') ? 'too_fancy' : '');
    const { body } = await tell('j-10');
    expect(body.result).to.equal('delivered');
    expect(
      sent
        .splice(0)
        .map(({ body: told }) => told)
        .join(''),
    ).to.match(/^!❌ x failed.*$/);
  });

  it('says in its own words what the remote answered, without its secrets', async () => {
    answer = () => 'unknown_hook';
    const { status, body } = await tell('j-11');
    expect(status).to.equal(502);
    expect(JSON.stringify(body))
      .to.contain('The hook is gone; make another.')
      .and.not.contain('secret-of-ops');
  });

  it('is posed as by an outbox', () => {
    expect(printed.join('')).to.match(/^--- outbox \(pager\): ops\n.*請求書/);
  });
});
