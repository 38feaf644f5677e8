/** The recipes for services that take JSON, each against a stand-in of its documented API. */
import { expect } from 'chai';
import { webhookChannel } from '../../src/channels/webhook/channel.ts';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { DIRECT, outgoingOf } from '../contract/channel-contract.ts';
import { type ChatRequest, type Judge, startChatStandIn } from '../support/chat-stand-in.ts';
import { blocksOf, readDocument } from '../support/documents.ts';
import { hooksOf } from '../support/hook-bodies.ts';
import { leavesOf } from '../support/leaves.ts';

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

const CALLBACK = { bot_id: 'orders', bot_name: '受注' } as const;
const MESSAGES = ['no paper', '"}]\n{{ card }} \\ \u0000 <b>', '請求書 '.repeat(20_000)];

/** @returns the bodies that the service took */
async function saidTo(hook: string, status: 0 | 1): Promise<readonly string[]> {
  const remote = await startChatStandIn(judgeOf(hook));
  const links = 'display: { links: { job: "https://jobs.example/{{ job_id }}" } }\n';
  const recipes = RECIPES.replaceAll(/https:\/\/[\w.-]+(?=\/)/g, remote.origin);
  const { settingsOf, by } = await hooksOf(links + recipes, variables);
  const channel = await webhookChannel.open(settingsOf('others'), DIRECT);
  for (const message of MESSAGES)
    await channel.send(
      outgoingOf({ ...by('others', hook, { ...CALLBACK, status, message }), address: hook }),
    );
  await channel.close();
  await remote.close();
  return remote.accepted.map(({ body }) => body);
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
    const statuses = ['succeeded', 'error', 'executing'];
    const ofRuns = statuses.map((name) => `bot.run.${name}`);
    const own = TEMPLATE_NAMES.filter((name) => ![...statuses, 'recovered', 'late'].includes(name));
    for (const page of ['docs/webhook.md', 'docs/webhook.ja.md'])
      for (const type of [...ofRuns, ...own.map((name) => `botbell.${name}`)])
        expect(readDocument(page), page).to.contain(`\`${type}\``);
  });
});
