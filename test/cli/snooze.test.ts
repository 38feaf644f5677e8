/** What `botbell snooze` writes down, lists and ends; who holds messages back by it is the service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../src/time/clock.ts';
import { runCommand } from '../support/command.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Recorded } from '../support/recorded.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

describe('botbell snooze', () => {
  let store: SqliteStore;
  let recorded: Recorded;
  let config: string;

  const snooze = (...args: readonly string[]) => runCommand(['snooze', ...args, '--config', config]);

  beforeEach(async () => {
    store = createSqliteStore(new ManualClock(systemClock.now()));
    recorded = new Recorded(store);
    config = join(store.folder, 'botbell.yaml');
    writeFileSync(
      config,
      `
store: { url: 'sqlite:${store.file}' }
display: { timezone: Asia/Tokyo }
channels: { slack: { type: slack, token: '\${SLACK_BOT_TOKEN}' } }
groups: { bosses: { notify: [{ slack: '#bosses' }], digest: { at: '09:00' } } }
routes:
  - bot_id: get_items
    notify: [{ slack: '#ops' }]
`,
    );
    await recorded.arrive({ bot_id: 'get_items' });
  });

  afterEach(() => store.close());

  it('holds a BOT at a destination until 9:00 of the next day, with a reason and who asked', async () => {
    const { code, stdout, stderr } = await snooze(
      'get_items',
      '--to',
      'slack:#ops',
      '--until',
      'tomorrow',
      '--because',
      'moving\nhouse',
    );
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(
      /^1: BOT get_items at slack:#ops, until \d+ \w+ \d+, 09:00:00 \(GMT\+9\), by .+: moving house \(0 held\)$/,
    );
    const [kept] = await recorded.actions.snoozes();
    expect(kept).to.include({
      botId: 'get_items',
      destination: 'slack:#ops',
      untilSuccess: false,
      because: 'moving house',
    });
  });

  it('reads a time without an offset where the display is, and says which time is over', async () => {
    await snooze('get_items', '--until', '2199-12-31T09:00');
    expect((await recorded.actions.snoozes())[0]?.until).to.equal(Date.parse('2199-12-31T00:00Z'));
    const over = await snooze('get_items', '--until', '2020-01-01T00:00Z');
    expect([over.code, over.stderr]).to.deep.equal([
      2,
      'error: That time is over already: name one to come.',
    ]);
    const soon = await snooze('get_items', '--until', 'soon');
    expect([soon.code, soon.stderr.includes('must be a date-time')]).to.deep.equal([2, true]);
  });

  it('ends with the next success of a BOT, after seven days at the latest', async () => {
    const { stdout } = await snooze('get_items', '--until', 'next-success');
    expect(stdout).to.match(/^1: BOT get_items, until its next success, .+ at the latest, by /);
    expect((await recorded.actions.snoozes())[0]).to.include({ untilSuccess: true });
  });

  it('takes only destinations that the config has, and asks which one was meant', async () => {
    const { code, stderr } = await snooze('--to', 'slack:#opps', '--until', 'tomorrow');
    expect([code, stderr]).to.deep.equal([
      2,
      'error: The config tells nobody at slack:#opps; did you mean "slack:#ops"?',
    ]);
    const unknown = await snooze('--to', 'ops', '--until', 'tomorrow');
    expect([unknown.code, unknown.stderr]).to.deep.equal([
      2,
      'error: The config tells nobody at ops: write <channel>:<address>; the channels are slack',
    ]);
    expect(await recorded.actions.snoozes()).to.deep.equal([]);
    expect((await snooze('--to', 'slack:#bosses', '--until', 'tomorrow')).code, 'of a digest').to.equal(0);
  });

  it('lists what is snoozed, the newest first, for people and for programs', async () => {
    const none = await snooze('--list');
    expect([none.code, none.stdout, none.stderr]).to.deep.equal([0, '', 'nothing is snoozed']);
    await snooze('get_items', '--until', '2199-12-31T09:00', '--because', 'moving');
    await snooze('--to', 'slack:#ops', '--until', '2199-12-31T09:00');
    const { stdout } = await snooze('--list');
    expect(stdout.split('\n').map((line) => line.split(', until')[0])).to.deep.equal([
      '2: every BOT at slack:#ops',
      '1: BOT get_items',
    ]);
    const json = await snooze('--list', '--format', 'json');
    expect((JSON.parse(json.stdout) as unknown[])[1]).to.include({
      id: 1,
      bot_id: 'get_items',
      destination: null,
      until: '2199-12-31T00:00:00.000Z',
      because: 'moving',
      held: 0,
    });
  });

  it('ends one, once', async () => {
    await snooze('get_items', '--until', 'tomorrow');
    const first = await snooze('--end', '1');
    expect([first.code, first.stdout]).to.deep.equal([
      0,
      '1: It has ended; what it held is told as one summary.',
    ]);
    const second = await snooze('--end', '1');
    expect([second.code, second.stderr]).to.deep.equal([1, 'The ledger has nothing of this id.']);
  });
});
