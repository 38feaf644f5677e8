/** A message's preview: how high its frame is, as Chromium drew the message 720 pixels wide. */
import { expect } from 'chai';
import { frameHeightOf } from '../../src/channels/preview.ts';
import { LINKS, targetOf, testRenderer } from '../render/render-fixture.ts';
import { noticeAbout, readFixture } from '../support/callbacks.ts';

const DRAWN = {
  'error.json': { slack: 189, email: 421 },
  'executing.json': { slack: 126, email: 293 },
  'files.json': { slack: 192, email: 411 },
  'odd-output.json': { slack: 368, email: 695 },
  'succeeded.json': { slack: 338, email: 538 },
} as const;

describe('the frame of a message', () => {
  it('is as high as the message, and not much higher, up to 2,400 pixels', () => {
    const { render } = testRenderer({ links: LINKS });
    const heightOf = (name: string, format: 'slack' | 'email') =>
      frameHeightOf(render(noticeAbout(readFixture(name)), targetOf(format), () => undefined));
    for (const [name, { slack, email }] of Object.entries(DRAWN)) {
      expect(heightOf(name, 'slack'), name).to.be.within(slack, slack * 1.6);
      expect(heightOf(name, 'email'), name).to.be.within(email, email * 1.6);
    }
    expect(heightOf('huge.json', 'email')).to.equal(2400);
  });
});
