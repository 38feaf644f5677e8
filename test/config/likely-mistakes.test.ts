/** What a config may say and cannot mean, and what is told instead of a bare "wrong": by the real channels. */
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { loadConfig } from '../../src/config/load.ts';

function told(text: string): string[] {
  const { problems } = loadConfig('botbell.yaml', {
    variables: {},
    channelTypes,
    builtInSets: ['en', 'ja'],
    readFolders: () => [],
    readFile: () => text,
  });
  return problems.map((problem) => formatProblem(problem).replace('botbell.yaml:', ''));
}

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
    'invoice　': 'begins or ends with a blank, which no bot_id has',
  };

  for (const [botId, why] of Object.entries(CASES)) {
    it(`is doubted, with what was probably meant: ${botId}`, () => {
      expect(told(route(botId))).to.deep.equal([`5:5: warning: routes[0].bot_id ${why}`]);
    });
  }

  it('is doubted within a list, too', () => {
    expect(told(route('[ok, "x "]'))).to.have.length(1);
    expect(told(route('[ok, "x "]'))[0]).to.match(/^5:18: warning: routes\[0\]\.bot_id\[1\] begins or ends/);
  });

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
    expect(withUrl('smtps://mail.example.com:587')).to.deep.equal([
      '3:25: warning: channels.email.smtp: port 587 goes with smtp://',
    ]);
    expect(withUrl('smtps://u:p@mail.example.com:25')[0]).to.include('port 25 goes with smtp://');
    expect(withUrl('smtp://mail.example.com:465')).to.deep.equal([
      '3:25: warning: channels.email.smtp: port 465 goes with smtps://',
    ]);
  });

  it('is not doubted where they fit, or where it says so itself', () => {
    for (const url of [
      'smtps://mail.example.com',
      'smtps://mail.example.com:465',
      'smtp://mail.example.com:587',
      'smtp://mail.example.com:25',
      'smtp://mail.example.com:2525',
      'smtps://mail.example.com:8465',
    ]) {
      expect(withUrl(url), url).to.deep.equal([]);
    }
  });
});

describe('A Slack token', () => {
  it('is refused where it is the address of a webhook, without showing it', () => {
    const url = 'https://hooks.slack.com/services/T0/B0/secretsecret';
    expect(told(route('a').replace('xoxb-1', `"${url}"`))).to.deep.equal([
      '2:25: channels.slack.token must be the bot token of a Slack app (xoxb-…): no URL, no spaces, no line breaks, ASCII alone',
    ]);
  });
});

describe('A setting that is empty', () => {
  it('is said to be missing, and not to be wrong as well', () => {
    expect(told(route('a').replace('xoxb-1', '""'))).to.deep.equal([
      '2:25: channels.slack.token is missing: the bot token of the Slack app (xoxb-…)',
    ]);
  });
});

describe('A misspelt key', () => {
  const rest = 'default_route: { notify: [{ slack: "#ops" }, { email: a@example.com }] }\n';

  it('is recognised in full-width letters', () => {
    expect(told(`${CHANNELS}${rest}ａｄｍｉｎ: { listen: off }\n`)).to.deep.equal([
      '5:1: ａｄｍｉｎ: unknown key; did you mean "admin"?',
    ]);
  });
});
