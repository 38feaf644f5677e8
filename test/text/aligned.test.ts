/** Which texts are shown in a font of fixed width. */
import { expect } from 'chai';
import { isAligned } from '../../src/text/aligned.ts';

describe('isAligned', () => {
  it('knows columns, whether blanks align them or lines draw them', () => {
    for (const text of [
      'PID   CMD\n  1   init\n 42   node   --flag',
      '+---+\n| a |\n+---+',
      '| a | b |\n| - | - |',
      'Total:\nA     1\nB    20',
      '+ a\n+ b',
    ]) {
      expect(isAligned(text), text).to.equal(true);
    }
  });

  it('takes prose and lists for what they are', () => {
    for (const text of [
      '',
      'a  b',
      'a\nb',
      'Done.  Really.\nBye.',
      'Items:\n  a\n  b',
      'a  \nb  ',
      'x | y\nz | y',
      'a\n| b',
    ])
      expect(isAligned(text), text).to.equal(false);
  });
});
