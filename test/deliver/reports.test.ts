/** What arrives in the end of a month of who is told of reports and of the budget: the whole pipeline. */
import { expect } from 'chai';
import { anew } from '../support/anew.ts';
import { DAY, HOUR, SECOND } from '../support/manual-clock.ts';
import { PipelineWorld } from './pipeline-world.ts';
import type { Arrived } from './remotes.ts';

/** Of Tokyo, all through the year. */
const OFFSET = 9 * HOUR;
const EVENING = Date.parse('2026-11-26T20:00:00+09:00');

const CONFIG = `
display: { timezone: Asia/Tokyo }
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
calendars:
  office: { days: [mon, tue, wed, thu, fri], until: 2026-12-10 }
groups:
  boss: [{ email: boss@example.com }]
  operators: [{ slack: '#ops' }]
reports:
  - { every: day, calendar: office, bots: 'crawl*', notify: [operators] }
  - { every: month, notify: [boss] }
budget: { hours: 1, warn: [100, 85, 50, 80], notify: [operators] }
routes:
  - { bot_id: '*', on: [error], notify: [{ slack: '#on-call' }] }`;

function shown({ at, destination, lines }: Arrived): string {
  const time = new Date(at + OFFSET + SECOND).toISOString().slice(5, 16);
  return `${time} ${destination} ${lines.slice(0, 2).join(' · ')}`;
}

describe('A month of three people', () => {
  const world = anew(() => PipelineWorld.begin(CONFIG, EVENING));

  afterEach(() => expect(world.troubles).to.deep.equal([]));

  const arrived = () => world.arrived.splice(0).map(shown);
  const runs = (bot_id: string, status: 0 | 1, elapsed_time: number | null) =>
    world.post({ bot_id, bot_name: bot_id, status, elapsed_time, message: status === 1 ? 'no login' : '' });

  it('each is told what is his, once, over a restart and by two replicas', async () => {
    await world.start();
    await runs('crawler', 0, 900);
    await runs('prices', 1, 300);
    await world.passBy(DAY, HOUR);
    await runs('crawler', 0, 900);
    await world.stop();
    await world.passBy(3 * DAY, HOUR);
    await runs('crawler', 1, 1200);
    await world.start();
    await world.passBy(6 * HOUR, HOUR);
    // The same said otherwise, before the report of the month that is over.
    await world.reload(CONFIG.replace('every: month,', "$& bots: '*',"));
    await world.passBy(2 * DAY - 6 * HOUR, HOUR);
    const late = { start_time: '2026-11-30T23:50:00+09:00', elapsed_time: 600 };
    await world.post({ bot_id: 'prices', status: 0, ...late });
    await world.passBy(HOUR, HOUR);
    const month = world.arrived.find(({ destination }) => destination === 'email:boss@example.com');
    expect(month?.lines.join('\n'), 'of the month that is over').to.include('55 min of 1 h (91%)');
    expect(arrived()).to.deep.equal([
      '11-26T20:00 slack:#on-call ❌ prices · Failed after 5 min',
      '11-27T09:00 slack:#ops ✅ Report: 2026-11-26 · 1 run',
      '11-27T20:59 slack:#ops ⚠️ 50% of the running time is used · 35 min of 1 h (58%)',
      '11-30T09:00 slack:#ops ✅ Report: 2026-11-27 – 2026-11-29 · 1 run',
      '11-30T20:00 slack:#on-call ❌ crawler · Failed after 20 min',
      '11-30T20:59 slack:#ops ⚠️ 80% of the running time is used · 55 min of 1 h (91%)',
      '11-30T21:00 slack:#ops ⚠️ 85% of the running time is used · 55 min of 1 h (91%)',
      '12-01T09:00 email:boss@example.com Botbell report, November 2026: 4 runs, 2 failed · ❌ Report: November 2026',
      '12-01T09:00 slack:#ops ❌ Report: 2026-11-30 · 1 run, 1 failed',
      '12-02T09:00 slack:#ops ✅ Report: 2026-12-01 · Nothing ran',
      '12-02T20:59 slack:#ops ⚠️ 100% of the running time is used · 1 h 5 min of 1 h (108%)',
    ]);
  });
});
