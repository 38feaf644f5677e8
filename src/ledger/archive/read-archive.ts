/** The archive over a database that runs its reads by name. */
import type { Database } from '../database.ts';
import type { reads } from '../reads.ts';
import { noticeIn } from '../rows.ts';
import { storedText } from '../stored-body.ts';
import type { Archive } from './archive.ts';

export function createArchive({ call }: Pick<Database<typeof reads>, 'call'>): Archive {
  return {
    callbacks: (filter, page = {}) => call('callbacks', { filter, page }),
    story: (id) => call('story', id),
    body: async (id) => {
      const row = await call('callbackRow', id);
      return row && Buffer.from(storedText(row.body));
    },
    bots: (since, after = '') => call('bots', { since, after }),
    bot: (botId, since) => call('bot', { botId, since }),
    everyBot: () => call('everyBot', undefined),
    countsOf: (botIds, since) => call('countsOf', { botIds, since }),
    lastRuns: (bots, most) => call('lastRuns', { botIds: bots.map(({ botId }) => botId), most }),
    runsSince: ({ botId }, since) => call('runsSince', { botId, since }),
    failedRuns: (runs) => call('failedRuns', runs),
    days: (since, botId) => call('days', { since, botId }),
    deadLetters: () => call('deadLetters', undefined),
    openWork: () => call('openWork', undefined),
    refusals: (page = {}) => call('refusals', page),
    destinations: (names) => call('destinations', names),
    configs: () => call('configs', undefined),
    delivery: (id) => call('delivery', id),
    told: async (id) => {
      const row = await call('callbackRow', id);
      return row && noticeIn(row);
    },
  };
}
