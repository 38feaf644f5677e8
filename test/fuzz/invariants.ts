/** What must hold whatever is sent. Each throws an error that says what does not. */
import { expect } from 'chai';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import type { CaughtMail } from '../../src/stand-ins/mail-catcher.ts';
import type { PostedMessage } from '../../src/stand-ins/slack-stand-in.ts';
import { decoded, expectWellFormed, linksIn } from '../render/mail-rules.ts';
import { controlSequences, expectAcceptable, richRuns } from '../render/slack-rules.ts';
import type { AdminAnswer } from '../support/admin-world.ts';
import { TOKEN } from '../support/program-world.ts';

/** None of these may appear in a log, an answer or a message. */
export const SECRETS = {
  callbackToken: 'fuzz-callback-token-that-nobody-guesses',
  slack: TOKEN,
  password: 'FUZZ-SMTP-PASSWORD',
} as const;

function expectNoSecret(text: string, secrets: readonly string[] = Object.values(SECRETS)): void {
  for (const secret of secrets)
    for (const written of [secret, Buffer.from(secret).toString('base64')])
      expect(text.includes(written), `a secret, ${secret}`).to.equal(false);
}

const RESULTS = 'delivered duplicate no_route superseded held accepted taken_over gave_up'.split(' ');

const INNARDS = /node_modules|\/dist\/|\/tmp\/|\n\s+at \S+ \(|\bat \S+:\d+:\d+/;

export function expectAnswer({ status, headers, body }: Omit<AdminAnswer, 'json'>): void {
  // Node answers without a body to what is no request.
  if (body === '' && [400, 408, 431].includes(status)) return;
  expectNoSecret(`${JSON.stringify(headers)} ${body}`);
  expect(body).not.to.match(INNARDS);
  const said = JSON.parse(body) as Record<string, unknown>;
  if (status === 200) return void expect(RESULTS).to.include(said['result']);
  expect(status, body).to.be.oneOf([400, 413, 415, 422, 502, 503, 504]);
  expect(said).to.include({ status });
  expect(headers['content-type']).to.equal('application/problem+json');
  if (status > 500) expect(headers['retry-after']).to.equal('30');
}

/** The only place that a link of ours leads to. */
const OUR_LINKS = 'https://example.com/';

const LINK = /^<(?<url>https?:[^|]+?)(?:\|(?<text>.+))?>$/;

const MENTIONS: ReadonlySet<unknown> = new Set(['user', 'usergroup', 'broadcast', 'channel', 'team']);

export function expectMessage({ text, blocks, args }: PostedMessage): void {
  const message = { text, ...(blocks !== undefined && { blocks }) } as SlackMessage;
  expectNoSecret(JSON.stringify(args), [SECRETS.callbackToken, SECRETS.password]);
  expectAcceptable(message);
  const foreign = controlSequences(message).filter(
    (each) => !leadsWhereItSays(LINK.exec(each)?.groups ?? { url: each, text: '' }),
  );
  expect(foreign, 'markup that acts').to.deep.equal([]);
  const runs = richRuns(blocks);
  const links = runs.filter((run) => run['type'] === 'link' && !leadsWhereItSays(run));
  expect(links, 'links that hide where they lead').to.deep.equal([]);
  expect(runs.filter(({ type }) => MENTIONS.has(type))).to.deep.equal([]);
}

/** What a mail of ours has, and nothing else. */
const HEADERS =
  `from to subject message-id date mime-version content-type content-transfer-encoding auto-submitted list-id
   x-auto-response-suppress references in-reply-to x-botbell-bot x-botbell-status importance`.split(/\s+/);

/** RFC 5321, 4.5.3.1.6, without the line end. */
const LONGEST_LINE = 998;

export function expectMail({ from, to, parsed, raw }: CaughtMail): void {
  const names = parsed.headers.map(({ key }) => key.toLowerCase());
  expect(HEADERS).to.include.members(names);
  expect(new Set(names), 'headers that stand twice').to.have.property('size', names.length);
  expect(from).to.equal('alerts@example.com');
  for (const each of to) expect(each).to.match(/@example\.com$/);
  expect(to).to.include.members(parsed.to?.map(({ address }) => address) ?? []);
  expectNoSecret(raw);
  const longest = Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)));
  expect(longest, 'the longest line').to.be.at.most(LONGEST_LINE);
  if (parsed.html !== undefined) expectHarmless(parsed.html);
}

/** None of them acts; what attributes they have is ours, as the links are looked at one by one. */
const TAGS =
  'html head meta title style body div span p a b strong em br h1 h2 h3 table thead tbody tr td th ul li pre code';

function expectHarmless(html: string): void {
  const tags = [...html.matchAll(/<([a-z]\w*)/gi)].map(([, name = '']) => name.toLowerCase());
  expect(TAGS.split(' ')).to.include.members([...new Set(tags)]);
  expectWellFormed(html);
  const links = linksIn(html).filter(
    ({ address, words }) => !leadsWhereItSays({ url: address, text: words }),
  );
  expect(links, 'links that hide where they lead').to.deep.equal([]);
}

/** Words are left out where the address is shown itself. */
function leadsWhereItSays({ text, url }: Readonly<Record<string, unknown>>): boolean {
  if (typeof url !== 'string' || url.startsWith(OUR_LINKS) || text === undefined)
    return typeof url === 'string';
  return typeof text === 'string' && plainAddress(decoded(text)) === plainAddress(decoded(url));
}

/** The same of `https://a` and `https://a/`, and of what is written in percent and what is not. */
function plainAddress(text: string): string {
  const href = URL.canParse(text) ? new URL(text).href : text;
  return href.replaceAll(/%[0-7][0-9a-f]/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}

const ALARMING =
  /unforeseen error|unhandled|heap out of memory|a (?:template|condition) failed|Warning:|could not be written down/i;

/** On a machine that is at work for others, a deadline passes now and then. */
const LATE = /did not answer in time/;

export function expectLogLine(line: string): void {
  expectNoSecret(line);
  const { level, time, msg } = JSON.parse(line) as Record<string, unknown>;
  expect([typeof time, typeof msg], line).to.deep.equal(['string', 'string']);
  expect(level, 'a forged line').to.be.oneOf(['info', 'warn', 'error']);
  expect(msg).not.to.equal('evil');
  expect(line).not.to.match(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
  if (!LATE.test(line)) expect(msg, line).not.to.match(ALARMING);
}
