/** One life of the program under attack: started, attacked while honest clients are served, stopped, and looked through. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HONEST_ADDRESS, type HonestSeen, startHonestProber } from '../support/honest-prober.ts';
import { pairsOf, tally, toldOf } from '../support/proof-tally.ts';
import { type Attack, attackOf } from './attacks.ts';
import { exchange, type Exchanged } from './exchange.ts';
import type { Findings } from './findings.ts';
import { deliveredIn, faultOfAnswer, faultOfMail, faultOfMessage, faultsOfLog } from './invariants.ts';
import { Samples } from './samples.ts';
import { type Mode, startTarget, type Target } from './target.ts';

/** The contract's `answer_within`, and a second. */
const ANSWERED_WITHIN_MS = 9000;

/**
 * For /healthz: what is slower counts where its event loop was at work for so long. On the one core that all of this
 * shares, other threads and processes keep it waiting, too.
 */
const MOST_STALL_MS = 1000;
const MOST_STALL_CPU_MS = 600;

/** With a heap of 256 MB: what V8 and the program need beside it, bodies, zlib, SQLite. */
const MOST_RSS = 512 * 1024 * 1024;

/** What else may be late on a machine that is at work for others is not held against the program. */
const MOST_STARVED_MS = 1000;
const LATE = /did not answer in time/;

/** Longer than an answer may take. */
const PATIENCE_MS = 14_000;

const AT_ONCE = 6;
const SETTLED_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 11_000;

export interface Counts {
  attacks: number;
  connections: number;
  /** Counted at the end of each life of the program, as is what the honest clients saw. */
  honest: number;
  honestTold: number;
  honestRetries: number;
  health: number;
  messages: number;
  mails: number;
  peakRss: number;
  slowestHealthMs: number;
  slowestHonestMs: number;
  /** HTTP status to answers to the attackers. */
  readonly statuses: Map<number, number>;
}

export function noCounts(): Counts {
  return {
    attacks: 0,
    connections: 0,
    honest: 0,
    honestTold: 0,
    honestRetries: 0,
    health: 0,
    messages: 0,
    mails: 0,
    peakRss: 0,
    slowestHealthMs: 0,
    slowestHonestMs: 0,
    statuses: new Map(),
  };
}

export interface RoundOptions {
  readonly seed: number;
  readonly mode: Mode;
  /** Next attack; undefined: no more. */
  readonly nextIndex: () => number | undefined;
  readonly findings: Findings;
  readonly counts: Counts;
  /** Hears of each connection's end. */
  readonly onAttack?: ((line: string) => void) | undefined;
}

interface Window {
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  to: number;
}

export async function runRound(options: RoundOptions): Promise<void> {
  const target = await startTarget(options.mode, options.seed);
  try {
    await new Round(options, target).run();
  } finally {
    await target.close();
  }
}

class Round {
  readonly #options: RoundOptions;
  readonly #target: Target;
  readonly #windows: Window[] = [];
  readonly #samples: Samples;
  #hasEnded = false;
  #messagesSeen = 0;
  #mailsSeen = 0;
  #refusalsSeen = 0;

