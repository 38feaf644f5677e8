/** What a config may say and cannot mean, and what is told instead of a bare "wrong": by the real channels. */
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { toldOf } from './load-fixture.ts';

const told = (text: string) =>
  toldOf(text, { channelTypes }).map((problem) => problem.replace('botbell.yaml:', ''));

const CHANNELS = `channels:
  slack: { type: slack, token: xoxb-1 }
  email: { type: email, smtp: "smtp://relay.example.com", from: bot@example.com }
`;

const route = (botId: string) =>
  `${CHANNELS}routes:\n  - bot_id: ${botId}\n    notify: [{ slack: "#ops" }, { email: ops@example.com }]\n`;

describe('A bot_id that no BOT can have', () => {
  const LOOKS_LIKE_REGEX =
    'looks like a regular expression, but is read as a name: put it between slashes, such as /^invoice/';
  const foreign = (sign: string) =>
    `has ${sign}, which stands for itself here: only * is a wildcard; write a list, [a, b], or a /regular expression/`;
  const CASES: Readonly<Record<string, string>> = {
    '^a$': LOOKS_LIKE_REGEX,
    '^invoice': LOOKS_LIKE_REGEX,
    invoice$: LOOKS_LIKE_REGEX,
    "'invoice-\\d+'": LOOKS_LIKE_REGEX,
    "'(foo|bar)'": LOOKS_LIKE_REGEX,
    "'invoice[0-9]+'": LOOKS_LIKE_REGEX,
    '／^invoice／': LOOKS_LIKE_REGEX,
    "'invoice-?'": foreign('a ?'),
    "'job[0-9]'": foreign('a […]'),
    "'{orders,refunds}-import'": foreign('a {…}'),
    "'!test-*'": foreign('an !'),
    'sales%': foreign('a %'),
    "'a, b'": foreign('a comma'),
    '"invoice "': 'begins or ends with a blank, which no bot_id has',
    '" invoice"': 'begins or ends with a blank, which no bot_id has',
    '[ok, "x "]': 'begins or ends with a blank, which no bot_id has',
  };

  for (const [botId, why] of Object.entries(CASES)) {
    it(`is doubted, with what was probably meant: ${botId}`, () => {
      const place = botId.startsWith('[')
        ? '5:18: warning: routes[0].bot_id[1]'
        : '5:5: warning: routes[0].bot_id';
      expect(told(route(botId))).to.deep.equal([`${place} ${why}`]);
    });
  }

  it('is not doubted where it may be one', () => {
    for (const botId of [
      'get_items',
      'a.b+c(',
      '請求*',
      'com.example.*',
      '"a b"',
      'a$b',
      '/^a$/',
      '請求（月次）',
      '5f0c2a34-9d1e',
    ]) {
      expect(told(route(botId)), botId).to.deep.equal([]);
    }
  });
});

describe('A mail server', () => {
  const withUrl = (url: string) => told(route('a').replace('smtp://relay.example.com', url));

  it('is doubted where scheme and port do not fit', () => {
    const begin = '3:25: warning: channels.email.smtp: port';
    expect(withUrl('smtps://mail.example.com:587')).to.deep.equal([`${begin} 587 goes with smtp://`]);
    expect(withUrl('smtps://u:p@mail.example.com:25')[0]).to.include('port 25 goes with smtp://');
    expect(withUrl('smtp://mail.example.com:465')).to.deep.equal([`${begin} 465 goes with smtps://`]);
  });

  it('is not doubted where they fit, or where it says so itself', () => {
    for (const scheme of ['smtps://a.test', 'smtps://a.test:465', 'smtps://a.test:8465', 'smtp://a.test:587'])
      expect(withUrl(scheme), scheme).to.deep.equal([]);
    for (const port of [25, 2525]) expect(withUrl(`smtp://a.test:${port}`), String(port)).to.deep.equal([]);
  });
});

describe('A setting', () => {
  it('is refused where it is the address of a webhook in place of a token, without showing it', () => {
    const url = 'https://hooks.slack.com/services/T0/B0/secretsecret';
    expect(told(route('a').replace('xoxb-1', `"${url}"`))).to.deep.equal([
      '2:25: channels.slack.token must be the bot token of a Slack app (xoxb-…): no URL, no spaces, no line breaks, ASCII alone',
    ]);
  });

  it('that is empty is said to be missing, and not to be wrong as well', () => {
    expect(told(route('a').replace('xoxb-1', '""'))).to.deep.equal([
      '2:25: channels.slack.token is missing: the bot token of the Slack app (xoxb-…)',
    ]);
  });

  it('is recognised by a misspelt key in full-width letters', () => {
    expect(told(`${route('a')}ａｄｍｉｎ: { listen: off }\n`)).to.deep.equal([
      '7:1: ａｄｍｉｎ: unknown key; did you mean "admin"?',
    ]);
  });
});
