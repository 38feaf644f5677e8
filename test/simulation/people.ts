/** People at the API: what they ask for, and what the product lists. */
import { type Act, DAY } from './scenario.ts';
import type { Acted, Listed, ListedDelivery, ListedIncident, ReportedBot } from './observed.ts';
import type { Process, WorldParts } from './process.ts';
import { ask } from './request.ts';

export const ADMIN_PORT = 8081;

const LARGEST_PAGE = 500;

interface Asked extends Pick<Acted, 'was' | 'listed' | 'dead' | 'incidents'> {
  readonly id?: number | undefined;
  readonly path: string;
  readonly method?: 'POST' | 'DELETE';
  readonly body?: object;
}

type Picking = Extract<Act, { readonly pick: number }>;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | number | null;
}

export function peopleOf({ timeline, observed, open, say, clockOf }: WorldParts) {
  let underWay = 0;

  async function send(process: Process, { path, method, body }: Asked) {
    const handle = process.handlers.get(ADMIN_PORT);
    if (handle === undefined) return undefined;
    const asked = ask(handle, method ?? 'GET', path, body && JSON.stringify(body));
    const answer = await Promise.race([asked, process.died]);
    return process.isAlive ? answer : undefined;
  }

  async function page<Item>(process: Process, path: string): Promise<Page<Item> | undefined> {
    const answer = await send(process, { path });
    return answer?.status === 200 ? (JSON.parse(answer.body) as Page<Item>) : undefined;
  }

  async function all<Item>(process: Process, path: string): Promise<readonly Item[] | undefined> {
    const items: Item[] = [];
    for (let before = ''; ;) {
      const found = await page<Item>(process, `${path}${before}`);
      if (found === undefined) return undefined;
      items.push(...found.items);
      if (found.next === null) return items;
      before = `&before=${found.next}`;
    }
  }

  /** All callbacks, in the order of their ids; undefined: the process has died, or cannot say. */
  async function listedIn(process: Process, query = ''): Promise<readonly Listed[] | undefined> {
    const items = await all<Listed>(process, `/api/callbacks?limit=${LARGEST_PAGE}${query}`);
    return items?.toSorted((a, b) => a.id - b.id);
  }

  async function reportedIn(process: Process): Promise<readonly ReportedBot[] | undefined> {
    const today = clockOf(process.slot);
    const [from, to] = [today - 30 * DAY, today].map((time) => new Date(time).toISOString().slice(0, 10));
    const answer = await send(process, { path: `/api/report?from=${from}&to=${to}` });
    return answer && (JSON.parse(answer.body) as { readonly bots: readonly ReportedBot[] }).bots;
  }

  async function act(process: Process, act: Act, request?: Asked): Promise<void> {
    underWay += 1;
    const asked = request ?? (await requestOf(process, act));
    const at = timeline.now;
    const answer = asked && (await send(process, asked));
    const { status, body = '' } = answer ?? {};
    const made = status === 201 ? (JSON.parse(body) as { readonly id?: number }).id : undefined;
    const { was, listed, dead, incidents } = asked ?? {};
    observed.acted.push({ act, at, status, id: made ?? asked?.id, incidents, was, listed, dead, body });
    say(`somebody asks ${process.name}: ${act.kind} ${asked?.path ?? 'nothing'}: ${status ?? 'no answer'}`);
    underWay -= 1;
  }

  async function requestOf(process: Process, act: Act): Promise<Asked | undefined> {
    if (act.kind === 'bulk') return requestOfBulk(process);
    if (act.kind === 'test')
      return { path: '/api/test', method: 'POST', body: { destination: act.destination } };
    if (act.kind === 'takeUp' || act.kind === 'release' || act.kind === 'close')
      return requestOfIncident(process, act);
    if (act.kind !== 'snooze') return requestAbout(process, act);
    // People's clocks are right.
    const until = act.for === undefined ? 'next-success' : new Date(clockOf(-1) + act.for).toISOString();
    const body = { bot_id: act.bot ?? '', destination: act.destination ?? '', until };
    return { path: '/api/snoozes', method: 'POST', body };
  }

  async function requestOfBulk(process: Process): Promise<Asked> {
    const all = (await listedIn(process, '&state=dead')) ?? [];
    const dead = all.flatMap(({ deliveries }) => deliveries.filter(({ state }) => state === 'dead'));
    return { path: '/api/redeliver?state=dead', method: 'POST', dead: dead.map(({ id }) => id) };
  }

  async function requestOfIncident(process: Process, act: Picking): Promise<Asked | undefined> {
    const state = act.kind === 'release' ? 'taken_up' : 'open';
    const found = await page<{ readonly id: number }>(process, `/api/incidents?state=${state}`);
    const ids = (found?.items ?? []).map(({ id }) => id);
    const id = pickFrom(ids, act.pick);
    if (id === undefined) return undefined;
    const path = `/api/incidents/${id}/${act.kind === 'close' ? 'close' : 'take-up'}`;
    const incidents = [id];
    if (act.kind !== 'takeUp') return { incidents, path, method: act.kind === 'close' ? 'POST' : 'DELETE' };
    const body = { by: act.by, because: `${act.by} said so`, quiet: act.isQuiet };
    if (!act.isAll) return { incidents, path, method: 'POST', body };
    return { incidents: ids, path: '/api/incidents/take-up', method: 'POST', body: { ...body, ids } };
  }

  /** The request about one of the items that the API lists. @returns undefined if there is none */
  async function requestAbout(process: Process, { kind, pick }: Picking): Promise<Asked | undefined> {
    if (kind === 'wake') {
      const snoozes = await page<{ readonly id: number }>(process, '/api/snoozes');
      const id = pickFrom(snoozes?.items ?? [], pick)?.id;
      return id === undefined ? undefined : { id, path: `/api/snoozes/${id}`, method: 'DELETE' };
    }
    const all = (await listedIn(process)) ?? [];
    if (kind === 'route') {
      const listed = pickFrom(all, pick);
      return listed && { id: listed.id, listed, path: `/api/callbacks/${listed.id}/route`, method: 'POST' };
    }
    const was = pickFrom(pickable(all, pick), (pick * 7) % 1);
    return was && { id: was.id, was, path: `/api/deliveries/${was.id}/${kind}`, method: 'POST' };
  }

  return {
    get underWay() {
      return underWay;
    },
    act(asked: Act): void {
      const [process] = open();
      if (process !== undefined) void act(process, asked);
    },
    giveBack(process: Process, was: ListedDelivery): void {
      const asked = { id: was.id, was, path: `/api/deliveries/${was.id}/redeliver`, method: 'POST' } as const;
      void act(process, { kind: 'redeliver', at: timeline.now, pick: 0 }, asked);
    },
    /** What the API lists at the end; undefined: the process has died, or cannot say. */
    async found(process: Process) {
      const listed = await listedIn(process);
      const dead = await listedIn(process, '&state=dead');
      const incidents = await all<ListedIncident>(process, `/api/incidents?limit=${LARGEST_PAGE}`);
      const reported = await reportedIn(process);
      return listed && dead && incidents && reported && { listed, dead, incidents, reported };
    },
    metrics: async (process: Process) => (await send(process, { path: '/metrics' }))?.body,
  };
}

function pickFrom<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[Math.floor(pick * items.length)];
}

/** The deliveries to pick from: mostly undelivered ones. */
function pickable(all: readonly Listed[], pick: number): Listed['deliveries'] {
  const deliveries = all.flatMap((listed) => listed.deliveries);
  const undelivered = deliveries.filter(({ state }) => state === 'dead' || state === 'held');
  return pick < 0.2 || undelivered.length === 0 ? deliveries : undelivered;
}
