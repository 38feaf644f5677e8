import { expect } from 'chai';
import { PHRASES } from '../../../src/admin/page/phrases.ts';
import { translator } from '../../../src/admin/page/words.ts';

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).toSorted();

describe('the words of the page', () => {
  it('fill the same values into a phrase in both languages', () => {
    for (const [name, [en, ja]] of Object.entries(PHRASES))
      expect(namesIn(ja), name).to.deep.equal(namesIn(en));
  });

  it('fill in texts and ids as they are, and numbers as the language writes them, a noun after its number', () => {
    const [en, ja] = [translator('en'), translator('ja')];
    expect(en('ago', { time: '{x} $& 3 h' })).to.equal('{x} $& 3 h ago');
    expect(en('incidents.one', { id: 3004 })).to.equal('Incident 3004');
    expect(en('callback.attempts', { attempts: 1 })).to.equal('1 attempt');
    expect(en('callback.attempts', { attempts: 2000 })).to.equal('2,000 attempts');
    expect(ja('callback.attempts', { attempts: 2000 })).to.equal('送信2,000回');
  });
});
