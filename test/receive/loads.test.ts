import { expect } from 'chai';
import { HttpProblem } from '../../src/http/problem.ts';
import { Loads } from '../../src/receive/loads.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const KB = 1024;
const MB = 1024 * KB;

const limitsWith = (parts: object = {}) => ({ maxBodyBytes: 8 * MB, maxInFlight: 256, ...parts });

describe('bodies that are being read', () => {
  const reading = (loads: Loads, bytes: number) => {
    const memory = loads.reserve();
    memory?.add(bytes);
    return memory;
  };

  it('are refused with 503 where together they take more than 16 MB, by what has come of them', () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    const first = reading(loads, 8 * MB);
    const second = reading(loads, 7 * MB);
    expectRefusal(() => reading(loads, MB + 1));
    second?.add(MB);
    expectRefusal(() => second?.add(1));
    first?.free();
    first?.free();
    reading(loads, 8 * MB);
    // What is given back twice counts once.
    expectRefusal(() => reading(loads, 65 * KB));
  });

  it('are let in two at a time however large max_body is', () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    loads.resize(limitsWith({ maxBodyBytes: 20 * MB }));
    for (let count = 0; count < 2; count += 1) reading(loads, 20 * MB);
    expectRefusal(() => reading(loads, MB));
  });

  it('are not counted where they are small, however many pieces they come in', () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    for (let count = 0; count < 10_000; count += 1) reading(loads, 32 * KB)?.add(32 * KB);
    reading(loads, 16 * MB);
  });
});

/** A callback that is handled until the test ends it. */
function callback(loads: Loads, bytes: number, until: number) {
  const end = moment();
  let isHandled = false;
  const handled = loads.handle(bytes, until, () => {
    isHandled = true;
    return end.promise;
  });
  return { handled, end: () => end.happen(), isHandled: () => isHandled };
}

async function handledOf(...callbacks: readonly { isHandled(): boolean }[]): Promise<boolean[]> {
  await settle();
  return callbacks.map(({ isHandled }) => isHandled());
}

function expect503(error: unknown): void {
  expect(error).to.be.instanceOf(HttpProblem).with.nested.property('details.status', 503);
}

const expectRefusal = (work: () => unknown) => expect(work).to.throw(HttpProblem, /take all the memory/);

describe('a callback past max_in_flight', () => {
  it('has room made for it by who waits for something else', async () => {
    const clock = new ManualClock();
    const loads = new Loads(clock, limitsWith({ maxInFlight: 1 }), () => first.end());
    const first = callback(loads, KB, clock.monotonic() + 9000);
    const second = callback(loads, KB, clock.monotonic() + 9000);
    expect(await handledOf(first, second)).to.deep.equal([true, true]);
    second.end();
  });

  it('is answered 503 after a second, or by the end of its own time where that is sooner, and takes no room later', async () => {
    const clock = new ManualClock();
    let asked = 0;
    const loads = new Loads(clock, limitsWith({ maxInFlight: 1 }), () => void (asked += 1));
    const first = callback(loads, KB, clock.monotonic() + 8000);
    expect(asked).to.equal(0);
    const second = callback(loads, KB, clock.monotonic() + 8000);
    const secondEnd = rejectionOf(second.handled);
    await clock.advance(500);
    expect(asked, 'for room, twice').to.equal(2);
    const hurried = callback(loads, KB, clock.monotonic() + 400);
    const hurriedEnd = rejectionOf(hurried.handled);
    await clock.advance(400);
    expect503(await hurriedEnd);
    await clock.advance(99);
    expect(await Promise.race([secondEnd, Promise.resolve('it waits')])).to.equal('it waits');
    await clock.advance(1);
    expect503(await secondEnd);
    expect(asked, 'nor once it is refused').to.equal(3);
    first.end();
    await settle();
    const next = callback(loads, KB, clock.monotonic() + 8000);
    expect(await handledOf(hurried, second, next)).to.deep.equal([false, false, true]);
    loads.resize(limitsWith({ maxInFlight: 2 }));
    const beside = callback(loads, KB, clock.monotonic() + 8000);
    expect(await handledOf(beside), 'once a reload gives more room').to.deep.equal([true]);
  });
});

describe('callbacks while it shuts down', () => {
  it('are refused however far they have come, and what is in flight is waited for', async () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    const first = callback(loads, KB, 1000);
    const kept = moment();
    const keeping = loads.during(() => kept.promise.then(() => 'kept'));
    let isDrained = false;
    const drained = loads.drain().then(() => void (isDrained = true));
    for (const late of [callback(loads, KB, 1000).handled, loads.during(() => Promise.resolve())])
      expect503(await rejectionOf(late));
    kept.happen();
    expect(await keeping).to.equal('kept');
    await settle();
    expect(isDrained).to.equal(false);
    first.end();
    await drained;
  });
});

describe('large callbacks', () => {
  it('of megabytes are handled two at a time; the next one waits until one of them is answered', async () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    const first = callback(loads, 2 * MB, 1000);
    callback(loads, 8 * MB, 1000);
    const third = callback(loads, 2 * MB, 1000);
    const fourth = callback(loads, 2 * MB, 1000);
    const small = callback(loads, 24 * KB, 1000);
    expect(await handledOf(third, small), 'smaller ones pass').to.deep.equal([false, true]);
    first.end();
    expect(await handledOf(third, fourth)).to.deep.equal([true, false]);
  });

  it('that are smaller are handled beside them, first come, first handled', async () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    const handled = Array.from({ length: 9 }, () => callback(loads, 300 * KB, 1000));
    const large = callback(loads, 2 * MB, 1000);
    const last = callback(loads, 300 * KB, 1000);
    expect(await handledOf(...handled)).not.to.include(false);
    expect(await handledOf(large, last), 'no small one overtakes a large one').to.deep.equal([false, false]);
    for (const { end } of handled.slice(0, 5)) end();
    expect(await handledOf(large, last)).to.deep.equal([true, true]);
  });

  it('leave room for the next one as soon as their messages are made', async () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    const [rendered, end] = [moment(), moment()];
    for (let count = 0; count < 2; count += 1)
      void loads.handle(8 * MB, 1000, (leave) => {
        void rendered.promise.then(leave);
        return end.promise;
      });
    const third = callback(loads, 8 * MB, 1000);
    expect(await handledOf(third)).to.deep.equal([false]);
    rendered.happen();
    expect(await handledOf(third)).to.deep.equal([true]);
    end.happen();
    await settle();
    const others = [callback(loads, 8 * MB, 1000), callback(loads, 8 * MB, 1000)];
    expect(await handledOf(...others), 'whoever left early leaves once').to.deep.equal([true, false]);
  });

  it('are answered 503 where their turn does not come in time', async () => {
    const clock = new ManualClock();
    const loads = new Loads(clock, limitsWith());
    const until = clock.monotonic() + 1000;
    callback(loads, 2 * MB, until);
    callback(loads, 2 * MB, until);
    const third = rejectionOf(callback(loads, 2 * MB, until).handled);
    await clock.advance(1000);
    expect503(await third);
  });
});
