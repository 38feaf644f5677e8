/** Answers as they came in the field, each with where from: what every chat over HTTP makes of them. */
import { expect } from 'chai';
import { type Answers, codeAt, failureOfAnswer, means, moreInWords } from '../../src/channels/answers.ts';
import type { ChannelType, Receipt } from '../../src/channels/channel.ts';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { outgoingOf } from '../contract/channel-contract.ts';
import { atStandIn } from '../contract/chat-contract.ts';
import type { ChatAnswer, ChatFault } from '../support/chat-stand-in.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const TEXT = { 'content-type': 'text/plain' };
const page = (status: number, body: string, headers = HTML): ChatAnswer => ({ status, headers, body });
const json = (status: number, value: unknown): ChatAnswer => ({ status, body: JSON.stringify(value) });

type Row = readonly [source: string, type: string, answer: ChatAnswer | ChatFault, becomes: string];

const cut = (status: number): ChatFault => ({ kind: 'cut', status });
const limited = (body: unknown, after?: string | string[]): ChatAnswer => ({
  ...json(429, body),
  ...(after !== undefined && { headers: { 'retry-after': after } }),
});

const TRANSIENT = 'transient, may have arrived';
const ASKS = 'config, may have arrived';
const TAKEN = 'taken';

const ROWS: readonly Row[] = [
  ['nginx, upstream hung up', 'mattermost', page(502, '<html>\r\n<head><title>502'), TRANSIENT],
  ['Cloudflare, origin slow', 'discord', page(524, '<!DOCTYPE html><title>A timeout'), TRANSIENT],
  ['AWS load balancer', 'webhook', page(504, '<html><head><title>504 Gateway'), TRANSIENT],
  ['AWS load balancer, no target', 'webhook', page(503, '<html><title>503 Service'), 'transient'],
  ['Slack, workspace moves', 'slack_webhook', page(500, 'rollup_error', TEXT), TRANSIENT],
  ['Slack, as every hook', 'slack_webhook', page(200, 'ok'), TAKEN],
  ['Mattermost, plugin in front', 'mattermost', json(200, { success: true }), ASKS],
  ['Mattermost behind a sub-path', 'mattermost', page(200, '<!-- app -->\n<!DOCTYPE html><html>'), ASKS],
  ['Discord without wait', 'discord', { status: 204 }, ASKS],
  ['Google Chat, more than is read', 'google_chat', json(200, { name: 'x'.repeat(70_000) }), TRANSIENT],
  ['Google Chat, message', 'google_chat', json(200, { name: 'spaces/A/messages/B' }), TAKEN],
  ['PHP, with a byte order mark', 'google_chat', page(200, '\uFEFF{"name":"spaces/A/messages/B"}'), TAKEN],
  ['Google Apps Script, which has run', 'webhook', { status: 302, headers: { location: '/echo' } }, ASKS],
  ['SAML, auto-post', 'webhook', page(200, '<form method="post" action="https://idp.example">', TEXT), ASKS],
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
  ['a page of XHTML', 'webhook', page(200, '<x>', { 'content-type': 'application/xhtml+xml' }), ASKS],
  ['a page that begins with its styles', 'webhook', page(200, '<style>a{}</style>Sign in', TEXT), ASKS],
  ['a receiver that hangs up behind its status', 'webhook', cut(200), TAKEN],
  ['an answer that breaks off', 'google_chat', cut(200), TRANSIENT],
  ['a limit that breaks off', 'mattermost', cut(429), 'rate_limited, 30 s'],
  ['Telegram', 'webhook', limited({ ok: false, parameters: { retry_after: 7 } }), 'rate_limited, 7 s'],
  ['Discord, no header', 'discord', limited({ retry_after: 2.5 }, '-1'), 'rate_limited, 2.5 s'],
  ['Google Chat, which names no time', 'google_chat', limited({}), 'rate_limited, 5 s'],
  ['two proxies that limit', 'webhook', limited({}, ['7', '9']), 'rate_limited, 7 s'],
  ['LINE WORKS, maintenance', 'lineworks', page(503, '<html><title>Maintenance</title>'), 'transient'],
];

const PATHS: Readonly<Record<string, string>> = {
  mattermost: 'hooks/ab1cd2ef3gh4ij5kl6mn7op8qr',
  slack_webhook: 'services/T0/B0/key',
};

