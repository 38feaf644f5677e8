import { expect } from 'chai';
import { monthBefore, monthOf } from '../../src/report/report.ts';
import { dateOf, dayOf } from '../../src/signal/calendar.ts';
import { inColumns } from '../../src/text/aligned.ts';
import { BesideStore } from './beside-store.ts';

const MINUTE_MS = 60_000;

const CONFIG = `channels: { slack: { type: outbox, as: slack } }\nroutes: [{ bot_id: '*', notify: [{ slack: '#ops' }] }]\n`;

describe('botbell report', () => {
  const world = new BesideStore(CONFIG);

  beforeEach(async () => {
    for (const [job_id, bot_id, bot_name, status, elapsed_time] of [
      ['1', 'invoice-import', '請求書取込BOT', 0, 4320],
      ['2', 'invoice-import', '請求書取込BOT', 1, 12],
      ['3', 'nightly', 'Nightly backup', 0, undefined],
      ['4', 'nightly', 'Nightly backup', 2, undefined],
    ] as const) {
      const startedAt = world.clock.now() - 5 * MINUTE_MS;
      const start_time = new Date(startedAt).toISOString();
      const fields = { job_id, bot_id, bot_name, status, elapsed_time, start_time };
      await world.recorded.arrive(fields, [], { startedAt });
    }
  });

  const today = () => dateOf(dayOf(world.clock.now(), 'Asia/Tokyo'));
  /** From yesterday on, since a run may have begun before midnight. */
  const from = () => dateOf(dayOf(world.clock.now() - 86_400_000, 'Asia/Tokyo'));

  it('says in aligned columns what BOTs did, worst first, with what is estimated and what has not ended', async () => {
    const { code, stdout } = await world.run(['report', '--from', from()]);
    expect(code).to.equal(0);
    const [, , ...lines] = stdout.split('\n');
    expect(lines).to.deep.equal([
      'BOT             Runs  Errors  Missed  Overdue  Running time  Incidents',
      '請求書取込BOT      2       1       0        0    1 h 12 min          0',
      'Nightly backup  2 ◔1       0       0        0       ≈ 5 min          0',
      'All BOTs        4 ◔1       1       0        0  ≈ 1 h 17 min          0',
      '',
      '◔ 1 run has not ended.',
      '≈ No callback said how long 1 run took: it is counted from the start to the result.',
    ]);
  });

  it('says it in the language of the display', async () => {
    world.rewrite('timezone:', 'language: ja, timezone:');
    const { stdout } = await world.run(['report', '--from', from(), '--bot', 'invoice-import']);
    expect(stdout.split('\n').slice(2)).to.deep.equal([
      'BOT            実行  エラー  結果が未着  長すぎる実行   実行時間  インシデント',
      '請求書取込BOT     2       1           0             0  1時間12分             0',
      'すべてのBOT       2       1           0             0  1時間12分             0',
    ]);
  });

  it('compares a month in which nothing ran with the one before', async () => {
    const { from: day = NaN } = monthBefore(monthOf(dayOf(world.clock.now(), 'Asia/Tokyo'))) ?? {};
    await world.store.run(`
      insert into days (bot_key, day, bot_id, bot_name, runs, unfinished, succeeded, errors, missed, overdue,
        running_ms, estimated, answer_ms, retries)
      values ('old', ${day}, 'old', '', 2, 0, 1, 1, 0, 0, 1000, 0, 0, 0)`);
    const { stdout } = await world.run(['report', '--bot', 'old']);
    expect(stdout).to.match(
      /\n\nNothing ran\.\nAgainst .+: Runs −2, Errors −1, Running time −1 s\nRan in .+: old$/,
    );
  });

  it('hides a secret in a name before the name is cut', async () => {
    const secret = 'fedcba9876543210'.repeat(4);
    world.configure(`receiver: { token: ${secret} }\n${CONFIG}`);
    await world.recorded.arrive({ job_id: '5', bot_id: 'a', bot_name: secret });
    const { stdout } = await world.run(['report', '--from', from(), '--bot', 'a']);
    expect(stdout).to.contain('All BOTs').and.not.to.contain(secret.slice(0, 16));
  });

  it('names the option that makes no sense, and exits 2', async () => {
    const { code, stderr } = await world.run(['report', '--month', '2026-13']);
    expect([code, stderr.includes('"month" must be a month of the last 400 days')]).to.deep.equal([2, true]);
  });

  it('gives programs the same as JSON and CSV, of one BOT if asked', async () => {
    const asked = ['report', '--from', from(), '--to', today(), '--bot', 'nightly', '--format'];
    const json = JSON.parse((await world.run([...asked, 'json'])).stdout) as Record<string, unknown>;
    const { total, bots, ...period } = json;
    expect(period).to.include({ from: from(), to: today() });
    expect(total).to.include({ runs: 2, unfinished: 1, running_seconds: 300, estimated_runs: 1 });
    expect(bots).to.have.length(1);
    const csv = (await world.run([...asked, 'csv'])).stdout.split('\r\n');
    expect(csv[1]).to.equal(`${from()},${today()},nightly,Nightly backup,2,1,1,0,0,0,300,1,0,0,0,0`);
    expect(csv).to.have.length(3);
  });
});

describe('Columns in a terminal', () => {
  it('are as wide as what stands in them, whatever the script', () => {
    const widths = { abc: 3, 請求書: 6, ﾊﾝｶｸ: 4, 'ＡＢ、': 6, é: 1, '👩‍👩‍👧‍👦': 2, 𠮷野家: 6, 한국어: 6 };
    const lines = inColumns([...Object.keys(widths), 'x'.repeat(10)].map((name) => [name, '1']));
    const padded = Object.entries(widths).map(([name, width]) => `${name}${' '.repeat(10 - width)}  1`);
    expect(lines.slice(0, -1)).to.deep.equal(padded);
  });
});
