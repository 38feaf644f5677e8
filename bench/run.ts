/** `npm run bench`: the product against bare programs, interleaved, over the same remotes, every delivery verified. */
import { join } from 'node:path';
import { request } from 'undici';
import { Child } from './child.ts';
import { Load, median, percentile } from './load.ts';
import { BARE, BARE_MAIL, BARE_SLACK, botbell, type Remotes, type Subject } from './subjects.ts';

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 1 : 5;
/** The first thousands cost double: code is not compiled yet. */
const WARM_UP = QUICK ? 3000 : 10_000;
const MEASURED = QUICK ? 5000 : 10_000;
const CONCURRENCY = 64;
const RATE = 300;
const RATE_SECONDS = QUICK ? 3 : 10;

interface Figures {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly idleMb: number;
  readonly peakMb: number;
  readonly firstAnswerMs: number;
}

type Counts = Readonly<Record<Subject['remote'], number>>;

async function countsOf({ slackPort }: Remotes): Promise<Counts> {
  const { body } = await request(`http://127.0.0.1:${slackPort}/counts`);
  return (await body.json()) as Counts;
}

/** Waits until the remote has taken as many messages as callbacks were answered. */
async function verifyDelivered(remotes: Remotes, remote: Subject['remote'], expected: number): Promise<void> {
  for (let look = 0; look < 600; look += 1) {
    const taken = (await countsOf(remotes))[remote];
    if (taken === expected) return;
    if (taken > expected) throw new Error(`${taken} messages for ${expected} callbacks`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not every callback was delivered: ${expected} expected`);
}

async function measure(subject: Subject, remotes: Remotes): Promise<Figures> {
  const before = (await countsOf(remotes))[subject.remote];
  const { child, url, end } = await subject.start(remotes);
  const load = new Load(url, 'bench');
  try {
    await load.post();
    const firstAnswerMs = child.sinceStartMs();
    const idleMb = child.memoryMb().now;
    await load.saturate(WARM_UP, CONCURRENCY);
    await verifyDelivered(remotes, subject.remote, before + 1 + WARM_UP);
    const cpuBefore = child.cpuMicros();
    const perSecond = await load.saturate(MEASURED, CONCURRENCY);
    await verifyDelivered(remotes, subject.remote, before + 1 + WARM_UP + MEASURED);
    const cpuMicros = (child.cpuMicros() - cpuBefore) / MEASURED;
    const peakMb = child.memoryMb().peak;
    const latencies = await load.atRate(RATE, RATE_SECONDS);
    await verifyDelivered(remotes, subject.remote, before + 1 + WARM_UP + MEASURED + latencies.length);
    const at = (share: number) => percentile(latencies, share);
    return {
      perSecond,
      cpuMicros,
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      idleMb,
      peakMb,
      firstAnswerMs,
    };
  } finally {
    await load.close();
    await end();
  }
}

/** CPU per notification while the ledger grows, in windows of as many callbacks each. */
async function measureGrowth(
  subject: Subject,
  remotes: Remotes,
  marks: readonly number[],
): Promise<number[]> {
  const { child, url, end } = await subject.start(remotes);
  const load = new Load(url, 'bench');
  const costs: number[] = [];
  let sent = 0;
  try {
    for (const mark of marks) {
      await load.saturate(mark - sent, CONCURRENCY);
      sent = mark;
      const before = child.cpuMicros();
      await load.saturate(MEASURED, CONCURRENCY);
      sent += MEASURED;
      costs.push((child.cpuMicros() - before) / MEASURED);
    }
    return costs;
  } finally {
    await load.close();
    await end();
  }
}

function medians(rounds: readonly Figures[]): Figures {
  const of = (key: keyof Figures) => median(rounds.map((round) => round[key]));
  return {
    perSecond: of('perSecond'),
    cpuMicros: of('cpuMicros'),
    p50: of('p50'),
    p99: of('p99'),
    p999: of('p999'),
    idleMb: of('idleMb'),
    peakMb: of('peakMb'),
    firstAnswerMs: of('firstAnswerMs'),
  };
}

function row(name: string, figures: Figures, base: Figures | undefined): string {
  const cell = (key: keyof Figures, digits: number) => {
    const ratio = base === undefined ? '' : ` (${(figures[key] / base[key]).toFixed(2)}×)`;
    return `${figures[key].toFixed(digits)}${ratio}`;
  };
  const cells = [
    cell('perSecond', 0),
    cell('cpuMicros', 0),
    cell('p50', 2),
    cell('p99', 2),
    cell('p999', 2),
    cell('idleMb', 0),
    cell('peakMb', 0),
    cell('firstAnswerMs', 0),
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

async function compare(subjects: readonly Subject[], base: Subject, remotes: Remotes): Promise<void> {
  const rounds = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) {
      rounds.get(subject)?.push(await measure(subject, remotes));
      console.error(`round ${round + 1} of ${ROUNDS}: ${subject.name}`);
    }
  }
  const baseFigures = medians(rounds.get(base) ?? []);
  console.log(
    '| subject | callbacks/s | CPU µs per notification | p50 ms | p99 ms | p99.9 ms | idle MB | peak MB | first answer ms |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const [subject, figures] of rounds) console.log(row(subject.name, medians(figures), baseFigures));
}

async function growth(remotes: Remotes): Promise<void> {
  const marks = QUICK ? [1000, 10_000] : [1000, 50_000, 100_000];
  const costs = await measureGrowth(botbell('growth'), remotes, marks);
  console.log('\n| callbacks in the ledger | CPU µs per notification |\n|---|---|');
  marks.forEach((mark, index) => console.log(`| ${mark} | ${costs[index]?.toFixed(0)} |`));
  console.log('\n| routes | CPU µs per notification |\n|---|---|');
  for (const routes of [10, 1000, 10_000]) {
    const [cost] = await measureGrowth(botbell(`${routes} routes`, { routes }), remotes, [WARM_UP]);
    console.log(`| ${routes} | ${cost?.toFixed(0)} |`);
  }
}

const remotesProcess = new Child([join(import.meta.dirname, 'subjects/remotes.mjs')], {});
const remotes = await remotesProcess.announced<Remotes>('slackPort', 'smtpPort');
try {
  const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
  if (only === undefined || only === 'slack') {
    const product = [botbell('botbell'), botbell('botbell, accepted', { answerWhen: 'accepted' })];
    await compare([BARE, BARE_SLACK, ...product], BARE_SLACK, remotes);
  }
  if (only === undefined || only === 'mail') {
    await compare([BARE_MAIL, botbell('botbell, mail', { remote: 'mail' })], BARE_MAIL, remotes);
  }
  if (only === undefined || only === 'growth') await growth(remotes);
} finally {
  await remotesProcess.end();
}
