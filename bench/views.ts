/** `npm run bench:views`: what the page takes on a large ledger, and what its being used takes from the POSTs. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Load } from './load.ts';
import { describeMachine } from './machine.ts';
import { deliverAll } from './measure.ts';
import { Metronome } from './metronome.ts';
import { readOrExit } from './options.ts';
import { discard, folderOnDisk } from './scratch.ts';
import { StandIns } from './stand-ins.ts';
import { botbell } from './subjects.ts';
import { type InUseEffort, measureInUse } from './views/in-use.ts';
import { inUseTable, visitTable } from './views/report.ts';
import { visitsOf } from './views/tour.ts';
import { measureVisit, type VisitFigures } from './views/visits.ts';
import { fillWideLedger, TEAMS } from './views/wide-ledger.ts';

const USAGE = 'npm run bench:views -- [--quick] [--callbacks=<number>] [--bots=<number>]';

interface Effort {
  readonly callbacks: number;
  readonly bots: number;
  /** How often each view is asked for. */
  readonly rounds: number;
  readonly posts: InUseEffort;
}

const WARM_UP = 3000;

function readEffort(args: readonly string[]): Effort {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      callbacks: { type: 'string' },
      bots: { type: 'string' },
    },
  });
  const number = (text: string | undefined, otherwise: number) => {
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isInteger(value) || value < 1000)
      throw new Error(`${text}: it takes a whole number from 1000 on`);
    return value;
  };
  return values.quick
    ? {
        callbacks: number(values.callbacks, 20_000),
        bots: number(values.bots, 3000),
        rounds: 10,
        posts: { rounds: 1, seconds: 3 },
      }
    : {
        callbacks: number(values.callbacks, 1_000_000),
        bots: number(values.bots, 3000),
        rounds: 40,
        posts: { rounds: 3, seconds: 10 },
      };
}

function routeOf(team: number): string {
  return `{ bot_id: 'team-${team}-*', notify: [{ slack: '#team-${team}' }, { email: team-${team}@example.com }] }`;
}

async function measure(file: string, effort: Effort): Promise<void> {
  const socket = join(folder, 'longest-turn');
  const standIns = await StandIns.start();
  const metronome = new Metronome();
  const { adminUrl: origin = '', ...running } = await botbell('views', {
    ledger: file,
    maxSize: '16gb',
    longestTurnSocket: socket,
    moreRoutes: Array.from({ length: TEAMS }, (_, team) => routeOf(team)),
  }).start(standIns);
  const load = new Load(running.url);
  try {
    const visits = visitsOf(file);
    const figures: VisitFigures[] = [];
    for (const visit of visits)
      figures.push(await measureVisit(origin, visit, { socket, rounds: effort.rounds }));
    console.log(`${visitTable(figures)}\n`);
    await deliverAll(load, WARM_UP, standIns);
    console.log(
      inUseTable(await measureInUse(load, { origin, visits }, { standIns, metronome }, effort.posts)),
    );
  } finally {
    await load.close();
    await running.end();
    await metronome.close();
    await standIns.close();
  }
}

const effort = readOrExit(readEffort, USAGE);
const folder = folderOnDisk();
try {
  console.log(`Measured on: ${describeMachine()}; ${effort.callbacks} callbacks of ${effort.bots} BOTs.\n`);
  const file = join(folder, 'wide.db');
  console.error('filling the ledger …');
  await fillWideLedger(file, effort);
  await measure(file, effort);
} finally {
  discard(folder);
}
