/** Turns of those who send crumbs. */
import { expect } from 'chai';
import { CrumbTurns } from '../../src/http/crumbs.ts';
import { until } from '../support/proof-wait.ts';

describe('the turns of crumbs', () => {
  let turns: CrumbTurns;
  let served: string[];

  beforeEach(() => {
    turns = new CrumbTurns();
    served = [];
  });

  const wait = (name: string) => turns.wait(() => served.push(name));

  it('come one after the other, in the order in which they were asked for', async () => {
    for (const name of ['first', 'second', 'third']) wait(name);
    expect(served).to.deep.equal([]);
    await until('one was served', () => served.length > 0);
    expect(served).to.deep.equal(['first']);
    await until('all were', () => served.length === 3);
    expect(served).to.deep.equal(['first', 'second', 'third']);
  });

  it('are taken by the next one where somebody has left', async () => {
    const [leave] = [wait('gone'), wait('there')];
    leave();
    await until('one was served', () => served.length > 0);
    expect(served).to.deep.equal(['there']);
  });

  it('come again for who waits again, and after nobody has waited for a while', async () => {
    turns.wait(() => wait('again'));
    await until('it was served', () => served.length === 1);
    wait('late');
    await until('it was served, too', () => served.length === 2);
    expect(served).to.deep.equal(['again', 'late']);
  });
});
