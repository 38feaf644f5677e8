/** What the page's script decides, apart from any browser. */
import { expect } from 'chai';
import { isComposing, isReading } from '../../../src/admin/page/live-decisions.ts';

describe('The page in a browser', () => {
  const nobody = { scrolled: 0, hasSelected: false, hasFocused: false };

  it('moves nothing that is being read: who has scrolled, selected or focused something', () => {
    expect(isReading(nobody)).to.equal(false);
    expect(isReading({ ...nobody, scrolled: 20 })).to.equal(false);
    expect(isReading({ ...nobody, scrolled: 400 })).to.equal(true);
    expect(isReading({ ...nobody, hasSelected: true })).to.equal(true);
    expect(isReading({ ...nobody, hasFocused: true })).to.equal(true);
  });

  it('leaves Enter to an input method that composes', () => {
    expect(isComposing({ isComposing: true, keyCode: 13 })).to.equal(true);
    expect(isComposing({ isComposing: false, keyCode: 229 })).to.equal(true);
    expect(isComposing({ isComposing: false, keyCode: 13 })).to.equal(false);
  });
});
