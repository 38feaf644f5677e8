import { expect } from 'chai';
import { BesideStore } from './beside-store.ts';

describe('botbell snooze', () => {
  const world = new BesideStore(`
channels: { slack: { type: slack, token: '\${SLACK_BOT_TOKEN}' } }
groups: { bosses: { notify: [{ slack: '#bosses' }], digest: { at: '09:00' } } }
routes: [{ bot_id: get_items, notify: [{ slack: '#ops' }] }]
`);

  const snooze = (...args: readonly string[]) => world.run(['snooze', ...args]);

  beforeEach(() => world.recorded.arrive({ bot_id: 'get_items' }));

  it('holds a BOT at a destination until 9:00 of the next day, with a reason and who asked', async () => {
    const asked = ['get_items', '--to', 'slack:#ops', '--until', 'tomorrow'];
    const { code, stdout, stderr } = await snooze(...asked, '--because', 'moving\nhouse');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(
      /^1: BOT get_items at slack:#ops, until \d+ \w+ \d+, 09:00:00 \(GMT\+9\), by .+: moving house \(0 held\)$/,
    );
  });

  it('lists what is snoozed, the newest first, for people and for programs', async () => {
    const none = await snooze('--list');
    expect([none.code, none.stdout, none.stderr]).to.deep.equal([0, '', 'nothing is snoozed']);
    await snooze('get_items', '--until', '2199-12-31T09:00', '--because', 'moving');
    // Only a digest tells it.
    await snooze('--to', 'slack:#bosses', '--until', '2199-12-31T09:00');
    const { stdout } = await snooze('--list');
    expect(stdout.split('\n').map((line) => line.split(', until')[0])).to.deep.equal([
      '2: every BOT at slack:#bosses',
      '1: BOT get_items',
    ]);
    const json = await snooze('--list', '--format', 'json');
    const first = { id: 1, bot_id: 'get_items', destination: null, because: 'moving', held: 0 };
    const [, second] = JSON.parse(json.stdout) as unknown[];
    expect(second).to.include({ ...first, until: '2199-12-31T00:00:00.000Z' });
  });

  it('lists them while the store cannot be written', async () => {
    await snooze('get_items', '--until', 'tomorrow');
    const other = world.store.connect();
    other.exec('begin immediate');
    expect(await snooze('--list')).to.include({ code: 0, stderr: '' });
  });

  it('lists them all, however many there are', async () => {
    const actor = { via: 'page', user: 'kenji', from: 'host' } as const;
    const until = world.clock.now() + 86_400_000;
    const asked = { until, isUntilSuccess: false, because: '', actor };
    for (let index = 0; index < 501; index += 1)
      await world.recorded.actions.snooze({ ...asked, botId: `bot ${index}` });
    expect((await snooze('--list')).stdout.split('\n')).to.have.length(501);
  });

  it('ends one, once', async () => {
    await snooze('get_items', '--until', 'tomorrow');
    const first = await snooze('--end', '1');
    expect(first).to.include({ code: 0, stdout: '1: It has ended; what it held is told as one summary.' });
    const second = await snooze('--end', '1');
    await snooze('get_items', '--until', '2h');
    const json = await snooze('--end', '2', '--format', 'json');
    expect((JSON.parse(json.stdout) as unknown[])[0]).to.include({ id: 2, bot_id: 'get_items' });
    expect([second.code, second.stderr]).to.deep.equal([1, 'The ledger has nothing of this id.']);
  });
});
