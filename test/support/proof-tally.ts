/** Who was told of what, and how often, by what the remotes received, whatever the ledger says. */
import type { MailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import type { SlackStandIn } from './faulty-slack.ts';

type Members = Readonly<Record<string, unknown>>;

const KEY = /key-\d{6}/;

export function keyOf(number: number): string {
  return `key-${String(number).padStart(6, '0')}`;
}

/** Callbacks of jobs of their own, each with a key that every message shows. */
export function keyedCallbacks(count: number, changes: Members = {}): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => keyedCallback(keyOf(index), changes));
}

export function keyedCallback(key: string, changes: Members = {}): Record<string, unknown> {
  return {
    code: 500,
    job_id: key,
    bot_id: 'invoice-import',
    bot_name: `BOT ${key}`,
    status: 1,
    start_time: '2026-11-20T09:00:00+09:00',
    elapsed_time: 42,
    message: 'ログインに失敗しました',
    ...changes,
  };
}

/** One callback at one destination, e.g. `key-000007 slack:#ops`. */
function toldOf(text: string, destination: string): string {
  return `${KEY.exec(text)?.[0] ?? 'without key'} ${destination}`;
}

/** The messages in the order of acceptance, Slack's first. */
export function toldBy(
  slack: Pick<SlackStandIn, 'messages'>,
  mail: Pick<MailCatcher, 'mails'> = { mails: [] },
): string[] {
  return [
    ...slack.messages.map(({ text, channel }) => toldOf(text, `slack:${channel}`)),
    ...mail.mails.map(({ parsed, to }) => toldOf(parsed.subject ?? '', `email:${to.join()}`)),
  ];
}

/** `missing`: expected, and never told; `repeated`: how often too many it was told. */
export function tally(told: readonly string[], expected: readonly string[]) {
  const counts = new Map<string, number>();
  for (const each of told) counts.set(each, (counts.get(each) ?? 0) + 1);
  const tooMany = [...counts].map(([each, count]) => [each, count - 1] as const);
  return {
    missing: expected.filter((each) => !counts.has(each)),
    repeated: new Map(tooMany.filter(([, count]) => count > 0)),
  };
}

export function pairsOf(callbacks: readonly Members[], destinations: readonly string[]): string[] {
  return callbacks.flatMap(({ job_id }) => destinations.map((to) => `${String(job_id)} ${to}`));
}
