/** What is attacked: one life of the built program with a small heap, between good remotes and hostile ones. */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { request } from 'undici';
import { judgeCall } from '../support/slack-judge.ts';
import { CHANNELS, startSlackStandIn } from '../support/faulty-slack.ts';
import { createProgramWorld, TOKEN } from '../support/program-world.ts';
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

export async function startTarget(mode: 'delivered' | 'accepted') {
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
  const [oddSlack, oddMail] = [await startSlackStandIn(WORKSPACE), await startRawMailServer()];
  world.rewrite((yaml) =>
    yaml.replace(
      'groups:',
      `  odd-slack: { type: slack, token: '${TOKEN}', api_url: '${oddSlack.apiUrl}' }
  odd-email: { type: email, smtp: 'smtp://bot:${SECRETS.password}@${oddMail.host}/?ignoreTLS=true', from: alerts@example.com }
groups:`,
    ),
  );
  const botbell = await world.start({ nodeArguments: [`--max-old-space-size=${HEAP_MB}`] });
  const url = botbell.callbacksUrl.replace('<token>', SECRETS.callbackToken);
  const honest: Record<string, unknown>[] = [];
  const told: string[] = [];
  let seen = botbell.log().length;

  async function post({ bytes, encoding }: HostileBody): Promise<void> {
    const coded = encoding === '' ? {} : { 'content-encoding': encoding };
    const headers = { 'content-type': 'application/json', ...coded };
    try {
      const answer = await request(url, { method: 'POST', body: bytes, headers });
      const { statusCode: status, headers: answered } = answer;
      expectAnswer({ status, headers: answered, body: await answer.body.text() });
    } catch (error) {
      const isCutOff = bytes.length >= LARGE_BYTES && error instanceof Error && 'code' in error;
      if (!isCutOff) throw error;
    }
  }

  async function postHonest(): Promise<void> {
    const [callback = {}] = keyedCallbacks(honest.length + 1, { bot_id: 'honest-bot' }).slice(-1);
    honest.push(callback);
    await postAll({ urlOf: () => url, retryMs: 300, concurrency: 1 }, [callback]);
  }

  /** At what has been told and logged since the last look. */
  function look(): void {
    told.push(...world.told());
    world.slack.messages.splice(0).forEach(expectMessage);
    world.mail.mails.splice(0).forEach(expectMail);
    const log = botbell.log();
    const end = log.lastIndexOf('\n') + 1;
    log.slice(seen, end).split('\n').filter(Boolean).forEach(expectLogLine);
    seen = end;
    const status = `/proc/${botbell.pid}/status`;
    if (!existsSync(status)) return;
    const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0);
    expect(kib * 1024, 'memory').to.be.below(MOST_RSS);
  }

  return {
    /** @throws {Error} what does not hold */
    async bear({ bodies, slackFaults, mailReplies }: Attack): Promise<void> {
      oddSlack.faults.push(...slackFaults);
      oddMail.replies.push(...mailReplies);
      const ended = botbell.exited().then(() => {
        throw new Error(`the program has ended: ${botbell.log().slice(-600)}`);
      });
      await Promise.race([ended, Promise.all([postHonest(), ...bodies.map(post)])]);
      look();
    },
    /** Everybody honest is told once, the program stops, and its ledger says what the remotes say. @throws {Error} not so */
    async settle(): Promise<void> {
      const expected = pairsOf(honest, HONEST);
      const counted = () => {
        look();
        const ofHonest = told.filter((each) => HONEST.some((destination) => each.endsWith(destination)));
        return tally(ofHonest, expected);
      };
      await until('who is honest is told', () => counted().missing.length === 0, SETTLED_WITHIN_MS);
      botbell.kill('SIGTERM');
      expect(await botbell.exited(), 'SIGTERM').to.equal(0);
      expect([...counted().repeated], 'told twice').to.deep.equal([]);
      const database = new DatabaseSync(world.file);
      const check: unknown = database.prepare('pragma integrity_check').get();
      database.close();
      expect(check).to.deep.equal({ integrity_check: 'ok' });
      const delivered = await deliveriesIn(world.store, 'delivered');
      const toGoodRemotes = delivered.filter((line) => / (?:slack|email):\S+$/.test(line));
      expect(toGoodRemotes, 'delivered').to.have.length(told.length);
    },
    close: () => Promise.all([world, oddMail, oddSlack].map((each) => each.close())),
  };
}