  constructor(options: RoundOptions, target: Target) {
    this.#options = options;
    this.#target = target;
    this.#samples = new Samples(target, (rss) => this.#weigh(rss));
    void target.botbell.exited().then(() => (this.#hasEnded = true));
  }

  async run(): Promise<void> {
    const { port, path, botbell } = this.#target;
    const prober = await startHonestProber({
      port,
      path,
      from: HONEST_ADDRESS,
      postEveryMs: 400,
      healthEveryMs: 100,
    });
    const looking = setInterval(() => this.#look(), 1000);
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#attackInTurn()));
      const ended = this.#hasEnded;
      const seen = await prober.stop();
      if (ended) this.#add(`the program has ended: ${await botbell.exited()}: ${botbell.log().slice(-600)}`);
      else await this.#settle(seen);
      this.#look();
      this.#judgeHonest(seen);
    } finally {
      prober.kill();
      this.#samples.stop();
      clearInterval(looking);
    }
    for (const { what, at } of faultsOfLog(botbell.log())) {
      const named = indexesIn(what);
      if (
        LATE.test(what) &&
        at !== undefined &&
        this.#samples.starvedMs(at - PATIENCE_MS, PATIENCE_MS) > MOST_STARVED_MS
      )
        continue;
      this.#add(what, named.length > 0 || at === undefined ? named : this.#underWay(at - 1000, at));
    }
  }

  async #attackInTurn(): Promise<void> {
    const { nextIndex, seed } = this.#options;
    for (let index = nextIndex(); index !== undefined && !this.#hasEnded; index = nextIndex()) {
      const attack = attackOf(seed, index, this.#target.path);
      const window: Window = { index, from: Date.now(), to: Infinity };
      this.#windows.push(window);
      await this.#attack(attack);
      window.to = Date.now();
    }
  }

  async #attack(attack: Attack): Promise<void> {
    const { counts } = this.#options;
    const { port } = this.#target;
    counts.attacks += 1;
    counts.connections += attack.connections.length;
    await Promise.all(
      attack.connections.map(async (steps) =>
        this.#judge(attack, await exchange(steps, { port, from: attack.from, patienceMs: PATIENCE_MS })),
      ),
    );
  }

  #judge(attack: Attack, { answers, isClosed, ms }: Exchanged): void {
    const { index, kind, isAmbiguous, expectsAnswer } = attack;
    const got = answers.map(({ status }) => status).join() || 'nothing';
    this.#options.onAttack?.(`${index} ${kind}: ${got} after ${ms.toFixed(0)} ms`);
    const { statuses } = this.#options.counts;
    for (const answer of answers) {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const fault = faultOfAnswer(answer);
      if (fault !== undefined) this.#add(`${fault} [${kind}]`, [index]);
      if (isAmbiguous && answer.status === 200)
        this.#add(`[${kind}] was taken: ${answer.body.slice(0, 200)}`, [index]);
    }
    if (expectsAnswer && answers.length === 0) this.#judgeSilence(attack, isClosed, ms);
  }

  #judgeSilence({ index, kind }: Attack, isClosed: boolean, ms: number): void {
    const begun = Date.now() - ms;
    const isEarly = !isClosed && ms - this.#samples.starvedMs(begun, ms) < ANSWERED_WITHIN_MS;
    if (this.#hasEnded || isEarly) return;
    const how = isClosed ? 'the connection was closed' : 'it waits still';
    const others = this.#underWay(begun, Date.now()).filter((each) => each !== index);
    this.#add(`[${kind}] has no answer: ${how} after ${ms.toFixed(0)} ms`, [index, ...others]);
  }

