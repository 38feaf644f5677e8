/** What arrives, and when, where routes ask to be told less: the whole pipeline, hour by hour. */
import { expect } from 'chai';
import { anew } from '../support/anew.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../support/manual-clock.ts';
import { PipelineWorld } from './pipeline-world.ts';
import type { Arrived } from './remotes.ts';

/** Of Tokyo, all through the year. */
const OFFSET = 9 * HOUR;
const EVENING = Date.parse('2026-11-20T19:00:00+09:00');

const CHANNELS = `
display: { timezone: Asia/Tokyo }
channels:
  slack: { type: outbox, as: slack, burst: { max: 3, per: 1m } }
  email: { type: outbox, as: email }`;

const CONFIG = `${CHANNELS}
groups:
  team:
    notify: [{ slack: '#ops' }, { email: ops@example.com }]
    digest: { at: '09:00', days: [sat] }
routes:
  - bot_id: crawler
    on: [error, recovered]
    repeat: 1h
    mute: [{ from: '22:00', to: '07:00' }]
    notify: [team]
  - bot_id: nightly
    on: [error]
    expect: { cron: '0 3 * * *', grace: 30m }
    notify: [team]
default_route:
  on: [error]
  overdue: 30m
  notify: [{ slack: '#ops' }]`;

/** `20:00 slack Crawler · Failed after 12 s · 11 errors held back`; of a mail, its subject. */
function shown({ at, destination, lines }: Arrived): string {
  const time = new Date(at + OFFSET + MINUTE / 2).toISOString().slice(11, 16);
  if (destination.startsWith('email')) return `${time} mail ${lines[0]}`;
  const heldBack = /\d+ errors? held back|Held back since .*/.exec(lines.at(-1) ?? '') ?? [];
  const [title = '', ...rest] = lines;
  return [`${time} slack ${title.replace(/^\P{L}+/u, '')}`, ...rest.slice(0, 2), ...heldBack].join(' · ');
}

