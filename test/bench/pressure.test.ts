/** The trials of `npm run pressure` measure what they say. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { botSeconds, type Posting, refusals } from '../../bench/pressure/job-service.ts';
import { seedLedger } from '../../bench/pressure/ledger-seed.ts';
import { readOptions } from '../../bench/pressure/options.ts';
import { tellingsOf } from '../../bench/pressure/tellings.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { deliveriesIn } from '../support/proof-ledger.ts';

const posting = (key: string, postedAt: number, answers: Posting['answers'] = []): Posting => ({
  key,
  botId: 'bot',
  postedAt,
  answers,
});

describe('the trials under pressure', () => {
  it('count the BOT half a minute for each answer that is not 2xx, and the wait for every answer', () => {
    const postings = [
      posting('key-000001', 0, [
        { status: 502, result: 'failed', tookMs: 1500 },
        { status: 0, result: '', tookMs: 500 },
        { status: 200, result: 'delivered', tookMs: 1000 },
      ]),
      posting('key-000002', 0, [{ status: 200, result: 'delivered', tookMs: 1000 }]),
    ];
    expect(refusals(postings)).to.equal(2);
    expect(botSeconds(postings)).to.equal(64);
  });

  it('tell who was told when, who twice, and who not by the end', () => {
    const told = [
      { what: 'key-000001 slack:#ops', at: 1200 },
      { what: 'key-000002 slack:#log', at: 1300 },
      { what: 'key-000003 slack:#ops', at: 4000 },
      { what: 'key-000003 slack:#ops', at: 9000 },
    ];
    const postings = ['key-000001', 'key-000002', 'key-000003'].map((key) => posting(key, 1000));
    const report = { told, toldOfSeeded: 0, slackCalls: 4, slackLimited: 0 };
    expect(tellingsOf(postings, () => 'slack:#ops', report, 11_000)).to.deep.equal({
      count: 3,
      told: 2,
      twice: 1,
      latenciesMs: [200, 10_000, 3000],
      lastMs: 10_000,
    });
  });

  it('begin with a ledger of the first version, which this one opens with all its rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botbell-pressure-test-'));
    const file = join(folder, 'botbell.db');
    const common = { addresses: ['#a', '#b'], ageMs: 60_000 };
    try {
      await seedLedger(`sqlite:${file}`, [
        { ...common, botId: 'due', count: 3, state: 'pending' },
        { ...common, botId: 'dead', count: 2, state: 'dead' },
      ]);
      const clock = new ManualClock(Date.now());
      const options = { clock, owner: 'test', leaseMs: 1000, takeOverAfterMs: 1000 };
      const ledger = await openLedger(`sqlite:${file}`, options);
      expect(await ledger.countOpen()).to.include({ pending: 3, dead: 2 });
      await ledger.close();
      expect(deliveriesIn(file, 'pending')).to.have.members([
        'job-0000001 slack:#b',
        'job-0000002 slack:#a',
        'job-0000003 slack:#b',
      ]);
      expect(deliveriesIn(file, 'dead')).to.have.members(['job-0000004 slack:#a', 'job-0000005 slack:#b']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('refuse what they do not understand, naming the choices', () => {
    const read = (...args: string[]) => readOptions(args);
    expect(() => read()).to.throw('--scenario is missing');
    expect(() => read('--scenario=bursts')).to.throw('it takes all, burst, ten');
    expect(() => read('--scenario=ten', '--store=mysql')).to.throw('it takes sqlite, postgres');
    expect(() => read('--scenario=ten', '--replicas=2')).to.throw('needs --store=postgres');
    expect(() => read('--scenario=ten', '--burst=0')).to.throw('whole number');
    expect(read('--scenario=ten', '--quick').setup).to.include({ mode: 'delivered', isQuick: true });
  });
});
