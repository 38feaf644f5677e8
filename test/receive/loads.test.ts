/** How much of callbacks is read and handled at once. */
import { expect } from 'chai';
import { HttpProblem } from '../../src/http/problem.ts';
import { Loads } from '../../src/receive/loads.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const KB = 1024;
const MB = 1024 * KB;

const limitsWith = (parts: object = {}) => ({ maxBodyBytes: 8 * MB, maxInFlight: 256, ...parts });

describe('bodies that are being read', () => {
  it('are refused with 503 where together they would take more than 16 MB', () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    const first = loads.read(8 * MB);
    loads.read(8 * MB);
    expect(() => loads.read(65 * KB))
      .to.throw(HttpProblem)
      .with.nested.property('details.status', 503);
    first();
    first();
    expect(() => loads.read(8 * MB), 'what is given back twice counts once').not.to.throw();
    expect(() => loads.read(65 * KB)).to.throw(HttpProblem);
  });

  it('are let in two at a time however large max_body is', () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    loads.resize(limitsWith({ maxBodyBytes: 20 * MB }));
    loads.read(20 * MB);
    expect(() => loads.read(20 * MB)).not.to.throw();
    expect(() => loads.read(MB)).to.throw(HttpProblem);
  });

  it('count for a megabyte where nobody says how large they are', () => {
    const loads = new Loads(new ManualClock(), limitsWith({ maxBodyBytes: MB }));
    for (let count = 0; count < 16; count += 1) loads.read(undefined);
    expect(() => loads.read(undefined)).to.throw(HttpProblem);
  });

  it('are not counted where they are small', () => {
    const loads = new Loads(new ManualClock(), limitsWith());
    for (let count = 0; count < 10_000; count += 1) loads.read(64 * KB);
    expect(() => loads.read(8 * MB)).not.to.throw();
  });
});

describe('large callbacks', () => {
  it('are handled two at a time; the next one waits until one of them is answered', async () => {
    const clock = new ManualClock();
    const loads = new Loads(clock, limitsWith());
    const first = await loads.handle(MB, 1000);
    await loads.handle(MB, 1000);
    let isHandled = false;
    const third = loads.handle(MB, 1000).then(() => (isHandled = true));
    await loads.handle(256 * KB, 1000);
    await settle();
    expect(isHandled, 'smaller ones pass').to.equal(false);
    first();
    await third;
  });

  it('are answered 503 where their turn does not come in time', async () => {
    const clock = new ManualClock();
    const loads = new Loads(clock, limitsWith());
    await loads.handle(MB, clock.monotonic() + 1000);
    await loads.handle(MB, clock.monotonic() + 1000);
    const third = rejectionOf(loads.handle(MB, clock.monotonic() + 1000));
    await clock.advance(1000);
    expect(await third)
      .to.be.instanceOf(HttpProblem)
      .with.nested.property('details.status', 503);
  });
});

describe('more callbacks than max_in_flight', () => {
  it('wait for a moment, first come, first handled', async () => {
    const clock = new ManualClock();
    const loads = new Loads(clock, limitsWith({ maxInFlight: 2 }));
    const first = await loads.handle(KB, 8000);
    await loads.handle(KB, 8000);
    const order: number[] = [];
    const waiting = [2, 3].map((number) =>
      loads.handle(KB, 8000).then((leave) => [order.push(number), leave()]),
    );
    await settle();
    expect(order).to.deep.equal([]);
    first();
    await Promise.all(waiting);
    expect(order).to.deep.equal([2, 3]);
    await loads.handle(KB, 8000);
  });

  it('are answered 503 after a second, or by the end of their own time where that is sooner', async () => {
    const clock = new ManualClock();
    const loads = new Loads(clock, limitsWith({ maxInFlight: 2 }));
    for (let count = 0; count < 2; count += 1) await loads.handle(KB, clock.monotonic() + 8000);
    let isTurnedAway = false;
    const hurried = rejectionOf(loads.handle(KB, clock.monotonic() + 400));
    const second = rejectionOf(loads.handle(KB, clock.monotonic() + 8000));
    void second.then(() => (isTurnedAway = true));
    await clock.advance(400);
    expect(await hurried)
      .to.be.instanceOf(HttpProblem)
      .with.nested.property('details.status', 503);
    expect(isTurnedAway).to.equal(false);
    await clock.advance(600);
    expect(await second)
      .to.be.instanceOf(HttpProblem)
      .with.nested.property('details.status', 503);
  });

  it('are answered 503 at once where as many are waiting', async () => {
    const loads = new Loads(new ManualClock(), limitsWith({ maxInFlight: 100 }));
    for (let count = 0; count < 100; count += 1) await loads.handle(KB, 8000);
    for (let count = 0; count < 100; count += 1) void loads.handle(KB, 8000).catch(() => undefined);
    expect(await rejectionOf(loads.handle(KB, 8000)))
      .to.be.instanceOf(HttpProblem)
      .with.nested.property('details.status', 503);
  });
});
