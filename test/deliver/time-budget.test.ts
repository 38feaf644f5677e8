/** The answer is in time, whoever else is late. */
import { expect } from 'chai';
import { timeBudgetOf, timeToWrite } from '../../src/deliver/handling.ts';

describe('the time of an answer', () => {
  it('ends before the answer is due, and telling ends before writing does', () => {
    for (const answerWithinMs of [100, 1000, 8000, 60_000]) {
      const { tellUntil, writeUntil } = timeBudgetOf(5000, answerWithinMs);
      expect(tellUntil).to.be.below(writeUntil);
      expect(writeUntil).to.be.below(5000 + answerWithinMs);
    }
  });

  it('goes to the telling but for a twentieth, and for a quarter of a second at most', () => {
    expect(timeBudgetOf(0, 1000).tellUntil).to.equal(950);
    expect(timeBudgetOf(0, 8000).tellUntil).to.equal(7750);
  });

  it('leaves the store a moment for the outcome, however late a busy process comes to it', () => {
    const budget = timeBudgetOf(0, 8000);
    expect(timeToWrite(budget, 7750)).to.equal(150);
    expect(timeToWrite(budget, 7890)).to.equal(100);
    expect(timeToWrite(budget, 9000)).to.equal(100);
  });
});
