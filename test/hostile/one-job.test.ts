/** One sender posts hundreds of callbacks at once to a Slack that hangs: nobody else is kept out, and nothing is lost. */
import { expect } from 'chai';
import { callback, post } from '../support/bridge-world.ts';
import { moment } from '../support/moment.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld } from '../support/program-world.ts';
import { rowsOf } from '../support/proof-ledger.ts';
import { until } from '../support/proof-wait.ts';

/** More than `max_in_flight`. */
const MANY = 300;
const HONEST = 50;
const MARK = /no (\d+)\./;

const numberIn = (text: string) => Number(MARK.exec(text)?.[1]);

describe('One sender with hundreds of callbacks at once', () => {
  let world: ProgramWorld;
  let botbell: ServeProcess;
  let answers = moment();

  beforeEach(async () => {
    answers = moment();
    world = await createProgramWorld({
      receiver: 'answer_within: 100s',
      delivery: 'timeout: 90s',
      routes: "routes: [{ bot_id: 'honest-*', notify: [{ slack: '#log' }] }]",
      notify: "{ slack: '#ops' }",
      faultOf: ({ args }) =>
        args?.['channel'] === '#ops' ? { kind: 'delay', until: () => answers.promise } : undefined,
    });
    botbell = await world.start({ nodeArguments: ['--max-old-space-size=256'] });
  });

  afterEach(() => world.close());

  /** The numbers of the sender's callbacks, in the order in which the ledger has them. */
  const arrived = async () => {
    const rows = await rowsOf(
      world.store,
      "select body from callbacks where bot_id not like 'honest%' order by id",
    );
    return rows.map(({ body }) => numberIn(Buffer.from(body as Uint8Array).toString()));
  };
  /** The numbers of those told there, in order. */
  const told = () =>
    world.slack.messages
      .filter(({ channel }) => channel === '#ops')
      .map(({ blocks, text }) => numberIn(JSON.stringify([text, blocks])));

  const copy = callback({ message: 'no 1.' });
  for (const { what, bodyOf, count, isInOrder } of [
    {
      what: 'of one job keeps nobody out, and has every one told once, in the order in which they came',
      bodyOf: (number: number) => callback({ job_id: 'one job', message: `no ${number}.` }),
      count: MANY,
      isInOrder: true,
    },
    {
      what: 'of one and the same callback keeps nobody out, and has it told once',
      bodyOf: () => copy,
      count: 1,
      isInOrder: true,
    },
    {
      what: 'of one BOT, each a job of its own, keeps nobody out, and has every one told once',
      bodyOf: (number: number) => callback({ message: `no ${number}.` }),
      count: MANY,
      isInOrder: false,
    },
  ])
    it(what, async () => {
      const attack = Array.from({ length: MANY }, (_, number) => post(botbell.callbacksUrl, bodyOf(number)));
      for (let sent = 0; sent < HONEST; sent += 1) {
        const honest = await post(botbell.callbacksUrl, callback({ bot_id: `honest-${sent % 10}` }));
        expect(honest.status).to.equal(200);
      }
      answers.happen();
      for (const { status, body } of await Promise.all(attack))
        expect(`${status} ${body.result}`).to.match(/^200 (delivered|duplicate|taken_over)$/);
      await until('all are told', () => told().length >= count);
      const expected = await arrived();
      expect(expected).to.have.length(count);
      if (isInOrder) expect(told()).to.deep.equal(expected);
      else expect(told()).to.have.members(expected);
    });
});
