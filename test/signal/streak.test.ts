/** Errors in a row, and what a destination was told of them, whatever the order in which results come. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  isRecovery,
  isRepeated,
  NO_RESULTS,
  NOTHING_TOLD,
  type Result,
  type Row,
  type Streak,
  type ToldErrors,
  withResult,
  withSuccess,
  withToldError,
} from '../../src/signal/streak.ts';

const MINUTE = 60_000;

/** `9 x`: an error of the run that began at minute 9; `9 o`: a success. */
function resultOf(text: string): Result {
  const [minute, what] = text.split(' ');
  return { startedAt: Number(minute) * MINUTE, isError: what === 'x' };
}

/** Each with the row that it had when it came. */
function rowsOf(texts: readonly string[]): string[] {
  let streak: Streak = NO_RESULTS;
  return texts.map((text) => {
    const { streak: next, row } = withResult(streak, resultOf(text));
    streak = next;
    return `${row.failures} since ${row.since === undefined ? '-' : row.since / MINUTE}`;
  });
}

describe('a BOT’s results', () => {
  it('count errors in a row, and what a success ends', () => {
    expect(rowsOf(['1 o', '2 x', '3 x', '4 x', '5 o', '6 o', '7 x'])).to.deep.equal([
      '0 since -',
      '1 since 2',
      '2 since 2',
      '3 since 2',
      '3 since 2',
      '0 since -',
      '1 since 7',
    ]);
  });

  it('stand by the start of their runs, not as they come', () => {
    expect(rowsOf(['1 x', '3 x', '2 o', '5 x', '4 x'])).to.deep.equal([
      '1 since 1',
      '2 since 1',
      '1 since 1',
      '2 since 3',
      '3 since 3',
    ]);
    // A run that began before one that has succeeded since is a row of its own.
    expect(rowsOf(['1 x', '3 o', '2 x', '4 x'])[3]).to.equal('1 since 4');
  });

  it('stand as they came where they began at once', () => {
    expect(rowsOf(['1 x', '1 o', '1 x', '1 x'])).to.deep.equal([
      '1 since 1',
      '1 since 1',
      '1 since 1',
      '2 since 1',
    ]);
  });

  it('count on over as many errors as there are', () => {
    const texts = ['0 o', ...Array.from({ length: 500 }, (_, index) => `${index + 1} x`), '501 o', '502 x'];
    const rows = rowsOf(texts);
    expect(rows.slice(-3)).to.deep.equal(['500 since 1', '500 since 1', '1 since 502']);
  });

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

  function starts({ errors }: ToldErrors): number[] {
    return errors.map(({ startedAt }) => startedAt);
  }

  it('makes another one a repetition by its words or by the time', () => {
    const facts = told(100);
    const another = { row: open, at: 200, likeness: 'a' };
    expect(isRepeated('every', facts, another)).to.equal(false);
    expect(isRepeated('changes', facts, another)).to.equal(true);
    expect(isRepeated('changes', facts, { ...another, likeness: 'b' })).to.equal(false);
    expect(isRepeated(91, facts, another)).to.equal(true);
    expect(isRepeated(90, facts, another)).to.equal(false);
    expect(isRepeated('changes', NOTHING_TOLD, another)).to.equal(false);
  });

  it('says nothing of an error of another row', () => {
    const another = { at: 200, likeness: 'a' };
    const over = { ...open, isOver: true };
    expect(isRepeated('changes', withSuccess(told(100), 150), { ...another, row: open })).to.equal(false);
    expect(isRepeated('changes', told(100), { ...another, row: over })).to.equal(false);
    // A success that ends only the error that was told last: the one told before is the last of its row.
    expect(isRepeated('changes', withSuccess(told(300, 100), 200), { ...another, row: open })).to.equal(true);
    expect(isRepeated('changes', withSuccess(told(100), 90), { ...another, row: open })).to.equal(true);
    expect(withToldError(told(100), { startedAt: 50, at: 200, likeness: 'b' }, over)).to.deep.equal(
      told(100),
    );
  });

  it('does not hold for longer when the clock was set back', () => {
    expect(isRepeated(50, told(1_000_000), { row: open, at: 200, likeness: 'a' })).to.equal(false);
  });

  it('makes the first success after one news, by start', () => {
    expect(isRecovery(told(100), 200)).to.equal(true);
    expect(isRecovery(withSuccess(told(100), 150), 200)).to.equal(false);
    expect(isRecovery(told(300), 200)).to.equal(false);
    expect(isRecovery(NOTHING_TOLD, 200)).to.equal(false);
    expect(starts(withSuccess(told(100, 300), 200))).to.deep.equal([300]);
  });

  it('is bounded', () => {
    const facts = told(...Array.from({ length: 200 }, (_, index) => index));
    expect(starts(facts)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 180));
  });
});
