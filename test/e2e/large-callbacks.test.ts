/** Callbacks as the job service posts them, some heavy by their shape: each is told or refused like all others. */
import { expect } from 'chai';
import { HEAVY_SHAPES } from '../hostile/heavy-shapes.ts';
import { forAll } from '../support/anew.ts';
import { callback, createBridgeWorld } from '../support/bridge-world.ts';
import { moment } from '../support/moment.ts';
import { until } from '../support/proof-wait.ts';

const CONFIG = `
receiver: { listen: '127.0.0.1:0', answer_within: 40s }
delivery: { timeout: 30s }
routes: [{ bot_id: hangs, notify: [{ slack: '#ops' }] }, { bot_id: goes-on, notify: [{ email: ops@example.com }] }]
default_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }
`;

const SIZE = 200_000;

describe('Callbacks of any shape', () => {
  const world = forAll(() =>
    createBridgeWorld(CONFIG, {
      faultOf: ({ args }) =>
        JSON.stringify(args).includes('BOT that hangs')
          ? { kind: 'delay', until: () => answers.promise }
          : undefined,
    }),
  );
  const answers = moment();

  for (const [shape, make] of Object.entries(HEAVY_SHAPES)) {
    const isRefused = shape.startsWith('refused');
    it(`are ${isRefused ? 'refused' : 'told'} like all others: ${shape}`, async () => {
      const before = world.slack.messages.length + world.mail.mails.length;
      const { status, body } = await world.post(make(SIZE, callback({ status: 0 })));
      expect(status).to.be.oneOf(isRefused ? [400, 422] : [200]);
      if (!isRefused) expect(body.result).to.equal('delivered');
      expect(world.slack.messages.length + world.mail.mails.length - before).to.equal(isRefused ? 0 : 2);
    });
  }

  it('wait for no other’s delivery, however many hang', async () => {
    const before = world.slack.calls.length;
    const large = (bot_id: string) =>
      callback({ bot_id, bot_name: `BOT that ${bot_id}`, output: { log: 'x'.repeat(2_000_000) } });
    let answered = 0;
    const posts = Array.from({ length: 4 }, () => world.post(large('hangs')).finally(() => (answered += 1)));
    await until('all hang', () => world.slack.calls.length === before + posts.length);
    expect((await world.post(large('goes-on'))).body.result).to.equal('delivered');
    expect(answered).to.equal(0);
    answers.happen();
    for (const { body } of await Promise.all(posts)) expect(body.result).to.equal('delivered');
  });
});
