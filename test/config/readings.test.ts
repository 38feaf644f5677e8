/** What a config was read from, and whether it still reads the same. */
import { expect } from 'chai';
import { Readings } from '../../src/config/readings.ts';

describe('what a config was read from', () => {
  let files: Map<string, string>;
  let readings: Readings;

  const read = async (path: string): Promise<string> => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`ENOENT: ${path}`);
    return Promise.resolve(text);
  };

  beforeEach(async () => {
    files = new Map([
      ['a', 'b'],
      ['b', 'two'],
    ]);
    readings = new Readings();
    await readings.take(async () => new Map([[await read('b'), ['x']]]));
  });

  it('is read ahead, and what it names too, each once', async () => {
    const reads: string[] = [];
    const noted = (path: string) => () => (reads.push(path), read(path));
    const load = () =>
      readings.ahead((readAhead) => {
        try {
          return readAhead('second', noted(readAhead('first', noted('a'))));
        } catch (error) {
          return String(error);
        }
      });
    expect([await load(), reads]).to.deep.equal(['two', ['a', 'b']]);
    files.delete('a');
    expect(await load()).to.equal('Error: ENOENT: a');
  });

  it('is current as long as every file and folder reads the same', async () => {
    expect(await readings.areCurrent()).to.equal(true);
    files.set('b', 'two');
    expect(await readings.areCurrent()).to.equal(true);
  });

  it('is no longer current when a file reads otherwise, or is gone', async () => {
    files.set('b', 'three');
    expect(await readings.areCurrent()).to.equal(false);
    files.delete('b');
    expect(await readings.areCurrent()).to.equal(false);
  });

  it('remembers that a file was not there, and hands on why', async () => {
    expect(await readings.take(() => read('c')).catch(String)).to.equal('Error: ENOENT: c');
    expect(await readings.areCurrent()).to.equal(true);
    files.set('c', '');
    expect(await readings.areCurrent()).to.equal(false);
  });
});
