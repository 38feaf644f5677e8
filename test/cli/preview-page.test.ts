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
  it('has each message in a frame that may run nothing and does not belong to the page', () => {
    const frames = framesIn(previewPage([MAIL, CHAT]));
    expect(frames).to.have.length(2);
    for (const { attributes } of frames)
      expect(attributes)
        .to.match(/sandbox="/)
        .and.not.match(/allow-(scripts|same-origin|top-navigation|forms)/);
  });

  it('lets nothing of a mail out of its frame: neither its styles nor its markup', () => {
    const page = previewPage([MAIL]);
    const outside = page.replace(FRAME, '');
    expect(outside.match(/<style/g)).to.have.length(1);
    expect(outside).not.to.contain('text-align:left').and.not.to.contain('margin:0"');
    expect(outside.match(/<!doctype/gi)).to.have.length(1);
  });

  it('shows a mail as it is, in the reader’s own theme, under its subject', () => {
    const [frame, ...others] = framesIn(previewPage([MAIL]));
    expect(others).to.deep.equal([]);
    expect(frame?.document.replace('<base target="_blank">', '')).to.equal(HTML);
    expect(previewPage([MAIL])).to.contain('&lt;Failed&gt; &amp; &quot;quoted&quot;');
  });

  it('shows a chat message light or dark, as the reader’s system is', () => {
    const [frame] = framesIn(previewPage([CHAT]));
    expect(frame?.document).to.contain('<meta name="color-scheme" content="light dark">');
    const [light, dark] = (frame?.document ?? '').split('@media (prefers-color-scheme: dark)');
    expect(light).to.contain('background: #fff; color: #1d1c1d');
    expect(dark).to.contain('background: #1a1d21; color: #d1d2d3');
  });

  it('opens links beside the page, not in the frame', () => {
    for (const { document } of framesIn(previewPage([MAIL, CHAT])))
      expect(document).to.contain('<base target="_blank">');
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
