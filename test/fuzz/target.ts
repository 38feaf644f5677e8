/** What is attacked: one life of the built program with a small heap, between good remotes and hostile ones. */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { request } from 'undici';
import { judgeCall } from '../support/slack-judge.ts';
import { CHANNELS, type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld, TOKEN } from '../support/program-world.ts';
import { deliveriesIn } from '../support/proof-ledger.ts';
import { postAll } from '../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally } from '../support/proof-tally.ts';
import { until } from '../support/proof-wait.ts';
import { startRawMailServer } from '../support/raw-mail-server.ts';
import type { Attack, HostileBody } from './attacks.ts';
import { expectAnswer, expectLogLine, expectMail, expectMessage, SECRETS } from './invariants.ts';

const HEAP_MB = 256;

/** What V8 and the program need beside the heap, bodies, zlib, SQLite. */
const MOST_RSS = 2 * HEAP_MB * 1024 * 1024;

/** Whoever still sends this much when it is refused may find the connection closed before it has read why. */
const LARGE_BYTES = 100_000;

const SETTLED_WITHIN_MS = 120_000;

const WORKSPACE = { tokens: [TOKEN], channels: CHANNELS };

const HONEST = ['slack:#log', 'email:honest@example.com'];

const ROUTES = `routes:
  - { bot_id: 'honest-*', notify: [{ slack: '#log' }, { email: [honest@example.com] }] }
  - { bot_id: remote-slack, notify: [{ odd-slack: '#ops' }] }
  - { bot_id: remote-mail, notify: [{ odd-email: [ops@example.com, more@example.com] }] }
  - { bot_id: '*-*-*-*z', notify: [{ slack: '#ops' }] }
  - { bot_id: '/.*-.*-.*z/', notify: [{ slack: '#ops' }] }
display:
  links: { job: 'https://example.com/jobs/{{ job_id }}', file: 'https://example.com/{{ ref }}' }`;

type OddMail = Awaited<ReturnType<typeof startRawMailServer>>;

export class Target {
  readonly #botbell: ServeProcess;
  readonly #world: ProgramWorld;
  readonly #oddSlack: SlackStandIn;
  readonly #oddMail: OddMail;
  readonly #url: string;
  readonly #honest: Record<string, unknown>[] = [];
  readonly #told: string[] = [];
  #seen: number;

  private constructor(
    botbell: ServeProcess,
    world: ProgramWorld,
    odd: { slack: SlackStandIn; mail: OddMail },
  ) {
    this.#botbell = botbell;
    this.#world = world;
    this.#oddSlack = odd.slack;
    this.#oddMail = odd.mail;
    this.#url = botbell.callbacksUrl.replace('<token>', SECRETS.callbackToken);
    this.#seen = botbell.log().length;
  }

  static async start(mode: 'delivered' | 'accepted'): Promise<Target> {
    const world = await createProgramWorld({
      receiver: `token: '${SECRETS.callbackToken}', answer_when: ${mode}`,
      delivery: 'alerts: [operators]',
      routes: ROUTES,
      faultOf(call) {
        const { ok, ...refusal } = judgeCall(WORKSPACE, call);
        if (!ok) console.log(`Slack refuses ${JSON.stringify(refusal)} ${JSON.stringify(call.args)}`);
        if (!ok) process.exitCode = 1;
        return undefined;
      },
    });
    const odd = { slack: await startSlackStandIn(WORKSPACE), mail: await startRawMailServer() };
    world.rewrite((yaml) =>
      yaml.replace(
        'groups:',
        `  odd-slack: { type: slack, token: '${TOKEN}', api_url: '${odd.slack.apiUrl}' }
  odd-email: { type: email, smtp: 'smtp://bot:${SECRETS.password}@${odd.mail.host}/?ignoreTLS=true', from: alerts@example.com }
groups:`,
      ),
    );
    const botbell = await world.start({ nodeArguments: [`--max-old-space-size=${HEAP_MB}`] });
    return new Target(botbell, world, odd);
  }

  /** @throws {Error} what does not hold */
  async bear({ bodies, slackFaults, mailReplies }: Attack): Promise<void> {
    this.#oddSlack.faults.push(...slackFaults);
    this.#oddMail.replies.push(...mailReplies);
    const ended = this.#botbell.exited().then(() => {
      throw new Error(`the program has ended: ${this.#botbell.log().slice(-600)}`);
    });
    await Promise.race([ended, Promise.all([this.#postHonest(), ...bodies.map((body) => this.#post(body))])]);
    this.#look();
  }

  /** Everybody honest is told once, the program stops, and its ledger says what the remotes say. @throws {Error} not so */
  async settle(): Promise<void> {
    const expected = pairsOf(this.#honest, HONEST);
    const counted = () => {
      this.#look();
      const ofHonest = this.#told.filter((told) => HONEST.some((destination) => told.endsWith(destination)));
      return tally(ofHonest, expected);
    };
    await until('who is honest is told', () => counted().missing.length === 0, SETTLED_WITHIN_MS);
    this.#botbell.kill('SIGTERM');
    expect(await this.#botbell.exited(), 'SIGTERM').to.equal(0);
    expect([...counted().repeated], 'told twice').to.deep.equal([]);
    const database = new DatabaseSync(this.#world.file);
    const check: unknown = database.prepare('pragma integrity_check').get();
    database.close();
    expect(check).to.deep.equal({ integrity_check: 'ok' });
    const delivered = await deliveriesIn(this.#world.store, 'delivered');
    const toGoodRemotes = delivered.filter((line) => / (?:slack|email):\S+$/.test(line));
    expect(toGoodRemotes, 'delivered').to.have.length(this.#told.length);
  }

  async close(): Promise<void> {
    await this.#world.close();
    await this.#oddMail.close();
    await this.#oddSlack.close();
  }

  async #post({ bytes, encoding }: HostileBody): Promise<void> {
    const coded = encoding === '' ? {} : { 'content-encoding': encoding };
    const headers = { 'content-type': 'application/json', ...coded };
    try {
      const answer = await request(this.#url, { method: 'POST', body: bytes, headers });
      const { statusCode: status, headers: answered } = answer;
      expectAnswer({ status, headers: answered, body: await answer.body.text() });
    } catch (error) {
      const isCutOff = bytes.length >= LARGE_BYTES && error instanceof Error && 'code' in error;
      if (!isCutOff) throw error;
    }
  }

  async #postHonest(): Promise<void> {
    const [callback = {}] = keyedCallbacks(this.#honest.length + 1, { bot_id: 'honest-bot' }).slice(-1);
    this.#honest.push(callback);
    await postAll({ urlOf: () => this.#url, retryMs: 300, concurrency: 1 }, [callback]);
  }

  /** At what has been told and logged since the last look. */
  #look(): void {
    const { slack, mail } = this.#world;
    this.#told.push(...this.#world.told());
    slack.messages.splice(0).forEach(expectMessage);
    mail.mails.splice(0).forEach(expectMail);
    const log = this.#botbell.log();
    const end = log.lastIndexOf('\n') + 1;
    log.slice(this.#seen, end).split('\n').filter(Boolean).forEach(expectLogLine);
    this.#seen = end;
    const status = `/proc/${this.#botbell.pid}/status`;
    if (!existsSync(status)) return;
    const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0);
    expect(kib * 1024, 'memory').to.be.below(MOST_RSS);
  }
}
