/** A machine that stops the process for a moment costs nobody their message. */
import { expect } from 'chai';
import { BARE, testRenderer } from './render-fixture.ts';

const STALL_MS = 10_000;

/** Looks at the clock that one rendering takes, and a few more. */
const LOOKS = 40;

describe('A stall of the machine', () => {
  const now = performance.now.bind(performance);

  afterEach(() => {
    performance.now = now;
  });

  const stallAtLook = (stallAt: number) => {
    let looks = 0;
    performance.now = () => {
      looks += 1;
      return looks < stallAt ? 0 : STALL_MS;
    };
  };

  it('while a message is rendered has it rendered once more, wherever it happens', () => {
    const renderer = testRenderer();
    const expected = renderer.slack(BARE);
    for (let look = 1; look <= LOOKS; look += 1) {
      stallAtLook(look);
      expect(renderer.slack(BARE), `stalled at look ${look}`).to.deep.equal(expected);
    }
    expect(renderer.failures).to.deep.equal([]);
  });
});