describe('of what routes ask to be told less', () => {
  const world = anew(() => PipelineWorld.begin(CONFIG, EVENING));

  afterEach(() => expect(world.troubles).to.deep.equal([]));

  /** What has come since it was asked last. */
  const arrived = () =>
    world.arrived
      .splice(0)
      .toSorted((a, b) => a.at - b.at || (a.destination < b.destination ? -1 : 1))
      .map(shown);
  /** The config is loaded, and what that changes is done. */
  const follow = async (yaml: string) => {
    await world.reload(yaml);
    await world.pass(10 * SECOND);
  };
  const crawler = (status: 0 | 1) => {
    const message = status === 1 ? 'no login' : '';
    return world.post({ bot_id: 'crawler', bot_name: 'Crawler', status, message });
  };

  it('a run that takes too long is told once where the config begins to watch it within a day', async () => {
    const run = { bot_id: 'slow', start_time: '2026-11-20T18:50:00+09:00', status: 2 } as const;
    await world.reload(CONFIG.replace('  overdue: 30m', ''));
    await world.post({ ...run, job_id: 'lost-1', start_time: '2026-11-19T16:00:00+09:00' });
    await world.post({ ...run, job_id: 'slow-1' });
    await world.post({ ...run, job_id: 'quick-1' });
    await world.post({ ...run, job_id: 'quick-1', status: 0 });
    await world.pass(HOUR);
    expect(arrived()).to.deep.equal([]);
    await follow(CONFIG.replace('overdue: 30m', 'overdue: 2h'));
    await world.stop();
    await world.start();
    await world.pass(MINUTE);
    expect(arrived(), 'not yet').to.deep.equal([]);
    await world.pass(HOUR);
    const expected = [
      '21:01 slack 商品取得 · Running for 2 h 11 min, and no result has come · Started 20 Nov 2026, 18:50:00 (GMT+9)',
    ];
    expect(arrived()).to.deep.equal(expected);
    await world.reload(CONFIG);
    await world.passBy(HOUR, 10 * MINUTE);
    expect(arrived(), 'once').to.deep.equal([]);
  });

  it('a run that takes too long counts in a burst, since it is posted beside its edit', async () => {
    const told = "notify: [{ slack: '#ops', per_job: update }]";
    const burst = CONFIG.replace('max: 3, per: 1m', 'max: 1, per: 1h');
    await world.reload(
      burst.replace("on: [error]\n  overdue: 30m\n  notify: [{ slack: '#ops' }]", `overdue: 30m\n  ${told}`),
    );
    await world.post({ status: 2 });
    await world.pass(40 * MINUTE);
    expect(arrived()).to.have.length(1);
    await world.pass(20 * MINUTE);
    expect(arrived().map((each) => each.slice(0, 32))).to.deep.equal([
      '20:00 slack 商品取得 · Running for 3',
    ]);
  });

  it('what one route mutes stays held whatever another has let go and whatever route is put before, and says so once, however often Botbell starts', async () => {
    const routes = (...more: string[]) =>
      [
        CHANNELS,
        'routes:',
        ...more,
        "  - { bot_id: crawler, on: [error], after_failures: 3, notify: [{ slack: '#ops', mention_on_error: '@here' }] }",
        "  - { bot_id: crawler, mute: [{ from: '22:00', to: '07:00' }], notify: [{ slack: '#ops' }] }",
      ].join('\n');
    await world.reload(routes());
    await world.pass(4 * HOUR);
    await crawler(1);
    await follow(routes("  - { bot_id: other, notify: [{ slack: '#others' }] }"));
    for (let count = 0; count < 2; count += 1) {
      await world.stop();
      await world.start();
      await world.pass(HOUR / 2);
    }
    expect(arrived()).to.deep.equal([]);
    expect((await world.store.rows('history')).map(({ what }) => what)).to.deep.equal(['held', 'answered']);
    await world.passBy(8 * HOUR, HOUR);
    expect(world.arrived[0]?.lines.join(), 'by the route that muted it').not.to.include('@here');
    expect(arrived()).to.deep.equal([
      '07:00 slack Crawler · Failed after 12 s · no login · Held back since 20 Nov 2026, 23:00:00 (GMT+9)',
    ]);
  });

  it('a digest is told that another replica, whose config has none, has ended while this one stood still', async () => {
    world.isHeard = false;
    await world.store.run(`delete from timers where kind = 'digest'`);
    await world.clock.advance(10 * SECOND);
    world.isHeard = true;
    await world.passBy(15 * HOUR, HOUR);
    expect(arrived().filter((each) => /^09:00.*digest/i.test(each))).to.have.length(2);
  });

  it('a digest is told once the store is back, however long it was away', async () => {
    await world.passBy(13 * HOUR, HOUR);
    world.isHeard = false;
    await world.passBy(3 * HOUR, HOUR);
    world.isHeard = true;
    await world.passBy(HOUR, MINUTE);
    expect(arrived().filter((each) => /^11:0\d.*digest/i.test(each))).to.have.length(2);
  });

  it('what a config mutes no longer is told at once, as one message for each destination, however much that is', async () => {
    await world.pass(4 * HOUR);
    await crawler(1);
    await world.store.run(`
      WITH RECURSIVE copies (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM copies WHERE n < 6001)
      INSERT INTO callbacks (id, kind, identity, body, job_id, bot_key, bot_id, bot_name, status, started_at, received_at, routing, bytes)
      SELECT n, kind, identity || n, body, job_id, bot_key, bot_id, bot_name, status, started_at, received_at, routing, bytes
      FROM copies JOIN callbacks ON id = 1;
      INSERT INTO deliveries (callback_id, destination, state, reason, held_until, due_at, counts_from, updated_at)
      SELECT copy.id, destination, state, reason, held_until, due_at, counts_from, updated_at
      FROM callbacks AS copy JOIN deliveries ON copy.id > 1 ORDER BY copy.id`);
    await follow(CONFIG.replace("mute: [{ from: '22:00', to: '07:00' }]", ''));
    expect(arrived().map((each) => each.slice(0, 39))).to.deep.equal([
      '23:00 mail 6,001 failed while held back',
      '23:00 slack Held back: 6,001 messages ·',
    ]);
    expect(await world.store.rows('deliveries WHERE held_until IS NOT NULL')).to.deep.equal([]);
  });

  describe('what is held while the config changes', () => {
    const mute = "mute: [{ from: '02:00', to: '07:00' }]\n    notify";
    const muted = CONFIG.replace(/(grace: 30m \}\n {4})notify/, `$1${mute}`);

    beforeEach(async () => {
      await world.reload(muted);
      await world.pass(4 * HOUR);
      await crawler(1);
      await world.pass(5 * HOUR);
      expect(arrived(), 'nightly is missed at three').to.deep.equal([]);
      expect(world.held).to.deep.equal(['missed slack:#ops mute', 'missed email:ops@example.com mute']);
    });

    it('is told though its BOT is no longer expected', async () => {
      await follow(muted.replace(/ {4}expect: .*\n/, '').replace(mute, 'notify'));
      expect(arrived().map((each) => each.slice(0, 36))).to.deep.equal([
        '04:00 mail 1 missed while held back:',
        '04:00 slack Held back: 1 message · 1',
      ]);
    });

    it('goes to whom the config names instead, when nothing holds it any more', async () => {
      await world.reload(muted.replace(mute, 'notify').replace('ops@', 'other@'));
      const told = async (ms: number) => {
        await world.pass(ms);
        const which = /nightly has come|Crawler failed/.exec(arrived().join('\n'))?.[0];
        return [...world.told.splice(0).toSorted(), which];
      };
      const there = ['email:other@example.com', 'slack:#ops'];
      expect(await told(10 * SECOND)).to.deep.equal([...there, 'nightly has come']);
      expect(await told(3 * HOUR)).to.deep.equal([...there, 'Crawler failed']);
    });
  });

  it('what a route holds and then tells no longer is let go when the hold ends, without a dead letter', async () => {
    const routed = (on: string, window: string) =>
      `${CHANNELS}\ngroups: { operators: [{ email: ops@example.com }] }\ndelivery: { alerts: [operators] }
routes: [{ bot_id: crawler, on: [${on}], mute: [${window}], notify: [{ slack: '#ops' }] }]`;
    const night = "{ from: '18:00', to: '07:00' }";
    for (const on of ['error', 'error, recovered']) {
      await follow(routed('succeeded, error', night));
      for (let count = 0; count < 5; count += 1) await crawler(0);
      await crawler(1);
      await world.reload(routed(on, night));
      await world.pass(13 * HOUR);
      expect(arrived().join('\n'), on).to.match(/^08:00 slack Crawler · Failed.*$/);
      expect(await world.states()).not.to.include('dead');
      await world.pass(11 * HOUR);
    }
    const [held] = await world.store.rows('deliveries');
    expect(held).to.include({ state: 'held', reason: 'on', held_until: null });
  });

  it('a summary whose destination leaves the config is told once it is back', async () => {
    await world.pass(4 * HOUR);
    await crawler(1);
    await world.endHolds();
    await follow(CONFIG.replace('{ email: ops@example.com }', '{ email: other@example.com }'));
    const ofMail = () => world.states("deliveries WHERE destination = 'email:ops@example.com'");
    expect(await ofMail()).to.deep.equal(['held', 'dead']);
    await follow(CONFIG);
    expect(await ofMail()).to.deep.equal(['delivered', 'delivered']);
    expect(arrived().filter((each) => each.includes('mail'))).to.deep.equal([
      '23:00 mail 1 failed while held back: Crawler',
    ]);
  });

  describe('a BOT that is expected', () => {
    const expecting = (...botIds: readonly string[]) => {
      const rest = "on: [error], expect: { every: 24h, grace: 1h }, notify: [{ slack: '#ops' }]";
      const routes = botIds.map((botId) => `  - { bot_id: ${botId}, ${rest} }`);
      return [CHANNELS, 'routes:', ...routes, '  - { bot_id: [four, nightly-a], notify: [] }'].join('\n');
    };
    const missed = (bot: string, due: string, last = 'None has ever come') =>
      `slack ${bot} · No result has come, and one was due on ${due} · ${last}`;
    /** Without the seconds of the times that it says. */
    const said = () => arrived().map((each) => each.replaceAll(/:\d\d \(GMT\+9\)/g, ''));

    it('stays so while its route moves, is told of once, and one of a pattern is so from its first callback', async () => {
      const patterns = ["'o*'", "'nightly-*'"];
      await follow(expecting('[one, two]', ...patterns));
      await world.pass(23 * HOUR);
      await world.post({ bot_id: 'two', bot_name: 'two', status: 0 });
      await world.reload(expecting('[one, two, three]', ...patterns));
      await world.pass(3 * HOUR);
      expect(said()).to.deep.equal([`21:00 ${missed('one', '21 Nov 2026, 19:00')}`]);
      await follow(expecting(...patterns, '[zero, two, one]'));
      await world.passBy(DAY, HOUR);
      const last = 'The last one came on 21 Nov 2026, 18:00';
      expect(said(), 'once').to.deep.equal([`19:00 ${missed('two', '22 Nov 2026, 18:00', last)}`]);
      await world.post({ bot_id: 'one', bot_name: 'one', status: 0 });
      expect(said()[0]).to.contain('1 d 2 h late: a result was due on 21 Nov 2026, 19:00');
      await world.post({ bot_id: 'nightly-a', bot_name: 'A', status: 0 });
      await world.pass(26 * HOUR);
      expect(said().filter((each) => each.includes('A · No result'))).to.have.length(1);
    });

    it('stays so while its grace, its schedule or the list of its route is edited, and was missed once', async () => {
      const by = (botIds: string, rule: string) =>
        `${CHANNELS}\nroutes:\n  - { bot_id: ${botIds}, on: [error], expect: { ${rule} }, notify: [{ slack: '#ops' }] }`;
      await follow(by('[one]', 'every: 24h, grace: 1h'));
      await world.pass(26 * HOUR);
      const told = `21:00 ${missed('one', '21 Nov 2026, 19:00')}`;
      expect(said()).to.deep.equal([told]);
      for (const edited of [
        by('[one]', 'every: 24h, grace: 2h'),
        by('[one, two]', 'every: 24h, grace: 2h'),
        by('[one, two]', 'every: 12h, grace: 30m').replace('bot_id', 'name: all of them, bot_id'),
      ]) {
        await world.reload(edited);
        await world.passBy(6 * HOUR, HOUR);
        expect(said().join(), edited).not.to.include(' one ');
      }
      await world.post({ bot_id: 'one', bot_name: 'one', status: 0 });
      expect(said().join()).to.contain('late: a result was due on 21 Nov 2026, 19:00');
      await world.pass(13 * HOUR);
      expect(said().join(), 'twelve hours by the rule of today').to.contain('one · No result has come');
    });

    it('is said to have come when it did, though that callback is forgotten', async () => {
      await world.reload(expecting('one').replace('24h', '7d'));
      await world.post({ bot_id: 'one', bot_name: 'First', status: 0 });
      await world.passBy(6 * DAY, 2 * HOUR);
      const { ledger } = world.first;
      await ledger.forget({ doneKeptMs: DAY, nobodyKeptMs: DAY, from: { done: 0, reachedNobody: 0 } });
      expect(await world.store.rows('callbacks')).to.deep.equal([]);
      await world.passBy(DAY + 2 * HOUR, 2 * HOUR);
      const last = 'The last one came on 20 Nov 2026, 19:00';
      expect(said().map((each) => each.slice(6))).to.deep.equal([
        missed('First', '27 Nov 2026, 19:00', last),
      ]);
    });
  });
});