function becomes(type: string, answer: ChatAnswer | ChatFault): Promise<string> {
  const subject = {
    type: channelTypes.get(type) as ChannelType,
    judge: () => ({ answer: answer as ChatAnswer }),
    settingsAt: (origin: string) => {
      const url = `${origin}/${PATHS[type] ?? 'hook'}?sig=1`;
      return { hooks: { ops: type === 'webhook' ? { url } : url } };
    },
  };
  return atStandIn(subject, (channel, remote) => {
    if ('kind' in answer) remote.faults.push(answer);
    return channel.send(outgoingOf({ address: 'ops', message: { text: 'x' } })).then(taken, failed);
  });
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

describe('The failure that an answer makes', () => {
  const OWN = means.permanent('it is gone', '見つかりません');
  const plain: Answers = {
    title: { en: 'Chat', ja: 'チャット' },
    meanings: { gone: OWN, moved: OWN, '4xx': means.config('it was refused', '拒否されました') },
  };
  const failure = (answer: Partial<Parameters<typeof failureOfAnswer>[0]>, more: Partial<Answers> = {}) =>
    failureOfAnswer({ status: 500, headers: {}, body: '', ...answer }, { ...plain, ...more });
  const AFTER_7 = { 'retry-after': '7' };
  const quoting = { hide: (words: string) => words.replace('secret', '[secret]') };

  const gone = { codeOf: () => 'gone' };
  const gzip = { 'content-encoding': 'gzip' };
  const SIGN_IN = '<html><title>Sign in</title><p>Go on';

  const said: readonly (readonly [what: string, ...Parameters<typeof failure>, message: string])[] = [
    ['names its status', { status: 400 }, {}, '400: it was refused.'],
    ['names the service’s code', {}, gone, 'gone: it is gone.'],
    ['does not say a code of ours', { status: 499 }, { kindOf: () => 'moved' }, '499: it is gone.'],
    ['has a detail behind the code', {}, { ...gone, detailOf: () => ' at 3' }, 'gone at 3: it is gone.'],
    ['quotes', { status: 400, body: 'no\nsecret' }, quoting, '400 “no [secret]”: it was refused.'],
    [
      'quotes JSON in ASCII as it reads',
      { status: 400, body: '{"e":"\\u7121\\u52B9 \\ud83d\\udeab secr\\\\u0065t a\\/b"}' },
      quoting,
      '400 “{"e":"無効 🚫 [secret] a/b"}”: it was refused.',
    ],
    ['quotes nothing where nothing is said', { status: 400, body: ' ' }, quoting, '400: it was refused.'],
    ['quotes of a page its title', { status: 400, body: SIGN_IN }, quoting, '400 “Sign in”: it was refused.'],
    ['quotes no code twice', { body: 'gone\n' }, { ...quoting, ...gone }, 'gone: it is gone.'],
    ['quotes nothing compressed', { status: 400, body: 'x', headers: gzip }, quoting, '400: it was refused.'],
    ['may have arrived', {}, {}, '500: it could not be handled. The message may have arrived.'],
    ['has no message of a login', {}, { hasNoMessage: true }, '500: it could not be handled.'],
    ['pauses', { status: 503, headers: AFTER_7 }, {}, '503: it could not be handled; the pause is 7 s.'],
  ];
  for (const [what, answer, more, message] of said)
    it(what, () => expect(failure(answer, more).message).to.equal(`Chat answered ${message}`));

  it('says of a 2xx what it is in place of an answer: a page, or nothing that is known', () => {
    expect(failure({ status: 200, body: SIGN_IN }).message).to.contain('this is a web page');
    expect(failure({ status: 204 }).message).to.contain('this is not how it answers');
  });

  it('says in both languages how much of a pause is obeyed', () => {
    expect(moreInWords(undefined)).to.deep.equal({ en: '', ja: '' });
    expect(moreInWords(3_600_000)).to.deep.equal({ en: '; the pause is 3600 s', ja: '。3600秒待機します' });
    expect(moreInWords(7_200_000, true)).to.deep.equal({
      en: '; the pause is 3600 s of the 7200 s that it asked for. The message may have arrived',
      ja: '。3600秒待機します（要求された待機は7200秒）。メッセージは届いている可能性があります',
    });
  });

  it('concerns what the channel says, of a rate limit and of the rest, and by default the address', () => {
    const concerned = [{}, { limits: 'channel' }, { concerns: 'channel' }].map((more) =>
      [429, 400].map((status) => failure({ status }, more as Partial<Answers>).concerns).join(),
    );
    expect(concerned).to.deep.equal(['address,address', 'channel,address', 'address,channel']);
  });

  it('has a pause only of a rate limit, or of a trouble that passes', () => {
    const pauses = [429, 503, 400].map((status) => failure({ status, headers: AFTER_7 }).retryAfterMs);
    expect(pauses).to.deep.equal([7000, 7000, undefined]);
    expect(failure({ status: 429 }, { waitOf: () => 9 }).retryAfterMs).to.equal(9000);
  });

  it('takes for a code what looks like one, and nothing that is inherited', () => {
    const found = ['no_such.code1', '', 'two words', 'x'.repeat(101), 404, null].map((error) =>
      codeAt({ error }, 'error'),
    );
    expect(found).to.deep.equal(['no_such.code1', ...Array.from({ length: 5 })]);
    expect(codeAt(Object.create({ error: 'inherited' }) as Record<string, unknown>, 'error')).to.equal(
      undefined,
    );
  });

  it('has our code, else the service’s, else its status, by which its class is found', () => {
    const both = { kindOf: () => 'moved', codeOf: () => 'gone' };
    expect(failure({}, both)).to.include({ code: 'moved', class: 'permanent' });
    const unknown = { code: 'constructor', class: 'transient' };
    expect(failure({}, { codeOf: () => 'constructor' })).to.include(unknown);
    const classes = [302, 399, 400, 401, 404, 408, 410, 422, 425, 429, 499, 500, 503].map((status) => {
      const { code, class: failed, mayHaveArrived } = failure({ status }, { meanings: {} });
      return `${code} ${failed}${mayHaveArrived ? ', maybe' : ''}`;
    });
    expect(classes).to.deep.equal([
      'http_302 config, maybe',
      'http_399 config, maybe',
      'http_400 permanent',
      'http_401 config',
      'http_404 config',
      'http_408 transient, maybe',
      'http_410 config',
      'http_422 permanent',
      'http_425 transient',
      'http_429 rate_limited',
      'http_499 permanent',
      'http_500 transient, maybe',
      'http_503 transient',
    ]);
  });
});
