/** What the archive asks of a database, by name: each reads in a transaction of its own. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import type { NoticeRow } from '../rows.ts';
import {
  botNamed,
  botsAfter,
  countsOf,
  daysSince,
  everyBot,
  failedRuns,
  lastRuns,
  runsSince,
} from './bots.ts';
import { findCallbacks } from './find-callbacks.ts';
import { configsLoaded, deadLetters, destinationsNamed, openWork, refusals } from './overviews.ts';
import { readDelivery, readStory } from './stories.ts';

export const archiveReads = {
  callbacks: findCallbacks,
  story: readStory,
  callbackRow,
  bots: botsAfter,
  bot: botNamed,
  everyBot,
  countsOf,
  lastRuns,
  runsSince,
  failedRuns,
  days: daysSince,
  deadLetters,
  openWork,
  refusals,
  destinations: destinationsNamed,
  configs: configsLoaded,
  delivery: readDelivery,
};

function callbackRow(tx: Tx, id: number): Promise<NoticeRow | undefined> {
  return tx.first<NoticeRow>(
    sql`SELECT kind, started_at, times_received, body FROM callbacks WHERE id = ${id}`,
  );
}
