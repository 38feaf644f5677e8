/** What was held back, told as one: of which BOTs, how many, which jobs. */
import type { StatusName } from '../callback/callback.ts';

export interface HeldMessage {
  readonly botId: string;
  readonly botName: string;
  readonly jobId: string | undefined;
  /** Undefined: `overdue` or `missed`. */
  readonly status: StatusName | undefined;
  /** When it would have been told. */
  readonly at: number;
}

/** As templates see it. */
export interface BotSummary {
  readonly bot_id: string;
  readonly bot_name: string;
  readonly succeeded: number;
  readonly errors: number;
  /** Ids of its newest jobs, each once. */
  readonly jobs: readonly string[];
}

export interface Summary {
  readonly since: number;
  readonly count: number;
  /** The one with the most errors first. */
  readonly bots: readonly BotSummary[];
}

/** Of a BOT: nobody reads more, and the count says how many there were. */
const MOST_JOBS = 20;

/** @param held at least one */
export function summaryOf(held: readonly HeldMessage[]): Summary {
  const inOrder = held.toSorted((a, b) => a.at - b.at);
  const byBot = new Map<string, HeldMessage[]>();
  for (const message of inOrder) {
    const ofBot = byBot.get(message.botId);
    if (ofBot === undefined) byBot.set(message.botId, [message]);
    else ofBot.push(message);
  }
  const bots = [...byBot.values()].map(botSummaryOf);
  return {
    since: inOrder[0]?.at ?? 0,
    count: held.length,
    bots: bots.toSorted((a, b) => b.errors - a.errors),
  };
}

/** Its newest name counts. */
function botSummaryOf(messages: readonly HeldMessage[]): BotSummary {
  const newest = messages.at(-1);
  const jobs = new Set(messages.flatMap(({ jobId }) => jobId ?? []));
  const countOf = (status: StatusName) => messages.filter((message) => message.status === status).length;
  return {
    bot_id: newest?.botId ?? '',
    bot_name: newest?.botName ?? '',
    succeeded: countOf('succeeded'),
    errors: countOf('error'),
    jobs: [...jobs].slice(-MOST_JOBS),
  };
}
