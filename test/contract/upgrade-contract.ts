/** The first start of a version that keeps incidents, on a ledger of one that kept none: what happened before is nobody's trouble now. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { PipelineWorld } from '../deliver/pipeline-world.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NIGHT = Date.parse('2026-11-20T03:00:00Z');

const CONFIG = `
delivery: { alerts: [operators] }
channels: { slack: { type: outbox, as: slack }, email: { type: outbox, as: email } }
groups: { operators: [{ email: operators@example.com }] }
routes:
  - bot_id: crawler
    on: [error, recovered]
    notify: [{ slack: '#ops' }]
    then: [{ after: 10m, notify: [{ email: duty@example.com }] }]
  - bot_id: muted
    on: [error]
    mute: [{ from: '22:00', to: '07:00' }]
    notify: [{ slack: '#day' }]
    then: [{ after: 10m, notify: [{ email: duty@example.com }] }]
  - bot_id: lost
    notify: [{ slack: '#lost' }]`;

const REFUSED = new DeliveryFailure({ class: 'permanent', code: 'too_long', message: 'too long' });

/** @param onServer left out: a SQLite file */
export function describeUpgrade(
  name: string,
  onServer?: (clock: ManualClock) => Promise<StoreUnderTest>,
): void {
  describe(`${name} at the first start of a version that keeps incidents`, () => {
    let world: PipelineWorld;

    beforeEach(async () => {
      world = await PipelineWorld.begin(CONFIG, NIGHT, onServer);
    });

    afterEach(async () => {
      await world.close();
      expect(world.troubles).to.deep.equal([]);
    });

    const error = { bot_id: 'crawler', job_id: 'old', status: 1, message: 'no login' } as const;
    const post = (fields: Partial<Callback>) => world.post(fields);
    const arrived = () => world.arrived.splice(0).map(({ destination }) => destination);
    const open = async () =>
      (await world.first.ledger.archive.openIncidents()).map(({ subject, sign }) => `${subject} ${sign}`);

    it('opens no incident, raises no alert and takes no step for what is older', async () => {
      const old = { ...error, start_time: new Date(NIGHT).toISOString() };
      await post(old);
      world.fails('slack:#lost', ...Array.from({ length: 9 }, () => REFUSED));
      const lost = { bot_id: 'lost', job_id: 'lost', status: 1, start_time: old.start_time } as const;
      for (const _ of [1, 2, 3]) await post(lost);
      await post({ ...error, bot_id: 'muted' });
      expect(await open(), 'before').to.have.members([
        'crawler error',
        'muted error',
        'slack:#lost dead',
        'lost error',
      ]);
      await world.pass(MINUTE);
      await world.stop();
      await world.store.run('DELETE FROM incidents');
      await world.store.run(`DELETE FROM timers WHERE kind = 'escalation'`);
      arrived();

      await world.start();
      await post(old);
      for (const hours of [1, 5, 24]) await world.pass(hours * HOUR);
      expect(arrived(), 'what was held').to.deep.equal(['slack:#day']);
      expect(await open()).to.deep.equal([]);

      await post({ ...error, job_id: 'new' });
      expect(await open(), 'what is new').to.deep.equal(['crawler error']);
      await world.passBy(12 * MINUTE, MINUTE);
      expect(arrived(), 'what is new').to.deep.equal(['slack:#ops', 'email:duty@example.com']);
    });
  });
}
