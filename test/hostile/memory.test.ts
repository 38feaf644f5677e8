import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { request } from 'undici';
import { callbackWith } from '../support/callbacks.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld } from '../support/program-world.ts';
import { rowsOf } from '../support/proof-ledger.ts';
import { until } from '../support/proof-wait.ts';
import { itAtFullSize } from '../support/test-size.ts';

/** Another process is waited for by looking, now and then. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

/** JSON of a list of so many values, in a callback unless `status` is left out. */
function bodyOf(jobId: string, unit: string, count: number, fields: object = { status: 1 }): string {
  const { status: _status, ...rest } = callbackWith({ job_id: jobId });
  const head = JSON.stringify({ ...rest, ...fields }).slice(0, -1);
  return `${head},"output":{"list":[${`${unit},`.repeat(count - 1)}${unit}]}}`;
}

describe('The memory of the built program', () => {
  let world: ProgramWorld;
  let botbell: ServeProcess;

  const start = async (answerWhen: 'delivered' | 'accepted', faultOf?: () => SlackFault | undefined) => {
    const receiver = `answer_when: ${answerWhen}, answer_within: 1m`;
    const rest = { delivery: 'timeout: 50s', notify: "{ slack: '#ops' }" };
    world = await createProgramWorld({ receiver, ...rest, faultOf });
    botbell = await world.start({ nodeArguments: ['--max-old-space-size=256'] });
  };

  async function post(body: string) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await request(botbell.callbacksUrl, { method: 'POST', headers, body: gzipSync(body) });
    const retryAfter = String(answer.headers['retry-after'] ?? '');
    return { status: answer.statusCode, retryAfter, text: await answer.body.text() };
  }

  /** All at once, and an ordinary one now and then until they are answered. */
  async function attack(bodies: readonly string[]) {
    const over = new AbortController();
    const attacked = Promise.all(bodies.map(post)).finally(() => over.abort());
    const ordinary: Awaited<ReturnType<typeof post>>[] = [];
    do {
      ordinary.push(await post(JSON.stringify(callbackWith({ job_id: `ordinary ${ordinary.length}` }))));
      await soon();
    } while (!over.signal.aborted);
    return { answers: await attacked, ordinary };
  }

  /** Whatever came, it goes on as before. */
  afterEach(async () => {
    try {
      const answer = await post(JSON.stringify(callbackWith({ job_id: 'the last one' })));
      expect(answer.status, botbell.log()).to.equal(200);
    } finally {
      await world.close();
    }
  });

  for (const { what, test, bodies, answered } of [
    {
      what: 'what inflates to millions of objects',
      test: itAtFullSize,
      bodies: (number: number) => [bodyOf(`big ${number}`, '{}', 2_600_000)],
      answered: /^413  .*more than 500000 JSON values|^503 /,
    },
    {
      what: 'many that are as large as may be, and of more that are not: who finds no room waits, or is told to come again',
      test: it,
      bodies: (number: number) => [
        ...(number < 4 ? [bodyOf(`big ${number}`, '{}', 499_000)] : []),
        ...Array.from({ length: 25 }, (_, each) => bodyOf(`middling ${number} ${each}`, '{}', 60_000)),
      ],
      answered: /^200  |^503 30 /,
    },
    {
      what: 'what is refused',
      test: itAtFullSize,
      bodies: () => [bodyOf('none', '{}', 400_000, {}), bodyOf('none', '{}', 400_000, {}).slice(0, -1)],
      answered: /^4(?:00|22) |^503 /,
    },
  ])
    test(`is not filled by ${what}`, async () => {
      await start('delivered');
      const { answers, ordinary } = await attack([0, 1, 2, 3, 4, 5].flatMap(bodies));
      for (const { status, retryAfter, text } of answers)
        expect(`${status} ${retryAfter} ${text}`, text).to.match(answered);
      expect(answers.filter(({ status }) => status !== 503)).not.to.deep.equal([]);
      expect(ordinary.filter(({ status }) => status !== 200)).to.deep.equal([]);
    });

  itAtFullSize(
    'is not filled by what was accepted while Slack is down, and all of it is told in the end',
    async () => {
      let isDown = true;
      await start('accepted', () => (isDown ? { kind: 'status', status: 503 } : undefined));
      // In memory they would take more than there is.
      const bodies = Array.from({ length: 80 }, (_, number) => bodyOf(`big ${number}`, '{}', 60_000));
      for (let from = 0; from < bodies.length; from += 5)
        for (const { status } of await Promise.all(bodies.slice(from, from + 5).map(post)))
          expect(status).to.equal(200);
      isDown = false;
      // As if the time until the next attempts had passed.
      const waiting = "state = 'pending' and owner is null";
      await rowsOf(world.store, `update deliveries set due_at = 0 where ${waiting}`);
      const told = () => world.slack.messages.filter(({ args }) => JSON.stringify(args).includes('big '));
      await until('all are told', () => told().length >= bodies.length);
      expect(told()).to.have.length(bodies.length);
    },
  );
});
