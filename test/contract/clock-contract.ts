/** What is told at a time is told by the store's clock: replicas' clocks may differ from it, and from each other, by minutes. */
import { expect } from 'chai';
import { PipelineWorld } from '../deliver/pipeline-world.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const EIGHT = Date.parse('2026-11-20T08:00:00+09:00');

const CONFIG = `
display: { timezone: Asia/Tokyo }
channels:
  slack: { type: outbox, as: slack }
groups:
  team:
    notify: [{ slack: '#ops' }]
    digest: { at: '09:00', days: [fri] }
routes:
  - bot_id: hourly
    on: [error]
    expect: { every: 1h, grace: 1m }
    notify: [team]
default_route:
  on: [error]
  overdue: 30m
  notify: [{ slack: '#runs' }]`;

/** @param onServer left out: a SQLite file */
export function describeClocks(
  name: string,
  onServer?: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} with replicas whose clocks are two minutes behind and ahead`, () => {
    let world: PipelineWorld;

    beforeEach(async () => {
      world = await PipelineWorld.begin(CONFIG, EIGHT, onServer);
      await world.start(-2 * MINUTE);
      await world.start(2 * MINUTE);
    });

    afterEach(async () => {
      await world.close();
      expect(world.troubles).to.deep.equal([]);
    });

    /** The titles of what has come since it was asked last. */
    const told = () => world.arrived.splice(0).map(({ lines }) => lines.slice(0, 2).join(' · '));
    const result = (process: number) =>
      world.post({ bot_id: 'hourly', bot_name: 'Hourly', status: 0 }, world.processes[process]);

    it('tells a digest once, nothing of what is punctual, and a run when it is overdue', async () => {
      await result(2);
      await world.pass(59 * MINUTE + 30 * SECOND);
      await result(2);
      await result(1);
      expect(told(), 'in time').to.deep.equal([]);
      await world.pass(31 * SECOND);
      await world.pass(2 * MINUTE);
      expect(told())
        .to.have.length(1)
        .and.to.match(/Digest/);
      await world.post({ bot_id: 'slow', bot_name: 'Slow', status: 2 }, world.processes[1]);
      await world.pass(28 * MINUTE);
      expect(told(), 'not yet').to.deep.equal([]);
      await world.pass(3 * MINUTE);
      expect(told())
        .to.have.length(1)
        .and.to.match(/Slow · Running for 3\d min/);
      await world.pass(31 * MINUTE);
      expect(told())
        .to.have.length(1)
        .and.to.match(/hourly|Hourly · No result has come/);
    });
  });
}
