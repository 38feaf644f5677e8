/** The figures of a period: of the days, and of what came since these were counted. */
import sql, { join, raw } from 'sql-template-tag';
import { type Figures, FIGURES, sumOf } from '../../report/figures.ts';
import { type ReportedBot, totalOf } from '../../report/report.ts';
import { instantOn } from '../../signal/calendar.ts';
import { snakeCase } from '../../text/snake-case.ts';
import type { Tx } from '../database.ts';
import { keysFor } from '../callbacks/keys.ts';
import { countedUpTo } from './roll-up.ts';
import { Tally } from './tally.ts';

/** Days from `from` on and before `to`, in a time zone. */
interface Period {
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
}

interface Named {
  readonly botKey: string;
  readonly botId: string;
  readonly botName: string;
}

export interface PeriodRequest extends Period {
  readonly botId?: string | undefined;
}

const SUMS = raw(
  FIGURES.map(snakeCase)
    .map((column) => `CAST(sum(${column}) AS BIGINT) AS ${column}`)
    .join(', '),
);

/** @returns the BOTs that have figures or an incident in the period, in the order of their ids */
export async function figuresOfPeriod(tx: Tx, request: PeriodRequest): Promise<readonly ReportedBot[]> {
  const { from, to, botId } = request;
  const counted = await tx.all<Figures & Named>(sql`
    SELECT bot_key, min(bot_id) AS bot_id, coalesce((
      SELECT bot_name FROM days AS last WHERE last.bot_key = days.bot_key AND bot_name <> ''
      ORDER BY day DESC LIMIT 1), '') AS bot_name, ${SUMS}
    FROM days WHERE day >= ${from} AND day < ${to} AND ${ofBot(botId)} GROUP BY bot_key`);
  const bots = new Map<string, ReportedBot>();
  // The latest name last.
  for (const row of [...(await incidentsOf(tx, request)), ...counted, ...(await uncounted(tx, request))]) {
    const before = bots.get(row.botKey);
    const { botId: id, botName } = row;
    bots.set(row.botKey, {
      botId: id,
      botName: botName || (before?.botName ?? ''),
      ...totalOf([before ?? {}, row]),
    });
  }
  return [...bots].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, bot]) => bot);
}

/** Each day's figures of all BOTs, or of one; days without any are left out. */
export async function figuresByDay(tx: Tx, request: PeriodRequest) {
  const { from, to } = request;
  const counted = await tx.all<Figures & { readonly day: number }>(sql`
    SELECT day, ${SUMS} FROM days WHERE day >= ${from} AND day < ${to} AND ${ofBot(request.botId)} GROUP BY day`);
  const days = new Map(counted.map(({ day, ...figures }): [number, Figures] => [day, figures]));
  for (const { day, ...figures } of await uncounted(tx, request))
    days.set(day, sumOf([days.get(day) ?? {}, figures]));
  return [...days].toSorted(([one], [other]) => one - other).map(([day, figures]) => ({ day, ...figures }));
}

function ofBot(botId: string | undefined, key = 'bot_key') {
  return botId === undefined ? sql`1 = 1` : sql`${raw(key)} IN (${join(keysFor(botId))})`;
}

const AT_ONCE = 1000;

/** What the next steps of the roll-up will add. */
async function uncounted(tx: Tx, { from, to, timezone, botId }: PeriodRequest) {
  const tally = new Tally(tx, timezone);
  let { callbackId, historyId }: { callbackId?: number | undefined; historyId?: number | undefined } =
    await countedUpTo(tx);
  while (callbackId !== undefined)
    callbackId = await tally.countCallbacks(callbackId, Number.MAX_SAFE_INTEGER, AT_ONCE);
  while (historyId !== undefined)
    historyId = await tally.countHistory(historyId, Number.MAX_SAFE_INTEGER, AT_ONCE);
  const keys = botId === undefined ? undefined : keysFor(botId);
  return tally.days.filter(
    ({ day, botKey }) => day >= from && day < to && (keys === undefined || keys.includes(botKey)),
  );
}

async function incidentsOf(tx: Tx, { from, to, timezone, botId }: PeriodRequest) {
  const [begin, end] = [instantOn(from, 0, timezone), Math.min(instantOn(to, 0, timezone), tx.now)];
  return tx.all<Named & Pick<ReportedBot, 'incidents' | 'incidentMs'>>(sql`
    SELECT subject_key AS bot_key, max(subject) AS bot_id, max(name) AS bot_name, count(*) AS incidents, CAST(sum(
      CASE WHEN over_at IS NULL OR over_at > ${end} THEN ${end} ELSE over_at END
      - CASE WHEN since > ${begin} THEN since ELSE ${begin} END) AS BIGINT) AS incident_ms
    FROM incidents WHERE kind = 'bot' AND since < ${end} AND (over_at IS NULL OR over_at > ${begin})
      AND ${ofBot(botId, 'subject_key')}
    GROUP BY subject_key`);
}
