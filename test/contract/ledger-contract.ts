/** What every ledger promises to a POST, whatever database holds it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Receipt, ROOT_GONE } from '../../src/channels/channel.ts';
import { shared } from '../../src/ledger/database.ts';
import { type Admission, type DeliveryUpdate, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { admit } from '../../src/ledger/callbacks/admit.ts';
import { admitArgs } from '../../src/ledger/callbacks/write-callback.ts';
import { settle } from '../../src/ledger/deliveries/settle.ts';
import { storedJson } from '../../src/ledger/callbacks/keys.ts';
import { anew } from '../support/anew.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { OPTIONS } from '../support/store-under-test.ts';
import { arrivalOf, claimedOf, destinationsOf, EXECUTING, LOG, OPS, target } from './arrivals.ts';
import { Bench, type CreateStore } from './ledger-bench.ts';
import { answeredOf, answerOf, settleAll, settlementOf, settlementsOf } from './settlements.ts';
import { dead, delivered, failed, namesOf, putOff, TRANSIENT } from './updates.ts';

const MAIL = target('email:a@example.com');

const MANY_REFUSED = `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 998)
  insert into refused (received_at, status, detail, errors, remote_address, body)
  select 0, 422, '', '[]', '', 'one of many' from numbers`;

const NOBODY = { cause: 'refused', subject: {} as never, targets: [] };
/** An attempt. */
const TAKEN = { durationMs: 1, endedAt: 2, outcome: 'delivered', error: undefined } as const;

