/** What must hold whatever is sent: each says what is wrong, or nothing. */
import { DatabaseSync } from '@photostructure/sqlite';
import type { CaughtMail } from '../../src/stand-ins/mail-catcher.ts';
import type { PostedMessage } from '../../src/stand-ins/slack-stand-in.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { decoded, expectWellFormed, linksIn } from '../render/mail-rules.ts';
import { controlSequences, expectAcceptable, richRuns } from '../render/slack-rules.ts';
import { deliveriesIn } from '../support/proof-ledger.ts';
import { SECRETS } from './target.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Contract, section 3. */
const STATUSES: ReadonlySet<number> = new Set([200, 400, 403, 404, 405, 413, 415, 422, 502, 503, 504]);

/** What Node answers by itself to what is no request, without a body. */
const OF_NODE: ReadonlySet<number> = new Set([400, 408, 431]);

const RESULTS: ReadonlySet<unknown> = new Set(
  'delivered duplicate no_route superseded held accepted taken_over gave_up'.split(' '),
);

const INNARDS = /node_modules|\/dist\/|\/tmp\/|\n\s+at \S+ \(|\bat \S+:\d+:\d+/;

/** The only place that a link of ours leads to. */
const OUR_LINKS = 'https://example.com/';

export function secretIn(text: string): string | undefined {
  return Object.entries(SECRETS).find(
    ([, secret]) => text.includes(secret) || text.includes(Buffer.from(secret).toString('base64')),
  )?.[0];
}

export function faultOfAnswer({ status, headers, body }: Answer): string | undefined {
  if (OF_NODE.has(status) && body === '') return undefined;
  if (!STATUSES.has(status)) return `answered ${status}: ${body.slice(0, 300)}`;
  const secret = secretIn(body) ?? secretIn(Object.values(headers).join());
  if (secret !== undefined) return `an answer tells the ${secret}`;
  if (INNARDS.test(body)) return `an answer tells of our innards: ${body.slice(0, 300)}`;
  return status === 200 ? faultOfTaken(body) : faultOfProblem(status, headers, body);
}

function faultOfTaken(body: string): string | undefined {
  const { result, job_id, deliveries, status } = objectIn(body);
  if (status === 'ok') return undefined;
  const isTaken = RESULTS.has(result) && typeof job_id === 'string' && Array.isArray(deliveries);
  return isTaken ? undefined : `answered 200 with ${body.slice(0, 300)}`;
}

function faultOfProblem(status: number, headers: Answer['headers'], body: string): string | undefined {
  const problem = objectIn(body);
  const isProblem = problem['status'] === status && typeof problem['title'] === 'string';
  if (headers['content-type'] !== 'application/problem+json' || !isProblem)
    return `${status} is no problem document: ${String(headers['content-type'])} ${body.slice(0, 300)}`;
  if ([502, 503, 504].includes(status) && headers['retry-after'] !== '30')
    return `${status} has Retry-After ${String(headers['retry-after'])}`;
  return status === 405 && headers['allow'] === undefined ? '405 has no Allow' : undefined;
}

function objectIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const MENTIONS: ReadonlySet<unknown> = new Set(['user', 'usergroup', 'broadcast', 'channel', 'team']);

export function faultOfMessage({ text, blocks, args }: PostedMessage): string | undefined {
  const message = { text, ...(blocks !== undefined && { blocks }) } as SlackMessage;
  const secret = secretIn(JSON.stringify(args));
  if (secret !== undefined && secret !== 'slack') return `a message tells the ${secret}`;
  const fault = saidBy(() => expectAcceptable(message));
  if (fault !== undefined) return `Slack would refuse: ${fault}`;
  const foreign = controlSequences(message).find((each) => !each.startsWith(`<${OUR_LINKS}`));
  if (foreign !== undefined) return `foreign markup acts: ${foreign.slice(0, 200)}`;
  const link = richRuns(blocks).find((run) => run['type'] === 'link' && !leadsWhereItSays(run));
  if (link !== undefined) return `a foreign link: ${JSON.stringify(link).slice(0, 300)}`;
  const mention = richRuns(blocks).find(({ type }) => MENTIONS.has(type));
  if (mention !== undefined) return `a mention: ${JSON.stringify(mention)}`;
  return undefined;
}

/** What a mail of ours has, and nothing else. */
const HEADERS: ReadonlySet<string> = new Set(
  `from to subject message-id date mime-version content-type content-transfer-encoding auto-submitted
   x-auto-response-suppress references in-reply-to x-botbell-bot x-botbell-status importance`.split(/\s+/),
);

/** RFC 5321, 4.5.3.1.6, without the line end. */
const LONGEST_LINE = 998;

export function faultOfMail({ from, to, parsed, raw }: CaughtMail): string | undefined {
  const names = parsed.headers.map(({ key }) => key.toLowerCase());
  const foreign =
    names.find((name) => !HEADERS.has(name)) ?? names.find((name, at) => names.indexOf(name) !== at);
  if (foreign !== undefined) return `a mail has the header ${foreign}`;
  if (from !== 'alerts@example.com' || to.some((each) => !each.endsWith('@example.com')))
    return `a mail from ${from} to ${to.join()}`;
  if (parsed.to?.some(({ address }) => !to.includes(address ?? '')) === true)
    return `a mail says it is to others`;
  const secret = secretIn(raw);
  if (secret !== undefined) return `a mail tells the ${secret}`;
  if (raw.split('\r\n').some((line) => Buffer.byteLength(line) > LONGEST_LINE))
    return 'a mail has a line that is too long';
  return parsed.html === undefined ? undefined : faultOfHtml(parsed.html);
}

/** None of them acts; what attributes they have is ours, as the links are looked at one by one. */
const TAGS: ReadonlySet<string> = new Set(
  'html head meta title style body div span p a b strong em br h1 h2 h3 table thead tbody tr td th ul li pre code'.split(
    ' ',
  ),
);

function faultOfHtml(html: string): string | undefined {
  const tags = [...html.matchAll(/<([a-z]\w*)/gi)].map(([, name = '']) => name.toLowerCase());
  const foreign = tags.find((name) => !TAGS.has(name));
  if (foreign !== undefined) return `a mail has <${foreign}>`;
  return saidBy(() => {
    expectWellFormed(html);
    const bad = linksIn(html).find(
      ({ address, words }) => !address.startsWith(OUR_LINKS) && !isSameAddress(words, address),
    );
    if (bad !== undefined)
      throw new Error(
        `a foreign link says "${bad.words.slice(0, 100)}" and leads to ${bad.address.slice(0, 100)}`,
      );
  });
}

/** Of a link in a rich text; words are left out where the address is shown itself. */
function leadsWhereItSays({ text, url }: Readonly<Record<string, unknown>>): boolean {
  if (typeof url !== 'string') return false;
  return (
    url.startsWith(OUR_LINKS) || text === undefined || (typeof text === 'string' && isSameAddress(text, url))
  );
}

/** `https://a` and `https://a/` are, and what is written in percent and what is not. */
function isSameAddress(words: string, address: string): boolean {
  return plainAddress(decoded(words)) === plainAddress(decoded(address));
}

function plainAddress(text: string): string {
  const href = URL.canParse(text) ? new URL(text).href : text;
  return href.replaceAll(/%[0-7][0-9a-f]/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}

function saidBy(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 500) : String(error);
  }
}

