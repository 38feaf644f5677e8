/** Turns of sources whose bodies come in small pieces. */
import { expect } from 'chai';
import { RoundRobin } from '../../src/http/connection.ts';
import { until } from '../support/proof-wait.ts';

describe('the turns of small pieces', () => {
  let turns: RoundRobin;
  let served: string[];

  beforeEach(() => {
    turns = new RoundRobin();
    served = [];
  });

  const wait = (name: string, source = '192.0.2.1') => turns.wait(source, () => served.push(name));

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

  it('go round by source, however many of one wait', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) wait(name);
    wait('b1', '192.0.2.2');
    wait('b2', '192.0.2.2');
    wait('c1', '192.0.2.3');
    await until('all were served', () => served.length === 7);
    expect(served).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('come every second time for who waits again and again beside many of another source', async () => {
    const readOn = () => {
      served.push('honest');
      if (served.length < 8) turns.wait('192.0.2.2', readOn);
    };
    const crowd = Array.from({ length: 1000 }, () => wait('crowd'));
    turns.wait('192.0.2.2', readOn);
    await until('some were served', () => served.length >= 8);
    for (const leave of crowd) leave();
    expect(served.slice(0, 8)).to.deep.equal(Array.from({ length: 4 }, () => ['crowd', 'honest']).flat());
  });

  it('come again for who waits again, and after nobody has waited for a while', async () => {
    turns.wait('192.0.2.1', () => wait('again'));
    await until('it was served', () => served.length === 1);
    wait('late');
    await until('it was served, too', () => served.length === 2);
    expect(served).to.deep.equal(['again', 'late']);
  });
});
