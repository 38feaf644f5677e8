/** All that the page and the API show, with what is slowest about each: an old page, a rare filter, a BOT of common size. */
import { DatabaseSync } from '@photostructure/sqlite';
import type { Visit } from './visits.ts';

/** @param file of the ledger */
export function visitsOf(file: string): readonly Visit[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = (statement: string) =>
    database.prepare(statement).get() as Readonly<Record<string, number | string>>;
  const middle = row(
    `select id, bot_id, job_id from callbacks where id > (select max(id) / 2 from callbacks) limit 1`,
  );
  const dead = row(`select callback_id as id from deliveries where state = 'dead' order by id desc limit 1`);
  database.close();
  const bot = encodeURIComponent(`${middle['bot_id']}`);
  const job = encodeURIComponent(`${middle['job_id']}`);
  const lists = (path: string): Visit[] => [
    { what: 'callbacks', path },
    { what: 'callbacks, an old page', path: `${path}?before=${middle['id']}` },
    { what: 'errors', path: `${path}?status=1` },
    { what: 'dead letters', path: `${path}?state=dead` },
    { what: 'held', path: `${path}?state=held` },
    { what: 'pending', path: `${path}?state=pending` },
    { what: 'of a BOT', path: `${path}?bot_id=${bot}` },
    { what: 'of a job', path: `${path}?job_id=${job}` },
    { what: 'of a destination', path: `${path}?destination=${encodeURIComponent('slack:#team-7')}` },
    { what: 'by result', path: `${path}?result=taken_over` },
    { what: 'what nobody has', path: `${path}?destination=${encodeURIComponent('slack:#nobody')}` },
    { what: 'of one day', path: `${path}?from=${dayAgo(10)}&to=${dayAgo(9)}` },
  ];
  return [
    { what: 'BOTs', path: '/' },
    { what: 'a BOT', path: `/bots/${bot}` },
    ...lists('/callbacks'),
    { what: 'a callback', path: `/callbacks/${middle['id']}` },
    { what: 'a dead letter', path: `/callbacks/${dead['id']}` },
    { what: 'a job', path: `/jobs/${job}` },
    { what: 'dead letters by cause', path: '/dead' },
    { what: 'refused bodies', path: '/refused' },
    { what: 'destinations', path: '/destinations' },
    { what: 'playground', path: '/playground' },
    { what: 'the config', path: '/config' },
    ...lists('/api/callbacks'),
    { what: 'a callback', path: `/api/callbacks/${middle['id']}` },
    { what: 'BOTs', path: '/api/bots' },
    { what: 'a BOT', path: `/api/bots/${bot}` },
    { what: 'refused bodies', path: '/api/refused' },
  ];
}

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
