/** A channel more: what its folder would hold, and one line of the registry. No template and no other file is touched. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { object, string } from 'yup';
import { type RunningApp, startApp } from '../../src/app/app.ts';
import { readConfig, readConfigInTurns } from '../../src/app/read-config.ts';
import { SYMBOLS } from '../../src/channels/card.ts';
import type { ChannelType, MessageFormat } from '../../src/channels/channel.ts';
import { outboxOf } from '../../src/channels/outbox/channel.ts';
import { showOutput } from '../../src/channels/outputs.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { cleanLine, cleanText } from '../../src/text/clean.ts';
import { systemClock } from '../../src/time/clock.ts';
import { callback, post } from '../support/bridge-world.ts';

interface PagerMessage {
  readonly line: string;
  readonly body: string;
}

const pagerFormat: MessageFormat<PagerMessage> = {
  name: 'pager',
  compose: ({ tone, language, summary, message, facts, outputs }, { isError }) => ({
    line: `${isError ? '!' : ''}${SYMBOLS[tone]} ${cleanLine(summary)}`,
    body: [
      cleanText(message),
      ...outputs
        .map((output) => showOutput(output, { language, rows: 5, files: 5, room: 200 }))
        .map(({ name, text, table, lines }) => `${name}=${text || (table?.rows ?? lines).join(';')}`),
      ...facts.map(({ name, value, url }) => `${name}=${value} ${url}`.trim()),
    ].join('|'),
  }),
  asText: ({ line, body }) => `${line}\n${body}`,
  asHtml: ({ line }) => line,
};

const printed: string[] = [];
const sent: { readonly address: string; readonly message: unknown }[] = [];

const pagerChannel: ChannelType = {
  type: 'pager',
  pace: { addressMs: 1000, channelMs: 100 },
  settings: object({ room: string().required() }).noUnknown().strict(),
  optionsOf: () => ({}),
  formatOf: () => pagerFormat,
  parseAddress: (text) => text.toLowerCase(),
  secretsOf: () => [],
  warningsOf: () => [],
  open: () =>
    Promise.resolve({
      send: ({ address, message }) => {
        sent.push({ address, message });
        return Promise.resolve({ id: String(sent.length) });
      },
      verify: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
};

describe('A third channel', () => {
  const types = new Map([
    ...channelTypes,
    [pagerChannel.type, pagerChannel],
    ['outbox', outboxOf([pagerChannel])],
  ]);
  let folder: string;
  let app: RunningApp;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-third-'));
    const file = join(folder, 'botbell.yaml');
    writeFileSync(
      file,
      `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { pagers: { type: pager, room: ops }, look: { type: outbox, as: pager } }
default_route: { on: [error], notify: [{ pagers: Ops }, { look: Ops }] }
`,
    );
    const toRead = { file, variables: {}, channelTypes: types };
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
    const [{ address, message } = { address: '', message: {} }] = sent;
    expect(address).to.equal('ops');
    expect(message)
      .to.have.property('line')
      .that.matches(/^!❌ 請求書 failed.*: no login$/);
    expect(message)
      .to.have.property('body')
      .that.matches(/^no login\|rows=1,2;3,4\|count=2\|.*Job=j-9/);
  });

  it('is posed as by an outbox', () => {
    expect(printed.join('')).to.match(/^--- outbox \(pager\): ops\n.*請求書/);
  });
});
