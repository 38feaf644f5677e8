/** What was held back, as one message. */
import { expect } from 'chai';
import { type HeldMessage, summaryOf } from '../../src/signal/summary.ts';

function held(at: number, botId: string, rest: Partial<HeldMessage> = {}): HeldMessage {
  return { at, botId, botName: `${botId} ${at}`, jobId: `job-${at}`, status: 'error', ...rest };
}

describe('a summary', () => {
  it('counts what was held, since when, of which BOTs, the one with the most errors first', () => {
    const messages = [
      held(30, 'b'),
      held(10, 'a', { status: 'succeeded' }),
      held(20, 'b', { status: 'executing' }),
      held(40, 'b', { jobId: 'job-30' }),
      held(50, 'a', { status: undefined, jobId: undefined }),
    ];
    expect(summaryOf(messages)).to.deep.equal({
      since: 10,
      count: 5,
      bots: [
        { bot_id: 'b', bot_name: 'b 40', succeeded: 0, errors: 2, jobs: ['job-20', 'job-30'] },
        { bot_id: 'a', bot_name: 'a 50', succeeded: 1, errors: 0, jobs: ['job-10'] },
      ],
    });
  });

  it('names the newest jobs of many', () => {
    const messages = Array.from({ length: 1000 }, (_, index) => held(index, 'a'));
    const { count, bots } = summaryOf(messages);
    expect([count, bots[0]?.errors, bots[0]?.jobs.length, bots[0]?.jobs.at(-1)]).to.deep.equal([
      1000,
      1000,
      20,
      'job-999',
    ]);
  });
});