export function describeLedger(name: string, createStore: CreateStore): void {
  describe(`${name} as a ledger`, () => {
    const bench = anew(() => Bench.open(createStore));

    describe('admitting', () => {
      it('gives a retry only whom nobody has told or given up yet, and its success clears the error', async () => {
        const [, log] = await bench.settled(bench.arrive({}, [OPS, LOG, MAIL]), delivered, failed, dead);
        const retry = await bench.arrive({ elapsed_time: 42 }, [OPS, LOG, MAIL]);
        expect(retry.callback).to.deep.equal(callbackWith());
        expect(claimedOf(retry)).to.deep.equal(['slack:#log']);
        expect(retry.deliveries.map(({ state }) => state)).to.deep.equal(['delivered', 'pending', 'dead']);
        expect(retry.deliveries[1]).to.deep.include({ attempts: 1, lastError: TRANSIENT });
        await bench.settle([{ ...delivered(log), attempts: 2 }]);
        const [, told] = await bench.deliveries();
        expect(told).to.include({ state: 'delivered', attempts: 2, errorCode: null });
      });

      it('keeps a large body to the letter, deflated, for who tells it later and for who comes again', async () => {
        const callback = callbackWith({ message: '請求書 "7"\n'.repeat(200_000), job_id: 'large' });
        await bench.accept(callback, [OPS]);
        const [row] = await bench.store.rows('callbacks');
        expect(row?.['body']).to.have.property('byteLength').that.is.below(200_000);
        const [due] = await bench.claim();
        expect(due && callbackOf(due.notice)).to.deep.equal(callback);
        expect(await bench.arrive(callback, [OPS])).to.include({ isNew: false, timesReceived: 2 });
        expect((await bench.arrive({ ...callback, message: 'another' }, [OPS])).isNew).to.equal(true);
      });

      it('keeps of foreign names, errors and receipts no more than anybody reads', async () => {
        const long = 'x'.repeat(1_000_000);
        const admission = await bench.arrive({ bot_id: long, bot_name: long }, [OPS, LOG]);
        const [ops, log] = namesOf(admission);
        const error = { class: 'transient', code: long, message: long } as const;
        const attempt = { ...TAKEN, outcome: 'transient', error } as const;
        await bench.ledger.settle(settlementOf({ ...delivered(ops), receipt: { ts: long } }));
        const failure = settlementOf({ ...failed(log), lastError: error }, admission.callbackId);
        await bench.ledger.settle({ ...failure, attempts: [attempt] });
        const kept = [
          ...(await bench.store.rows('callbacks')).map((row) => ({ ...row, body: '' })),
          ...(await bench.store.rows('deliveries')),
          ...(await bench.store.rows('history')),
        ];
        for (const row of kept)
          for (const value of Object.values(row)) expect(String(value).length).to.be.lessThan(3000);
      });

      it('keeps what came, to the letter, however hostile', async () => {
        const hostile = callbackWith({
          job_id: 'nul\u0000 surrogate\ud800 rtl\u202e',
          bot_id: "'; drop table callbacks; --",
          bot_name: '\udfff%s ${x} {{ y }}',
          output: JSON.parse('{"__proto__": {"a": 1}, "constructor": "c", "鍵": "\\u0000"}') as Record<
            string,
            unknown
          >,
        });
        const admission = await bench.arrive(hostile, [OPS]);
        const [row] = await bench.store.rows('callbacks');
        const body = Buffer.from(storedJson(row?.['body'] as Uint8Array)).toString();
        expect(body).to.equal(JSON.stringify(hostile));
        expect(row?.['job_id']).to.equal('nul surrogate\ufffd rtl');
        expect(row?.['bot_id']).to.equal("'; drop table callbacks; --");
        expect((await bench.arrive(hostile, [OPS])).callbackId).to.equal(admission.callbackId);
      });

      it('takes a job id as long as a body, knows it again, and tells it from its like', async () => {
        const long = randomBytes(50_000).toString('base64');
        const started = { job_id: long, status: EXECUTING } as const;
        await bench.arrive({ job_id: long }, [OPS]);
        expect(await bench.arrive({ job_id: long }, [OPS])).to.include({ isNew: false, timesReceived: 2 });
        expect(await bench.arrive(started, [OPS])).to.include({ isNew: true, isSuperseded: true });
        const other = await bench.arrive({ ...started, job_id: `${long}.` }, [OPS]);
        expect(other).to.include({ isNew: true, isSuperseded: false });
      });

      it('takes what two BOTs call the same for two jobs', async () => {
        const begun = { status: EXECUTING, bot_id: 'night' } as const;
        await bench.arrive(begun, [OPS]);
        const result = await bench.arrive({ bot_id: 'day' }, [OPS]);
        expect(result.deliveries.map(({ behind }) => behind)).to.deep.equal([undefined]);
        expect(await bench.arrive({ ...begun, code: 7 }, [OPS])).to.include({ isSuperseded: false });
        expect(await bench.arrive({ ...begun, bot_id: 'day' }, [OPS])).to.include({ isSuperseded: true });
        expect((await bench.ledger.archive.callbacks({ jobId: 'job-1' })).items).to.have.length(4);
        const message = { jobId: 'job-1', destination: OPS.destination, callbackId: 0 };
        await bench.settle(result.deliveries.map(delivered));
        expect((await bench.ledger.jobMessages({ ...message, botId: 'night' })).root).to.equal(undefined);
        const { root } = await bench.ledger.jobMessages({ ...message, botId: 'day' });
        expect(root).to.deep.equal({ ts: '1.2' });
      });

      it('answers at once what is accepted or for nobody, as often as it comes, and nothing else', async () => {
        const held = { ...LOG, reason: 'mute', heldUntil: 1 };
        const begun = { job_id: 'begun', status: EXECUTING } as const;
        const shown: Record<string, readonly unknown[]> = {};
        const show = async (title: string, { callbackId, isAnswered }: Admission) => {
          const story = await bench.ledger.archive.story(callbackId);
          const answers = story?.history.filter(({ what }) => what === 'answered') ?? [];
          shown[title] = [isAnswered, story?.result, ...answers.map(({ result }) => result)];
        };
        await show('for nobody', await bench.arrive({ job_id: 'nobody' }, []));
        await show('held', await bench.accept({ job_id: 'held' }, [held]));
        await show('held again', await bench.accept({ job_id: 'held' }, [held]));
        const { deliveries } = await bench.accept({ job_id: 'told' }, [OPS, held]);
        await bench.settle(deliveries.slice(0, 1).map(delivered));
        await show('told', await bench.accept({ job_id: 'told' }, []));
        await show('to be told', await bench.arrive({ job_id: 'told' }, [OPS]));
        await show('told, and for nobody today', await bench.arrive({ job_id: 'told' }, []));
        await bench.settled(bench.arrive({ job_id: 'dead' }, [OPS]), dead);
        await show('given up', await bench.accept({ job_id: 'dead' }, [OPS]));
        await bench.arrive(begun, [OPS]);
        await bench.arrive({ job_id: 'begun' }, []);
        await bench.bury(await bench.openAs('another'));
        const late = await bench.accept(begun, [OPS]);
        await show('late', late);
        expect(late.deliveries[0]).to.include({ state: 'held', reason: 'superseded' });
        expect(shown).to.deep.equal({
          'for nobody': [true, 'no_route', 'no_route'],
          held: [true, 'held', 'held'],
          'held again': [true, 'held', 'held', 'held'],
          told: [true, 'duplicate', 'accepted', 'duplicate'],
          'to be told': [false, 'duplicate', 'accepted', 'duplicate'],
          'told, and for nobody today': [false, 'duplicate', 'accepted', 'duplicate'],
          'given up': [true, 'gave_up', 'gave_up'],
          late: [true, 'superseded', 'superseded'],
        });
      });

      it('knows which message of a job the next one replies to, and whether a later one was told', async () => {
        const { job_id: jobId, bot_id: botId } = callbackWith();
        const tell = async (code: number, receipt: Receipt) => {
          const { callbackId, ...admission } = await bench.arrive({ code }, [OPS]);
          await bench.settle([{ ...delivered(namesOf(admission)[0]), receipt }]);
          await bench.store.passTime(1);
          return callbackId;
        };
        const before = async (callbackId: number) => {
          const message = { jobId, botId, destination: OPS.destination, callbackId };
          const { root, isOvertaken } = await bench.ledger.jobMessages(message);
          return `${root?.['ts']} ${isOvertaken}`;
        };
        const first = await tell(1, { ts: '1' });
        const second = await tell(2, { ts: '2' });
        const asked = [0, first, second, second + 1];
        const found = await Promise.all(asked.map(before));
        expect(found).to.deep.equal(['1 true', '2 true', '1 false', '1 false']);
        await tell(3, { ts: '3', [ROOT_GONE]: 'message_not_found' });
        await tell(4, { ts: '4' });
        expect(await before(second)).to.equal('3 true');
      });

      it('refuses what is new where the store is full, and nothing that it knows', async () => {
        const arriving = async (job_id: string) => {
          const arrival = arrivalOf(callbackWith({ job_id }), [OPS]);
          const whenFull: typeof admit = (tx, args) => admit({ ...tx, isFull: true }, args);
          return bench.store.call(whenFull, [admitArgs(arrival, arrival.body, OPTIONS)]);
        };
        await bench.arrive({ job_id: 'known' }, [OPS]);
        expect(await rejectionOf(arriving('new'))).to.have.property('name', 'LedgerFull');
        expect(await arriving('known')).to.include({ timesReceived: 2 });
        expect(await bench.store.rows('callbacks')).to.have.length(1);
      });
    });

    it('writes nothing of a call that fails, nor what that has asked for at the same moment', async () => {
      const pace = shared('text bigint');
      const failing = bench.store.call(async (tx) => {
        await tx.all(pace`INSERT INTO paces (key, next_at) VALUES (${'before'}, ${1})`);
        await Promise.all([
          tx.all(pace`INSERT INTO paces (key, next_at) VALUES (${'beside'}, ${1})`),
          Promise.reject(new Error('it fails')),
        ]);
      }, []);
      expect(String(await rejectionOf(failing))).to.contain('it fails');
      await bench.arrive({}, [OPS]);
      expect(await bench.store.rows('paces', 'key')).to.deep.equal([]);
    });

    it('writes what waits when it is closed, and nothing after that', async () => {
      const second = await bench.openAs('second');
      const arrive = (job_id: string) => second.admit(arrivalOf(callbackWith({ job_id }), [OPS]));
      const calls = Array.from({ length: 8 }, (_, count) => arrive(`job-${count}`));
      const paused = Array.from({ length: 8 }, (_, count) => second.pausePace(`slack:#${count}`, 1000));
      await bench.store.clock.runAlong(Promise.all([second.close(), ...calls, ...paused]));
      expect(await bench.states()).to.have.length(8);
      expect(await rejectionOf(arrive('late'))).to.be.instanceOf(LedgerUnavailable);
    });

    it('lets a claim that was lost count a success, as somebody was told, and overwrite nothing of its new owner with a failure', async () => {
      const second = await bench.openAs('second');
      const [ops, log] = namesOf(await bench.arrive({}, [OPS, LOG]));
      await bench.bury(second);
      await bench.arrive({}, [OPS, LOG], second);
      await bench.settle([dead(ops), delivered(log)]);
      expect((await bench.deliveries())[0]).to.include({ state: 'pending', attempts: 0, owner: 'second' });
      await bench.settle([delivered(ops), failed(log)], second);
      await bench.settle([failed(ops)]);
      for (const each of await bench.deliveries())
        expect(each).to.include({ state: 'delivered', receipt: '{"ts":"1.2"}' });
    });

    describe('an executing callback', () => {
      it('that was told everybody before the result came stays told', async () => {
        for (const planned of [[OPS], [OPS, LOG]]) {
          const begun = { status: EXECUTING, job_id: `for ${planned.length}` } as const;
          await bench.settled(bench.arrive(begun, planned), delivered);
          await bench.arrive({ ...begun, status: 0 }, [OPS]);
          const again = await bench.arrive(begun, planned);
          expect(again.isSuperseded).to.equal(planned.length > 1);
          expect(again.deliveries[0]?.state).to.equal('delivered');
        }
      });

      it('is told by a retry or later though its first attempt was alerted: an alert of its job is no result', async () => {
        const running = { status: EXECUTING } as const;
        const [ops] = namesOf(await bench.arrive(running, [OPS]));
        const subject = { ...DEAD_LETTER, callback: callbackWith(running) };
        const alert = { cause: 'slack down', subject, targets: [LOG] };
        await bench.settle([putOff(ops, 60_000, { alert })]);
        expect((await bench.arrive(running, [OPS])).isSuperseded).to.equal(false);
        await bench.settle([putOff(ops, 60_000)]);
        await bench.store.passTime(60_000);
        expect(destinationsOf(await bench.claim())).to.deep.equal(['slack:#log', 'slack:#ops']);
      });
    });

    it('gives a callback that came twice at one moment to one of both only', async () => {
      const both = await Promise.all([bench.arrive({}, [OPS, LOG]), bench.arrive({}, [OPS, LOG])]);
      expect(both.map(claimedOf).toSorted()).to.deep.equal([[], ['slack:#ops', 'slack:#log']]);
      const came = both.map(({ isNew, timesReceived }) => `${isNew} ${timesReceived}`);
      expect(came).to.have.members(['true 1', 'false 2']);
      expect(await bench.store.rows('deliveries')).to.have.length(2);
    });

    describe('settling', () => {
      it('writes attempts, outcomes, receipts, errors and the answer', async () => {
        const { callbackId, ...admission } = await bench.arrive({}, [OPS, LOG]);
        const [ops, log] = namesOf(admission);
        const attempt = { ...TAKEN, durationMs: 12.6, endedAt: 17.6 };
        await bench.ledger.settle({ ...settlementOf(delivered(ops), callbackId), attempts: [attempt] });
        await bench.ledger.settle({
          ...settlementOf(failed(log), callbackId),
          attempts: [{ ...attempt, outcome: 'transient', error: TRANSIENT }],
          answer: { arrivedAt: 1, answeredAt: 21, status: 502, result: 'failed' },
        });
        expect(await bench.deliveries()).to.deep.include.members([
          { ...(await bench.deliveries())[0], state: 'delivered', receipt: '{"ts":"1.2"}', errorCode: null },
          { ...(await bench.deliveries())[1], state: 'pending', refusals: 0, errorCode: 'ETIMEDOUT' },
        ]);
        const rows = ['attempt delivered', 'attempt transient', 'answered failed'];
        expect(await bench.history()).to.deep.equal(rows);
        const { history = [] } = (await bench.ledger.archive.story(callbackId)) ?? {};
        expect(history.map(({ entry }) => entry)).to.deep.equal([
          { durationMs: 13 },
          { durationMs: 13, error: TRANSIENT },
          { receivedAt: 1, status: 502 },
        ]);
        expect((await bench.store.rows('callbacks'))[0]?.['result']).to.equal('failed');
      });

      it('counts as refused what lasts and is the service’s to retry, and nothing else', async () => {
        const classes = ['config', 'permanent', 'transient', 'rate_limited'] as const;
        const errors = classes.map((name) => ({ class: name, code: name, message: name }));
        const planned = [...classes, 'taken over', 'dead'].map((name) => target(`slack:${name}`));
        const named = namesOf(await bench.arrive({}, planned));
        const updates = named.map((name, index) => failed(name, { lastError: errors[index] ?? errors[0] }));
        const others = [{ isTakenOver: true }, { state: 'dead' }] as const;
        await bench.settle(updates.map((each, index) => ({ ...each, ...others[index - classes.length] })));
        expect((await bench.deliveries()).map(({ refusals }) => refusals)).to.deep.equal([1, 1, 0, 0, 0, 0]);
      });

      const answered = async (admission: Admission, result: 'delivered' | 'duplicate') => {
        const attempt = { ...TAKEN, durationMs: 13, endedAt: 18 };
        const told = admission.deliveries.filter(({ claim }) => claim === 'own');
        const answer = { arrivedAt: 1, answeredAt: 21, status: 200, result } as const;
        if (told.length === 0) return bench.ledger.settle({ ...answeredOf(admission), answer });
        const each = settlementsOf(told.map(delivered), admission.callbackId, answer);
        return settleAll(
          bench.ledger,
          each.map((settlement) => ({ ...settlement, attempts: [attempt] })),
        );
      };
      const lastResult = async () => (await bench.ledger.archive.callbacks({})).items[0]?.result;

      it('keeps the plain course in the rows of the deliveries, and tells it as any other', async () => {
        const admission = await bench.arrive({}, [OPS, LOG]);
        bench.store.clock.setBy(1000);
        expect(await answered(admission, 'delivered'), 'nothing is left to attempt').to.equal(false);
        expect(await bench.store.rows('history')).to.deep.equal([]);
        const story = await bench.ledger.archive.story(admission.callbackId);
        const attempt = { what: 'attempt', result: 'delivered', at: 1005, entry: { durationMs: 13 } };
        const entry = { receivedAt: 1001, status: 200 };
        expect(story?.history).to.deep.equal([
          ...(story?.deliveries.map(({ id }) => ({ ...attempt, deliveryId: id })) ?? []),
          { at: 1021, what: 'answered', deliveryId: undefined, result: 'delivered', entry },
        ]);
        expect((await bench.ledger.archive.callbacks({ result: 'delivered' })).items).to.have.length(1);
        await answered(await bench.arrive({}, [OPS, LOG]), 'duplicate');
        expect(await lastResult()).to.equal('duplicate');
        expect((await bench.ledger.archive.callbacks({ result: 'delivered' })).items).to.deep.equal([]);
      });

      it('keeps the answer that came last where the callback came again before it', async () => {
        const first = await bench.arrive({}, [OPS]);
        await answered(await bench.arrive({}, [OPS]), 'duplicate');
        await answered(first, 'delivered');
        expect(await lastResult()).to.equal('delivered');
        expect(await bench.history()).to.include.members(['answered duplicate', 'answered delivered']);
      });

      it('keeps when it was told and answered first where it is told again later', async () => {
        const admission = await bench.arrive({}, [OPS]);
        await answered(admission, 'delivered');
        const [ops] = namesOf(admission);
        const actor = { via: 'page', user: undefined, from: 'here' } as const;
        await bench.ledger.actions.redeliver(ops.id, actor, true);
        await bench.claim();
        await bench.settle([{ ...delivered(ops), attempts: 2 }]);
        const history = ['attempt delivered', 'answered delivered', 'redelivered'];
        expect(await bench.history()).to.deep.equal(history);
      });

      it('says whether something is due at once because of it, and has it due when it was said', async () => {
        const cases: readonly (readonly [Partial<DeliveryUpdate>, boolean])[] = [
          [{ isTakenOver: true, dueInMs: 0 }, true],
          [{ isTakenOver: true, dueInMs: 1000 }, false],
          [{ isTakenOver: true, dueInMs: 1000, attempts: 0 }, true],
          [{ dueInMs: 0, attempts: 2 }, false],
          [{ state: 'dead', isTakenOver: true, dueInMs: 0 }, false],
          [{ state: 'delivered' }, false],
        ];
        for (const [index, [fields, isDue]] of cases.entries()) {
          const admission = await bench.arrive({ code: index }, [target(`slack:#${index}`)]);
          const told = failed(namesOf(admission)[0], fields);
          expect(await bench.settle([told]), JSON.stringify(fields)).to.equal(isDue);
        }
        expect(await bench.due()).to.deep.equal(['slack:#0', 'slack:#3']);
        await bench.store.passTime(1000);
        expect(await bench.due()).to.deep.equal(['slack:#0', 'slack:#1', 'slack:#2', 'slack:#3']);
      });

      it('says what became of a delivery, transition by transition', async () => {
        const { callbackId, ...admission } = await bench.arrive({}, [OPS, LOG]);
        const [ops, log] = namesOf(admission);
        await settleAll(bench.ledger, settlementsOf([putOff(ops, 1000), dead(log)], callbackId));
        await bench.store.passTime(1000);
        const hold = { reason: 'mute', heldUntil: bench.store.clock.now() + 1 };
        for (const { record } of await bench.claim())
          await bench.settle([failed(record, { state: 'held', ...hold })]);
        await bench.store.passTime(1);
        await bench.release();
        expect((await bench.claim())[0]?.record.ageMs, 'as old as before it was held').to.equal(1000);
        const history = ['taken_over transient', 'dead transient', 'held mute', 'released'];
        expect(await bench.history()).to.deep.equal(history);
      });

      it('keeps no more than a thousand answers and returns of a callback that comes again and again', async () => {
        const admission = await bench.accept({}, [OPS]);
        await bench.store.run('update callbacks set times_received = 999');
        for (const times of [1000, 1001]) {
          expect(await bench.accept({}, [OPS])).to.include({ timesReceived: times });
          expect(await bench.history()).to.deep.equal(['answered accepted', 'received', 'answered accepted']);
        }
        await bench.ledger.settle({ ...answeredOf(admission), answer: answerOf(502, 'failed') });
        expect(await bench.history()).to.have.length(3);
        expect((await bench.store.rows('callbacks'))[0]?.['result']).to.equal('failed');
      });

      it('writes what was told once, though it is asked to again since nobody heard that it was', async () => {
        const { callbackId, ...admission } = await bench.arrive({}, [OPS, LOG]);
        const [ops, log] = namesOf(admission);
        const told = { ...settlementOf(delivered(ops), callbackId), attempts: [TAKEN] };
        const late = { ...settlementOf({ ...delivered(log), attempts: 2 }, callbackId), attempts: [TAKEN] };
        for (const each of [told, late, told, late]) await bench.store.call(settle, [each]);
        expect(await bench.history()).to.deep.equal(['attempt delivered', 'attempt delivered']);
      });

      it('that the store refuses harms no other of the same moment, and leaves nothing half written', async () => {
        const { callbackId, ...admission } = await bench.arrive({}, [OPS, LOG]);
        const [ops, log] = namesOf(admission);
        const ofNobody = { ...settlementOf(delivered(log), callbackId), receivedAt: 0 };
        const outcomes = await Promise.allSettled([
          bench.settle([delivered(ops)]),
          rejectionOf(bench.ledger.settle({ ...ofNobody, answer: answerOf(502, 'failed') })),
        ]);
        expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
        expect(await bench.states()).to.deep.equal(['slack:#ops delivered', 'slack:#log pending']);
      });
    });

    it('takes a callback for five thousand destinations, and its outcomes', async () => {
      const planned = Array.from({ length: 5000 }, (_, number) => target(`slack:#${number}`));
      const { callbackId, deliveries } = await bench.store.clock.runAlong(
        bench.ledger.admit(arrivalOf(callbackWith({}), planned), 60_000),
      );
      expect(deliveries).to.have.length(5000);
      const updates = deliveries.map((each, index) => (index === 0 ? failed(each) : delivered(each)));
      const written = settlementsOf(updates, callbackId).map((each) => bench.ledger.settle(each, 60_000));
      await bench.store.clock.runAlong(Promise.all(written));
      expect((await bench.states()).filter((state) => state.endsWith('delivered'))).to.have.length(4999);
    });

    describe('refused bodies', () => {
      const refusal = (body: string, receivedAt = 0) => ({
        receivedAt,
        status: 422 as const,
        detail: 'This is JSON, but not a callback.',
        errors: [{ pointer: '/status', detail: 'must be the integer 0, 1 or 2' }],
        from: '192.0.2.7',
        body,
      });
      const refuse = (body: string) => bench.ledger.refuse(refusal(body), NOBODY);

      it('are kept for the newest 1,000', async () => {
        await bench.store.run(MANY_REFUSED);
        for (let number = 1; number <= 5; number += 1) await refuse(`body ${number}`);
        const rows = await bench.store.rows('refused');
        expect(rows).to.have.length(1000);
        expect(rows.slice(-6).map((row) => row['body'])).to.deep.equal([
          'one of many',
          ...[1, 2, 3, 4, 5].map((number) => `body ${number}`),
        ]);
      });

      it('are cut at 64 KiB between characters, say of what was wrong no more than anybody reads, and may hold anything', async () => {
        const errors = [{ pointer: `/${'k'.repeat(1_000_000)}`, detail: 'd'.repeat(1_000_000) }];
        const body = '請'.repeat(64 * 1024);
        await bench.ledger.refuse({ ...refusal(body), detail: 'w'.repeat(1_000_000), errors }, NOBODY);
        const [row] = await bench.store.rows('refused');
        expect(Buffer.byteLength(String(row?.['body']))).to.be.within(64 * 1024 - 3, 64 * 1024);
        expect(row?.['body']).to.match(/^請+$/);
        expect(JSON.stringify({ ...row, body: '' }).length).to.be.lessThan(5000);
        await refuse('\u0000{"a":"\ud800"}');
        const [, other] = await bench.store.rows('refused');
        expect(other?.['body']).to.equal('{"a":"\ufffd"}');
        expect(JSON.parse(String(other?.['errors']))).to.deep.equal(refusal('').errors);
        const [incident] = await bench.ledger.archive.openIncidents();
        expect(incident?.gist).to.match(/^\/status must be the integer/);
      });
    });
  });
}
