/** Every series is there before anything has happened: Prometheus sees no increase in one that begins with 1. */
import { expect } from 'chai';
import { type BridgeWorld, createBridgeWorld } from '../support/bridge-world.ts';

describe('the series of the metrics', () => {
  let world: BridgeWorld;

  const samples = async () => {
    const lines = (await world.metrics()).split('\n').filter((line) => line.startsWith('botbell_'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.split(' ').at(-1)]));
  };

  beforeEach(async () => {
    world = await createBridgeWorld(
      `receiver: { listen: '127.0.0.1:0' }\ndefault_route: { notify: [{ slack: '#ops' }] }`,
    );
  });

  afterEach(() => world.close());

  it('are there at 0 from the start, for each result that a callback may have', async () => {
    const there = await samples();
    for (const result of ['delivered', 'duplicate', 'no_route', 'superseded', 'held', 'accepted'])
      expect(there.get(`botbell_callbacks_total{status="executing",result="${result}"}`), result).to.equal(
        '0',
      );
    for (const result of ['taken_over', 'gave_up', 'failed', 'timed_out', 'unavailable'])
      expect(there.get(`botbell_callbacks_total{status="error",result="${result}"}`), result).to.equal('0');
    for (const result of ['refused', 'unavailable'])
      expect(there.get(`botbell_callbacks_total{status="none",result="${result}"}`), result).to.equal('0');
  });

  it('are there at 0 for each outcome by the channels that tell somebody, also by one that a reload brings', async () => {
    for (const outcome of ['delivered', 'transient', 'rate_limited', 'permanent', 'config']) {
      const name = `botbell_deliveries_total{channel="slack",outcome="${outcome}"}`;
      expect((await samples()).get(name), outcome).to.equal('0');
    }
    const ofMail = 'botbell_deliveries_total{channel="email",outcome="delivered"}';
    expect((await samples()).has(ofMail)).to.equal(false);
    await world.swap((yaml) => yaml.replace(`{ slack: '#ops' }`, `{ email: ops@example.com }`));
    const there = await samples();
    expect(there.get(ofMail)).to.equal('0');
    expect(there.get('botbell_delivery_seconds_count{channel="email"}')).to.equal('0');
  });

  it('say how much the store may take', async () => {
    expect((await samples()).get('botbell_store_max_bytes')).to.equal(String(2 * 1024 ** 3));
  });

  it('tell of the process: memory, CPU, the event loop, when it started', async () => {
    const text = await world.metrics();
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(text, name).to.match(new RegExp(`^${name} [0-9.e+-]+$`, 'm'));
  });
});
