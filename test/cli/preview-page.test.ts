/** `botbell preview --format html`: each message in a frame that keeps what it says and how it looks to itself. */
import { expect } from 'chai';
import { shownAs } from '../../src/channels/preview.ts';
import { previewPage } from '../../src/cli/commands/preview.ts';

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

const FRAME = /<iframe sandbox="([^"]*)" title="message" style="height:(\d+)px" srcdoc="([^"]*)"><\/iframe>/g;

describe('The page of messages', () => {
  it('has each in a frame that may run nothing, a mail as it is, a chat’s as light or dark as the reader’s system', () => {
    const page = previewPage([MAIL, chatOf('hello')]);
    const frames = Array.from(page.matchAll(FRAME), ([, sandbox, , source = '']) => ({
      sandbox,
      document: source.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    }));
    const base = '<base target="_blank">';
    for (const { sandbox, document } of frames) {
      expect(sandbox).to.equal('allow-popups allow-popups-to-escape-sandbox');
      expect(document).to.contain(base);
    }
    const [mail = '', chat = ''] = frames.map(({ document }) => document.replace(base, ''));
    expect(mail).to.equal(HTML);
    expect(chat).to.contain('<meta name="color-scheme" content="light dark">');
    expect(page.replaceAll(FRAME, ''))
      .to.contain('&lt;Failed&gt; &amp; &quot;quoted&quot;')
      .and.not.to.contain('text-align:left');
  });
});
