/** The recipes for services that take JSON, each against a stand-in of its documented API. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem } from '../../src/config/problems.ts';
import { readConfig } from '../../src/app/read-config.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { formatsOf } from '../../src/config/config.ts';
import { poolsThrough } from '../../src/outbound/exchange.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import { outgoingOf } from '../contract/channel-contract.ts';
import { noticeAbout } from '../support/callbacks.ts';
import {
  type ChatRequest,
  type ChatStandIn,
  firstWrong,
  startChatStandIn,
} from '../support/chat-stand-in.ts';
import { blocksOf, readDocument } from '../support/documents.ts';
import { tempFolder } from '../support/temp-folder.ts';

const RECIPES =
  blocksOf(readDocument('docs/chats.md'), 'yaml').find((block) => block.includes('ntfy:')) ?? '';
const variables = {
  NTFY_TOKEN: 'tk_a1b2c3d4e5',
  TELEGRAM_TOKEN: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  PAGERDUTY_KEY: 'e93facc04764012d7bfb002500d5d1a6',
  ZULIP_KEY: 'a1b2c3d4e5f6',
};

type Body = Readonly<Record<string, unknown>>;
const isText = (value: unknown, most: number) =>
  typeof value === 'string' && value.trim() !== '' && Array.from(value).length <= most;

/** What each service documents of a request; undefined: nothing is wrong. By its path. */
const DOCUMENTED: Readonly<Record<string, (body: Body, request: ChatRequest) => string | undefined>> = {
  // docs.ntfy.sh/publish, "Publish as JSON"
  '/': ({ topic, title, message, click, ...others }, { headers }) =>
    firstWrong(
      [headers.authorization !== `Bearer ${variables.NTFY_TOKEN}`, 'the token'],
      [!/^[-_A-Za-z0-9]{1,64}$/.test(String(topic)), 'the topic'],
      [!isText(title, 250) || !isText(message, 4096), 'title or message'],
      [click !== '' && !URL.canParse(String(click)), 'click'],
      [Object.keys(others).length > 0, 'an unknown member'],
    ),
  // core.telegram.org/bots/api#sendmessage
  [`/bot${variables.TELEGRAM_TOKEN}/sendMessage`]: ({ chat_id, text, ...others }) =>
    firstWrong(
      [!/^-?\d+$/.test(String(chat_id)), 'chat not found'],
      [!isText(text, 4096), 'message is too long, or empty'],
      [Object.keys(others).length > 0, 'an unknown member'],
    ),
  // developer.pagerduty.com, "Send an alert event"
  '/v2/enqueue': ({ routing_key, event_action, dedup_key, payload, ...others }) =>
    firstWrong(
      [routing_key !== variables.PAGERDUTY_KEY, 'invalid routing key'],
      [event_action !== 'trigger' && event_action !== 'resolve', 'event_action'],
      [!isText(dedup_key, 255), 'dedup_key'],
      [!isText((payload as Body)['summary'], 1024) || !isText((payload as Body)['source'], 255), 'payload'],
      [!['critical', 'error', 'warning', 'info'].includes(String((payload as Body)['severity'])), 'severity'],
      [Object.keys(others).length > 0, 'an unknown member'],
    ),
  // zulip.com/integrations/slack_incoming
  '/api/v1/external/slack_incoming': ({ text }, { query }) =>
    firstWrong(
      [query.get('api_key') !== variables.ZULIP_KEY || query.get('stream') === null, 'the address'],
      [!isText(text, 10_000), 'the text'],
    ),
};

function judge(request: ChatRequest) {
  const documented = DOCUMENTED[request.path];
  const isJson = request.headers['content-type']?.startsWith('application/json') === true;
  const refused =
    documented === undefined || !isJson
      ? `no such call: ${request.path}`
      : documented(JSON.parse(request.body) as Body, request);
  return { answer: { status: refused === undefined ? 202 : 400 }, ...(refused !== undefined && { refused }) };
}

describe('A recipe for a service that takes JSON', () => {
  let remote: ChatStandIn;
  let channel: Channel;
  let said: (hook: string, message: string, status?: 0 | 1) => Promise<ChatRequest | undefined>;

  before(async () => {
    remote = await startChatStandIn(judge);
    const file = join(tempFolder(), 'botbell.yaml');
    const links = 'display: { links: { job: "https://jobs.example/{{ job_id }}" } }\n';
    writeFileSync(file, links + RECIPES.replaceAll(/https:\/\/[\w.-]+(?=\/)/g, remote.origin));
    const { loaded, problems } = await readConfig({ file, variables, channelTypes });
    expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    if (loaded === undefined) throw new Error(JSON.stringify(problems));
    const { config, renderer } = loaded;
    const format = formatsOf(config, channelTypes).get('others');
    const { settings } = config.channels.get('others') ?? {};
    const opened = await channelTypes
      .get('webhook')
      ?.open(settings, { print: () => undefined, openPool: poolsThrough(NO_PROXIES) });
    if (format === undefined || opened === undefined) throw new Error('the recipes have no channel');
    channel = opened;
    said = async (hook, message, status = 1) => {
      const callback = { code: 200, job_id: 'j-1', bot_id: 'orders', bot_name: '受注', status, message };
      const notice = noticeAbout({ ...callback, start_time: '2026-11-20T00:00:00Z' });
      const target = { format, templateSet: undefined, options: {}, destination: `others:${hook}` };
      const composed = renderer.render(notice, target, ({ message: failure }) => {
        throw new Error(failure);
      });
      await channel.send(outgoingOf({ ...composed, address: hook }));
      return remote.accepted.at(-1);
    };
  });
  after(async () => {
    await channel.close();
    await remote.close();
  });

  for (const hook of ['ntfy', 'telegram', 'pagerduty', 'zulip'])
    it(`is taken by ${hook}, whatever the callback says and however long it is`, async () => {
      for (const message of ['no paper', '"}]\n{{ card }} \\ \u0000 <b>', '請求書 '.repeat(20_000)])
        expect((await said(hook, message))?.body).to.contain('受注');
      expect(remote.refusals).to.deep.equal([]);
    });

  it('ends the incident of a BOT that succeeds', async () => {
    const sent = await said('pagerduty', '', 0);
    expect(JSON.parse(sent?.body ?? '')).to.include({ event_action: 'resolve', dedup_key: 'orders' });
  });

  it('is its own, also where hooks of two channels have one name: the check says what is wrong at its place', async () => {
    const file = join(tempFolder(), 'botbell.yaml');
    writeFileSync(
      file,
      `channels:
  x: { type: webhook, hooks: { erp: { url: 'https://x.example/', body: { a: ['{{ bot_nme }}', '{{ card.titel }}'] } } } }
  y: { type: webhook, hooks: { erp: { url: 'https://y.example/', body: ['{{ job_i }}'] } } }
default_route: { notify: [{ x: erp }, { y: erp }] }`,
    );
    const { loaded, problems } = await readConfig({ file, variables, channelTypes });
    expect(loaded).to.equal(undefined);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(formatProblem)).to.deep.equal([
      `${file}:2:82: there is no variable "bot_nme"; did you mean "bot_name"?`,
      `${file}:2:99: there is no variable "card.titel"; did you mean "card.title"?`,
      `${file}:3:77: there is no variable "job_i"; did you mean "job_id"?`,
    ]);
  });
});
