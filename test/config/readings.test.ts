/** What a config was read from, and whether it still reads the same. */
import { expect } from 'chai';
import { Readings } from '../../src/config/readings.ts';

describe('what a config was read from', () => {
  let files: Map<string, string>;
  let readings: Readings;

  const read = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`ENOENT: ${path}`);
    return text;
  };

  beforeEach(() => {
    files = new Map([
      ['a', 'one'],
      ['b', 'two'],
    ]);
    readings = new Readings();
    readings.file('a', read);
    readings.take(() => new Map([[read('b'), ['x']]]));
  });

  it('is current as long as every file and folder reads the same', () => {
    expect(readings.areCurrent()).to.equal(true);
    files.set('a', 'one');
    expect(readings.areCurrent()).to.equal(true);
  });

  for (const name of ['a', 'b']) {
    it(`is no longer current when ${name} reads otherwise, or is gone`, () => {
      files.set(name, 'three');
      expect(readings.areCurrent()).to.equal(false);
      files.delete(name);
      expect(readings.areCurrent()).to.equal(false);
    });
  }

  it('remembers that a file was not there, and hands on why', () => {
    expect(() => readings.file('c', read)).to.throw('ENOENT: c');
    expect(readings.areCurrent()).to.equal(true);
    files.set('c', '');
    expect(readings.areCurrent()).to.equal(false);
  });

  it('takes what can be read only once as it was, and does not read it again', () => {
    let reads = 0;
    readings.file('/dev/null', () => (reads += 1));
    expect([readings.areCurrent(), reads]).to.deep.equal([true, 1]);
  });
});
