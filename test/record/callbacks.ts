/** The 60 POSTs of the record, in their order: each is a callback, and what goes wrong at the remotes meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MailFault } from '../../src/stand-ins/mail-catcher.ts';
import type { SlackFault } from '../../src/stand-ins/slack-faults.ts';

export interface Step {
  readonly name: string;
  /** As it is posted. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After the receiver's own path. */
  readonly path?: string;
  /** Of the next messages to Slack. Alerts are never refused. */
  readonly slack?: readonly SlackFault[];
  readonly mail?: readonly MailFault[];
  /** Messages of alerts that come of it, on Slack and by mail. */
  readonly alerts?: number;
  /** Whoever has mended the cause reloads the config, so that Botbell tries again at once. */
  readonly isMended?: boolean;
  /** A delivery of it goes on being undelivered, though it is answered 200. */
  readonly isLeft?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Rest = Omit<Step, 'name' | 'body'>;

/** Of test/fixtures/callbacks; huge.json is left out, since its mail is another on a busy machine. */
function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, `../fixtures/callbacks/${name}.json`), 'utf8');
}

/** A success of 2026-11-20; its job is named like the step. */
function bodyOf(name: string, fields: Fields): string {
  const start_time = '2026-11-20T09:00:00+09:00';
  const usual = {
    code: 200,
    job_id: name,
    bot_id: 'show-it',
    bot_name: '在庫確認BOT',
    status: 0,
    start_time,
  };
  return JSON.stringify({ ...usual, ...fields });
}

const sent = (name: string, fields: Fields, rest: Rest = {}): Step => ({
  name,
  body: bodyOf(name, fields),
  ...rest,
});
const fixed = (name: string): Step => ({ name: `fixture ${name}`, body: fixture(name) });
/** Of a job that has come before. */
const after = (name: string, job: string, fields: Fields, rest: Rest = {}): Step =>
  sent(name, { job_id: job, ...fields }, rest);

const file = (id: number, name: string, size: number) => ({
  ref: `jobs/files/files/${id}`,
  meta: { name, size, timestamp: 1_760_000_000_000 + id },
});
const files = (count: number) => ({
  type: 'files',
  files: Array.from({ length: count }, (_, id) => file(id, `明細 ${id}.pdf`, 1000 ** (id % 5) * (id + 1))),
});
const rows = (count: number, columns: number) =>
  Array.from({ length: count }, (_, row) =>
    Object.fromEntries(Array.from({ length: columns }, (_, column) => [`列${column}`, `r${row}c${column}`])),
  );
const LONG = Array.from({ length: 900 }, (_, line) => `Zeile ${line}: 要素が見つかりませんでした 🔥`).join(
  '\n',
);
const ERROR = { status: 1, code: 500, elapsed_time: 75 };
const RUNS = { status: 2, code: 202 };

const SHAPES: readonly Step[] = [
  ...['succeeded', 'executing', 'error', 'files', 'hostile', 'minimal', 'nulls-and-extras', 'odd-output'].map(
    fixed,
  ),
  sent('success with message and output', { message: 'Done.', elapsed_time: 3600, output: { count: '12' } }),
  sent('error without a message', { ...ERROR }),
  sent('error of many lines', {
    ...ERROR,
    message: 'Error: no such element\n  at step 3\n\n  at run\t(main)\n',
    output: { 商品: ['A-1', 'B-2'] },
  }),
  sent('numbers', {
    output: { n: 0, '-': -1.5, big: 12345678, text: '007', 円: '¥1,234', half: 0.1, no: false, yes: true },
  }),
  sent('nothing in the output', {
    output: { null: null, '': '', 空: [], none: {} },
    message: '',
    elapsed_time: null,
  }),
  {
    name: 'a number past doubles',
    body: bodyOf('exact', { output: { n: '@' } }).replace('"@"', '9007199254740993123'),
  },
  sent('lists', {
    output: { 都市: ['東京', 'São Paulo', ''], items: Array.from({ length: 150 }, (_, n) => `item ${n}`) },
  }),
  sent('a wide table', { output: { rows: rows(3, 24) } }),
  sent('a long table', { output: { rows: rows(130, 2), more: rows(2, 2) } }),
  sent('a table with holes', {
    output: { rows: [{ a: 1, b: 'x' }, { b: null, c: [1, 2] }, { d: { e: true } }] },
  }),
  sent('many files', { output: { 帳票: files(30), again: files(2) } }),
  sent('files in a table', {
    output: {
      rows: [
        { name: 'A', file: files(2) },
        { name: 'B', file: files(0) },
      ],
    },
  }),
  sent('many outputs', {
    output: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`出力${n}`, `${n}`])),
  }),
  sent('emoji', { bot_name: '👩‍👩‍👧‍👦 BOT :tada:', message: '🇯🇵 ✅ :warning: e\u0301', output: { '🎉': '👍🏽' } }),
  sent('HTML', {
    ...ERROR,
    bot_name: '<h1>A & B</h1>',
    message: '<a href="https://evil.example">x</a> &amp; &lt;',
  }),
  sent('mrkdwn', {
    ...ERROR,
    bot_name: '*bold* _it_',
    message: '`code` ~no~ > q\n> <!here> @channel <#C1> [t](https://evil.example)',
  }),
  sent('Liquid', { message: '{{ bot_id }}{% if x %}', output: { '{{ code }}': '{% raw %}' } }),
  sent('control characters', {
    ...ERROR,
    message: 'a\u0000b\u0007c\u001b[31mred\u001b[0m\u2028d\u202eevil\u202c',
    output: { 'k\u0001': '\u0085' },
  }),
  {
    name: 'lone surrogates',
    body: bodyOf('lone', { ...ERROR, message: 'cut \ud83d here', output: { k: '\udc00' } }),
  },
  sent('a long message', { ...ERROR, message: LONG, elapsed_time: 90_061 }),
  sent('a long value', { output: { 本文: '長い文です。'.repeat(900), short: 'kept' } }),
  sent('long names', {
    job_id: `j-${'0123456789'.repeat(20)}`,
    bot_name: '名前の長い'.repeat(60),
    output: { ['鍵'.repeat(300)]: '1' },
  }),
  sent('local time', { start_time: '20261120T090000', code: -7 }),
];