const ALARMING =
  /unforeseen error|unhandled|heap out of memory|a (?:template|condition) failed|Warning:|could not be written down/i;

const LATE = /did not answer in time/;

/** Of everything that was logged from when it listened on. */
export function faultsOfLog(log: string): string[] {
  const lines = log.slice(log.indexOf('"listening"')).split('\n').slice(1);
  return lines.filter((line) => line !== '').flatMap(faultOfLine);
}

function faultOfLine(line: string): string[] {
  const secret = secretIn(line);
  if (secret !== undefined) return [`the log tells the ${secret}: ${line.slice(0, 300)}`];
  const { level, time, msg } = objectIn(line);
  if (typeof level !== 'number' || typeof time !== 'number' || typeof msg !== 'string')
    return [`a log line is none of ours: ${line.slice(0, 300)}`];
  if (level >= 60 || msg === 'evil') return [`a forged log line: ${line.slice(0, 300)}`];
  if (/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(line))
    return [`a log line acts on a terminal: ${JSON.stringify(line.slice(0, 300))}`];
  // On a machine that is at work for others, a deadline passes now and then.
  return ALARMING.test(msg) && !LATE.test(line) ? [`the log says ${msg}: ${line.slice(0, 1500)}`] : [];
}

/** Of a ledger that nobody has open. @returns how many of the deliveries to the good remotes it knows as delivered */
export async function deliveredIn(file: string): Promise<number> {
  const database = new DatabaseSync(file);
  const soundness: unknown = database.prepare('pragma integrity_check').get();
  database.close();
  if (JSON.stringify(soundness) !== '{"integrity_check":"ok"}')
    throw new Error(`is damaged: ${JSON.stringify(soundness)}`);
  const delivered = await deliveriesIn(`sqlite:${file}`, 'delivered');
  return delivered.filter((line) => / (?:slack|email):\S+$/.test(line)).length;
}
