/** Errors in a row, and what a destination was told of them, whatever the order in which results come. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  isRepeated,
  NO_RESULTS,
  NOTHING_TOLD,
  type Result,
  type Row,
  type Streak,
  type ToldErrors,
  withResult,
  withToldError,
} from '../../src/signal/streak.ts';

const MINUTE = 60_000;

/** `9 x`: an error of the run that began at minute 9; `9 o`: a success. */
function resultOf(text: string): Result {
  const [minute, what] = text.split(' ');
  return { startedAt: Number(minute) * MINUTE, isError: what === 'x' };
}

describe('a BOT’s results', () => {
  it('are as if all were kept, as long as few overtake one another', () => {
    fc.assert(
      fc.property(overtaking(), (results) => {
        let streak: Streak = NO_RESULTS;
        const came: Result[] = [];
        for (const result of results) {
          came.push(result);
          const added = withResult(streak, result);
          streak = added.streak;
          expect(added.row).to.deep.equal(rowByAll(came, result));
        }
        expect(streak.results.length).to.be.below(21);
      }),
    );
  });

  it('take what is older than all that are kept for nothing new', () => {
    const texts = Array.from({ length: 30 }, (_, index) => `${index + 10} x`);
    const late = withResult(afterAll(texts), resultOf('1 o')).streak;
    expect(withResult(late, resultOf('41 x')).row.failures).to.equal(31);
  });
});

function afterAll(texts: readonly string[]): Streak {
  return texts.reduce((streak: Streak, text) => withResult(streak, resultOf(text)).streak, NO_RESULTS);
}

/** Runs of a minute each, of which none is overtaken by more than nineteen. */
function overtaking() {
  const run = fc.record({ isError: fc.boolean(), lateBy: fc.integer({ min: 0, max: 18 }) });
  return fc.array(run, { minLength: 1, maxLength: 80 }).map((runs) =>
    runs
      .map(({ isError, lateBy }, index) => ({ isError, startedAt: index * MINUTE, at: index + lateBy + 0.5 }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ isError, startedAt }) => ({ isError, startedAt })),
  );
}

function rowByAll(came: readonly Result[], result: Result): Row {
  const all = came.toSorted((a, b) => a.startedAt - b.startedAt);
  const position = all.indexOf(result);
  const after = all.slice(0, position).findLast(({ isError }) => !isError)?.startedAt;
  const until = all.slice(position).find(({ isError }) => !isError)?.startedAt;
  const errors = all.filter(({ isError, startedAt }) => isError && startedAt > (after ?? -1));
  const row = errors.filter(({ startedAt }) => startedAt < (until ?? Number.POSITIVE_INFINITY));
  const isOver = result.isError && until !== undefined;
  return { failures: row.length, since: row[0]?.startedAt, isOver };
}

describe('what was told of errors', () => {
  const open: Row = { failures: 2, since: 100, isOver: false };

  function told(...startedAt: number[]): ToldErrors {
    return startedAt.reduce(
      (all, start) => withToldError(all, { startedAt: start, at: start + 10, likeness: 'a' }, open),
      NOTHING_TOLD,
    );
  }

  it('does not hold for longer when the clock was set back', () => {
    expect(isRepeated(50, told(1_000_000), { row: open, at: 200, likeness: 'a' })).to.equal(false);
  });

  it('is bounded', () => {
    const { errors } = told(...Array.from({ length: 200 }, (_, index) => index));
    expect(errors.map(({ startedAt }) => startedAt)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => index + 180),
    );
  });
});
