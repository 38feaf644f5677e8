/** What every ledger promises of messages that rules hold, let go or sum up, and of what is told at a time whatever comes. */
import { expect } from 'chai';
import { statusNameOf } from '../../src/callback/callback.ts';
import type { Callback } from '../../src/callback/callback.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { Admission, PlannedDelivery, Watched } from '../../src/ledger/ledger.ts';
import type { FiredNotice } from '../../src/ledger/signal/fire.ts';
import type { HoldOutcome } from '../../src/ledger/signal/holds.ts';
import { destinationOf } from '../../src/ledger/signal/timers.ts';
import { judge } from '../../src/ledger/signal/judge.ts';
import type { SnoozeRequest } from '../../src/ledger/signal/snoozes.ts';
import type { OwnSubject } from '../../src/notice/notice.ts';
import { isAlert } from '../../src/notice/notice.ts';
import type { AskedRoute } from '../../src/signal/decide.ts';
import { likenessOf } from '../../src/signal/likeness.ts';
import { type Burst, type Expectation, NO_RULES, type RouteRules } from '../../src/signal/rules.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { askingOf } from '../support/store-under-test.ts';
import {
  arrivalOf,
  Bench,
  type CreateStore,
  dead,
  delivered,
  endOf,
  EXECUTING,
  LEASE_MS,
  LOG,
  OPS,
  target,
} from './ledger-under-test.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ERROR = 1;
const ASKED = { actor: { via: 'page', user: 'admin', from: '127.0.0.1' } } as const;

/** A condition that no callback meets. */
const UNMET = 'code == 1';

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
  async foretells(
    status: 0 | 1,
    planned: readonly PlannedDelivery[],
    expected: Watched['expected'],
  ): Promise<string> {
    const { bot_id: botId, job_id: jobId } = callbackWith({});
    const likeness = status === ERROR ? likenessOf('', jobId) : '';
    const watched = { timezone: 'UTC', expected, overdueMs: [], isRemembered: true };
    const times = { startedAt: this.now, receivedAt: this.now };
    const arriving = {
      jobId,
      botKey: botId,
      botId,
      botName: '',
      status,
      ...times,
      planned,
      watched,
      likeness,
      unmet: [],
    };
    const { foreseen } = judge(arriving, await this.ledger.archive.knownOf(arriving), this.now);
    const words = foreseen.map(({ decision }) => {
      const verdict = decision?.ruling ?? { does: 'tell' };
      if (verdict.does === 'tell') return 'tell';
      const ends = verdict.does === 'hold' ? verdict.until : undefined;
      return ends === undefined ? verdict.rule : `${verdict.rule} ${(ends - this.now) / MINUTE}`;
    });
    return words.filter((word) => word !== 'on').join(', ');
  }

  /** What all whose hold is over come to, but for starts whose results have come. @returns how many there were */
  endWith(outcome: HoldOutcome = 'summary'): Promise<number> {
    return this.end(({ isLate }) => (isLate ? 'superseded' : outcome));
  }

  /** Subjects of what is due of Botbell's own, each told at once. */
  async tellOwn(): Promise<readonly unknown[]> {
    return (await this.tellAll()).map(({ notice }) =>
      isAlert(notice) ? notice.alert.subject : notice.template,
    );
  }

  /** The summaries that are due, told: `slack:#ops mute 3: job_1 2e 1s`. */
  async summaries(): Promise<readonly string[]> {
    const told = (await this.tellOwn()) as readonly OwnSubject<'summary'>[];
    return told.map(({ destination, reason, count, bots }) => {
      const each = bots.map(({ bot_id, errors, succeeded }) => `${bot_id} ${errors}e ${succeeded}s`);
      return `${destination} ${reason} ${count}: ${each.join(', ')}`;
    });
  }

  snooze(request: Partial<SnoozeRequest>, by = this.ledger): Promise<number> {
    return by.actions.snooze({
      until: this.now + HOUR,
      untilSuccess: false,
      because: 'known',
      ...ASKED,
      ...request,
    });
  }
}

