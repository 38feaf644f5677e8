/** Answers as they came in the field, each with where from: what every chat over HTTP makes of them. */
import { expect } from 'chai';
import type { ChannelType, Receipt } from '../../src/channels/channel.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { DIRECT, outgoingOf } from '../contract/channel-contract.ts';
import { type ChatAnswer, type ChatFault, startChatStandIn } from '../support/chat-stand-in.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const TEXT = { 'content-type': 'text/plain' };
const page = (status: number, body: string, headers = HTML): ChatAnswer => ({ status, headers, body });
const json = (status: number, value: unknown): ChatAnswer => ({ status, body: JSON.stringify(value) });

type Row = readonly [source: string, type: string, answer: ChatAnswer | ChatFault, becomes: string];

const cut = (status: number): ChatFault => ({ kind: 'cut', status });
const limited = (body: unknown, headers = {}): ChatAnswer => ({
  status: 429,
  headers,
  body: JSON.stringify(body),
});

const TRANSIENT = 'transient, may have arrived';
const ASKS = 'config, may have arrived';
const TAKEN = 'taken';

const ROWS: readonly Row[] = [
  [
    'nginx, upstream hung up',
    'mattermost',
    page(502, '<html>\r\n<head><title>502 Bad Gateway</title></head>'),
    TRANSIENT,
  ],
  [
    'Cloudflare, origin slow',
    'discord',
    page(524, '<!DOCTYPE html><title>A timeout occurred</title>'),
    TRANSIENT,
  ],
  [
    'AWS load balancer',
    'webhook',
    page(504, '<html><head><title>504 Gateway Time-out</title></head>'),
    TRANSIENT,
  ],
  [
    'AWS load balancer, no target',
    'webhook',
    page(503, '<html><title>503 Service Temporarily Unavailable'),
    'transient',
  ],
  ['Slack, workspace moves', 'slack_webhook', page(500, 'rollup_error', TEXT), TRANSIENT],
  ['Slack, as every hook', 'slack_webhook', page(200, 'ok'), TAKEN],
  ['Mattermost, plugin in front', 'mattermost', json(200, { success: true }), ASKS],
  ['Mattermost behind a sub-path', 'mattermost', page(200, '<!-- app -->\n<!DOCTYPE html><html>'), ASKS],
  ['Discord without wait', 'discord', { status: 204 }, ASKS],
  [
    'Google Chat, echo past what is read',
    'google_chat',
    json(200, { name: 'x', text: 'x'.repeat(70_000) }),
    TRANSIENT,
  ],
  ['Google Chat, message', 'google_chat', json(200, { name: 'spaces/A/messages/B' }), TAKEN],
  ['Google Apps Script, which has run', 'webhook', { status: 302, headers: { location: '/echo' } }, ASKS],
  [
    'SAML, auto-post',
    'webhook',
    page(200, '<form method="post" action="https://idp.example/saml2">', TEXT),
    ASKS,
  ],
  ['SSO in XHTML', 'webhook', page(200, '<?xml version="1.0"?>\n<!-- sso --><html xmlns="x">', TEXT), ASKS],
  ['a form without a tag that is known', 'webhook', page(200, '<div>Sign in to go on</div>'), ASKS],
  ['a receiver of one word', 'webhook', page(200, 'OK'), TAKEN],
  ['a receiver that speaks XML', 'webhook', page(200, '<?xml version="1.0"?><Response/>', TEXT), TAKEN],
  ['Teams, trigger', 'teams', { status: 202 }, TAKEN],
  ['Teams, a Response action', 'teams', json(200, { ok: true, error: null, errors: [] }), TAKEN],
  ['Teams, a Response action of 202', 'teams', json(202, { errors: {}, message: 'posted' }), TAKEN],
  ['Teams, a Response action that tells of a failure', 'teams', json(200, { ok: false }), ASKS],
  ['Teams, errors in a Response action', 'teams', json(200, { errors: ['no such channel'] }), ASKS],
  ['Teams, prose in JSON', 'teams', json(200, { message: 'Bad payload: delivery failed' }), ASKS],
  ['Teams, a failure further down', 'teams', json(200, { result: { error: 'boom' } }), ASKS],
  ['Teams, a list of results', 'teams', json(200, [{ success: 'false' }]), ASKS],
  ['Teams, a status by number', 'teams', json(200, { statusCode: 502, body: '' }), ASKS],
  ['Teams, an error that is none', 'teams', json(200, { error: 'none', message: 'Posted, 0 errors' }), TAKEN],
  ['Teams, what was sent comes back', 'teams', json(200, { body: { text: 'The BOT failed' } }), TAKEN],
  [
    'a page of XHTML',
    'webhook',
    page(200, '<x>Sign in here</x>', { 'content-type': 'application/xhtml+xml' }),
    ASKS,
  ],
  ['a page that begins with its styles', 'webhook', page(200, '<style>a{}</style>Sign in', TEXT), ASKS],
  ['a receiver that hangs up behind its status', 'webhook', cut(200), TAKEN],
  ['an answer that breaks off', 'google_chat', cut(200), TRANSIENT],
  ['a limit that breaks off', 'mattermost', cut(429), 'rate_limited, 30 s'],
  ['Telegram', 'webhook', limited({ ok: false, parameters: { retry_after: 7 } }), 'rate_limited, 7 s'],
  [
    'Discord, in a header that is none',
    'discord',
    limited({ retry_after: 2.5 }, { 'retry-after': '-1' }),
    'rate_limited, 2.5 s',
  ],
  ['Google Chat, which names no time', 'google_chat', limited({}), 'rate_limited, 5 s'],
  [
    'two proxies that limit',
    'webhook',
    { status: 429, headers: { 'retry-after': ['7', '9'] } },
    'rate_limited, 7 s',
  ],
  ['LINE WORKS, maintenance', 'lineworks', page(503, '<html><title>Maintenance</title>'), 'transient'],
];

const PATHS: Readonly<Record<string, string>> = {
  mattermost: 'hooks/ab1cd2ef3gh4ij5kl6mn7op8qr',
  slack_webhook: 'services/T0/B0/key',
};

async function becomes(type: string, answer: ChatAnswer | ChatFault): Promise<string> {
  const remote = await startChatStandIn(() => ({ answer: answer as ChatAnswer }));
  if ('kind' in answer) remote.faults.push(answer);
  const url = `${remote.origin}/${PATHS[type] ?? 'hook'}?sig=1`;
  const channelType = channelTypes.get(type) as ChannelType;
  const settings = { hooks: { ops: type === 'webhook' ? { url } : url } };
  const channel = await channelType.open(settings, DIRECT);
  try {
    return await channel.send(outgoingOf({ address: 'ops', message: { text: 'x' } })).then(taken, failed);
  } finally {
    await channel.close();
    await remote.close();
  }
}

function taken(receipt: Receipt): string {
  return Object.keys(receipt).length > 0 ? TAKEN : 'no receipt';
}

function failed(error: unknown): string {
  expect(error).to.be.instanceOf(DeliveryFailure);
  const { class: failureClass, mayHaveArrived, retryAfterMs } = error as DeliveryFailure;
  if (failureClass === 'rate_limited') return `${failureClass}, ${Number(retryAfterMs) / 1000} s`;
  return mayHaveArrived ? `${failureClass}, may have arrived` : failureClass;
}

describe('An answer of a chat', () => {
  for (const [source, type, answer, expected] of ROWS)
    it(`is ${expected}: ${type}, ${source}`, async () => {
      expect(await becomes(type, answer)).to.equal(expected);
    });
});
