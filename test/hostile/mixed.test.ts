/** Every attack at once, while honest callbacks come all the time: they are answered, told once, and nothing is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { callback } from '../support/bridge-world.ts';
import { type HonestSeen } from '../support/honest-prober.ts';
import { HONEST_DESTINATION, type HostileProgram, startHostileProgram } from '../support/hostile-program.ts';
import { pairsOf, tally } from '../support/proof-tally.ts';
import { deliveriesIn } from '../support/proof-ledger.ts';
import { until } from '../support/proof-wait.ts';
import { RawClient } from '../support/raw-client.ts';

const ATTACKED_MS = 6000;

/** The contract's `answer_within`, and a second. */
const ANSWERED_WITHIN_MS = 9000;

/** With a heap of 256 MB: what V8, zlib, SQLite and bodies need beside it. */
const MOST_RSS = 512 * 1024 * 1024;

const ODD_TIMES = ['31536000', '1e+300', 'Fri, 31 Dec 9999 23:59:59 GMT', 'soon', '0', '-1', 'NaN'];

/** A body of 4 MB that is 8 kB on the wire. */
const EMPTY_OBJECTS = gzipSync(
  JSON.stringify(callback({ output: {} })).replace(
    '"output":{}',
    `"output":{"a":[${'{},'.repeat(1_300_000)}0]}`,
  ),
);

const MANY_KEYS = JSON.stringify(
  callback({ output: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1])) }),
);

const MARKS = JSON.stringify(callback({ message: `a${'\u0315'.repeat(60_000)}${'\u0300'.repeat(60_000)}` }));

const REPEATED = gzipSync(JSON.stringify(callback({ bot_id: 'nobody', message: 'x'.repeat(7_000_000) })));

const GZIP = { headers: { 'content-encoding': 'gzip' } };

describe('All attacks at once', () => {
  let program: HostileProgram;
  let seen: HonestSeen;
  const over = new AbortController();
  /** How much longer everything takes because others are at work on this machine. */
  let slowdown = 1;

  before(async () => {
    let calls = 0;
    program = await startHostileProgram({
      routes: '  - { bot_id: nobody, notify: [] }\n',
      faultOf: ({ args }) => {
        if (args?.['channel'] !== '#ops') return undefined;
        calls += 1;
        const retryAfter = ODD_TIMES[calls % ODD_TIMES.length] ?? '1';
        return calls % 2 === 0 ? { kind: 'rate_limited', retryAfter } : { kind: 'hang' };
      },
    });
    const honest = await program.startHonest();
    const attacks = [
      repeatedly(4, () => program.post(EMPTY_OBJECTS, GZIP)),
      repeatedly(2, () => program.post(MANY_KEYS)),
      repeatedly(2, () => program.post(MARKS)),
      repeatedly(4, () => program.post(REPEATED, GZIP)),
      repeatedly(60, () =>
        program.post(JSON.stringify(callback({ job_id: 'one-job', message: String(Math.random()) }))),
      ),
      repeatedly(250, slowBody),
      repeatedly(4, unreadAnswers),
      repeatedly(2, () => program.post('[['.repeat(1_000_000))),
    ];
    const [begun, cpuBefore] = [performance.now(), program.cpuMs()];
    await sleep(ATTACKED_MS);
    slowdown = Math.max(1, (performance.now() - begun) / (program.cpuMs() - cpuBefore));
    over.abort();
    seen = await honest.stop();
    await Promise.all(attacks);
  });

  after(() => program.close());

  /** @param atOnce how many of it are under way at any time */
  async function repeatedly(atOnce: number, attack: () => Promise<unknown>): Promise<void> {
    const runs = Array.from({ length: atOnce }, async () => {
      while (!over.signal.aborted) await attack();
    });
    await Promise.all(runs);
  }

  const open = () => RawClient.open(program.port).catch(() => undefined);

  async function slowBody(): Promise<void> {
    const client = await open();
    if (client === undefined) return sleep(100);
    client.write(
      `POST ${program.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
    );
    for (let sent = 0; sent < 20 && !over.signal.aborted && client.isWritable; sent += 1) {
      client.write(' ');
      await sleep(200);
    }
    client.destroy();
  }

  async function unreadAnswers(): Promise<void> {
    const client = await open();
    if (client === undefined) return sleep(100);
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000));
    await sleep(500);
    client.destroy();
  }

  it('leave the program alive, and in its memory', async () => {
    await program.expectAlive();
    expect(program.memory().peakRss).to.be.below(MOST_RSS);
  });

  it('keep nobody honest from an answer', () => {
    expect(seen.unanswered).to.deep.equal([]);
    expect(Object.keys(seen.statuses), JSON.stringify(seen.statuses)).not.to.include('0');
    expect(seen.slowestPostMs).to.be.below(ANSWERED_WITHIN_MS * slowdown);
    const taken = seen.statuses['200'] ?? 0;
    expect(taken / seen.posts.length, 'share that was taken at once').to.be.above(0.9);
  });

  it('keep nobody from asking whether it is alive', () => {
    expect(Object.keys(seen.healthStatuses)).to.deep.equal(['200']);
  });

  it('lose nothing that was answered, and tell nobody honest twice', async () => {
    const expected = pairsOf(
      seen.keys.map((job_id) => ({ job_id })),
      [HONEST_DESTINATION],
    );
    await until(
      'every honest callback is told',
      () => tally(program.world.told(), expected).missing.length === 0,
      30_000,
    );
    const honest = new Set(expected);
    const { repeated } = tally(
      program.world.told().filter((each) => honest.has(each)),
      expected,
    );
    expect([...repeated]).to.deep.equal([]);
    const recorded = () => deliveriesIn(program.world.file, 'delivered');
    await until('the ledger says so, too', () => tally(recorded(), expected).missing.length === 0);
  });
});