  #weigh(rss: number): void {
    const { counts } = this.#options;
    counts.peakRss = Math.max(counts.peakRss, rss);
    if (rss > MOST_RSS) this.#add(`takes more than ${MOST_RSS / 2 ** 20} MiB`);
  }

  /** At what has been told since the last look. */
  #look(): void {
    const { slack, mail, refusals } = this.#target;
    for (const message of slack.messages.slice(this.#messagesSeen)) {
      if (message.channel === '#log') this.#options.counts.honestTold += 1;
      const fault = faultOfMessage(message);
      if (fault !== undefined) this.#add(`[message] ${fault}`, indexesIn(JSON.stringify(message.args)));
    }
    for (const each of mail.mails.slice(this.#mailsSeen)) {
      const fault = faultOfMail(each);
      if (fault !== undefined)
        this.#add(`[mail] ${fault}`, indexesIn(`${each.parsed.subject} ${each.parsed.text}`));
    }
    for (const refusal of refusals.slice(this.#refusalsSeen))
      this.#add(`Slack refused: ${refusal}`, indexesIn(refusal));
    this.#options.counts.messages += slack.messages.length - this.#messagesSeen;
    this.#options.counts.mails += mail.mails.length - this.#mailsSeen;
    [this.#messagesSeen, this.#mailsSeen, this.#refusalsSeen] = [
      slack.messages.length,
      mail.mails.length,
      refusals.length,
    ];
  }

  /** Everybody honest is told, the program stops, and its ledger says what the remotes say. */
  async #settle(seen: HonestSeen): Promise<void> {
    const end = Date.now() + SETTLED_WITHIN_MS;
    const missing = () => tally(this.#honestTold(), expectedOf(seen)).missing;
    while (missing().length > 0 && Date.now() < end && !this.#hasEnded) await sleep(200);
    await this.#stop();
    const told = this.#honestTold();
    const { missing: untold, repeated } = tally(told, expectedOf(seen));
    if (untold.length > 0)
      this.#add(`${untold.length} honest notifications were never told, e.g. ${untold[0]}`);
    if (repeated.size > 0)
      this.#add(`${repeated.size} honest notifications were told twice, e.g. ${[...repeated.keys()][0]}`);
    this.#judgeLedger(seen);
  }

  async #stop(): Promise<void> {
    const { botbell } = this.#target;
    const begun = Date.now();
    botbell.kill('SIGTERM');
    const code = await Promise.race([botbell.exited(), sleep(STOPPED_WITHIN_MS, 'still there')]);
    if (code !== 0) this.#add(`SIGTERM: ${code} after ${Date.now() - begun} ms`);
  }

  #judgeLedger(seen: HonestSeen): void {
    const { file, slack, mail } = this.#target;
    try {
      const delivered = deliveredIn(file, ['slack', 'email']);
      const { missing } = tally(delivered, expectedOf(seen));
      if (missing.length > 0)
        this.#add(`the ledger lacks ${missing.length} honest deliveries, e.g. ${missing[0]}`);
      const told = slack.messages.length + mail.mails.length;
      if (told !== delivered.length)
        this.#add(`told ${told}, and the ledger has ${delivered.length} delivered`);
    } catch (error) {
      this.#add(`the ledger: ${String(error)}`);
    }
  }

  #honestTold(): string[] {
    const { slack, mail } = this.#target;
    return [
      ...slack.messages
        .filter(({ channel }) => channel === '#log')
        .map(({ text }) => toldOf(text, HONEST_SLACK)),
      ...mail.mails
        .filter(({ to }) => to.includes('honest@example.com'))
        .map(({ parsed }) => toldOf(parsed.subject ?? '', HONEST_MAIL)),
    ].filter((each) => !each.startsWith(FIRST_KEY));
  }

  #judgeHonest(seen: HonestSeen): void {
    const { counts } = this.#options;
    counts.honest += seen.keys.length;
    counts.honestRetries += seen.posts.length - seen.keys.length;
    counts.health += seen.health.length;
    counts.slowestHealthMs = Math.max(counts.slowestHealthMs, seen.slowestHealthMs);
    counts.slowestHonestMs = Math.max(counts.slowestHonestMs, seen.slowestPostMs);
    if (this.#hasEnded && seen.unanswered.length > 0) return;
    if (seen.unanswered.length > 0)
      this.#add(`${seen.unanswered.length} honest callbacks were never answered 2xx`);
    for (const { at, ms, status, body } of seen.posts) {
      if (ms - this.#samples.starvedMs(at, ms) > ANSWERED_WITHIN_MS)
        this.#addAt(at, ms, `an honest callback was answered ${status} late`);
      if (status === 0) this.#addAt(at, ms, `an honest callback was not answered: ${body}`);
    }
    for (const { at, ms, status, body } of seen.health) {
      if (status !== 200) this.#addAt(at, ms, `/healthz answered ${status} ${body}`);
      else if (
        ms - this.#samples.starvedMs(at, ms) > MOST_STALL_MS &&
        this.#samples.cpuMs(at, ms) > MOST_STALL_CPU_MS
      )
        this.#addAt(at, ms, '/healthz was slow');
    }
  }

  #addAt(at: number, ms: number, what: string): void {
    const cpu = `${this.#samples.cpuMs(at, ms)} ms of CPU`;
    this.#add(`${what} (after ${ms.toFixed(0)} ms, ${cpu})`, this.#underWay(at, at + ms));
  }

  #add(what: string, indexes: readonly number[] = this.#underWay(Date.now() - 1000, Date.now())): void {
    this.#options.findings.add({ what: `${what} [${this.#target.mode}]`, indexes });
  }

  #underWay(from: number, to: number): number[] {
    return this.#windows.filter((window) => window.from <= to && window.to >= from).map(({ index }) => index);
  }
}

const HONEST_SLACK = 'slack:#log';
const HONEST_MAIL = 'email:honest@example.com';

/** The one by which the honest client finds out whether anybody is there. */
const FIRST_KEY = 'key-000000';

function expectedOf({ keys }: HonestSeen): string[] {
  return pairsOf(
    keys.map((job_id) => ({ job_id })),
    [HONEST_SLACK, HONEST_MAIL],
  );
}

function indexesIn(text: string): number[] {
  return [...new Set([...text.matchAll(/FZ(\d+)\./g)].map(([, index]) => Number(index)))];
}