export function describeSignals(name: string, createStore: CreateStore): void {
  describe(`${name} by the rules of routes`, () => {
    let bench: SignalBench;

    beforeEach(async () => {
      bench = await SignalBench.open(createStore);
    });

    afterEach(() => bench.store.close());

    const pass = (ms: number) => bench.store.passTime(ms);

    describe('counts errors in a row', () => {
      const third = to('slack:#ops', [{ afterFailures: 3 }]);

      it('of each BOT for itself, also those that nobody is told of', async () => {
        expect(await bench.fails(third)).to.equal('after_failures');
        await bench.comes({ status: ERROR }, []);
        expect(await bench.fails(third, { bot_id: 'another' })).to.equal('after_failures');
        expect(await bench.fails(third)).to.equal('tell');
        expect(await bench.fails(third)).to.equal('tell');
        await bench.comes({ status: 0 }, []);
        expect(await bench.fails(third)).to.equal('after_failures');
      });

      it('also those that came while no rule asked, before it or in between', async () => {
        const unasked = { watched: { isRemembered: false } };
        const plain = to('slack:#ops', [{ on: ['error', 'recovered'] }]);
        await bench.comes({ status: 0 }, [], unasked);
        await bench.comes({ status: ERROR }, [plain], unasked);
        expect(await bench.fails(third)).to.equal('after_failures');
        await bench.comes({ status: ERROR }, [], unasked);
        expect(await bench.fails(third)).to.equal('tell');
        await bench.comes({ status: 0 }, [], unasked);
        expect(await bench.fails(third)).to.equal('after_failures');
      });

      it('but neither retries nor starts', async () => {
        const again = { status: ERROR, job_id: 'same', start_time: '2026-11-20T00:00:00Z' } as const;
        for (let times = 0; times < 4; times += 1)
          expect(bench.shown(await bench.comes(again, [third]))).to.equal('after_failures');
        await bench.comes({ status: EXECUTING }, [third]);
        expect(await bench.fails(third)).to.equal('after_failures');
        expect(await bench.fails(third)).to.equal('tell');
      });

      it('for all processes, over restarts', async () => {
        await bench.fails(third);
        const second = await bench.openAs('second');
        await bench.comes({ status: ERROR }, [third], { by: second });
        await bench.ledger.close();
        bench.ledger = await bench.openAs('third');
        expect(await bench.fails(third)).to.equal('tell');
      });

      it('that come to two processes at once, each once', async () => {
        const second = await bench.openAs('second');
        const came = await Promise.all(
          [bench.ledger, second, bench.ledger].map((by) => bench.comes({ status: ERROR }, [third], { by })),
        );
        expect(came.map((each) => bench.shown(each)).toSorted()).to.deep.equal([
          'after_failures',
          'after_failures',
          'tell',
        ]);
      });
    });

    describe('tells again', () => {
      it('what differs from what each destination was told last', async () => {
        const changes = to('slack:#ops', [{ repeat: 'changes' }]);
        expect(await bench.fails(changes, { message: 'row 17 of 2026-11-20' })).to.equal('tell');
        expect(await bench.fails(changes, { message: 'row 18 of 2026-11-21' })).to.equal('repeat');
        const log = to('slack:#log', [{ repeat: 'changes' }]);
        const both = await bench.comes({ status: ERROR, message: 'row 19 of 2026-11-22' }, [changes, log]);
        expect(bench.shown(both)).to.equal('repeat, tell');
        expect(await bench.fails(changes, { message: 'no login' })).to.equal('tell');
      });
    });

    it('tells of a recovery from an error that was told while no rule asked', async () => {
      const target = to('slack:#ops', [{ on: ['error', 'recovered'] }]);
      await bench.comes({ status: ERROR }, [target], { watched: { isRemembered: false } });
      await bench.comes({ status: ERROR }, [to('slack:#log', [{ when: UNMET }])], {
        watched: { isRemembered: false },
      });
      const [delivery] = (await bench.comes({ status: 0 }, [target])).deliveries;
      expect(delivery?.telling?.occasion).to.include({ template: 'recovered', failures: 2 });
    });

    describe('tells of a recovery', () => {
      const recovery = to('slack:#ops', [{ on: ['error', 'recovered'] }]);

      it('once, with how long and how often it failed', async () => {
        const failingSince = bench.now;
        await bench.fails(recovery);
        await pass(HOUR);
        await bench.comes({ status: ERROR }, []);
        await pass(HOUR);
        bench.ledger = await bench.openAs('later');
        const { deliveries } = await bench.comes({ status: 0 }, [recovery]);
        expect(deliveries[0]?.telling).to.deep.equal({
          occasion: { template: 'recovered', failingSince, failures: 2 },
        });
        expect((await bench.comes({ status: 0 }, [recovery])).deliveries).to.deep.equal([]);
      });
    });

    describe('keeps what it holds', () => {
      it('with the rule and its end, and what it lets go with the rule alone', async () => {
        const planned = [
          to('slack:#ops', [MUTED]),
          to('slack:#log', [{ when: UNMET }]),
          to('slack:#all'),
          to('slack:#none', [{ on: ['succeeded'] }]),
        ];
        const came = await bench.comes({ status: ERROR }, planned);
        expect(bench.shown(came), 'nothing is kept of a route that is not told of errors').to.equal(
          `mute ${DAY / MINUTE}, when, tell`,
        );
        expect(await bench.history()).to.deep.equal(['held mute', 'held when']);
        expect(await bench.ledger.archive.countOpen(), 'only what will be told').to.include({
          held: 1,
          pending: 1,
        });
      });

      it('and which route tells what it does not hold, until that is told', async () => {
        const came = await bench.comes({ status: ERROR }, [to('slack:#ops', [MUTED, {}])]);
        expect(bench.shown(came)).to.equal('tell');
        await bench.settle([dead(came.deliveries[0]?.id ?? -1)]);
        await bench.ledger.actions.redeliver(came.deliveries[0]?.id ?? -1, ASKED.actor, false);
        const [again] = await bench.claim();
        expect(again?.record.telling).to.deep.equal({ wantedBy: ['routes[1]'] });
      });

      it('when its callback comes again', async () => {
        const same = { job_id: 'same', status: ERROR, start_time: '2026-11-20T00:00:00Z' } as const;
        await bench.comes(same, [to('slack:#ops', [MUTED])]);
        await pass(HOUR);
        const again = await bench.comes(same, [to('slack:#ops', [MUTED])]);
        expect(bench.shown(again)).to.equal(`mute ${(DAY - HOUR) / MINUTE}`);
        expect(await bench.claim()).to.deep.equal([]);
      });
    });

    it('foretells what it then decides, and changes nothing by that', async () => {
      const expected = [{ key: 'expect daily', rule: { everyMs: HOUR, graceMs: MINUTE } }];
      const strict = { afterFailures: 2, repeat: HOUR, on: ['error', 'recovered'] as const };
      const planned = [
        to('slack:#ops', [strict], { max: 2, perMs: DAY }),
        to('slack:#log', [{ timer: 'expect daily', on: ['error'] }]),
      ];
      const snooze = { botId: 'get_items', destination: 'slack:#log', untilSuccess: true };
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
      const comes = async (bot_id: string) =>
        bench.shown(await bench.comes({ status: ERROR, bot_id }, everybody));

      it('a BOT is told from its next success on, and of what was held', async () => {
        await bench.snooze({ botId: 'get_items', until: bench.now + 7 * DAY, untilSuccess: true });
        const hold = `snooze ${(7 * DAY) / MINUTE}`;
        expect(await comes('get_items')).to.equal(`${hold}, ${hold}`);
        await bench.comes({ status: 0, start_time: '2026-11-19T00:00:00Z' }, []);
        expect(await comes('get_items'), 'a run that began before the error').to.equal(`${hold}, ${hold}`);
        await pass(MINUTE);
        expect(bench.shown(await bench.comes({ status: 0 }, everybody))).to.equal('tell, tell');
        await bench.tellAll();
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal([
          'slack:#log snooze 2: get_items 2e 0s',
          'slack:#ops snooze 2: get_items 2e 0s',
        ]);
        expect(await bench.ledger.actions.snoozes()).to.deep.equal([]);
      });

      it('until somebody ends it, whatever else is snoozed', async () => {
        const id = await bench.snooze({ botId: 'get_items' });
        const longer = await bench.snooze({ botId: 'another', until: bench.now + DAY });
        await bench.snooze({ destination: 'slack:#log', until: bench.now + DAY });
        await bench.comes({ status: ERROR }, everybody);
        const held = (await bench.ledger.actions.snoozes()).map((each) => [each.id === id, each.held]);
        expect(held).to.deep.equal([
          [false, 1],
          [false, 0],
          [true, 1],
        ]);
        expect(await bench.ledger.actions.endSnooze(longer)).to.equal(true);
        expect(await bench.endWith()).to.equal(0);
        expect(await bench.ledger.actions.endSnooze(id)).to.equal(true);
        expect(await bench.ledger.actions.endSnooze(id)).to.equal(false);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal(['slack:#ops snooze 1: get_items 1e 0s']);
      });

      it('not by one that somebody ends while another process begins to hold by it', async () => {
        const id = await bench.snooze({ botId: 'get_items', until: bench.now + 2 * DAY });
        await bench.comes({ status: ERROR }, [to('slack:#ops', [{ mute: [{ to: 60 }] }])]);
        await pass(HOUR);
        const second = await bench.openAs('second');
        const [timer = { key: '', dueAt: 0 }] = await bench.timers(second);
        const { held } = await second.signals.endedHolds(destinationOf(timer));
        await bench.ledger.actions.endSnooze(id);
        const outcome = { reason: 'snooze', heldUntil: bench.now + DAY, snoozeId: id };
        await second.signals.endHolds(endOf(timer, held, () => outcome));
        expect(await bench.endWith()).to.equal(1);
      });

      it('says who asked, why, and until when', async () => {
        await bench.snooze({ botId: 'get_items', destination: 'slack:#ops', because: '月次処理' });
        const [kept] = await bench.ledger.actions.snoozes();
        expect(kept).to.deep.include({
          botId: 'get_items',
          destination: 'slack:#ops',
          until: bench.now + HOUR,
          untilSuccess: false,
          because: '月次処理',
          by: 'admin',
          createdAt: bench.now,
          held: 0,
        });
      });
    });

    describe('in a burst', () => {
      const burst = { max: 3, perMs: MINUTE };
      const place = to('slack:#ops', [{}], burst);

      it('counts no edit of what the job has told there', async () => {
        const edited = { ...to('slack:#ops', [{}], { max: 1, perMs: MINUTE }), isEdit: true };
        const tells = async (fields: Partial<Callback>) => {
          const came = await bench.comes({ status: EXECUTING, ...fields }, [edited]);
          const [told] = came.deliveries;
          if (told?.state === 'pending') await bench.settle([delivered(told.id)]);
          return bench.shown(came);
        };
        expect(await tells({ job_id: 'job' })).to.equal('tell');
        expect(await tells({ job_id: 'another' })).to.equal('burst 1');
        expect(await tells({ job_id: 'job', status: 0 })).to.equal('tell');
      });

      it('counts what two processes tell there as one', async () => {
        const second = await bench.openAs('second');
        const came = await Promise.all(
          [1, 2, 3, 4, 5, 6].map((count) =>
            bench.comes({ bot_id: `bot-${count}` }, [place], { by: count % 2 === 0 ? second : bench.ledger }),
          ),
        );
        const told = came.filter((each) => bench.shown(each) === 'tell');
        expect(told).to.have.length(3);
        expect(await bench.fails(to('slack:#log', [{}], burst)), 'another destination').to.equal('tell');
      });
    });

    describe('when holds end', () => {
      const muted = to('slack:#ops', [MUTED]);

      it('tells one summary for each destination', async () => {
        await bench.comes({ status: ERROR }, [muted, to('slack:#log', [MUTED])]);
        await bench.comes({ status: 0 }, [muted]);
        await bench.comes({ status: ERROR, bot_id: 'another' }, [muted]);
        expect(await bench.endWith()).to.equal(0);
        await pass(DAY);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal([
          'slack:#log mute 1: get_items 1e 0s',
          'slack:#ops mute 3: get_items 1e 1s, another 1e 0s',
        ]);
        expect(await bench.states()).to.deep.equal([
          'slack:#ops delivered',
          'slack:#log delivered',
          'slack:#ops delivered',
          'slack:#ops delivered',
          'slack:#log delivered',
          'slack:#ops delivered',
        ]);
      });

      it('tells it once, of two processes that end the same', async () => {
        await bench.fails(muted);
        await pass(DAY);
        const second = await bench.openAs('second');
        const ends: (() => Promise<void>)[] = [];
        for (const by of [bench.ledger, second]) {
          // The claim of the first one expires while it works.
          const timers = await bench.timers(by);
          expect(timers).to.have.length(1);
          expect(await bench.timers(by)).to.deep.equal([]);
          for (const timer of timers) {
            const { held } = await by.signals.endedHolds(destinationOf(timer));
            ends.push(() => by.signals.endHolds(endOf(timer, held, () => 'summary')));
          }
          await pass(LEASE_MS);
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
        await pass(HOUR);
        await bench.endWith();
        expect(await bench.summaries()).to.deep.equal(['slack:#ops snooze 1: get_items 1e 0s']);
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

      it('has what the summary told delivered, by its receipt, when it arrives and not before', async () => {
        const { callbackId } = await bench.comes({ status: ERROR }, [muted]);
        await pass(DAY);
        await bench.endWith();
        const [due] = await bench.claim();
        const [held, summary] = await bench.deliveries();
        expect(held).to.include({ state: 'held', reason: 'mute' });
        expect(summary).to.include({ state: 'pending' });
        expect(await bench.ledger.archive.countOpen()).to.include({ held: 1, pending: 1 });
        await bench.settle([delivered(due?.record.id ?? -1)]);
        const [told, own] = await bench.deliveries();
        expect(told).to.include({ state: 'delivered', reason: null });
        expect(told?.receipt).to.equal(own?.receipt);
        const ofCallback = (await bench.store.rows('history')).filter(
          (row) => Number(row['callback_id']) === callbackId,
        );
        expect(ofCallback.map(({ what }) => what)).to.deep.equal(['held', 'summarised', 'told_in_summary']);
      });

      it('keeps what a dead summary did not tell until that is delivered after all', async () => {
        await bench.fails(muted);
        await pass(DAY);
        await bench.endWith();
        const [due] = await bench.claim();
        const id = due?.record.id ?? -1;
        await bench.settle([dead(id)]);
        expect((await bench.states())[0]).to.equal('slack:#ops held');
        await bench.ledger.actions.redeliver(id, ASKED.actor, false);
        await bench.tellAll();
        expect(await bench.states()).to.deep.equal(['slack:#ops delivered', 'slack:#ops delivered']);
      });

      it('has one message alone delivered as itself, as it is to be told by then', async () => {
        await bench.fails(muted);
        await pass(DAY);
        const telling = { heldSince: bench.now - DAY, wantedBy: ['routes[0]'] };
        await bench.endWith({ telling });
        const [due] = await bench.claim();
        expect(due?.record.telling).to.deep.equal(telling);
        expect(due?.record.ageMs, 'a hold is no age').to.equal(0);
        expect((await bench.history()).at(-1)).to.match(/^released/);
      });

      it('asks at once what a config that changed may not hold any more', async () => {
        await bench.fails(muted);
        await bench.snooze({ destination: 'slack:#log' });
        await bench.fails(to('slack:#log', [MUTED]));
        await bench.fails(to('slack:#log', [{ mute: [{ from: 30 }] }]));
        expect(await bench.endWith(), 'nothing has ended').to.equal(0);
        await bench.ledger.signals.adoptTimers([], []);
        expect(await bench.endWith()).to.equal(3);
        expect(await bench.summaries(), 'also where a snooze was first').to.deep.equal([
          'slack:#log mute 2: get_items 2e 0s',
          'slack:#ops mute 1: get_items 1e 0s',
        ]);
      });
    });

    describe('at a time', () => {
      const digest = {
        key: 'digest ops',
        kind: 'digest' as const,
        dueAt: 0,
        data: { position: 0, since: 0 },
      };
      const adopt = () => bench.ledger.signals.adoptTimers([{ ...digest, dueAt: bench.now + HOUR }], []);
      const noticeOf = (fields: Partial<FiredNotice> = {}): FiredNotice => ({
        kind: 'missed',
        subject: '{"template":"missed","botId":"get_items","botName":"","dueAt":1}',
        botId: 'get_items',
        planned: [to('slack:#ops')],
        timezone: 'UTC',
        ...fields,
      });

      it('fires what is due, once, whichever process is first', async () => {
        await adopt();
        const second = await bench.openAs('second');
        expect(await bench.timers()).to.deep.equal([]);
        await pass(HOUR);
        const [late] = await bench.timers(second);
        expect(await bench.timers(), 'claimed by another process').to.deep.equal([]);
        await pass(LEASE_MS);
        const [timer] = await bench.timers();
        if (timer === undefined || late === undefined) throw new Error('nothing is due');
        const next = { dueAt: bench.now + HOUR, data: { position: 1, since: 2 } };
        const won = await Promise.all([
          bench.ledger.signals.fire({ timer, next, notice: noticeOf() }),
          second.signals.fire({ timer: late, next, notice: noticeOf() }),
        ]);
        expect(won.map((told) => told.length)).to.deep.equal([1, 0]);
        expect(await bench.tellOwn()).to.have.length(1);
        expect(await bench.timers()).to.deep.equal([]);
        await pass(HOUR);
        const [again] = await bench.timers();
        expect(again).to.deep.include({ key: 'digest ops', data: { position: 1, since: 2 } });
        await bench.ledger.signals.fire({ timer: again ?? timer });
        expect(await bench.ledger.signals.timersOf(['digest'])).to.deep.equal([]);
      });

      it('moves a digest that is asked for again, unless it was told meanwhile, and ends what is not', async () => {
        await adopt();
        const moved = { ...digest, dueAt: bench.now + DAY };
        const outdated = { ...digest, dueAt: bench.now, data: { position: 9, since: 9 } };
        for (const again of [moved, outdated]) {
          await bench.ledger.signals.adoptTimers([again], []);
          expect(await bench.ledger.signals.timersOf(['digest'])).to.deep.equal([moved]);
        }
        await bench.ledger.signals.adoptTimers([], [digest.key]);
        expect(await bench.ledger.signals.timersOf(['digest'])).to.deep.equal([]);
      });

      it('has mute windows, snoozes and bursts hold what it says by itself', async () => {
        const hold = async (planned: PlannedDelivery) => {
          await adopt();
          await pass(HOUR);
          const [timer] = await bench.timers();
          if (timer === undefined) throw new Error('nothing is due');
          const [told] = await bench.ledger.signals.fire({ timer, notice: noticeOf({ planned: [planned] }) });
          return told?.reason;
        };
        expect(await hold(to('slack:#ops', [{ mute: [{ except: ['error'] }] }]))).to.equal('mute');
        await bench.snooze({ botId: 'get_items', until: bench.now + DAY });
        expect(await hold(to('slack:#ops'))).to.equal('snooze');
        await bench.fails(to('slack:#log', [{}], { max: 1, perMs: DAY }), { bot_id: 'another' });
        const crowded = to('slack:#log', [{}], { max: 1, perMs: DAY });
        await bench.ledger.actions.endSnooze((await bench.ledger.actions.snoozes())[0]?.id ?? -1);
        expect(await hold(crowded)).to.equal('burst');
        expect(await hold(to('slack:#all', [{ on: ['succeeded'], afterFailures: 9 }]))).to.equal(undefined);
      });
    });

    describe('watches a run', () => {
      const overdueMs = [30 * MINUTE];
      const timers = () => bench.ledger.signals.timersOf(['overdue']);
      const openRun = async () => {
        const [timer] = await bench.timers();
        const { callbackId } = (timer?.data ?? { callbackId: -1 }) as { callbackId: number };
        return bench.ledger.signals.openRun(callbackId);
      };

      it('that has no result in time, whoever is told of its start', async () => {
        await bench.comes({ status: EXECUTING, job_id: 'slow' }, [], { watched: { overdueMs } });
        await pass(30 * MINUTE - 1);
        expect(await bench.timers()).to.deep.equal([]);
        await pass(1);
        bench.ledger = await bench.openAs('later');
        expect(await openRun()).to.include({
          botId: 'get_items',
          jobId: 'slow',
          startedAt: bench.now - 30 * MINUTE,
        });
      });

      it('since it was heard of, where its start is said to come later', async () => {
        const start_time = new Date(bench.now + DAY).toISOString();
        await bench.comes({ status: EXECUTING, start_time }, [], { watched: { overdueMs } });
        expect((await timers()).map(({ dueAt }) => dueAt)).to.deep.equal([bench.now + 30 * MINUTE]);
      });

      it('until its result comes', async () => {
        const { callbackId } = await bench.comes({ status: EXECUTING, job_id: 'slow' }, [], {
          watched: { overdueMs },
        });
        await bench.comes({ status: ERROR, job_id: 'slow' }, []);
        expect(await bench.ledger.signals.openRun(callbackId)).to.equal(undefined);
      });

      describe('and tells', () => {
        const overdue = async () => {
          const [timer] = await bench.timers();
          if (timer === undefined) throw new Error('nothing is due');
          const subject = JSON.stringify({ callback: callbackWith({ job_id: 'slow', status: EXECUTING }) });
          const about = { jobId: 'slow', isOfJob: true, botId: 'get_items' };
          const planned = [to('slack:#ops', [{}])];
          return { timer, notice: { kind: 'overdue', subject, planned, timezone: 'UTC', ...about } };
        };

        beforeEach(async () => {
          await bench.comes({ status: EXECUTING, job_id: 'slow' }, [], { watched: { overdueMs } });
          await pass(30 * MINUTE);
        });

        it('nothing if its result has come just now', async () => {
          const fired = await overdue();
          await bench.comes({ status: 0, job_id: 'slow' }, []);
          await bench.ledger.signals.fire(fired);
          expect(await bench.states()).to.deep.equal([]);
        });

        it('once, though its timer begins again while it is fired', async () => {
          const fired = await overdue();
          for (const process of [bench.ledger, await bench.openAs('second')]) {
            await process.signals.adoptTimers([{ ...fired.timer, data: {} }], []);
            await process.signals.fire(fired);
          }
          expect(await bench.states()).to.deep.equal(['slack:#ops pending']);
        });

        it('with its callback deflated, as that was kept', async () => {
          const { timer, notice } = await overdue();
          const message = 'row '.repeat(1_000_000);
          const subject = JSON.stringify({
            callback: callbackWith({ message }),
            startedAt: 1,
            runningForMs: 1,
          });
          await bench.ledger.signals.fire({ timer, notice: { ...notice, subject } });
          const [, body] = await bench.store.rows('bodies', 'callback_id');
          expect(body?.['body']).to.have.property('length').that.is.below(100_000);
          const [due] = await bench.claim();
          expect(due && callbackOf(due.notice).message).to.equal(message);
        });

        it('before its result', async () => {
          await bench.ledger.signals.fire(await overdue());
          const [notice] = await bench.deliveries();
          const { deliveries } = await bench.comes({ status: 0, job_id: 'slow' }, [to('slack:#ops', [{}])]);
          expect(deliveries[0]?.behind).to.equal(notice?.id);
        });
      });

      it('once, however often its start is told', async () => {
        const start = { status: EXECUTING, job_id: 'slow' } as const;
        await bench.comes({ ...start, start_time: '2026-11-20T00:00:00Z' }, [], { watched: { overdueMs } });
        await bench.comes({ ...start, start_time: '2026-11-20T00:00:00Z' }, [], { watched: { overdueMs } });
        await bench.comes({ ...start, message: 'step 2' }, [], { watched: { overdueMs } });
        expect(await timers()).to.have.length(1);
      });

      it('not where its result was there before its start', async () => {
        await bench.comes({ status: 0, job_id: 'quick' }, []);
        await bench.comes({ status: EXECUTING, job_id: 'quick' }, [], { watched: { overdueMs } });
        expect(await timers()).to.deep.equal([]);
      });
    });

    describe('expects a result', () => {
      const rule: Expectation = { everyMs: DAY, graceMs: HOUR };
      const watched = { expected: [{ key: 'expect daily', rule }] };
      const planned = [to('slack:#ops', [{ on: ['error'], expect: rule, timer: 'expect daily' }])];
      const dues = async () => {
        const timers = await bench.ledger.signals.timersOf(['expect']);
        return timers.map(({ dueAt }) => dueAt);
      };

      it('from its first callback on, and again when that came', async () => {
        await bench.comes({ status: EXECUTING }, planned, { watched });
        expect(await dues()).to.deep.equal([bench.now + DAY + HOUR + 1]);
        await pass(DAY - 30 * MINUTE);
        await bench.comes({ status: 0 }, planned, { watched });
        expect(await dues()).to.deep.equal([bench.now + 30 * MINUTE + DAY + HOUR + 1]);
        expect(await bench.timers()).to.deep.equal([]);
      });

      it('and tells the one that comes late by how much', async () => {
        await bench.comes({ status: 0 }, planned, { watched });
        const dueAt = bench.now + DAY;
        await pass(DAY + 2 * HOUR);
        bench.ledger = await bench.openAs('later');
        const late = await bench.comes({ status: 0 }, planned, { watched });
        expect(late.deliveries[0], 'though its route is not told of successes').to.deep.include({
          state: 'pending',
          telling: { occasion: { template: 'late', dueAt, lateByMs: 2 * HOUR } },
        });
        await pass(DAY - 2 * HOUR);
        const next = await bench.comes({ status: 0 }, planned, { watched });
        expect(next.deliveries, 'the next one is in time').to.deep.equal([]);
      });
    });

    describe('counts for a digest', () => {
      it('what came of each BOT since the last one, how it failed last, and who is muted', async () => {
        const counts = (from: { since: number; position: number }) =>
          bench.ledger.signals.digestCounts(from, 10 * SECOND);
        const { digest: from } = await bench.ledger.signals.standing({
          marginMs: 10 * SECOND,
          isWatchingRuns: false,
        });
        expect((await counts(from)).bots).to.deep.equal([]);
        await bench.comes({ status: 0 }, []);
        await bench.fails(to('slack:#ops', [MUTED]), {
          job_id: 'failed',
          message: '\n 10%\r\u001b[31mno login\nat line 3',
        });
        const failedAt = bench.now;
        await bench.comes({ status: EXECUTING, bot_id: 'starting' }, []);
        await bench.comes(
          { status: 0, bot_id: 'well' },
          [OPS, LOG].map((each) => to(each.destination)),
        );
        await pass(11 * SECOND);
        const { bots, next } = await counts(from);
        const well = { bot_name: '商品取得', missed: 0 };
        const lastError = { text: 'no login', at: failedAt, jobId: 'failed' };
        expect(bots).to.deep.include.members([
          { ...well, bot_id: 'get_items', succeeded: 1, errors: 1, is_muted: true, lastError },
          { ...well, bot_id: 'well', succeeded: 1, errors: 0, is_muted: false },
        ]);
        expect(next).to.include({ since: bench.now - 10 * SECOND, toldAt: bench.now });
        await bench.comes({ status: 0, bot_id: 'next' }, []);
        await pass(11 * SECOND);
        const since = await counts(next);
        expect(
          since.bots.map(({ bot_id, succeeded, errors, is_muted }) => [bot_id, succeeded + errors, is_muted]),
          'who is muted, though nothing of it ran',
        ).to.deep.equal([
          ['get_items', 0, true],
          ['next', 1, false],
        ]);
      });
    });

    describe('a digest', () => {
      const marginMs = 10 * SECOND;

      it('counts once what was being written when another one was told', async () => {
        const { digest } = await bench.ledger.signals.standing({ marginMs, isWatchingRuns: false });
        await bench.comes({ status: 0, bot_id: 'before' }, []);
        await pass(marginMs + SECOND);
        await bench.comes({ status: 0, bot_id: 'slow' }, []);
        // It came before the first digest is told, and is committed after a later one.
        await bench.store.run("update callbacks set kind = 'unwritten' where bot_id = 'slow'");
        await bench.comes({ status: 0, bot_id: 'quick' }, []);
        const first = await bench.ledger.signals.digestCounts(digest, marginMs);
        await bench.store.run("update callbacks set kind = 'callback' where bot_id = 'slow'");
        await pass(DAY);
        const second = await bench.ledger.signals.digestCounts(first.next, marginMs);
        const named = [first, second].map(({ bots }) => bots.map(({ bot_id }) => bot_id));
        expect(named).to.deep.equal([['before'], ['quick', 'slow']]);
      });
    });

    describe('forgets', () => {
      const from = { done: 0, reachedNobody: 0 };
      const forget = () =>
        bench.ledger.forget({
          doneKeptMs: 30 * DAY,
          nobodyKeptMs: 3 * DAY,
          from,
        });
      const left = async () => (await bench.store.rows('callbacks')).map((row) => row['job_id']);
      const muted = to('slack:#ops', [{ mute: [{ dates: ['2026-11-20'] }] }]);

      it('after three days what a rule let go for good, and nothing that waits for an end', async () => {
        await bench.fails(muted, { job_id: 'held' });
        await bench.fails(to('slack:#ops', [{ repeat: HOUR }]), { job_id: 'repeated' });
        await bench.comes({ job_id: 'when', status: ERROR }, [
          to('slack:#ops', [{ when: UNMET }]),
          to('slack:#log', [{ afterFailures: 9 }]),
        ]);
        await bench.comes({ job_id: 'half', status: ERROR }, [to('slack:#log', [{ when: UNMET }]), muted]);
        await pass(3 * DAY - 1);
        await forget();
        expect(await left()).to.have.length(4);
        await pass(2);
        await forget();
        expect(await left()).to.deep.equal(['held', 'half']);
        await pass(400 * DAY);
        await forget();
        expect(await left()).to.deep.equal(['held', 'half']);
      });

      it('nothing that a summary has yet to tell, nor the summary', async () => {
        await bench.fails(muted, { job_id: 'held' });
        await pass(400 * DAY);
        await bench.endWith();
        await pass(400 * DAY);
        await forget();
        expect(await left()).to.have.length(2);
        await bench.tellAll();
        await forget();
        expect(await left(), 'told').to.deep.equal([]);
      });

      it('what a summary was to tell that somebody has done with', async () => {
        await bench.fails(muted, { job_id: 'held' });
        await pass(DAY);
        await bench.endWith();
        const [due] = await bench.claim();
        const id = due?.record.id ?? -1;
        await bench.settle([dead(id)]);
        await pass(40 * DAY);
        await forget();
        expect(await left(), 'as long as it may be redelivered').to.have.length(2);
        await bench.ledger.actions.dismiss(id, ASKED.actor);
        await forget();
        expect(await left()).to.deep.equal([]);
      });

      it('no run that it still watches', async () => {
        await bench.comes({ status: EXECUTING, job_id: 'slow' }, [], { watched: { overdueMs: [5 * DAY] } });
        await pass(5 * DAY);
        await forget();
        expect(await left()).to.deep.equal(['slow']);
      });
    });
  });
}
