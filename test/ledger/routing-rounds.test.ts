/** What is kept of a callback's routings: the first, and of the later ones the newest, within a bound. */
import { expect } from 'chai';
import {
  LONGEST_LATER_ROUNDS,
  MOST_LATER_ROUNDS,
  MOST_REVIVED,
  type NewRound,
  roundsIn,
  withRound,
} from '../../src/ledger/configs/routing-rounds.ts';

const FIRST = { route: 'routes[0]', matched: true, reaches: ['slack:#ops'], verdict: 'tells', pattern: 'a*' };

function tells(destination: string, fields: Partial<NewRound> = {}): NewRound {
  return { by: 'config', routing: [{ ...FIRST, reaches: [destination] }], revived: [], ...fields };
}

const reachedIn = (kept: unknown) =>
  roundsIn(kept).map(({ explanations }) => explanations.flatMap(({ reaches }) => reaches).join());

describe('the routings of a callback', () => {
  it('are kept up to a number: the first, and of the others the newest', () => {
    let kept: readonly unknown[] = [FIRST];
    for (let day = 1; day <= 50; day += 1) kept = withRound(kept, tells(`slack:#${day}`), day);
    const newest = Array.from({ length: MOST_LATER_ROUNDS }, (_, index) => `slack:#${31 + index}`);
    expect(reachedIn(kept)).to.deep.equal(['slack:#ops', ...newest]);
  });

  it('are kept up to a size: the first and the newest, however long they are', () => {
    const long = 'x'.repeat(LONGEST_LATER_ROUNDS / 4);
    let kept: readonly unknown[] = [FIRST];
    for (let day = 1; day <= 9; day += 1) kept = withRound(kept, tells(`${day}${long}`), day);
    expect(JSON.stringify(kept)).to.have.length.below(LONGEST_LATER_ROUNDS + 200);
    expect(reachedIn(kept).map((text) => text.slice(0, 3))).to.deep.equal(['sla', '7xx', '8xx', '9xx']);
    kept = withRound(kept, tells(`${long}${long}${long}${long}${long}`), 10);
    expect(roundsIn(kept).map(({ at }) => at)).to.deep.equal([undefined, 10]);
  });

  it('tell of so many deliveries that the config named again, and no more', () => {
    const revived = Array.from({ length: MOST_REVIVED + 20 }, (_, deliveryId) => ({
      deliveryId,
      state: 'held' as const,
      updatedAt: 1,
      hold: undefined,
      lastError: undefined,
    }));
    const [, round] = roundsIn(withRound([FIRST], tells('slack:#ops', { revived }), 5));
    expect(round?.revived).to.have.length(MOST_REVIVED);
  });

  it('gain nothing by one that makes no difference, whatever the place of its route in the config', () => {
    const kept = [FIRST];
    const moved = { ...FIRST, route: 'routes[1]', because: 'in other words' };
    expect(withRound(kept, { by: 'config', routing: [moved], revived: [] }, 5)).to.equal(kept);
    const inWords = [{ route: 'routes[0]', matched: true, because: 'as before', reaches: ['slack:#ops'] }];
    expect(withRound(inWords, tells('slack:#ops'), 5), 'as a version before wrote it').to.equal(inWords);
    expect(withRound([], { by: 'hand', routing: [], revived: [] }, 5)).to.deep.equal([
      { verdict: 'no route', at: 5, by: 'hand' },
    ]);
  });

  it('are told apart where two are of the same millisecond', () => {
    const kept = withRound(withRound([FIRST], tells('slack:#a'), 5), tells('slack:#b', { by: 'hand' }), 5);
    expect(roundsIn(kept).map(({ at, by }) => [at, by])).to.deep.equal([
      [undefined, undefined],
      [5, 'config'],
      [6, 'hand'],
    ]);
    expect(reachedIn(kept)).to.deep.equal(['slack:#ops', 'slack:#a', 'slack:#b']);
  });

  it('are read as a version before wrote them, and as nobody did', () => {
    const before = [FIRST, { ...FIRST, reaches: ['slack:#log'], at: 7 }];
    expect(reachedIn(withRound(before, tells('slack:#a'), 9))).to.deep.equal([
      'slack:#ops',
      'slack:#log',
      'slack:#a',
    ]);
    const end = { deliveryId: 1, state: 'dead', updatedAt: 3, hold: 7, lastError: { class: 'none' } };
    const revived = [null, 4, {}, { ...end, state: 'pending' }, { ...end, updatedAt: 'x' }, end];
    const [, round] = roundsIn([FIRST, { at: 8, by: 'nobody', revived }]);
    expect(round).to.deep.equal({
      at: 8,
      by: undefined,
      explanations: [],
      revived: [{ ...end, hold: undefined, lastError: undefined }],
    });
  });
});
