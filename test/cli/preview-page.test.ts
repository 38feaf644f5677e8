/** The page of messages: each in a frame that keeps what it says and how it looks to itself. */
import { expect } from 'chai';
import { shownAs } from '../../src/channels/preview.ts';
import { previewPage } from '../../src/cli/preview.ts';

const HTML =
  '<!doctype html>\n<html><head><style>body{text-align:left;color:#000}</style></head><body style="margin:0">it&amp;s "x"</body></html>';
const MAIL = {
  destination: 'email:ops@example.com',
  composed: { message: {}, title: '<Failed> & "quoted"', asText: () => 'x', asHtml: () => HTML },
};
const chatOf = (text: string) => ({
  destination: 'slack:#ops',
  composed: { message: {}, ...shownAs(() => ({ lines: [{ runs: [{ text }] }] })) },
});
const CHAT = chatOf('hello');

const FRAME = /<iframe ([^>]*?)srcdoc="([^"]*)"><\/iframe>/g;

function framesIn(page: string): { attributes: string; document: string }[] {
  return Array.from(page.matchAll(FRAME), ([, attributes = '', source = '']) => ({
    attributes,
    document: source.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  }));
}

describe('The page of messages', () => {
  it('has each message in a frame that may run nothing, and opens links beside the page', () => {
    const frames = framesIn(previewPage([MAIL, CHAT]));
    expect(frames).to.have.length(2);
    for (const { attributes, document } of frames) {
      expect(attributes)
        .to.match(/sandbox="/)
        .and.not.match(/allow-(scripts|same-origin|top-navigation|forms)/);
      expect(document).to.contain('<base target="_blank">');
    }
  });

  it('shows a mail as it is, in its frame alone, under its subject', () => {
    const page = previewPage([MAIL]);
    expect(
      framesIn(page).map(({ document }) => document.replace('<base target="_blank">', '')),
    ).to.deep.equal([HTML]);
    const outside = page.replace(FRAME, '');
    expect(outside)
      .to.contain('&lt;Failed&gt; &amp; &quot;quoted&quot;')
      .and.not.to.contain('text-align:left');
  });

  it('shows a chat message light or dark, as the reader’s system is', () => {
    const [frame] = framesIn(previewPage([CHAT]));
    expect(frame?.document).to.contain('<meta name="color-scheme" content="light dark">');
  });

  it('gives a longer message a higher frame, within bounds', () => {
    const heightOf = (text: string) => {
      const [frame] = framesIn(previewPage([chatOf(text)]));
      return Number(/height:\s*(\d+)px/.exec(frame?.attributes ?? '')?.[1]);
    };
    expect(heightOf('a\nb\nc\nd')).to.be.greaterThan(heightOf('a'));
    expect(heightOf('a\n'.repeat(10_000))).to.equal(800);
  });
});
