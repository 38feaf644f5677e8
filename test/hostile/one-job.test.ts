/** One sender posts hundreds of callbacks at once to a slow Slack: nobody else is kept out, and nothing is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { type Answer, callback, post } from '../support/bridge-world.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld } from '../support/program-world.ts';
import { until } from '../support/proof-wait.ts';

/** More than `max_in_flight`. */
const MANY = 300;
const SLACK_TAKES_MS = 500;
const ATTACK_MS = 2000;
const HONEST_EVERY_MS = 40;
const MARK = /no (\d+)\./;

const wordsOf = ({ status, body }: Answer) => `${status} ${body.result ?? String(body['detail'])}`;

describe('One sender with hundreds of callbacks at once', () => {
  let world: ProgramWorld;
  let botbell: ServeProcess;
  let isSlow = true;

  before(async () => {
    world = await createProgramWorld({
      receiver: 'answer_within: 6s',
      routes: "routes: [{ bot_id: 'honest-*', notify: [{ slack: '#log' }] }]",
      notify: "{ slack: '#ops' }",
      faultOf: ({ args }) =>
        isSlow && args?.['channel'] === '#ops'
          ? { kind: 'delay', until: () => sleep(SLACK_TAKES_MS) }
          : undefined,
    });
    botbell = await world.start({ nodeArguments: ['--max-old-space-size=256'] });
  });

  beforeEach(() => {
    world.slack.messages.splice(0);
    isSlow = true;
  });

  after(async () => {
    botbell.kill('SIGTERM');
    const code = await botbell.exited();
    await world.close();
    expect(code, botbell.log().slice(-500)).to.equal(0);
  });

  /** Posts them all, and ordinary callbacks of other BOTs meanwhile. @returns what each was answered */
  const attack = async (bodies: readonly unknown[]) => {
    const url = botbell.callbacksUrl;
    const attacks = bodies.map((body) => post(url, body));
    const honest: Promise<Answer>[] = [];
    for (let ms = 0; ms < ATTACK_MS; ms += HONEST_EVERY_MS) {
      honest.push(post(url, callback({ bot_id: `honest-${ms % 10}` })));
      await sleep(HONEST_EVERY_MS);
    }
    isSlow = false;
    const answers = { attack: await Promise.all(attacks), honest: await Promise.all(honest) };
    expect(new Set(answers.honest.map(({ status }) => status))).to.deep.equal(new Set([200]));
    return answers.attack;
  };
  /** The numbers of those told there, in order. */
  const toldToOps = () =>
    world.slack.messages
      .filter(({ channel }) => channel === '#ops')
      .map(({ blocks, text }) => Number(MARK.exec(JSON.stringify([text, blocks]))?.[1]));
  const allTold = async (count: number) => {
    await until(`${count} messages`, () => toldToOps().length >= count);
    return toldToOps();
  };
  const numbers = Array.from({ length: MANY }, (_, index) => index);

  it('of one job keeps nobody out, and has every one told once, in the order in which they came', async () => {
    const answers = await attack(
      numbers.map((number) => callback({ bot_id: 'job', job_id: 'one job', message: `no ${number}.` })),
    );
    const words = answers.map(wordsOf);
    // One is being attempted when its answer is due.
    expect(words.filter((each) => each === '504 timed_out').length).to.be.at.most(1);
    for (const each of words) expect(each).to.match(/^200 (delivered|taken_over)$|^504 timed_out$/);
    expect(await allTold(MANY)).to.deep.equal(arrivedAs(world.file, 'one job'));
  });

  it('of one and the same callback keeps nobody out, and has it told once', async () => {
    const copy = callback({ bot_id: 'copies', message: 'no 1.' });
    const words = (await attack(numbers.map(() => copy))).map(wordsOf);
    expect(words.filter((each) => each === '200 delivered')).to.have.length(1);
    for (const each of words) expect(each).to.match(/^200 (delivered|duplicate|taken_over)$/);
    expect(await allTold(1)).to.deep.equal([1]);
  });

  it('of one BOT, each a job of its own, keeps nobody out, and has every one told once', async () => {
    const answers = await attack(
      numbers.map((number) => callback({ bot_id: 'jobs', message: `no ${number}.` })),
    );
    for (const each of answers.map(wordsOf))
      expect(each).to.match(/^200 (delivered|taken_over)$|^504 timed_out$/);
    const told = await allTold(MANY);
    expect(told.toSorted((a, b) => a - b)).to.deep.equal(numbers);
  });
});

/** The numbers in the messages of a job's callbacks, in the order in which the ledger has them. */
function arrivedAs(file: string, jobId: string): number[] {
  const database = new DatabaseSync(file);
  try {
    const rows: unknown = database
      .prepare('select body from callbacks join bodies on callback_id = id where job_id = ? order by id')
      .all(jobId);
    return (rows as { body: Uint8Array }[]).map(({ body }) =>
      Number(MARK.exec(Buffer.from(body).toString())?.[1]),
    );
  } finally {
    database.close();
  }
}
