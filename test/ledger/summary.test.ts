/** What was held back, as one message. */
import { expect } from 'chai';
import { SummaryTally } from '../../src/ledger/deliveries/holds.ts';

type Held = Parameters<SummaryTally['add']>[0];

function summaryOf(messages: readonly Held[]) {
  const counted = new SummaryTally();
  for (const message of messages) counted.add(message);
  return counted.subject;
}

function held(receivedAt: number, botId: string, rest: Partial<Held> = {}) {
  const callback = { kind: 'callback', status: 1, jobId: `job-${receivedAt}` } as const;
  const place = { destination: 'slack:#ops', reason: 'mute', error: undefined };
  return { ...place, ...callback, receivedAt, botId, botName: `${botId} ${receivedAt}`, ...rest } as Held;
}

const NONE = { succeeded: 0, errors: 0, executing: 0, missed: 0, overdue: 0 };

describe('a summary', () => {
  it('counts what was held, from when to when, of which BOTs and how each failed last, the one with the most trouble first', () => {
    const messages = [
      held(10, 'a', { status: 0 }),
      held(20, 'b', { status: 2 }),
      held(30, 'b', { error: 'no login' }),
      held(40, 'b', { jobId: 'job-30', error: 'no rows' }),
      held(50, 'a', { kind: 'missed', jobId: '' }),
      held(60, 'b', { kind: 'overdue' }),
    ];
    expect(summaryOf(messages)).to.deep.equal({
      template: 'summary',
      destination: 'slack:#ops',
      reason: 'mute',
      since: 10,
      lastAt: 60,
      count: 6,
      bots: [
        {
          ...NONE,
          bot_id: 'b',
          bot_name: 'b 60',
          errors: 2,
          executing: 1,
          overdue: 1,
          jobs: ['job-20', 'job-30', 'job-60'],
          lastError: { text: 'no rows', at: 40, jobId: 'job-30' },
        },
        { ...NONE, bot_id: 'a', bot_name: 'a 50', succeeded: 1, missed: 1, jobs: ['job-10'] },
      ],
      moreBots: 0,
      errors: 2,
      missed: 1,
      overdue: 1,
    });
  });

  it('names the newest jobs of many', () => {
    const { count, bots } = summaryOf(Array.from({ length: 1000 }, (_, index) => held(index, 'a')));
    expect([count, bots[0]?.errors, bots[0]?.jobs.length]).to.deep.equal([1000, 1000, 20]);
    expect(bots[0]?.jobs.at(-1)).to.equal('job-999');
  });

  it('names fifty BOTs, and counts the others', () => {
    const messages = Array.from({ length: 60 }, (_, index) => held(index, `bot-${index}`));
    const { bots, ...counted } = summaryOf(messages);
    expect(bots).to.have.length(50);
    expect(counted).to.include({ count: 60, moreBots: 10, errors: 60 });
  });
});
