/** What the page's script decides, apart from any browser. */
import { expect } from 'chai';
import { comparable, countNew, isComposing, isReading } from '../../../src/admin/page/live-decisions.ts';

describe('The page in a browser', () => {
  const nobody = { scrolled: 0, hasSelected: false, hasFocused: false };

  it('moves nothing that is being read: who has scrolled, selected or focused something', () => {
    expect(isReading(nobody)).to.equal(false);
    expect(isReading({ ...nobody, scrolled: 20 })).to.equal(false);
    expect(isReading({ ...nobody, scrolled: 400 })).to.equal(true);
    expect(isReading({ ...nobody, hasSelected: true })).to.equal(true);
    expect(isReading({ ...nobody, hasFocused: true })).to.equal(true);
  });

  it('counts what is new, also of what looks alike', () => {
    expect(countNew(['a', 'b'], ['c', 'a', 'b'])).to.equal(1);
    expect(countNew(['a'], ['a', 'a', 'a'])).to.equal(2);
    expect(countNew(['a', 'b'], ['b'])).to.equal(0);
  });

  it('does not take another token, or another minute, for a change', () => {
    const page = (token: string, ago: string, count: number) =>
      `<form><input type="hidden" name="nonce" value="${token}"/></form><time datetime="x">${ago}</time><b>${count}</b>`;
    expect(comparable(page('a', '1 min ago', 3))).to.equal(comparable(page('b', '2 min ago', 3)));
    expect(comparable(page('a', '1 min ago', 3))).not.to.equal(comparable(page('a', '1 min ago', 4)));
    expect(comparable('<details open=""><p>x</p></details>')).to.equal(
      comparable('<details><p>x</p></details>'),
    );
  });

  it('leaves Enter to an input method that composes', () => {
    expect(isComposing({ isComposing: true, keyCode: 13 })).to.equal(true);
    expect(isComposing({ isComposing: false, keyCode: 229 })).to.equal(true);
    expect(isComposing({ isComposing: false, keyCode: 13 })).to.equal(false);
  });
});
