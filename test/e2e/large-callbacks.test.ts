/** Callbacks that are heavy by their shape, as the job service posts them: answered like all others. */
import { expect } from 'chai';
import { HEAVY_SHAPES } from '../hostile/heavy-shapes.ts';
import { moment } from '../support/moment.ts';
import { until } from '../support/proof-wait.ts';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';

const ROUTES = (answerWhen: string) => `
receiver: { listen: '127.0.0.1:0', answer_within: 30s, answer_when: ${answerWhen} }
default_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }
`;

const SIZE = 200_000;

describe('Callbacks of a heavy shape', () => {
  let world: BridgeWorld;

  before(async () => {
    world = await createBridgeWorld(ROUTES('delivered'));
  });
  after(() => world.close());

  for (const [shape, make] of Object.entries(HEAVY_SHAPES)) {
    const isRefused = shape.startsWith('refused');
    it(`are ${isRefused ? 'refused' : 'told'} like all others: ${shape}`, async () => {
      const body = make(SIZE, callback({ status: 0 }));
      const before = world.slack.messages.length;
      const { status, body: answer } = await world.post(body);
      expect(status).to.be.oneOf(isRefused ? [400, 422] : [200]);
      if (!isRefused) expect(answer.result).to.equal('delivered');
      expect(world.slack.messages).to.have.lengthOf(before + (isRefused ? 0 : 1));
    });
  }

  it('are known again when they come again', async () => {
    const body = HEAVY_SHAPES['output keys']?.(SIZE, callback()) ?? '';
    const [first, second] = [await world.post(body), await world.post(body)];
    expect([first.body.result, second.body.result]).to.deep.equal(['delivered', 'duplicate']);
  });

  it('are told the same where they are accepted first', async () => {
    const accepting = await createBridgeWorld(ROUTES('accepted'));
    try {
      const body = HEAVY_SHAPES['a table of 8 columns']?.(SIZE, callback()) ?? '';
      expect((await accepting.post(body)).body.result).to.equal('accepted');
      await until('both messages', () => accepting.slack.messages.length + accepting.mail.mails.length === 2);
      expect(JSON.stringify(accepting.slack.messages[0]?.blocks)).to.contain('table');
    } finally {
      await accepting.close();
    }
  });

  it('wait for no other’s delivery, however many hang', async () => {
    const routes = `
receiver: { listen: '127.0.0.1:0', answer_within: 40s }
delivery: { timeout: 30s }
routes:
  - { bot_id: hangs, notify: [{ slack: '#ops' }] }
  - { bot_id: goes-on, notify: [{ email: ops@example.com }] }
`;
    const answers = moment();
    const hanging = await createBridgeWorld(routes, {
      faultOf: () => ({ kind: 'delay', until: () => answers.promise }),
    });
    try {
      const large = (bot_id: string, job_id: string) =>
        callback({ bot_id, job_id, output: { log: 'x'.repeat(2_000_000) } });
      let answered = 0;
      const posts = ['1', '2', '3', '4'].map((job) =>
        hanging.post(large('hangs', job)).finally(() => (answered += 1)),
      );
      await until('all hang', () => hanging.slack.calls.length === posts.length);
      expect((await hanging.post(large('goes-on', '5'))).body.result).to.equal('delivered');
      expect(answered).to.equal(0);
      answers.happen();
      for (const { body } of await Promise.all(posts)) expect(body.result).to.equal('delivered');
    } finally {
      await hanging.close();
    }
  });
});
