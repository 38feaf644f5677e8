/** The recipes for services that take JSON, each against a stand-in of its documented API. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/app/settings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { webhookChannel } from '../../src/channels/webhook/channel.ts';
import { problemLines } from '../../src/config/problems.ts';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { DIRECT, outgoingOf } from '../contract/channel-contract.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { type ChatRequest, type Judge, startChatStandIn } from '../support/chat-stand-in.ts';
import { blocksOf, readDocument } from '../support/documents.ts';
import { leavesOf } from '../support/leaves.ts';
import { tempFolder } from '../support/temp-folder.ts';

const RECIPES =
  blocksOf(readDocument('docs/webhook.md'), 'yaml').find((block) => block.includes('ntfy:')) ?? '';
const variables = {
  NTFY_TOKEN: 'tk_a1b2c3d4e5',
  TELEGRAM_TOKEN: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  PAGERDUTY_KEY: 'e93facc04764012d7bfb002500d5d1a6',
  DINGTALK_TOKEN: 'f0e1d2c3b4a5',
  ZULIP_KEY: 'a1b2c3d4e5f6',
};

const upTo = (most: number) => RegExp(`^(?=.*\\S).{1,${most}}$`, 'su');

/** What each service documents of the address, and of the members of a message. */
const SERVICES: Readonly<Record<string, readonly [url: string, members: Readonly<Record<string, RegExp>>]>> =
  {
    // docs.ntfy.sh/publish, "Publish as JSON"
    ntfy: [
      '/',
      {
        topic: /^[-_A-Za-z0-9]{1,64}$/,
        title: upTo(250),
        message: upTo(4096),
        click: /^(?:https?:\/\/\S+)?$/,
      },
    ],
    // core.telegram.org/bots/api#sendmessage
    telegram: [`/bot${variables.TELEGRAM_TOKEN}/sendMessage`, { chat_id: /^-?\d+$/, text: upTo(4096) }],
    // developer.pagerduty.com, "Send an alert event"
    pagerduty: [
      '/v2/enqueue',
      {
        routing_key: RegExp(`^${variables.PAGERDUTY_KEY}$`),
        event_action: /^(?:trigger|resolve)$/,
        dedup_key: upTo(255),
        'payload.summary': upTo(1024),
        'payload.source': upTo(255),
        'payload.severity': /^(?:critical|error|warning|info)$/,
      },
    ],
    // open.dingtalk.com/document/robots/custom-robot-access
    dingtalk: [
      `/robot/send?access_token=${variables.DINGTALK_TOKEN}`,
      { msgtype: /^text$/, 'text.content': upTo(20_000) },
    ],
    // zulip.com/integrations/slack_incoming
    zulip: [
      `/api/v1/external/slack_incoming?api_key=${variables.ZULIP_KEY}&stream=bots&topic=failures`,
      { text: upTo(10_000) },
    ],
  };

const TOKENS: Readonly<Record<string, string>> = { ntfy: `Bearer ${variables.NTFY_TOKEN}` };

function judgeOf(hook: string): Judge {
  const [url, members] = SERVICES[hook] ?? ['', {}];
  return (request) => {
    const asked = `${request.path}${request.query.size === 0 ? '' : '?'}${request.query.toString()}`;
    const leaves = leavesOf(JSON.parse(request.body));
    expect([asked, request.headers.authorization]).to.deep.equal([url, TOKENS[hook]]);
    expect(leaves.map(([path]) => path)).to.have.members(Object.keys(members));
    for (const [path, leaf] of leaves) expect(leaf, path).to.match(members[path] as RegExp);
    return { answer: { status: 202, body: '{"errcode":0}' } };
  };
}

const FILE = join(tempFolder(), 'botbell.yaml');

function read(yaml: string) {
  writeFileSync(FILE, yaml);
  return readConfig({ file: FILE, variables, channelTypes });
}

type Settings = Parameters<typeof webhookChannel.open>[0];

const MESSAGES = ['no paper', '"}]\n{{ card }} \\ \u0000 <b>', '請求書 '.repeat(20_000)];

/** @returns the bodies that the service took */
async function saidTo(hook: string, status: 0 | 1): Promise<readonly string[]> {
  const remote = await startChatStandIn(judgeOf(hook));
  const links = 'display: { links: { job: "https://jobs.example/{{ job_id }}" } }\n';
  const composed = await composedBy(links + RECIPES.replaceAll(/https:\/\/[\w.-]+(?=\/)/g, remote.origin));
  const channel = await webhookChannel.open(composed.settingsOf('others'), DIRECT);
  for (const message of MESSAGES)
    await channel.send(outgoingOf({ ...composed.by('others', hook, { status, message }), address: hook }));
  await channel.close();
  await remote.close();
  return remote.accepted.map(({ body }) => body);
}

