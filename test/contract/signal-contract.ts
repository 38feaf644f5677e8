/** What every ledger promises of messages that rules hold, let go or sum up, and of what is told at a time whatever comes. */
import { expect } from 'chai';
import { type Callback, statusNameOf } from '../../src/callback/callback.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { Admission, DeliveryName, PlannedDelivery, Watched } from '../../src/ledger/ledger.ts';
import type { HoldOutcome, EndedHold } from '../../src/ledger/deliveries/holds.ts';
import { applyRules } from '../../src/ledger/timers/admission.ts';
import type { SnoozeRequest } from '../../src/ledger/timers/timers.ts';
import { isAlert, noticeId, withTelling } from '../../src/notice/notice.ts';
import type { AskedRoute } from '../../src/signal/decide.ts';
import { likenessOf } from '../../src/text/gist.ts';
import { type Burst, NO_RULES, type RouteRules } from '../../src/signal/rules.ts';
import { CONFIG_FAILURE } from '../support/alerts.ts';
import { anew } from '../support/anew.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { askingOf } from '../support/store-under-test.ts';
import { arrivalOf, claimedOf, EXECUTING, target } from './arrivals.ts';
import { adopting, Bench, type CreateStore, TOGETHER, TOLD } from './ledger-bench.ts';
import { dead, delivered, failed, namesOf, NOBODY, putOff } from './updates.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ERROR = 1;
const ASKED = { actor: { via: 'page', user: 'admin', from: '127.0.0.1' } } as const;

/** A condition that no callback meets. */
const UNMET = 'code == 1';

const CHANGES = { repeat: 'changes', on: ['error', 'recovered'] } as const;
const NO_LOGIN = { status: ERROR, message: 'no login' } as const;

const dueNow = (of: DeliveryName) => putOff(of, 0);

/** Everything is held until the end of the day: the tests' clock begins at midnight. */
const MUTED: Partial<RouteRules> = { mute: [{}] };

interface RouteFields extends Partial<RouteRules> {
  readonly on?: AskedRoute['on'];
  readonly timer?: string;
}

function to(destination: string, routes: readonly RouteFields[] = [{}], burst?: Burst): PlannedDelivery {
  const asked = routes.map(({ on, timer, ...rules }, index) => ({
    name: `routes[${index}]`,
    on: on ?? (['succeeded', 'error', 'executing'] as const),
    rules: { ...NO_RULES, ...rules },
    timer,
  }));
  return { ...target(destination), asked, burst };
}

/** A ledger whose callbacks come by the rules of a plan. */
class SignalBench extends Bench {
  #jobs = 0;

  static override async open(createStore: CreateStore): Promise<SignalBench> {
    const store = await createStore();
    return new SignalBench(store, await store.open({ owner: 'first' }));
  }

  get now(): number {
    return this.store.clock.now();
  }

  /** A job of its own that begins now, unless the fields say more. */
  async comes(
    fields: Partial<Callback>,
    planned: readonly PlannedDelivery[],
    { watched = {}, by = this.ledger }: { watched?: Partial<Watched>; by?: DatabaseLedger } = {},
  ): Promise<Admission> {
    this.#jobs += 1;
    const job_id = `own-${this.#jobs}`;
    const callback = callbackWith({ job_id, start_time: new Date(this.now).toISOString(), ...fields });
    const likeness = statusNameOf(callback) === 'error' ? likenessOf(callback.message ?? '', job_id) : '';
    const arrival = arrivalOf(callback, planned);
    const remembered = { isRemembered: true, isPlain: false, ...watched };
    return by.admit({ ...arrival, asking: askingOf(planned, remembered), likeness, unmet: [UNMET] });
  }

  /** An error each: `tell`, `repeat` or `mute 60` (minutes from now). */
  async fails(planned: PlannedDelivery, fields: Partial<Callback> = {}): Promise<string> {
    return this.shown(await this.comes({ status: ERROR, ...fields }, [planned]));
  }

  shown({ deliveries }: Admission): string {
    const words = deliveries.map(({ state, reason, heldUntil }) => {
      if (state === 'pending') return 'tell';
      return heldUntil === undefined ? String(reason) : `${reason} ${(heldUntil - this.now) / MINUTE}`;
    });
    return words.join(', ');
  }

  /** What would be shown of a result that came now. */
  async foretells(status: 0 | 1, planned: readonly PlannedDelivery[], expected: Watched['expected']) {
    const { bot_id: botId, job_id: jobId } = callbackWith({});
    const of = { callbackId: 0, jobId, botKey: botId, botId, botName: '', status };
    const at = { startedAt: this.now, receivedAt: this.now };
    const watched = { timezone: 'UTC', expected, overdueMs: [], isRemembered: true };
    const arriving = { ...of, ...at, planned, watched, likeness: '', unmet: [] };
    const { foreseen } = applyRules(arriving, await this.ledger.archive.readKnownFacts(arriving), this.now);
    const words = foreseen.map(({ decision }) => {
      const verdict = decision?.ruling ?? { does: 'tell' };
      if (verdict.does !== 'hold') return verdict.does === 'tell' ? 'tell' : verdict.rule;
      return `${verdict.rule} ${((verdict.until ?? Infinity) - this.now) / MINUTE}`;
    });
    return words.filter((word) => word !== 'on').join(', ');
  }

  /** What all whose hold is over come to, but for starts whose results have come. @returns at how many destinations */
  endWith(outcome: HoldOutcome = TOLD): Promise<number> {
    return this.end(({ isOutdated }) => (isOutdated ? 'superseded' : outcome));
  }

  /** The summaries that are due, told: `slack:#ops mute 3: job_1 2e 1s`. */
  async summaries(): Promise<readonly string[]> {
    return (await this.tellAll()).map(({ record, notice }) => {
      if (!isAlert(notice) || notice.alert.subject.template !== 'summary')
        return withTelling(notice, record.telling).template;
      const { destination, reason, count, bots } = notice.alert.subject;
      const each = bots.map(({ bot_id, errors, succeeded }) => `${bot_id} ${errors}e ${succeeded}s`);
      return `${destination} ${reason} ${count}: ${each.join(', ')}`;
    });
  }

  /** Holds what is held on, but as is said. @returns what was asked for */
  async holdOn(how: Partial<EndedHold> = {}): Promise<readonly EndedHold[]> {
    const held: EndedHold[] = [];
    await adopting(this.ledger, { reasked: 'all' });
    await this.end((hold) => {
      held.push(hold);
      const { reason, heldUntil, snoozeId } = { ...hold, ...how };
      return { reason, heldUntil, snoozeId };
    });
    return held;
  }

