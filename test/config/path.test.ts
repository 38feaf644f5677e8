/** Paths through a config, as text and back. */
import { expect } from 'chai';
import { array, assert, nat, oneof, property, stringMatching } from 'fast-check';
import { parsePath, pathText } from '../../src/config/path.ts';

describe('A path', () => {
  it('is written as a reader would write it', () => {
    expect(pathText(['routes', 0, 'on', 1])).to.equal('routes[0].on[1]');
    expect(pathText(['channels', 'a.b', 'token'])).to.equal('channels["a.b"].token');
    expect(pathText([])).to.equal('');
  });

  it('reads back as it was written', () => {
    const step = oneof(stringMatching(/^[a-z_][a-z_.]*[a-z]$/), nat(100));
    assert(
      property(array(step), (path) => {
        expect(parsePath(pathText(path))).to.deep.equal(path);
      }),
    );
  });
});
