/** A report that throws changes nothing of what it reports. */
import { expect } from 'chai';
import { unfailing } from '../../src/time/clock.ts';

describe('an unfailing report', () => {
  it('hands on what it is given', () => {
    const given: unknown[] = [];
    unfailing(
      (...args: [string, number]) => given.push(args),
      () => undefined,
    )('a', 1);
    expect(given).to.deep.equal([['a', 1]]);
  });

  it('says what was thrown, and throws nothing', () => {
    const thrown: unknown[] = [];
    const fault = new Error('disk full');
    const report = unfailing(
      () => {
        throw fault;
      },
      (error) => thrown.push(error),
    );
    report();
    expect(thrown).to.deep.equal([fault]);
  });

  it('throws nothing even where nobody can be told', () => {
    const broken = (): void => {
      throw new Error('EPIPE');
    };
    expect(unfailing(broken, broken)).not.to.throw();
  });
});