const REMOTE_DOWN: SlackFault = { kind: 'status', status: 500, body: 'oops' };
const NOT_FOUND: SlackFault = { kind: 'error', error: 'channel_not_found' };
const BAD_BLOCKS: SlackFault = { kind: 'error', error: 'invalid_blocks' };
const TOO_FAST: SlackFault = { kind: 'rate_limited', retryAfter: '1' };
const SLACK = { ...ERROR, bot_id: 'slack-it', message: 'E-2' };
const MAIL = { ...ERROR, bot_id: 'mail-it', message: 'E-3' };
const UNKNOWN: MailFault = { at: 'rcpt', does: 'refuse', code: 550, text: '5.1.1 no such user', times: 1 };
const GREYLISTED: MailFault = { at: 'rcpt', does: 'refuse', code: 451, text: '4.7.1 try later', times: 1 };

const FATES: readonly Step[] = [
  sent('twice', { message: 'once' }),
  after('twice, again', 'twice', { message: 'once', elapsed_time: 31 }),
  sent('started', { ...RUNS }),
  after('started, then ended', 'started', { output: { n: '1' }, elapsed_time: 5 }),
  after('started, told too late', 'started', { ...RUNS, message: 'late' }),
  sent('two people', { ...ERROR, bot_id: 'two-people', message: 'E-4' }),
  sent('nobody on purpose', { bot_id: 'quiet' }),
  sent('not of this status', { bot_id: 'only-errors' }),
  sent('no route', { bot_id: 'stranger' }),
  sent('an error without a route', { ...ERROR, bot_id: 'stranger', message: 'E-5' }),
  sent('down once', SLACK, { slack: [REMOTE_DOWN] }),
  sent('down', SLACK, { slack: [REMOTE_DOWN, REMOTE_DOWN] }),
  after('down, again', 'down', SLACK),
  sent('blocks refused', SLACK, { slack: [BAD_BLOCKS] }),
  sent('greylisted', MAIL, { mail: [GREYLISTED] }),
  sent('refused recipient', MAIL, { mail: [UNKNOWN] }),
  after('refused recipient, again', 'refused recipient', MAIL, { mail: [UNKNOWN] }),
  after('refused recipient, given up', 'refused recipient', MAIL, { mail: [UNKNOWN], alerts: 2 }),
  sent('no channel', SLACK, { slack: [NOT_FOUND] }),
  after('no channel, again', 'no channel', SLACK, { slack: [NOT_FOUND] }),
  after('no channel, taken over', 'no channel', SLACK, {
    slack: [NOT_FOUND],
    alerts: 2,
    isMended: true,
  }),
  sent('too fast', SLACK, { slack: [TOO_FAST] }),
  sent(
    'much too fast',
    { bot_id: 'slow-down' },
    { slack: [{ kind: 'rate_limited', retryAfter: '3600' }], isLeft: true },
  ),
];

const REFUSED: readonly Step[] = [
  { name: 'not JSON', body: '{"job_id": "x",', alerts: 2 },
  sent(
    'many faults',
    { job_id: 5, status: 3, start_time: '2026-02-30T00:00:00Z', output: [], elapsed_time: '1' },
    { alerts: 2 },
  ),
  sent('too deep', { output: { deep: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown } }),
  sent('another content type', {}, { headers: { 'content-type': 'text/plain' }, alerts: 2 }),
  { name: 'too large', body: bodyOf('large', { message: 'x'.repeat(1_100_000) }), alerts: 2 },
  sent('a wrong token', {}, { path: '/wrong' }),
];

export const STEPS: readonly Step[] = [...SHAPES, ...FATES, ...REFUSED];

/** Posted first and not recorded: a program that has just begun is slow, and draws a mail that takes it too long more simply. */
export const WARM_UP: readonly Step[] = [0, 1, 2].map((status) => sent(`warm-up ${status}`, { status }));