describe('what was told by a store’s clock that was ahead and is set right', () => {
  const AHEAD = 400 * DAY;
  const YAML = `
channels:
  slack: { type: outbox, as: slack, burst: { max: 1, per: 2h } }
  other: { type: outbox, as: slack }
routes:
  - bot_id: hourly
    on: [error]
    expect: { every: 1h, grace: 1m }
    notify: [{ other: '#hourly' }]
  - bot_id: burst
    notify: [{ slack: '#burst' }]
  - bot_id: quiet
    mute: [{ from: '07:00', to: '08:30' }]
    notify: [{ other: '#quiet' }]
  - bot_id: failing
    notify: [{ other: '#first' }]
    then: [{ after: 10m, notify: [{ other: '#next' }] }]
default_route:
  overdue: 30m
  notify: [{ other: '#runs' }]`;

  it('is counted by digests and reports from then on, also after a restart', async () => {
    const world = await PipelineWorld.begin(
      `
channels: { slack: { type: outbox, as: slack } }
groups: { team: { notify: [{ slack: '#team' }], digest: { at: '12:00' } } }
routes: [{ bot_id: a, on: [succeeded], notify: [team] }]
reports: [{ every: day, at: '11:00', notify: [{ slack: '#boss' }] }]`,
      Date.parse('2026-11-20T11:59:00Z') + AHEAD,
    );
    await world.passBy(2 * MINUTE, MINUTE);
    world.clock.setBy(-AHEAD);
    for (const isRestarted of [false, true]) {
      if (isRestarted) {
        await world.stop();
        await world.start();
      }
      await world.passBy(MINUTE, SECOND);
      await world.post({ bot_id: 'a', bot_name: 'A', job_id: `${isRestarted}`, status: 1 });
      world.arrived.splice(0);
      await world.passBy(DAY, HOUR);
      const told = world.arrived.map(({ lines }) => lines.slice(0, 2).join(' · '));
      const day = isRestarted ? '2026-11-21' : '2026-11-20';
      expect(told).to.deep.equal([
        `❌ Report: ${day} · 1 run, 1 failed`,
        '❌ Digest of team · 1 of 1 BOT failed',
      ]);
    }
    await world.close();
  });

  it('is missed, overdue, and no longer held, as if it had been told now', async () => {
    const world = await PipelineWorld.begin(YAML, Date.parse('2026-11-20T08:00:00Z') + AHEAD);
    const told = () => world.arrived.splice(0).map(({ lines }) => lines.slice(0, 2).join(' · '));
    await world.post({ bot_id: 'hourly', bot_name: 'Hourly', status: 0 });
    for (const bot_name of ['Burst 1', 'Burst 2']) await world.post({ bot_id: 'burst', bot_name, status: 1 });
    await world.post({ bot_id: 'quiet', bot_name: 'Quiet', status: 1 });
    await world.post({ bot_id: 'slow', bot_name: 'Slow', status: 2 });
    await world.post({ bot_id: 'failing', bot_name: 'Failing', status: 1 });
    told();
    world.clock.setBy(-AHEAD);
    for (let beats = 0; beats < 3; beats += 1) await world.pass(3 * SECOND);
    await world.pass(2 * MINUTE);
    expect(told().join('\n')).to.match(/Burst 2/);
    await world.passBy(32 * MINUTE, MINUTE);
    expect(told().join('\n'))
      .to.match(/Slow · Running/)
      .and.to.match(/Quiet/)
      .and.to.match(/Failing · Failed/);
    await world.passBy(32 * MINUTE, MINUTE);
    expect(told().join('\n')).to.match(/Hourly · No result/);
    await world.close();
  });
});
