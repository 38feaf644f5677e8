/** Every view of the page, as addresses that show all of what a ledger holds. */
import { DatabaseSync } from '@photostructure/sqlite';

export type Known = ReturnType<typeof knownIn>;

type Addresses = (known: Known) => readonly string[];

/** They are numbered in the order in which they begin. */
const INCIDENTS = [1, 2, 6];

const ADDRESSES: Readonly<Record<string, Addresses>> = {
  '/': ({ strings }) => ['/', ...inTurns('/', ['search', 'after'], strings)],
  '/bots': ({ bots }) => bots.map((bot) => `/bots?${new URLSearchParams({ bot_id: bot.slice(0, 1000) })}`),
  '/incidents/:id': () => INCIDENTS.map((id) => `/incidents/${id}`),
  '/callbacks': ({ strings }) => [
    '/callbacks',
    ...inTurns('/callbacks', ['bot_id', 'job_id', 'destination', 'search'], strings),
    ...inTurns('/callbacks', ['status', 'state', 'result', 'from', 'to', 'before', 'limit'], strings),
  ],
  '/callbacks/:id': ({ callbacks }) => callbacks.map((id) => `/callbacks/${id}`),
  '/refused': ({ refused }) => ['/refused', ...refused.map((id) => `/refused?before=${id}`)],
  '/deliveries/:id/message': ({ deliveries }) => deliveries.map((id) => `/deliveries/${id}/message`),
  '/playground': ({ callbacks, strings }) => [
    '/playground',
    ...callbacks.slice(0, 9).map((id) => `/playground?callback=${id}`),
    ...inTurns('/playground', ['to', 'set', 'language', 'sample', 'callback'], strings),
  ],
  '/redeliveries/new': ({ strings }) =>
    inTurns('/redeliveries/new', ['bot_id', 'job_id', 'destination', 'error_class', 'error_code'], strings),
};

/**
 * @param path of a view, e.g. `/incidents/:id`
 * @throws {Error} one that needs an id of which nothing is known: say here where it comes from
 */
export function addressesOf(path: string, known: Known): readonly string[] {
  const addresses = ADDRESSES[path];
  if (addresses !== undefined) return addresses(known);
  if (path.includes(':')) throw new Error(`every-view.ts does not know what stands for the id in ${path}`);
  return [path];
}

/** @returns the first of the addresses of a view, one amidst them, and the last */
export function samplesOf(path: string, known: Known): readonly string[] {
  const addresses = addressesOf(path, known);
  const places = [0, Math.floor(addresses.length / 2), addresses.length - 1];
  return [...new Set(places)].flatMap((place) => addresses[place] ?? []);
}

/** An address has room for a few of these, percent-encoded. */
const LONGEST = 200;

/** Each string once, in as few addresses as there are parameters. */
function inTurns(path: string, names: readonly string[], strings: readonly string[]): string[] {
  const addresses: string[] = [];
  for (let from = 0; from < strings.length; from += names.length) {
    const texts = strings.slice(from, from + names.length).map((text) => text.slice(0, LONGEST));
    const query = texts.map((text, index) => [names[index] ?? '', text]);
    addresses.push(`${path}?${new URLSearchParams(query).toString()}`);
  }
  return addresses;
}

/** @param file of a SQLite ledger @param strings what somebody may type into an address */
export function knownIn(file: string, strings: readonly string[]) {
  const database = new DatabaseSync(file, { readOnly: true });
  const all = (statement: string) => {
    const rows = database.prepare(statement).all() as Record<string, unknown>[];
    return rows.map((row) => String(Object.values(row)[0]));
  };
  const known = {
    callbacks: all('select id from callbacks order by id'),
    bots: all(`select distinct bot_id from callbacks where kind = 'callback'`),
    deliveries: all('select id from deliveries order by id'),
    refused: all('select id from refused order by id'),
    strings,
  };
  database.close();
  return known;
}
