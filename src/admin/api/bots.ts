/** `/api/bots`: how each does, and one of them day by day. */
import type { Router } from '@koa/router';
import type { ApiParts } from './parts.ts';
import type { Parameter } from '../parameters.ts';
import { parametersIn, unknownId } from './asked.ts';
import { botShape, dayShape } from './shapes.ts';

const PAGE_LENGTH = 50;
const DAY_MS = 86_400_000;
const COMMON_DAYS = 30;
/** The ledger keeps a little more than a year of days. */
const MOST_DAYS = 400;

const DAYS: Parameter<number> = {
  read: (text) => {
    const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return days >= 1 && days <= MOST_DAYS ? days : undefined;
  },
  rule: `must be a whole number from 1 to ${MOST_DAYS}`,
};

const AFTER: Parameter<string> = { read: (text) => text, rule: 'must be the "next" of another page' };

export function addBots(router: Router, { services: { archive }, dayOf, now }: ApiParts): void {
  /** The first one of so many, today among them. */
  const firstDay = (days: number) => dayOf(now() - (days - 1) * DAY_MS);
  router.get('/api/bots', async (ctx) => {
    const { days = COMMON_DAYS, after } = parametersIn(ctx, { days: DAYS, after: AFTER });
    const since = firstDay(days);
    const bots = await archive.bots(since, after);
    const next = bots.length < PAGE_LENGTH ? undefined : bots.at(-1)?.botId;
    ctx.body = { since, items: bots.map(botShape), next: next ?? null };
  });
  router.get('/api/bots/:id', async (ctx) => {
    const { days = COMMON_DAYS } = parametersIn(ctx, { days: DAYS });
    const since = firstDay(days);
    const bot = await archive.bot(ctx.params['id'] ?? '', since);
    if (bot === undefined) throw unknownId();
    ctx.body = { since, ...botShape(bot), days: (await archive.days(since, bot.botId)).map(dayShape) };
  });
}