  /** When the timers of this kind are due. */
  async timersOf(kind: string): Promise<readonly number[]> {
    const rows = await this.store.rows(`timers WHERE kind = '${kind}'`, 'key');
    return rows.map((row) => Number(row['due_at']));
  }

  snooze(request: Partial<SnoozeRequest>): Promise<number> {
    const asked = { until: this.now + HOUR, isUntilSuccess: false, because: 'known', ...ASKED };
    return this.ledger.actions.snooze({ ...asked, ...request });
  }
}

export function describeSignals(name: string, createStore: CreateStore): void {
  describe(`${name} by the rules of routes`, () => {
    const bench = anew(() => SignalBench.open(createStore));

    const pass = (ms: number) => bench.store.passTime(ms);
    const muted = to('slack:#ops', [MUTED]);

    describe('counts errors in a row', () => {
      const third = to('slack:#ops', [{ afterFailures: 3 }]);

      it('also those that came while no rule asked, and knows whom they were told', async () => {
        const unasked = { watched: { isRemembered: false } };
        const asked = { on: ['error', 'recovered'] } as const;
        const plain = [to('slack:#log', [asked]), to('slack:#all', [{ ...asked, ...MUTED }])];
        await bench.comes({ status: 0 }, [], unasked);
        await bench.comes({ status: ERROR }, plain, unasked);
        expect(await bench.fails(third)).to.equal('after_failures');
        const letGo = ['slack:#log', 'slack:#none'].map((place) => to(place, [{ ...asked, when: UNMET }]));
        await bench.comes({ status: ERROR }, letGo, unasked);
        await bench.comes({ status: EXECUTING }, []);
        expect(await bench.fails(third), 'a start is no success').to.equal('tell');
        const recovery = await bench.comes({ status: 0 }, [...plain, to('slack:#none', [asked])]);
        expect(recovery.deliveries).to.have.length(2);
        for (const { telling } of recovery.deliveries)
          expect(telling?.occasion).to.include({ template: 'recovered', failures: 4 });
        await bench.comes({ status: 0 }, [], unasked);
        expect(await bench.fails(third)).to.equal('after_failures');
      });

      it('that come to two processes at once, each once', async () => {
        const second = await bench.openAs('second');
        const came = await Promise.all(
          [bench.ledger, second, bench.ledger].map((by) => bench.comes({ status: ERROR }, [third], { by })),
        );
        const shown = came.map((each) => bench.shown(each)).toSorted();
        expect(shown).to.deep.equal(['after_failures', 'after_failures', 'tell']);
      });
    });

    it('counts no error as told that became a dead letter or was dismissed, by repeat as by recovered', async () => {
      const planned = [to('slack:#ops', [CHANGES]), to('slack:#log', [CHANGES])];
      const again = () => bench.comes(NO_LOGIN, planned);
      const [, log] = await bench.settled(again(), dead, dead);
      await bench.ledger.actions.dismiss(log.id, ASKED.actor);
      const second = await again();
      expect(bench.shown(second)).to.equal('tell, tell');
      expect(bench.shown(await again()), 'while it waits').to.equal('repeat, repeat');
      await bench.settle([dead(namesOf(second)[0])]);
      const success = await bench.comes({ status: 0 }, planned);
      expect(success.deliveries.map(({ destination }) => destination)).to.deep.equal(['slack:#log']);
    });

    it('counts no error as told that only a summary says which became a dead letter', async () => {
      for (const bot_id of ['failing', 'mended'])
        await bench.comes({ ...NO_LOGIN, bot_id }, [to('slack:#ops', [{ ...CHANGES, ...MUTED }])]);
      await pass(DAY);
      await bench.endWith();
      const planned = to('slack:#ops', [CHANGES]);
      const fails = () => bench.fails(planned, { ...NO_LOGIN, bot_id: 'failing' });
      expect(await fails(), 'while it waits').to.equal('repeat');
      const [due] = await bench.claim();
      await bench.settle([dead(due?.record ?? NOBODY)]);
      expect(await fails()).to.equal('tell');
      expect((await bench.comes({ status: 0, bot_id: 'mended' }, [planned])).deliveries).to.deep.equal([]);
    });

    it('counts no message that a rule held as late at the end of a trouble of its destination', async () => {
      const alert = { cause: 'c', subject: CONFIG_FAILURE, targets: [target('slack:#alerts')] };
      await bench.settled(bench.comes({}, [to('slack:#ops')]), (of) =>
        failed(of, { isTakenOver: true, alert }),
      );
      for (const end of [() => bench.release(), () => bench.endWith()]) {
        await bench.fails(muted);
        await pass(DAY);
        await end();
        await bench.tellAll();
      }
      await pass(10 * SECOND);
      await bench.care();
      const [over] = await bench.claim();
      expect(over?.notice).to.have.nested.property('alert.subject.troubles[0]').that.includes({ late: 1 });
    });

    it('counts an error as told where it was routed anew, by repeat as by recovered, which waits for it', async () => {
      const { callbackId } = await bench.comes(NO_LOGIN, [to('slack:#ops', [CHANGES])]);
      const anew = { targets: [target('slack:#new')], routing: [], channels: new Map() };
      await bench.ledger.actions.routeAnew(callbackId, anew, ASKED.actor);
      const told = await bench.store.rows('deliveries');
      for (const { telling } of told) expect(String(telling), 'its incident').to.match(/"incident":\d/);
      const moved = to('slack:#new', [CHANGES]);
      expect(await bench.fails(moved, NO_LOGIN)).to.equal('repeat');
      const success = await bench.comes({ status: 0 }, [moved]);
      expect(success.deliveries[0]?.telling?.occasion).to.include({ template: 'recovered', failures: 2 });
      const added = (await bench.ledger.archive.story(callbackId))?.deliveries[1]?.id ?? NaN;
      expect(success.deliveries[0]).to.include({ behind: added });
    });

    it('has a success end the errors that came while the clock was ahead', async () => {
      const planned = to('slack:#ops', [CHANGES]);
      bench.store.clock.setBy(300 * DAY);
      await bench.fails(planned, NO_LOGIN);
      bench.store.clock.setBy(-300 * DAY);
      const recovery = await bench.comes({ status: 0 }, [planned]);
      expect(recovery.deliveries[0]?.telling?.occasion).to.include({ template: 'recovered', failures: 1 });
      expect(await bench.fails(planned, NO_LOGIN)).to.equal('tell');
    });

    it('takes a start that is said to be later than the receipt as the receipt', async () => {
      const ahead = new Date(bench.now + 30 * DAY).toISOString();
      const second = to('slack:#ops', [{ afterFailures: 2, on: ['error', 'recovered'] }]);
      for (const isRemembered of [true, false]) {
        await pass(HOUR);
        await bench.comes({ status: ERROR, start_time: ahead }, [], { watched: { isRemembered } });
        await pass(HOUR);
        await bench.comes({ status: 0 }, [second]);
        expect(await bench.fails(second), `${isRemembered}`).to.equal('after_failures');
      }
    });

    describe('keeps what it holds', () => {
      it('with the rule and its end, also when it comes again, and what it lets go with the rule alone', async () => {
        const planned = [
          muted,
          to('slack:#log', [{ when: UNMET }]),
          to('slack:#all'),
          to('slack:#none', [{ on: ['succeeded'] }]),
        ];
        const same = { job_id: 'same', status: ERROR, start_time: '2026-11-20T00:00:00Z' } as const;
        expect(bench.shown(await bench.comes(same, planned))).to.equal(`mute ${DAY / MINUTE}, when, tell`);
        expect(await bench.history()).to.deep.equal(['held mute', 'held when']);
        expect(await bench.ledger.archive.countOpen()).to.include({ held: 1, pending: 1 });
        await bench.tellAll();
        await pass(HOUR);
        const again = bench.shown(await bench.comes(same, planned));
        expect(again).to.match(new RegExp(`^mute ${(DAY - HOUR) / MINUTE}, when, `));
        expect(await bench.claim()).to.deep.equal([]);
      });

      it('and which route tells what it does not hold, until that is told', async () => {
        const [name] = namesOf(await bench.comes({ status: ERROR }, [to('slack:#ops', [MUTED, {}])]));
        await bench.settle([dead(name)]);
        await bench.ledger.actions.redeliver(name.id, ASKED.actor, false);
        const [again] = await bench.claim();
        expect(again?.record.telling).to.deep.include({ wantedBy: ['routes[1]'] });
      });
    });

    it('foretells what it then decides, and changes nothing by that', async () => {
      const expected = [{ key: 'expect daily', rule: { everyMs: HOUR, graceMs: MINUTE } }];
      const strict = { afterFailures: 2, repeat: HOUR, on: ['error', 'recovered'] as const };
      const planned = [
        to('slack:#ops', [strict], { max: 2, perMs: DAY }),
        to('slack:#log', [{ timer: 'expect daily', on: ['error'] }]),
      ];
      await bench.comes({ status: ERROR, bot_id: 'another' }, []);
      const snooze = { botId: callbackWith().bot_id, destination: 'slack:#log', isUntilSuccess: true };
      await bench.snooze({ ...snooze, until: bench.now + DAY });
      const decided: string[] = [];
      for (const status of [ERROR, ERROR, ERROR, 0, 0, ERROR, ERROR, 0, ERROR] as const) {
        const foretold = await bench.foretells(status, planned, expected);
        expect(await bench.foretells(status, planned, expected)).to.equal(foretold);
        decided.push(bench.shown(await bench.comes({ status }, planned, { watched: { expected } })));
        expect(foretold).to.equal(decided.at(-1));
        await pass(20 * MINUTE);
      }
      expect(decided).to.deep.equal([
        'after_failures, snooze 1440',
        'tell, snooze 1420',
        'repeat, snooze 1400',
        'tell',
        '',
        'after_failures, tell',
        'burst 1340, tell',
        'burst 1320',
        'after_failures, tell',
      ]);
    });

    describe('snoozed', () => {
      const everybody = [to('slack:#ops'), to('slack:#log')];

      it('a BOT stays so for the success of an older run than its last error, though no rule goes by what came before', async () => {
        for (const botId of ['get_items', 'another'])
          await bench.snooze({ botId, isUntilSuccess: true, until: bench.now + 2 * DAY });
        const unremembered = { watched: { isRemembered: false, isPlain: true } };
        const older = new Date(bench.now - HOUR).toISOString();
        await bench.comes({ status: ERROR }, [to('slack:#ops')], unremembered);
        await bench.comes({ status: 0, start_time: older }, [to('slack:#ops')], unremembered);
        expect((await bench.ledger.archive.snoozes()).items).to.have.length(2);
        await pass(HOUR);
        await bench.comes({ status: 0 }, [to('slack:#ops')], unremembered);
        expect((await bench.ledger.archive.snoozes()).items).to.have.length(1);
      });

      it('until somebody ends it, whatever else is snoozed', async () => {
        const id = await bench.snooze({ botId: 'get_items' });
        const longer = await bench.snooze({ botId: 'another', until: bench.now + DAY });
        await bench.snooze({ destination: 'slack:#log', until: bench.now + DAY });
        await bench.comes({ status: ERROR }, everybody);
        await bench.comes({ status: 0 }, []);
        const { items: kept } = await bench.ledger.archive.snoozes();
        const shown = kept.map(({ held, by, because }) => `${held} ${by} ${because}`);
        expect(shown).to.deep.equal(['1 admin known', '0 admin known', '1 admin known']);
        const idsOf = async (...asked: Parameters<typeof bench.ledger.archive.snoozes>) =>
          (await bench.ledger.archive.snoozes(...asked)).items.map((each) => each.id);
        expect(await idsOf({ before: longer + 1, limit: 1 })).to.deep.equal([longer]);
        expect(await idsOf({}, { ids: [id], botIds: ['another'] })).to.deep.equal([longer, id]);
        expect(await idsOf({}, { destinations: ['slack:#log'] })).to.deep.equal([longer + 1]);
        expect(await idsOf({}, {})).to.deep.equal([]);
        expect(await bench.ledger.actions.endSnooze(longer)).to.equal(true);
        expect(await bench.endWith()).to.equal(0);
        expect(await bench.ledger.actions.endSnooze(id)).to.equal(true);
        expect(await bench.ledger.actions.endSnooze(id)).to.equal(false);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal(['slack:#ops snooze 1: get_items 1e 0s']);
      });

      it('a BOT with a long id, also by the key under which lists have it', async () => {
        const bot_id = 'b'.repeat(300);
        await bench.comes({ bot_id }, []);
        const [{ botId } = { botId: '' }] = await bench.ledger.archive.bots(undefined, 1);
        await bench.snooze({ botId });
        const held = bench.shown(await bench.comes({ bot_id, status: ERROR }, [to('slack:#ops')]));
        expect([botId.length < 200, held]).to.deep.equal([true, 'snooze 60']);
      });

      it('until its next success by one snooze, however often somebody asks for that', async () => {
        const asked = { botId: 'get_items', isUntilSuccess: true };
        const id = await bench.snooze({ ...asked, until: bench.now + DAY });
        await bench.snooze({ ...asked, until: bench.now + DAY, destination: 'slack:#log' });
        await bench.snooze({ botId: 'get_items', until: bench.now + HOUR });
        await pass(MINUTE);
        const until = bench.now + 2 * DAY;
        expect(await bench.snooze({ ...asked, until, because: 'again' })).to.equal(id);
        const { items: kept } = await bench.ledger.archive.snoozes();
        expect(kept).to.have.length(3);
        expect(kept.at(-1)).to.include({ id, until, because: 'again' });
      });

      it('a BOT has what was held told before the success that ends it, whether that is told as a recovery or not', async () => {
        await bench.snooze({ botId: 'get_items', isUntilSuccess: true, until: bench.now + DAY });
        await bench.comes({ status: ERROR }, [to('slack:#ops')]);
        await bench.settled(bench.comes({ status: 0 }, [to('slack:#ops')]), dueNow);
        expect(await bench.claim()).to.deep.equal([]);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal(['slack:#ops snooze 1: get_items 1e 0s', 'succeeded']);
      });

      it('not by one that somebody ends while another process begins to hold by it', async () => {
        const id = await bench.snooze({ botId: 'get_items', until: bench.now + 2 * DAY });
        await bench.comes({ status: ERROR }, [to('slack:#ops', [{ mute: [{ to: 60 }] }])]);
        await pass(HOUR);
        const second = await bench.openAs('second');
        const [timer = { key: '', dueAt: 0 }] = await bench.timers(second);
        await bench.ledger.actions.endSnooze(id);
        const outcome = { reason: 'snooze', heldUntil: bench.now + DAY, snoozeId: id };
        await second.endHolds(timer, { decide: () => outcome, routes: [] });
        expect(await bench.endWith()).to.equal(1);
      });
    });

    describe('in a burst', () => {
      it('counts no edit of what the job has told there', async () => {
        const edited = { ...to('slack:#ops', [{}], { max: 1, perMs: MINUTE }), isEdit: true };
        const tells = async (fields: Partial<Callback>) => {
          const came = await bench.comes({ status: EXECUTING, ...fields }, [edited]);
          const [told] = came.deliveries;
          if (told?.state === 'pending') await bench.settle([delivered(told)]);
          return bench.shown(came);
        };
        expect(await tells({ job_id: 'job' })).to.equal('tell');
        expect(await tells({ job_id: 'another' })).to.equal('burst 1');
        expect(await tells({ job_id: 'job', status: 0 })).to.equal('tell');
      });

      it('counts what comes at once, to two processes and by whichever rules, and once it is full nothing more', async () => {
        const burst = { max: 13, perMs: MINUTE };
        const second = await bench.openAs('second');
        const here = [to('slack:#ops', [{}], burst)];
        const come = (count: number) =>
          bench.comes({ bot_id: `bot-${count}`, status: ERROR }, here, {
            by: count % 2 === 0 ? second : bench.ledger,
            watched: { isRemembered: count % 4 < 2 },
          });
        const tells = async (...counts: readonly number[]) =>
          (await Promise.all(counts.map(come))).map((each) => bench.shown(each));
        expect(new Set(await tells(...Array.from({ length: 12 }, (_, count) => count)))).to.have.keys('tell');
        const last = (await tells(12, 13, 14, 15)).toSorted();
        expect(last.join()).to.equal('burst 1,burst 1,burst 1,tell');
        expect(await bench.fails(to('slack:#log', [{}], burst)), 'another destination').to.equal('tell');
      });
    });

    describe('has a recovery', () => {
      const asked = (...more: RouteFields['on'] & object) =>
        ({ on: ['error', 'recovered', ...more] }) as const;
      const here = to('slack:#ops', [asked()]);

      it('wait at each destination for all errors that it answers, whichever process has them', async () => {
        const planned = [here, to('slack:#log', [asked()])];
        const [first, log] = namesOf(await bench.comes({ status: ERROR }, planned));
        const [last] = namesOf(await bench.comes({ status: ERROR }, [here]));
        await bench.comes({ status: ERROR, bot_id: 'another' }, [here]);
        await bench.comes({ status: EXECUTING }, [to('slack:#ops')]);
        await bench.settle([putOff(first, 5 * MINUTE), putOff(last, 2 * MINUTE), delivered(log)]);
        const success = await bench.comes({ status: 0 }, [...planned, to('slack:#all')]);
        const ahead = success.deliveries.map((each) => each.behind);
        expect(ahead, 'of two jobs, whose order nobody knows').to.deep.equal([0, undefined, undefined]);
        const [ops, other, plain] = namesOf(success);
        await bench.settle([putOff(ops, 0), delivered(other), delivered(plain)]);
        const second = await bench.openAs('second');
        for (const expected of [[], [last.id], [], [first.id], [ops.id], []]) {
          const due = await bench.claim(second);
          expect(due.map(({ record }) => record.id)).to.deep.equal(expected);
          expect((await bench.claim()).map(({ record }) => record.id)).to.deep.equal([]);
          if (expected.length === 0) await pass(3 * MINUTE);
          const told = due.map(({ record }) => delivered(record));
          await bench.settle(told, second);
        }
      });

      it('wait for no error that became a dead letter', async () => {
        const [lost] = namesOf(await bench.comes({ status: ERROR }, [here]));
        await bench.settled(bench.comes({ status: 0 }, [here]), dueNow);
        await bench.settle([dead(lost)]);
        expect(await bench.summaries()).to.deep.equal(['recovered']);
      });

      it('wait for an error that a rule held, and for its summary until that is told or given up', async () => {
        const held = to('slack:#ops', [{ ...asked(), ...MUTED }]);
        await bench.comes({ status: ERROR }, [held]);
        await bench.settled(bench.comes({ status: 0 }, [here]), dueNow);
        expect(await bench.claim(), 'held').to.deep.equal([]);
        await pass(DAY);
        await bench.endWith();
        const [summary, ...others] = await bench.claim();
        expect([summary?.record.state, others], 'its summary is due first').to.deep.equal(['pending', []]);
        await bench.settle([dead(summary?.record ?? NOBODY)]);
        expect(await bench.summaries()).to.deep.equal(['recovered']);
      });

      it('goes where the config moves it, but only to whom an error went that it answers', async () => {
        const channels = new Map([['slack', 'slack']]);
        await bench.ledger.upkeep.heartbeat({ hash: 'a', channels });
        const log = async (fields: Partial<Callback>, outcome = delivered) => {
          const { deliveries } = await bench.comes(fields, [to('slack:#log')]);
          await bench.settle(deliveries.map((each) => outcome(each)));
        };
        for (const status of [ERROR, 0] as const) await log({ status });
        await pass(MINUTE);
        const error = await bench.comes({ status: ERROR }, [here]);
        for (const bot_id of ['another', 'get_items'])
          await log({ bot_id, status: bot_id === 'another' ? ERROR : EXECUTING });
        await log({ status: ERROR }, dead);
        const anew = { targets: [target('slack:#new')], routing: [], channels };
        await bench.ledger.actions.routeAnew(error.callbackId, anew, ASKED.actor);
        const again = (await bench.claim()).map(({ record }) => record);
        await bench.settle([...error.deliveries, ...again].map((each) => delivered(each)));
        const [success] = await bench.settled(bench.comes({ status: 0 }, [here]), dueNow);
        const [due] = await bench.claim();
        const rerouted = (record: DeliveryName, ...perhaps: readonly string[]) =>
          bench.ledger.reroute({
            update: dead(record),
            wanted: { botId: 'get_items', status: 0, planned: [], timezone: 'UTC' },
            perhaps: perhaps.map((destination) => to(destination, [asked(), { on: ['error'] }])),
            routing: [],
            channels,
          });
        const moves = await rerouted(due?.record ?? success, 'slack:#new', 'slack:#log');
        expect(moves).to.deep.equal(['slack:#new']);
        expect((await bench.states()).slice(-2)).to.deep.equal(['slack:#ops held', 'slack:#new pending']);
        const [moved] = await bench.claim();
        expect(moved?.record.telling).to.have.nested.property('occasion.template', 'recovered');
        expect(moved?.record.telling).to.include({ isOnlyRecovery: true });
        expect(await rerouted(moved?.record ?? success, 'slack:#log')).to.deep.equal([]);
        expect((await bench.states()).slice(-2)).to.deep.equal(['slack:#ops held', 'slack:#new dead']);
      });

      it('that comes late goes where the config moves it, to whom a route expects it', async () => {
        await bench.ledger.upkeep.heartbeat({ hash: 'a', channels: new Map() });
        const [success] = namesOf(await bench.comes({ status: 0 }, [to('slack:#log')]));
        const late = { occasion: { template: 'late', dueAt: bench.now - HOUR, lateByMs: HOUR } };
        await bench.store.run(`update deliveries set telling = '${JSON.stringify(late)}'`);
        await bench.settle([putOff(success, 0)]);
        const [due] = await bench.claim();
        const expects = { expect: { everyMs: DAY, graceMs: 0 }, on: ['error'] } as const;
        const moves = await bench.ledger.reroute({
          update: dead(due?.record ?? success),
          wanted: { botId: 'get_items', status: 0, planned: [], timezone: 'UTC' },
          perhaps: [to('slack:#new', [expects, {}]), to('slack:#none', [asked()])],
          routing: [],
          channels: new Map(),
        });
        expect(moves).to.deep.equal(['slack:#new']);
        const [moved] = await bench.claim();
        expect(moved?.record.telling).to.deep.include(late).and.not.to.have.property('isOnlyRecovery');
      });

      it('not told by itself once its BOT has failed again, unless a person asks for it', async () => {
        const both = to('slack:#log', [asked('succeeded')]);
        await bench.settled(bench.comes({ status: ERROR }, [here, both]), delivered, delivered);
        await pass(MINUTE);
        const fields = { status: 0, job_id: 'well', start_time: new Date(bench.now).toISOString() } as const;
        await bench.settled(bench.comes(fields, [here, both]), failed, failed);
        await pass(MINUTE);
        await bench.settled(bench.comes({ status: ERROR }, [here]), delivered);
        const again = await bench.comes(fields, [here, both]);
        expect(bench.shown(again)).to.equal('superseded, tell');
        expect(claimedOf(again)).to.deep.equal(['slack:#log']);
        const [over] = namesOf(again);
        expect(await bench.ledger.actions.redeliver(over.id, ASKED.actor, false)).to.equal('superseded');
        await bench.settle(again.deliveries.slice(1).map((each) => putOff(each, 0)));
        expect(await bench.summaries()).to.deep.equal(['succeeded']);
        await pass(MINUTE);
        const [lost] = await bench.settled(bench.comes({ status: 0 }, [here]), dead);
        await pass(MINUTE);
        await bench.comes({ status: ERROR }, []);
        await bench.ledger.actions.redeliver(lost.id, ASKED.actor, false);
        expect(await bench.summaries()).to.deep.equal(['recovered']);
        await bench.settled(bench.comes({ status: ERROR }, [here, both]), delivered, delivered);
        await pass(MINUTE);
        await bench.settled(bench.comes({ status: 0 }, [here, both]), dueNow, dueNow);
        await pass(MINUTE);
        await bench.comes({ status: ERROR }, []);
        expect(await bench.summaries(), 'though it waits already').to.deep.equal(['succeeded']);
        expect((await bench.states()).slice(-2)).to.deep.equal(['slack:#ops held', 'slack:#log delivered']);
      });
    });

    describe('when holds end', () => {
      it('tells it as the first route that tells a trouble of it, else as the first that tells', async () => {
        const routes = ['a', 'b', 'c'];
        const tells = ({ botId }: EndedHold): HoldOutcome => ({
          route: routes.find((name) => name === botId),
          isPlanned: true,
          escalating: [],
        });
        for (const [bots, wantedBy] of [
          [{ c: ERROR, a: 0, b: ERROR }, ['b']],
          [{ b: ERROR, c: ERROR, a: 0 }, ['b']],
          [{ c: 0, b: 0 }, ['b']],
          [{ a: ERROR, another: ERROR, b: ERROR }, ['a']],
          [{ none: ERROR, c: 0 }, ['c']],
          [{ none: 0, another: ERROR }, undefined],
          [{ b: 0 }, ['b']],
          [{ none: ERROR }, []],
        ] as const) {
          for (const [bot_id, status] of Object.entries(bots)) await bench.comes({ status, bot_id }, [muted]);
          await pass(DAY);
          const [timer = { key: '', dueAt: 0 }] = await bench.timers();
          await bench.ledger.endHolds(timer, { decide: tells, routes });
          const due = await bench.claim();
          const told = due.map(({ record }) => record.telling?.wantedBy);
          expect(told, JSON.stringify(bots)).to.deep.equal([wantedBy]);
          await bench.tell(due);
        }
      });

      it('tells it once, of two processes that end the same', async () => {
        await bench.fails(muted);
        await pass(DAY);
        const second = await bench.openAs('second');
        const ends: (() => Promise<void>)[] = [];
        for (const by of [bench.ledger, second]) {
          // The first one is taken for dead while it works.
          await bench.bury(by);
          const [timer = { key: '', dueAt: 0 }] = await bench.timers(by);
          expect(await bench.timers(by)).to.deep.equal([]);
          ends.push(() => by.endHolds(timer, TOGETHER));
        }
        await Promise.all(ends.map((end) => end()));
        expect(await bench.summaries()).to.deep.equal(['slack:#ops mute 1: get_items 1e 0s']);
      });

      it('goes on holding what another rule holds', async () => {
        await bench.fails(muted);
        await pass(DAY);
        const snoozeId = await bench.snooze({ botId: 'get_items' });
        await bench.endWith({ reason: 'snooze', heldUntil: bench.now + HOUR, snoozeId });
        expect(await bench.endWith()).to.equal(0);
        expect(await bench.claim()).to.deep.equal([]);
        expect((await bench.history()).at(-1)).to.equal('held snooze');
        const reasked = async (hold: Partial<EndedHold>) => {
          await bench.holdOn(hold);
          return (await bench.history()).filter((what) => what.startsWith('held')).join();
        };
        expect(await reasked({}), 'as before').to.equal('held mute,held snooze');
        expect(await reasked({ reason: 'mute' })).to.equal('held mute,held snooze,held mute');
        await reasked({ reason: 'snooze', snoozeId: undefined });
        await reasked({ snoozeId });
        expect((await bench.ledger.archive.snoozes()).items[0]?.held).to.equal(1);
        await pass(HOUR);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal(['slack:#ops snooze 1: get_items 1e 0s']);
      });

      it('leaves out what is no longer true: a missed result that has come, and a recovery of what has failed again', async () => {
        const planned = [to('slack:#ops', [MUTED])];
        const missed = { kind: 'missed', subject: '{"template":"missed"}', planned, timezone: 'UTC' };
        for (const botId of ['get_items', 'silent']) {
          const key = `expect ${botId}`;
          await adopting(bench.ledger, { timers: [{ key, kind: 'expect', dueAt: bench.now, data: {} }] });
          const [timer = { key, kind: 'expect' as const, dueAt: 0, data: {} }] = await bench.timers();
          await bench.ledger.fire({ timer, notice: { ...missed, botId } });
        }
        const asked = { on: ['error', 'recovered'] } as const;
        const wide = { on: [...asked.on, 'succeeded'] } as const;
        const told = [to('slack:#log', [asked]), to('slack:#all', [wide])];
        await bench.comes({ status: 1, job_id: 'bad', bot_id: 'flaky' }, told);
        await pass(MINUTE);
        const recovers = [
          to('slack:#log', [{ ...asked, ...MUTED }]),
          to('slack:#all', [{ ...wide, ...MUTED }]),
        ];
        // By a clock that is ahead.
        const start_time = new Date(bench.now + DAY).toISOString();
        await bench.comes({ status: 0, job_id: 'well', bot_id: 'flaky', start_time }, recovers);
        const seen = async (destination: string) =>
          (await bench.holdOn()).filter((each) => each.destination === destination);
        const held = (await seen('slack:#ops')).map(({ botId, isOutdated }) => `${botId} ${isOutdated}`);
        expect(held).to.deep.equal(['get_items false', 'silent false']);
        await bench.comes({ status: 0, job_id: 'came' }, []);
        expect((await seen('slack:#ops')).map(({ isOutdated }) => isOutdated)).to.deep.equal([true, false]);
        const again = async () =>
          (await seen('slack:#log')).map(({ isOutdated, telling }) => ({ isOutdated, ...telling?.occasion }));
        const [first] = await again();
        expect(first).to.include({ isOutdated: false, template: 'recovered', failingForMs: MINUTE });
        await pass(MINUTE);
        await bench.comes({ status: 1, job_id: 'worse', bot_id: 'flaky' }, []);
        expect(await again()).to.deep.equal([{ isOutdated: true }]);
        const [plain] = await seen('slack:#all');
        expect(plain, 'a success it is').to.include({ isOutdated: false });
        expect(plain?.telling?.occasion).to.equal(undefined);
      });

      it('leaves out a start whose result has come meanwhile, and tells no summary of such alone', async () => {
        await bench.comes({ status: EXECUTING, job_id: 'job' }, [muted, to('slack:#log', [MUTED])]);
        await bench.comes({ status: EXECUTING, job_id: 'running' }, [muted]);
        await bench.comes({ status: 0, job_id: 'job' }, []);
        await pass(DAY);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal(['slack:#ops mute 1: get_items 0e 0s']);
        const [ops, log] = await bench.deliveries();
        for (const start of [ops, log]) expect(start).to.include({ state: 'held', reason: 'superseded' });
        expect(await bench.endWith()).to.equal(0);
      });

      it('has all that a summary tells delivered by its receipt when it arrives, though it was dead before, and a person had one of it delivered by itself then', async () => {
        await bench.fails(muted);
        const { callbackId } = await bench.comes({ job_id: 'held', status: ERROR }, [muted]);
        const [alone] = namesOf(await bench.comes({ job_id: 'alone', status: ERROR }, [muted]));
        await pass(DAY);
        await bench.endWith();
        const redeliver = (id: number) => bench.ledger.actions.redeliver(id, ASKED.actor, false);
        const held = Array<string>(3).fill('slack:#ops held');
        expect(await bench.states()).to.deep.equal([...held, 'slack:#ops pending']);
        expect(await bench.ledger.archive.countOpen()).to.include({ held: 3, pending: 1 });
        expect(await redeliver(alone.id), 'it waits for its summary').to.equal('open');
        const [due] = await bench.claim();
        const { id } = due?.record ?? NOBODY;
        await bench.settle([dead(due?.record ?? NOBODY)]);
        const counted = await bench.ledger.archive.countOpen();
        expect(counted, 'no longer to be told').to.include({ held: 0, dead: 1 });
        expect((await bench.states()).slice(0, 3)).to.deep.equal(held);
        expect(await redeliver(alone.id)).to.equal('accepted');
        await bench.tellAll();
        const ended = [...held.slice(1), 'slack:#ops delivered', 'slack:#ops dead'];
        expect(await bench.states()).to.deep.equal(ended);
        await redeliver(id);
        await bench.tellAll();
        const [first, told, , own] = await bench.deliveries();
        for (const each of [first, told])
          expect(each).to.include({ state: 'delivered', reason: null, receipt: own?.receipt });
        const { history } = (await bench.ledger.archive.story(callbackId)) ?? { history: [] };
        expect(history.map(({ what }) => what)).to.deep.equal(['held', 'summarised', 'told_in_summary']);
        const ofJob = { jobId: 'held', botId: 'get_items', destination: 'slack:#ops', callbackId: 0 };
        const { root } = await bench.ledger.jobMessages(ofJob);
        expect(root, 'no reply goes under a summary').to.equal(undefined);
      });

      it('asks at once what a config that changed may not hold any more, also where a snooze was first', async () => {
        await bench.snooze({ destination: 'slack:#log' });
        await bench.fails(to('slack:#log', [MUTED]));
        await bench.fails(to('slack:#log', [{ mute: [{ from: 30 }] }]));
        await bench.snooze({ destination: 'slack:#all' });
        await bench.fails(to('slack:#all'));
        expect(await bench.endWith(), 'nothing has ended').to.equal(0);
        const asked = new Set<number>();
        const ask = () => bench.end((_, askedAgainAt) => (asked.add(askedAgainAt), TOLD));
        await adopting(bench.ledger, { reasked: ['slack:#all'] });
        expect(await ask(), 'of one destination').to.equal(1);
        expect([...asked], 'when its hold ends').to.deep.equal([bench.now + HOUR]);
        await adopting(bench.ledger, { reasked: 'all' });
        await pass(DAY);
        expect(await ask()).to.equal(1);
        expect([...asked].slice(1), 'a day later where its hold has ended').to.deep.equal([bench.now + DAY]);
      });
    });

    describe('at a time', () => {
      const kind = 'digest' as const;
      const digest = { key: 'digest ops', kind, dueAt: 0, data: { since: 0 } };
      const notice = {
        kind: 'missed',
        subject: '{"template":"missed","botId":"get_items","botName":"","dueAt":1}',
        botId: 'get_items',
        planned: [to('slack:#ops', [{ mute: [{ to: 60 }], on: ['succeeded'], afterFailures: 9 }])],
        timezone: 'UTC',
      };

      it('fires what is due, once, whichever process is first, and has what a snooze silences held', async () => {
        await adopting(bench.ledger, { timers: [{ ...digest, dueAt: bench.now + HOUR }] });
        const second = await bench.openAs('second');
        expect(await bench.timers()).to.deep.equal([]);
        await pass(HOUR);
        const [late] = await bench.timers(second);
        expect(await bench.timers(), 'claimed by another process').to.deep.equal([]);
        await pass(HOUR);
        expect(await bench.timers(), 'for as long as that lives').to.deep.equal([]);
        await bench.bury(bench.ledger);
        const [timer] = await bench.timers();
        if (timer === undefined || late === undefined) throw new Error('nothing is due');
        const next = { dueAt: bench.now + HOUR, data: { position: 1, since: 2 } };
        const won = await Promise.all([
          bench.ledger.fire({ timer, next, notice }),
          second.fire({ timer: late, next, notice }),
        ]);
        expect(won.map((told) => told.length)).to.deep.equal([1, 0]);
        expect(await bench.tellAll()).to.have.length(1);
        expect(await bench.timers()).to.deep.equal([]);
        await pass(HOUR);
        const [again] = await bench.timers();
        expect(again).to.deep.include({ key: 'digest ops', data: { position: 1, since: 2 } });
        await bench.snooze({ botId: 'get_items' });
        const [told] = await bench.ledger.fire({ timer: again ?? timer, notice });
        expect(told?.reason).to.equal('snooze');
        expect(await bench.timersOf('digest')).to.deep.equal([]);
      });
    });

    describe('watches a run', () => {
      const watched = { overdueMs: [30 * MINUTE] };
      const begins = (fields: Partial<Callback> = {}) =>
        bench.comes({ status: EXECUTING, job_id: 'slow', ...fields }, [], { watched });
      const dues = () => bench.timersOf('overdue');

      it('from its first start on, and since it was heard of where its start is said to come later', async () => {
        await begins({ status: 0, job_id: 'quick' });
        await begins({ job_id: 'quick' });
        expect(await dues(), 'its result was there').to.deep.equal([]);
        await begins({ start_time: new Date(bench.now + DAY).toISOString() });
        const due = bench.now + 30 * MINUTE;
        await pass(MINUTE);
        await begins({ message: 'step 2' });
        expect(await dues()).to.deep.equal([due]);
      });

      describe('and tells', () => {
        const overdue = async (message = '') => {
          const [timer] = await bench.timers();
          if (timer === undefined) throw new Error('nothing is due');
          const callback = callbackWith({ job_id: 'slow', status: EXECUTING, message });
          const subject = JSON.stringify({ callback, startedAt: 1, runningForMs: 1 });
          const about = { jobId: 'slow', botId: 'get_items' };
          return {
            timer,
            notice: { kind: 'overdue', subject, planned: [to('slack:#ops')], timezone: 'UTC', ...about },
          };
        };

        beforeEach(async () => {
          await begins();
          await pass(30 * MINUTE);
        });

        it('nothing if its result has come just now', async () => {
          const fired = await overdue();
          const { callbackId } = fired.timer.data as { callbackId: number };
          expect(await bench.ledger.openRun(callbackId)).to.include({ jobId: 'slow' });
          await bench.comes({ status: 0, job_id: 'slow' }, []);
          expect(await bench.ledger.openRun(callbackId)).to.equal(undefined);
          await bench.ledger.fire(fired);
          expect(await bench.states()).to.deep.equal([]);
        });

        it('of each limit a notice of its own, also where two fire at one moment', async () => {
          const fired = await overdue();
          await bench.ledger.fire(fired);
          const key = `${fired.timer.key} more`;
          await adopting(bench.ledger, { timers: [{ ...fired.timer, key, dueAt: bench.now, data: {} }] });
          await bench.ledger.fire({ ...fired, timer: (await bench.timers())[0] ?? fired.timer });
          const told = (await bench.tellAll()).map(({ notice }) => noticeId(notice));
          expect([told.length, new Set(told).size]).to.deep.equal([2, 2]);
        });

        it('nothing if its result comes before it could be told', async () => {
          await bench.ledger.fire(await overdue());
          await bench.comes({ status: 1, job_id: 'slow' }, []);
          expect(await bench.claim()).to.deep.equal([]);
          expect((await bench.deliveries())[0]).to.include({ state: 'held', reason: 'superseded' });
        });

        it('once, though its timer begins again while it is fired', async () => {
          const fired = await overdue();
          for (const process of [bench.ledger, await bench.openAs('second')]) {
            await adopting(process, { timers: [{ ...fired.timer, data: {} }] });
            await process.fire(fired);
          }
          expect(await bench.states()).to.deep.equal(['slack:#ops pending']);
        });

        it('before its result, with its callback deflated, as that was kept', async () => {
          const message = 'row '.repeat(1_000_000);
          await bench.ledger.fire(await overdue(message));
          const [, body] = await bench.store.rows('callbacks');
          expect(body?.['body']).to.have.property('length').that.is.below(100_000);
          const [due] = await bench.claim();
          const { deliveries } = await bench.comes({ status: 0, job_id: 'slow' }, [to('slack:#ops')]);
          expect(due && callbackOf(due.notice).message).to.equal(message);
          expect(deliveries[0]?.behind).to.equal(due?.record.id);
        });
      });
    });

    describe('counts for a digest', () => {
      const marginMs = 10 * SECOND;
      const counts = (from: { since: number }) => bench.ledger.digestCounts(from, marginMs);

      it('what came of each BOT since the last one, how it failed last, and who is muted', async () => {
        for (const status of [0, ERROR] as const) await bench.comes({ status }, []);
        await bench.fails(muted, { job_id: 'failed', message: '\n 10%\r\u001b[31mno login\nat line 3' });
        const failedAt = bench.now;
        await bench.comes({ status: EXECUTING, bot_id: 'slow' }, []);
        await bench.store.run("update callbacks set kind = 'overdue' where bot_id = 'slow'");
        await bench.comes({ status: 0, bot_id: 'well' }, [to('slack:#ops'), to('slack:#log')]);
        const from = { since: bench.now };
        await pass(11 * SECOND);
        const { bots, next } = await counts(from);
        const well = { bot_name: '商品取得', missed: 0, overdue: 0, open: 0 };
        const lastError = { text: 'no login', at: failedAt, jobId: 'failed' };
        expect(bots).to.deep.include.members([
          { ...well, bot_id: 'get_items', succeeded: 1, errors: 2, is_muted: true, open: 1, lastError },
          { ...well, bot_id: 'well', succeeded: 1, errors: 0, is_muted: false },
          { ...well, bot_id: 'slow', succeeded: 0, errors: 0, is_muted: false, overdue: 1 },
        ]);
        expect(next).to.include({ since: bench.now - marginMs, toldAt: bench.now });
        await pass(11 * SECOND);
        const [silent] = (await counts(next)).bots;
        const said = { bot_id: 'get_items', errors: 0, is_muted: true };
        expect(silent, 'though nothing of it ran').to.include(said);
      });

      it('a BOT that still fails, by what its incident says, though nothing came of it since', async () => {
        await bench.fails(to('slack:#ops'), { message: 'no login', job_id: 'failed' });
        const failedAt = bench.now;
        await pass(DAY);
        const since = bench.now - 20 * SECOND;
        const [silent, ...others] = (await counts({ since })).bots;
        expect(others).to.deep.equal([]);
        const nothing = { succeeded: 0, errors: 0, missed: 0, overdue: 0, is_muted: false };
        const lastError = { text: 'no login', at: failedAt, jobId: '' };
        expect(silent).to.deep.equal({
          bot_id: 'get_items',
          bot_name: '商品取得',
          ...nothing,
          open: 1,
          lastError,
        });
        await bench.comes({ status: 0 }, []);
        await pass(11 * SECOND);
        expect((await counts({ since })).bots[0]).to.include({ succeeded: 1, open: 0 });
      });

      it('once what was being written when another one was told', async () => {
        const digest = { since: bench.now };
        await bench.comes({ status: 0, bot_id: 'before' }, []);
        await pass(SECOND);
        await bench.comes({ status: 0, bot_id: 'slow' }, []);
        // It came when the first digest ends, and is committed after a later one.
        await bench.store.run("update callbacks set kind = 'unwritten' where bot_id = 'slow'");
        await bench.comes({ status: 0, bot_id: 'quick' }, []);
        await pass(marginMs);
        const first = await counts(digest);
        await bench.store.run("update callbacks set kind = 'callback' where bot_id = 'slow'");
        await pass(DAY);
        const second = await counts(first.next);
        const named = [first, second].map(({ bots }) => bots.map(({ bot_id }) => bot_id));
        expect(named).to.deep.equal([['before'], ['quick', 'slow']]);
      });
    });

    describe('forgets', () => {
      /** @returns the jobs of what is left */
      const forget = async () => {
        await bench.forget(30 * DAY, 3 * DAY);
        return (await bench.store.rows('callbacks')).map((row) => row['job_id']);
      };

      it('after three days what a rule let go for good, and nothing that waits for an end', async () => {
        const letGo = to('slack:#log', [{ when: UNMET }]);
        await bench.comes({ job_id: 'half', status: ERROR }, [letGo, muted]);
        const others = [to('slack:#ops', [{ repeat: HOUR }]), to('slack:#all', [{ afterFailures: 9 }])];
        const gone = await bench.comes({ job_id: 'gone', status: ERROR }, [letGo, ...others]);
        expect(bench.shown(gone)).to.equal('when, repeat, after_failures');
        await bench.comes({ status: EXECUTING, job_id: 'slow' }, [], { watched: { overdueMs: [4 * DAY] } });
        await bench.comes({ status: EXECUTING, job_id: 'unwatched' }, []);
        await pass(3 * DAY - 1);
        expect(await forget()).to.have.length(4);
        await pass(2);
        expect(await forget()).to.deep.equal(['half', 'slow']);
        await pass(400 * DAY);
        expect(await forget()).to.deep.equal(['half', 'slow']);
      });

      it('what a summary tells once that is told or dismissed', async () => {
        for (const isTold of [true, false]) {
          await bench.comes({ job_id: `told: ${isTold}` }, [muted]);
          await pass(40 * DAY);
          await bench.endWith();
          const [due] = await bench.claim();
          const record = due?.record ?? NOBODY;
          await bench.settle([dead(record)]);
          await pass(40 * DAY);
          expect(await forget(), 'as long as it may be redelivered').to.have.length(2);
          await (isTold
            ? bench.settle([delivered(record)])
            : bench.ledger.actions.dismiss(record.id, ASKED.actor));
          expect(await forget()).to.deep.equal([]);
        }
      });
    });
  });
}
