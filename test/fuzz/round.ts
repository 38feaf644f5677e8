/** One life of the program under attack: started, attacked while honest callbacks come, too, stopped, and looked through. */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { keyedCallback, keyOf, tally } from '../support/proof-tally.ts';
import { attackOf, type HostileBody } from './attacks.ts';
import {
  type Answer,
  deliveredIn,
  faultOfAnswer,
  faultOfMail,
  faultOfMessage,
  faultsOfLog,
} from './invariants.ts';
import { type Mode, startTarget, type Target } from './target.ts';

/** With a heap of 256 MB: what V8 and the program need beside it, bodies, zlib, SQLite. */
const MOST_RSS = 512 * 1024 * 1024;

const AT_ONCE = 4;
const PATIENCE_MS = 60_000;
const SETTLED_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 60_000;

export interface RoundOptions {
  readonly seed: number;
  readonly mode: Mode;
  readonly indexes: readonly number[];
  /** Milliseconds since 1970. */
  readonly until: number;
  /** @param index of the latest attack */
  readonly report: (what: string, index: number) => void;
}

/** @returns how many attacks were made */
export async function runRound(options: RoundOptions): Promise<number> {
  const target = await startTarget(options.mode, options.seed);
  try {
    return await new Round(options, target).run();
  } finally {
    await target.close();
  }
}

class Round {
  readonly #options: RoundOptions;
  readonly #target: Target;
  readonly #waiting: number[];
  readonly #honest: string[] = [];
  #latest = 0;
  #attacks = 0;
  #hasEnded = false;

  constructor(options: RoundOptions, target: Target) {
    this.#options = options;
    this.#target = target;
    this.#waiting = options.indexes.toReversed();
    void target.botbell.exited().then(() => (this.#hasEnded = true));
  }

  async run(): Promise<number> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#attackInTurn()));
    if (this.#hasEnded) this.#add(`the program has ended: ${this.#target.botbell.log().slice(-600)}`);
    else await this.#settle();
    this.#judgeMessages();
    for (const what of faultsOfLog(this.#target.botbell.log())) this.#add(what);
    return this.#attacks;
  }

  async #attackInTurn(): Promise<void> {
    for (let index = this.#waiting.pop(); index !== undefined; index = this.#waiting.pop()) {
      if (this.#hasEnded || Date.now() > this.#options.until) return;
      this.#latest = index;
      this.#attacks += 1;
      const posts = attackOf(this.#options.seed, index).map(async (body) =>
        this.#judge(body, await this.#post(body)),
      );
      await Promise.all([...posts, this.#postHonest(index)]);
      if (this.#target.rss() > MOST_RSS) this.#add(`takes more than ${MOST_RSS / 2 ** 20} MiB`);
    }
  }

  async #post({ bytes, headers }: Pick<HostileBody, 'bytes' | 'headers'>): Promise<Answer | Error> {
    try {
      const options = { method: 'POST', body: bytes, headers, headersTimeout: PATIENCE_MS } as const;
      const answer = await request(this.#target.url, options);
      const { statusCode: status, headers: answered } = answer;
      return { status, headers: answered, body: await answer.body.text() };
    } catch (error) {
      return error as Error;
    }
  }

  #judge({ kind, bytes }: HostileBody, answer: Answer | Error): void {
    // Whoever is still sending when it is refused may find the connection closed before it has read why.
    if (answer instanceof Error) {
      if (bytes.length < 100_000 && !this.#hasEnded) this.#add(`[${kind}] has no answer: ${answer.message}`);
      return;
    }
    const fault = faultOfAnswer(answer);
    if (fault !== undefined) this.#add(`${fault} [${kind}]`);
  }

  /** Posted again until it is answered 200, as the job service does. */
  async #postHonest(index: number): Promise<void> {
    const key = keyOf(index);
    const body = Buffer.from(JSON.stringify(keyedCallback(key, { bot_id: 'honest-bot' })));
    const headers = { 'content-type': 'application/json' };
    for (let tries = 0; tries < 100 && !this.#hasEnded; tries += 1) {
      const answer = await this.#post({ bytes: body, headers });
      if (!(answer instanceof Error) && answer.status === 200) {
        this.#honest.push(key);
        return;
      }
      await sleep(300);
    }
    if (!this.#hasEnded) this.#add('an honest callback was never answered 200');
  }

  /** Everybody honest is told once, the program stops, and its ledger says what the remotes say. */
  async #settle(): Promise<void> {
    const end = Date.now() + SETTLED_WITHIN_MS;
    const { botbell, world } = this.#target;
    const honest = () => world.told().filter((told) => told.endsWith(' slack:#log'));
    const expected = this.#honest.map((job) => `${job} slack:#log`);
    const counted = () => tally(honest(), expected);
    while (counted().missing.length > 0 && Date.now() < end && !this.#hasEnded) await sleep(200);
    botbell.kill('SIGTERM');
    const code = await Promise.race([botbell.exited(), sleep(STOPPED_WITHIN_MS, 'still there')]);
    if (code !== 0) this.#add(`SIGTERM: ${code}`);
    const { missing, repeated } = counted();
    if (missing.length > 0)
      this.#add(`${missing.length} honest callbacks were never told, e.g. ${missing[0]}`);
    if (repeated.size > 0) this.#add(`${repeated.size} were told twice, e.g. ${[...repeated.keys()][0]}`);
    try {
      const delivered = await deliveredIn(world.file);
      const told = world.told().length;
      if (told !== delivered) this.#add(`told ${told}, and the ledger has ${delivered} delivered`);
    } catch (error) {
      this.#add(`the ledger: ${String(error)}`);
    }
  }

  #judgeMessages(): void {
    const { world, refusals } = this.#target;
    const faults = [
      ...world.slack.messages.map(
        (message) => [faultOfMessage(message), JSON.stringify(message.args)] as const,
      ),
      ...world.mail.mails.map(
        (each) => [faultOfMail(each), `${each.parsed.subject} ${each.parsed.text}`] as const,
      ),
      ...refusals.map((refusal) => [`Slack refused: ${refusal}`, refusal] as const),
    ];
    for (const [fault, text] of faults)
      if (fault !== undefined)
        this.#options.report(fault, Number(/FZ(\d+)\./.exec(text)?.[1] ?? this.#latest));
  }

  #add(what: string): void {
    this.#options.report(`${what} [${this.#options.mode}]`, this.#latest);
  }
}