/** What a config makes of callbacks. */
async function composedBy(config: string) {
  const { loaded, problems } = await read(config);
  if (loaded === undefined) throw new Error(JSON.stringify(problems));
  const settingsOf = (channel: string) => loaded.config.channels.get(channel)?.settings as Settings;
  return {
    settingsOf,
    by: (channel: string, hook: string, parts: Partial<Callback>) => {
      const callback = {
        code: 200,
        job_id: 'j-1',
        bot_id: 'orders',
        bot_name: '受注',
        status: 1,
        ...parts,
      } as const;
      const notice = noticeAbout({ ...callback, start_time: '2026-11-20T00:00:00Z' });
      const format = webhookChannel.formatOf(settingsOf(channel));
      const target = { templateSet: undefined, options: {}, destination: `${channel}:${hook}`, format };
      return loaded.renderer.render(notice, target, ({ message: failure }) => {
        throw new Error(failure);
      });
    },
  };
}

describe('A recipe for a service that takes JSON', () => {
  for (const hook of Object.keys(SERVICES))
    it(`is taken by ${hook}, whatever the callback says and however long it is`, async () => {
      const bodies = await saidTo(hook, 1);
      expect(bodies).to.have.length(MESSAGES.length);
      for (const body of bodies) expect(body).to.contain('受注');
    });

  it('ends the incident of a BOT that succeeds', async () => {
    const [body = ''] = await saidTo('pagerduty', 0);
    expect(JSON.parse(body)).to.include({ event_action: 'resolve', dedup_key: 'orders' });
  });

  it('is sent by its own hook, also where hooks of two channels have one name, its numbers and booleans as such unless they are quoted', async () => {
    const { by } = await composedBy(`channels:
  x: { type: webhook, hooks: { erp: { url: 'https://x.example/', body: { n: -1.5, b: true, t: "5", l: [1, { x: 2e3 }] } } } }
  y: { type: webhook, hooks: { erp: { url: 'https://y.example/', body: ['{{ job_id }}', 4] } } }
default_route: { notify: [{ x: erp }, { y: erp }] }`);
    const sent = ['x', 'y'].map((channel) => by(channel, 'erp', {}).message);
    expect(sent).to.deep.equal([{ n: -1.5, b: true, t: '5', l: [1, { x: 2000 }] }, ['j-1', 4]]);
  });

  it('is its own, also where hooks of two channels have one name: the check says what is wrong at its place', async () => {
    const { loaded, problems } = await read(`channels:
  x: { type: webhook, hooks: { erp: { url: 'https://x.example/', body: { a: ['{{ bot_nme }}', '{{ card.titel }}'] } } } }
  y: { type: webhook, hooks: { erp: { url: 'https://y.example/', body: ['{{ job_i }}'] } } }
default_route: { notify: [{ x: erp }, { y: erp }] }`);
    expect(loaded).to.equal(undefined);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(problemLines(errors)).to.deep.equal([
      `${FILE}:2:82: there is no variable "bot_nme"; did you mean "bot_name"?`,
      `${FILE}:2:99: there is no variable "card.titel"; did you mean "card.title"?`,
      `${FILE}:3:77: there is no variable "job_i"; did you mean "job_id"?`,
    ]);
  });
});

describe('What the page says of a signed message', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

  it('verifies one without a library: by any of its secrets, as it came, and for five minutes', async () => {
    const [code = ''] = blocksOf(readDocument('docs/webhook.md'), 'js');
    const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isGenuine(headers: object, body: string, secret: string): boolean;
    };
    const remote = await startChatStandIn(() => ({ answer: { status: 200 } }));
    const old = secret.replace('MDEy', 'OTk5');
    const hooks = { orders: { url: remote.origin, secret: [old, secret] } };
    const channel = await webhookChannel.open({ hooks }, DIRECT);
    await channel.send(outgoingOf({ address: 'orders', message: { type: 'x', data: '請求書' } }));
    await channel.close();
    await remote.close();
    const [{ headers, body }] = remote.accepted as [ChatRequest];
    const late = String(Number(headers['webhook-timestamp']) - 301);
    expect([secret, old].map((each) => isGenuine(headers, body, each))).to.deep.equal([true, true]);
    expect(isGenuine(headers, `${body} `, secret)).to.equal(false);
    expect(isGenuine(headers, body, secret.replace('MDEy', 'MDEx'))).to.equal(false);
    expect(isGenuine({ ...headers, 'webhook-timestamp': late }, body, secret)).to.equal(false);
    expect(isGenuine({}, body, secret)).to.equal(false);
  });

  it('names the type of whatever is sent', () => {
    const ofRuns = ['succeeded', 'error', 'executing'].map((name) => `bot.run.${name}`);
    const own = TEMPLATE_NAMES.filter(
      (name) => !['succeeded', 'error', 'executing', 'recovered', 'late'].includes(name),
    );
    for (const page of ['docs/webhook.md', 'docs/webhook.ja.md'])
      for (const type of [...ofRuns, ...own.map((name) => `botbell.${name}`)])
        expect(readDocument(page), page).to.contain(`\`${type}\``);
  });
});
