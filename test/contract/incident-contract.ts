/** What every ledger promises of incidents: begun, counted and ended in the transactions that they follow from. */
import { expect } from 'chai';
import { type Incident, stateOf } from '../../src/incident/incident.ts';
import { widenFailing } from '../../src/ledger/deliveries/failing.ts';
import { isAlert } from '../../src/notice/notice.ts';
import { anew } from '../support/anew.ts';
import { CONFIG_FAILURE, DEAD_LETTER } from '../support/alerts.ts';
import { LOG, OPS, target } from './arrivals.ts';
import { Bench, type CreateStore, KEEP_MS } from './ledger-bench.ts';
import { dead, delivered, failed, namesOf, NOBODY } from './updates.ts';

const ALERTS = target('slack:#alerts');
const HOUR_MS = 3_600_000;
const CONFIG = { class: 'config', code: 'not_in_channel', message: 'Not in the channel.' } as const;
const wronglySet = (of: typeof NOBODY) => failed(of, { isTakenOver: true, lastError: CONFIG });

const runningConfig = (hash: string) => ({ hash, channels: new Map<string, string>() });

export function describeIncidents(name: string, createStore: CreateStore): void {
  describe(`${name} as the ledger of incidents`, () => {
    const bench = anew(() => Bench.open(createStore));
    let jobs = 0;

    beforeEach(async () => {
      await bench.ledger.upkeep.heartbeat(runningConfig('a'));
    });

    const arrive = (status: 0 | 1 | 2, startedAt: string, more: object = {}) => {
      jobs += 1;
      const message = status === 1 ? 'connection refused' : null;
      return bench.arrive({ job_id: `job-${jobs}`, status, start_time: startedAt, message, ...more }, [OPS]);
    };
    const open = () => bench.ledger.archive.openIncidents();
    const all = async () => (await bench.ledger.archive.incidents({}, {})).items;
    const care = (unrouted: readonly number[] = [], configHash = 'a') =>
      bench.care({ isConfigRefused: true, unrouted, configHash });
    /** It is written some seconds later. */
    const deliver = async () => {
      await bench.store.passTime(1000);
      const lastDeliveredAt = bench.store.clock.monotonic();
      await bench.store.passTime(5000);
      await bench.ledger.recordDestinations([{ destination: 'slack:#ops', lastDeliveredAt }]);
    };
    /** What is due of Botbell's own news, and where. */
    const subjects = async (turns?: Parameters<typeof bench.claim>[1]) =>
      (await bench.claim(bench.ledger, turns)).flatMap(({ notice, record }) =>
        isAlert(notice) ? { ...notice.alert.subject, at: record.destination } : [],
      );
    const shown = (incidents: readonly Incident[]) =>
      incidents.map((each) => `${each.kind} ${each.subject} ${each.sign} ${each.count} ${stateOf(each)}`);

    it('opens one at a BOT’s first error, counts the next ones in it, and says what the last one said', async () => {
      await arrive(1, '2026-01-01T09:00:00Z');
      await bench.store.passTime(1000);
      await arrive(1, '2026-01-01T10:00:00Z', { message: 'disk full\nmore' });
      const [incident, ...others] = await open();
      expect(others).to.deep.equal([]);
      expect(incident).to.include({ kind: 'bot', subject: 'get_items', count: 2, gist: 'disk full' });
      expect((incident?.lastAt ?? 0) - (incident?.since ?? 0)).to.equal(1000);
    });

    for (const startedAt of ['2026-01-01T11:00:01Z', '2026-01-01T11:00:00Z'])
      it(`ends it by a success whose run started after that of the latest error, or with it, and by no other: ${startedAt}`, async () => {
        await arrive(1, '2026-01-01T09:00:00Z');
        await arrive(1, '2026-01-01T11:00:00Z');
        await arrive(0, '2026-01-01T10:59:59Z');
        await arrive(0, '2026-01-01T12:00:00Z', { bot_id: 'another' });
        await care();
        expect(shown(await open())).to.deep.equal(['bot get_items error 2 open']);
        await arrive(0, startedAt);
        expect(shown(await all())).to.deep.equal(['bot get_items error 2 over']);
      });

    for (const [first, last, stays] of [[1, 0, 'over'] as const, [0, 1, 'open'] as const])
      it(`knows by their order whether it is over, where an error and a success of one start come together: ${stays}`, async () => {
        const start = '2026-01-01T11:00:00Z';
        await Promise.all([arrive(first, start), arrive(last, start)]);
        await care();
        expect(shown(await all())).to.deep.equal([`bot get_items error 1 ${stays}`]);
      });

    it('ends it by a success also where the error came while the clock was ahead', async () => {
      for (const status of [1, 0] as const) {
        bench.store.clock.setBy(status === 1 ? KEEP_MS : -KEEP_MS);
        await arrive(status, new Date(bench.store.clock.now()).toISOString());
      }
      expect(shown(await all())).to.deep.equal(['bot get_items error 1 over']);
    });

    it('opens none for an error that started before the BOT’s newest success or that nobody is told, nor two for a retry', async () => {
      await bench.arrive({ status: 1, message: 'x', bot_id: 'untold' }, []);
      await arrive(0, '2026-01-01T10:00:00Z');
      await arrive(1, '2026-01-01T09:59:59Z');
      await arrive(2, '2026-01-01T10:00:00Z');
      expect(await all()).to.deep.equal([]);
      const again = { job_id: 'again', status: 1, start_time: '2026-01-01T12:00:00Z', message: 'x' } as const;
      await bench.arrive(again, [OPS]);
      await bench.arrive(again, [OPS]);
      expect(shown(await open())).to.deep.equal(['bot get_items error 1 open']);
    });

    it('opens one of a destination at a dead letter, which is over once none of them is left', async () => {
      const [first] = await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), dead);
      const [last] = await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), dead);
      expect(shown(await open())).to.deep.equal(['destination slack:#ops dead 2 open']);
      await deliver();
      await care();
      expect(shown(await open()), 'though it has delivered since').to.have.length(1);
      const actor = { via: 'api', user: undefined, from: 'test' } as const;
      await bench.ledger.actions.dismiss(first.id, actor);
      await bench.ledger.actions.redeliver(last.id, actor, false);
      await care();
      expect(shown(await open()), 'though it was given back').to.have.length(1);
      await bench.tell(await bench.claim());
      await care();
      expect(await open()).to.deep.equal([]);
    });

    it('says of a destination that works again that what was given up there is left', async () => {
      const lastError = { class: 'permanent', code: 'too_long', message: 'The text is too long.' } as const;
      await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), (id) => ({ ...dead(id), lastError }));
      await bench.settled(arrive(0, '2026-01-01T10:00:00Z'), wronglySet);
      const said = async () => (await care(), (await open()).map(({ sign, gist }) => `${sign}: ${gist}`));
      expect(await said()).to.deep.equal([`config: ${CONFIG.message}`]);
      await deliver();
      expect(await said()).to.deep.equal([`dead: ${lastError.message}`]);
    });

    it('ends one of a destination with the message that it is about, though whoever delivered that has said nothing more', async () => {
      const [id] = await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), wronglySet);
      await bench.store.passTime(1000);
      await bench.settle([delivered(id)]);
      await care();
      expect(shown(await all())).to.deep.equal(['destination slack:#ops config 1 over']);
    });

    it('opens one of a destination whose settings are wrong, but where the service posts again, and ends it with a delivery after the failure', async () => {
      await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), (of) => failed(of, { lastError: CONFIG }));
      expect(await open(), 'it is the service’s to post again').to.deep.equal([]);
      const [id] = namesOf(await arrive(0, '2026-01-01T09:00:00Z'));
      const lastDeliveredAt = bench.store.clock.monotonic();
      await bench.store.passTime(1000);
      await bench.settle([wronglySet(id)]);
      await bench.store.passTime(1000);
      await bench.ledger.recordDestinations([{ destination: 'slack:#ops', lastDeliveredAt }]);
      await care();
      expect(shown(await open()), 'by one before it').to.deep.equal(['destination slack:#ops config 1 open']);
      await deliver();
      await care();
      expect(await open()).to.deep.equal([]);
    });

    it('ends one of a destination after a change of the config where nothing waits there any more', async () => {
      const held = { ...ALERTS, reason: 'mute', heldUntil: Date.UTC(2030, 0) };
      await bench.arrive({ job_id: 'elsewhere' }, [LOG, held]);
      const [id] = await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), wronglySet);
      const [other] = await bench.settled(arrive(0, '2026-01-01T10:00:00Z'), wronglySet);
      await bench.settle([delivered(id)]);
      await care();
      expect(shown(await open()), 'one waits').to.deep.equal(['destination slack:#ops config 2 open']);
      await bench.store.passTime(1000);
      await bench.ledger.upkeep.heartbeat({ hash: 'mended', channels: new Map() });
      await care();
      expect(await open(), 'one waits').to.have.length(1);
      await bench.store.passTime(HOUR_MS);
      await bench.claim();
      await bench.settle([failed(other, { state: 'held', reason: 'superseded', lastError: undefined })]);
      await care();
      expect(await open()).to.deep.equal([]);
    });

    it('leaves one open of which nobody is told by this config alone, while another process runs one that was loaded since', async () => {
      await arrive(1, '2026-01-01T09:00:00Z');
      const other = await bench.store.open({ owner: 'other' });
      await bench.store.passTime(1000);
      await other.upkeep.heartbeat(runningConfig('b'));
      const ids = await bench.incidents();
      await care(ids);
      expect(shown(await open())).to.have.length(1);
      await bench.ledger.upkeep.heartbeat(runningConfig('b'));
      await care(ids, 'reloaded');
      expect(await open(), 'a config that no other process has heard of').to.have.length(1);
      await care(ids, 'b');
      expect(await open()).to.deep.equal([]);
    });

    it('ends one of which nobody is told any more, and one without a sign for as long as it keeps', async () => {
      await bench.settled(arrive(1, '2026-01-01T09:00:00Z'), dead);
      await care((await open()).filter(({ kind }) => kind === 'destination').map((each) => each.id));
      expect(shown(await open())).to.deep.equal(['bot get_items error 1 open']);
      const alert = { cause: 'c', subject: CONFIG_FAILURE, targets: [] };
      for (const sign of ['refused', 'reload'] as const)
        await bench.ledger.recordOwnSign({ key: sign, sign, gist: '' }, alert);
      for (const [ms, signs] of [
        [HOUR_MS, ['error', 'refused', 'reload']],
        [1, ['error', 'reload']],
        [KEEP_MS - HOUR_MS - 1, ['error', 'reload']],
        [1, []],
      ] as const) {
        await bench.store.passTime(ms);
        await care();
        expect((await open()).map((each) => each.sign)).to.deep.equal(signs);
      }
    });

    it('says who is on it and why, until that is given back', async () => {
      await arrive(1, '2026-01-01T09:00:00Z');
      const [id = 0] = await bench.incidents();
      expect((await bench.takeUp([id], 'kenji', 'the VPN')).map(stateOf)).to.deep.equal(['taken_up']);
      expect((await open())[0]?.takenUp).to.include({ by: 'kenji', because: 'the VPN' });
      await bench.ledger.actions.releaseIncidents([id]);
      expect((await open()).map(stateOf)).to.deep.equal(['open']);
      for (const wasOpen of [true, false])
        expect(await bench.ledger.actions.closeIncidents([id], [])).to.equal(wasOpen);
      expect(await bench.takeUp([id]), 'once over').to.deep.equal([]);
    });

    it('snoozes the BOTs of what is open with it, where that is asked, and has these snoozes go over to the next', async () => {
      const long = 'b'.repeat(300);
      for (const bot_id of ['', 'a', long, 'over']) await arrive(1, '2026-01-01T09:00:00Z', { bot_id });
      await arrive(0, '2026-01-01T10:00:00Z', { bot_id: 'over' });
      const ids = (await all()).map(({ id }) => id);
      const [{ id: first } = { id: 0 }] = (await bench.ledger.archive.incidents({ botId: 'a' }, {})).items;
      const { snooze, takeUp } = bench.ledger.actions;
      const ofTeam = { via: 'api', user: 'team', from: '' } as const;
      const asked = { botId: 'a', until: bench.store.clock.now() + HOUR_MS, because: '', actor: ofTeam };
      for (const isUntilSuccess of [true, false]) await snooze({ ...asked, isUntilSuccess });
      await snooze({ ...asked, isUntilSuccess: true, destination: OPS.destination });
      const because = 'VPN';
      const taken = (which: readonly number[], by: string, isAsked: boolean) =>
        takeUp(which, { by, because }, [], { isAsked, because, actor: { ...ofTeam, user: by } });
      const snoozed = async () =>
        (await bench.ledger.archive.snoozes()).items.map(({ botId, by }) => `${botId?.slice(0, 4)} ${by}`);
      const others = ['a team', 'a team', 'a team'];
      await taken(ids, 'kenji', false);
      expect(await snoozed()).to.deep.equal(others);
      await taken(ids, 'kenji', true);
      expect(await snoozed()).to.deep.equal(['bbbb kenji', 'a kenji', ...others]);
      await taken([first], 'aya', false);
      expect(await snoozed()).to.deep.equal(['bbbb kenji', 'a aya', ...others]);
      await arrive(0, '2026-01-01T10:00:00Z', { bot_id: long });
      expect(await snoozed()).to.deep.equal(['a aya', ...others]);
    });

    it('snoozes for nobody but who is on it, whatever else is done at the same moment', async () => {
      const { closeIncidents, releaseIncidents, takeUp } = bench.ledger.actions;
      const said = (by: string) => ({ by, because: '' });
      const quietly = (id: number, by: string) =>
        takeUp([id], said(by), [], { isAsked: true, ...said(by), actor: { via: 'api', user: by, from: '' } });
      const others = {
        taken: (id: number) => quietly(id, 'aya'),
        released: (id: number) => releaseIncidents([id]),
        closed: (id: number) => closeIncidents([id], []),
        recovered: (_: number, bot_id: string) => arrive(0, '2026-01-01T10:00:00Z', { bot_id }),
      };
      for (let round = 0; round < 10; round += 1)
        for (const [name, other] of Object.entries(others)) {
          const bot_id = `${name} ${round}`;
          await arrive(1, '2026-01-01T09:00:00Z', { bot_id });
          const ofBot = async () => (await bench.ledger.archive.incidents({ botId: bot_id }, {})).items;
          const [{ id } = { id: 0 }] = await ofBot();
          await Promise.all([quietly(id, 'kenji'), other(id, bot_id)]);
          const on = (await ofBot()).flatMap((each) =>
            stateOf(each) === 'taken_up' ? each.takenUp?.by : [],
          );
          const snoozes = (await bench.ledger.archive.snoozes({}, { botIds: [bot_id] })).items;
          const by = snoozes.map((each) => each.by);
          expect(by, bot_id).to.deep.equal(on);
        }
    });

    it('has who was told of them hear who is on it, once for each destination, and nobody else', async () => {
      const error = { job_id: 'x', status: 1, message: 'x' } as const;
      await bench.settled(bench.arrive(error, [OPS, LOG]), delivered, failed);
      await bench.settled(bench.arrive({ ...error, job_id: 'y', bot_id: 'b' }, [OPS]), delivered);
      await bench.settled(bench.arrive({ ...error, job_id: 'z', bot_id: 'c' }, [LOG]), delivered);
      await bench.takeUp(await bench.incidents(), 'kenji', 'VPN');
      const told = await subjects({ only: [OPS.destination, LOG.destination] });
      const says = { template: 'taken_up', by: 'kenji', because: 'VPN', moreTroubles: 0 };
      expect(told).to.containSubset([
        { ...says, at: OPS.destination, troubles: { length: 2 } },
        { ...says, at: LOG.destination, troubles: { length: 1 } },
      ]);
      expect(told).to.have.length(2);
    });

    it('tells who is on it as a reply to the last message there, and an alert’s as a reply to that', async () => {
      for (const [index, bot_id] of ['a', 'b', 'c', 'b'].entries()) {
        const error = { job_id: `${index}`, bot_id, status: 1, message: 'x' } as const;
        const receipt = { ts: `${index}` };
        await bench.settled(bench.arrive(error, [OPS]), (id) => ({ ...delivered(id), receipt }));
      }
      const told = { cause: 'c', subject: DEAD_LETTER, targets: [ALERTS] };
      await bench.settled(bench.arrive({ job_id: 'dead', status: 0 }, [LOG]), (id) => dead(id, told));
      const ids = await bench.incidents();
      const [alert] = await bench.claim();
      expect(alert?.record.telling, 'the alert').to.deep.equal({ incident: ids.at(-1) });
      await bench.tell([alert].filter((each) => each !== undefined));
      await bench.takeUp(ids);
      const due = (await bench.claim()).map(({ record }) => record);
      const replies = due.map(({ destination, telling }) => [destination, telling?.repliesTo]);
      expect(Object.fromEntries(replies)).to.deep.equal({
        [OPS.destination]: { ts: '3' },
        [ALERTS.destination]: { ts: '1.2' },
      });
    });

    it('tells it once, however often the same is said, and at once, and again when somebody else is on it, or says why', async () => {
      await bench.settled(arrive(1, '2026-01-01T09:00:00Z'), delivered);
      const ids = await bench.incidents();
      const told = async (by: string, because = '') => {
        expect((await bench.takeUp(ids, by, because)).map((each) => each.takenUp?.by)).to.deep.equal([by]);
        return (await bench.tellAll()).length;
      };
      const counts = [await told('kenji'), await told('kenji'), await told('mary')];
      for (let time = 0; time < 2; time += 1) counts.push(await told('mary', 'the VPN'));
      expect(counts).to.deep.equal([1, 0, 1, 1, 0]);
      const taken = await Promise.all([1, 2, 3].map(() => bench.takeUp(ids)));
      expect(taken.map(([each]) => each?.takenUp?.by)).to.deep.equal(['kenji', 'kenji', 'kenji']);
      expect(await bench.tellAll(), 'said by three at once').to.have.length(1);
      await bench.takeUp(ids, 'mary', '', [OPS.destination]);
      expect(await bench.claim(), 'where only troubles are told').to.deep.equal([]);
    });

    it('gives each message of a BOT its incident: of its errors, and of the success that ends it', async () => {
      const incidents = async (...asked: Parameters<typeof arrive>) => {
        const { deliveries } = await arrive(...asked);
        return deliveries.map(({ telling }) => telling?.incident);
      };
      const told = [];
      for (const [hours, status] of ([0, 1, 1, 0, 1] as const).entries())
        told.push(...(await incidents(status, `2026-01-01T1${hours}:00:00Z`)));
      const [second, first] = (await all()).map(({ id }) => id);
      expect(told).to.deep.equal([undefined, first, first, first, second]);
    });

    it('tells where an alert went that what it told of is over, in one message for all that end together', async () => {
      for (const [cause, ...planned] of [
        ['of two', OPS, LOG],
        ['of one', target('slack:#all')],
      ] as const) {
        const alert = { cause, subject: DEAD_LETTER, targets: [ALERTS] };
        const dies = planned.map(() => (of: typeof NOBODY) => dead(of, alert));
        await bench.settled(bench.arrive({ job_id: cause, status: 0 }, planned), ...dies);
      }
      await bench.tell(await bench.claim());
      await care(await bench.incidents());
      const over = await subjects();
      expect(over).to.have.length(1);
      expect(over[0]).to.include({ at: 'slack:#alerts', template: 'over', moreTroubles: 0 });
      expect(over[0]).to.have.nested.property('troubles.length', 3);
    });

    it('tells it, too, when somebody closes it, whatever its destination is called', async () => {
      for (const noNews of [[], [ALERTS.destination]]) {
        const long = target(`slack:#${noNews.join()}${'x'.repeat(300)}`);
        const alert = { cause: long.destination, subject: DEAD_LETTER, targets: [ALERTS] };
        const coming = bench.arrive({ job_id: long.destination, status: 0 }, [long]);
        await bench.settled(coming, (id) => dead(id, alert));
        await bench.tell(await bench.claim());
        await bench.accept({ job_id: `${long.destination} waits` }, [long]);
        await bench.store.passTime(60_000);
        await bench.closeAll(noNews);
        const told = (await subjects()).filter(({ template }) => template === 'over');
        expect(told).to.have.length(noNews.length === 0 ? 1 : 0);
        for (const over of told) expect(over, 'not told yet').to.have.nested.property('troubles[0].late', 0);
      }
    });

    it('writes down afterwards that nothing could be written, as one for all replicas, and tells who was told', async () => {
      const answered = { count: 2, bots: ['big-bot'] };
      const outage = { beganMsAgo: 60_000, endedMsAgo: 1000, reason: 'disk is full', answered };
      const also = { count: 2, bots: ['big-bot', 'small-bot'] };
      const first = { ...outage, id: 'a', told: [ALERTS.destination] };
      await bench.ledger.recordOutage({ ...outage, id: 'c', told: [] });
      await Promise.all([
        bench.ledger.recordOutage(first),
        bench.ledger.recordOutage({
          ...outage,
          answered: also,
          id: 'b',
          beganMsAgo: 90_000,
          told: [ALERTS.destination, LOG.destination],
        }),
        // The store took longer than the call.
        bench.ledger.recordOutage(first),
      ]);
      const incidents = await all();
      expect(shown(incidents)).to.deep.equal(['botbell store store 6 over']);
      expect((incidents[0]?.overAt ?? 0) - (incidents[0]?.since ?? 0)).to.equal(89_000);
      expect(await subjects(), 'before the last of them has said how many it turned away').to.deep.equal([]);
      await bench.store.passTime(20_000);
      const over = await subjects();
      expect(over.map(({ at }) => at)).to.have.members([ALERTS.destination, LOG.destination]);
      expect(over[0]).to.deep.include({ template: 'over' });
      expect(over[0]).to.have.deep.nested.property('answered.count', 6);
      expect(over[0]).to.have.nested.property('troubles[0].gist', outage.reason);
    });

    it('says at its end how many messages were late, and how many are lost', async () => {
      const accepted = async (job_id: string) => namesOf(await bench.accept({ job_id }, [OPS]))[0];
      const alert = { cause: 'c', subject: CONFIG_FAILURE, targets: [ALERTS] };
      const [id, also] = [await accepted('first'), await accepted('second')];
      await accepted('third, and still to be told');
      await bench.claim();
      await bench.settle([failed(id, { isTakenOver: true, lastError: CONFIG, alert })]);
      const [lost, quick] = [await accepted('lost'), await accepted('quick')];
      await bench.claim(bench.ledger, { only: [OPS.destination] });
      await bench.settle([dead(lost), delivered(quick)]);
      await bench.tell(await bench.claim(bench.ledger, { only: [ALERTS.destination] }));
      await bench.store.passTime(60_000);
      await bench.settle([delivered(id), delivered(also)]);
      await bench.ledger.actions.dismiss(lost.id, { via: 'api', user: undefined, from: 'test' });
      await care();
      const over = await subjects();
      expect(over).to.have.length(1);
      expect(over[0]).to.have.nested.property('troubles[0]').that.includes({ late: 3, lost: 1 });
    });

    it('opens one of a destination that is down, since its first failure, or limits its rate for long', async () => {
      const first = bench.store.clock.monotonic();
      await bench.store.call(widenFailing, [OPS.destination, { first, last: first }]);
      await bench.store.passTime(120_000);
      const fails = async (fields: object, expected: string) => {
        const alert = { cause: 'down', subject: CONFIG_FAILURE, targets: [] };
        const to = { isTakenOver: true, alert, ...fields };
        await bench.settled(arrive(0, '2026-01-01T09:00:00Z'), (of) => failed(of, to));
        expect(shown(await open())).to.deep.equal([`destination slack:#ops ${expected} open`]);
      };
      await fails({}, 'down 1');
      const [down] = await open();
      expect((down?.lastAt ?? 0) - (down?.since ?? 0)).to.equal(120_000);
      await fails({ lastError: { class: 'rate_limited', code: '429', message: '' } }, 'limited 2');
    });

    it('counts of how many somebody is told, by kind', async () => {
      for (const bot_id of ['a', 'b']) await arrive(1, '2026-01-01T09:00:00Z', { bot_id });
      const untold = { ...OPS, reason: 'after_failures' };
      await bench.arrive({ bot_id: 'c', status: 1, message: 'x' }, [untold]);
      await bench.arrive({ bot_id: 'd', status: 1, message: 'x' }, [untold, LOG]);
      await bench.settled(arrive(0, '2026-01-01T08:00:00Z'), dead);
      const own = { key: 'config', sign: 'reload', gist: '' } as const;
      await bench.ledger.recordOwnSign(own, { cause: 'c', subject: CONFIG_FAILURE, targets: [] });
      const counted = await bench.ledger.archive.countIncidents();
      expect(counted).to.deep.equal({ bot: 3, destination: 1, botbell: 1 });
    });

    it('ends one of a BOT whose success was admitted together with the error before it, and keeps it for 400 days, the first of which a report tells whole', async () => {
      await arrive(1, '2026-01-01T09:00:00Z');
      await arrive(0, '2026-01-01T10:00:00Z');
      await bench.store.run('UPDATE incidents SET over_at = NULL');
      await care();
      expect(await open()).to.deep.equal([]);
      await bench.store.passTime(402 * 24 * HOUR_MS);
      await bench.forget(KEEP_MS);
      expect(await all()).to.have.length(1);
      await bench.store.passTime(1);
      await bench.forget(KEEP_MS);
      expect(await all()).to.deep.equal([]);
    });

    it('finds incidents by state, kind, BOT and destination, page by page', async () => {
      for (const bot_id of ['a', 'b', 'c']) await arrive(1, '2026-01-01T09:00:00Z', { bot_id });
      const [lost] = namesOf(await arrive(0, '2026-01-01T10:00:00Z', { bot_id: 'b' }));
      const find = async (...asked: Parameters<typeof bench.ledger.archive.incidents>) =>
        (await bench.ledger.archive.incidents(...asked)).items.map(({ subject }) => subject);
      const [id = 0] = await bench.incidents();
      await bench.takeUp([id]);
      for (const [state, subject] of [
        ['open', 'c'],
        ['taken_up', 'a'],
        ['over', 'b'],
      ] as const)
        expect(await find({ state }, {})).to.deep.equal([subject]);
      expect(await bench.ledger.archive.incident(id)).to.include({ subject: 'a' });
      expect(await find({ botId: 'c' }, {})).to.deep.equal(['c']);
      expect(await find({ destination: 'a' }, {})).to.deep.equal([]);
      await bench.settle([dead(lost)]);
      for (const filter of [{ kind: 'destination' }, { destination: 'slack:#ops' }] as const)
        expect(await find(filter, {})).to.deep.equal(['slack:#ops']);
      const first = await bench.ledger.archive.incidents({}, { limit: 2 });
      expect(first.items.map(({ subject }) => subject)).to.deep.equal(['slack:#ops', 'c']);
      expect(await find({}, { before: first.next ?? 0, limit: 2 })).to.deep.equal(['b', 'a']);
    });
  });
}
