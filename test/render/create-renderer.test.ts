import { expect } from 'chai';
import { emailFormat } from '../../src/channels/email/format.ts';
import type { MessageFormat, RenderedParts } from '../../src/channels/channel.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import { createRenderer, type TemplateFailure } from '../../src/render/renderer.ts';
import { BARE, testRenderer } from './render-fixture.ts';
import { controlSequences, expectAcceptable } from './slack-rules.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { noticeAbout } from '../support/callbacks.ts';

describe('a renderer', () => {
  describe('whose built-in templates fail too', () => {
    const failures: TemplateFailure[] = [];
    const breaking = (format: MessageFormat, part: string): MessageFormat => ({
      ...format,
      compose(parts: RenderedParts, context) {
        if (Object.hasOwn(parts, part)) throw new Error('broken');
        return format.compose(parts, context);
      },
    });
    const renderer = createRenderer({
      display: { language: 'ja', timezone: 'UTC', links: {} },
      builtInTemplates: BUILT_IN_TEMPLATES,
      formats: [breaking(slackFormat, 'blocks'), breaking(emailFormat, 'html')],
    });
    const tell = (failure: TemplateFailure) => void failures.push(failure);
    const callback = {
      ...BARE,
      status: 1 as const,
      bot_name: '<!here>\n',
      message: `<@U1>${'x'.repeat(9000)}`,
    };
    const target = (format: string) => ({ format, templateSet: undefined, options: {} });

    it('says plainly what happened to which BOT, and why', () => {
      const message = renderer.render(noticeAbout(callback, 1), target('slack'), tell) as SlackMessage;
      expect(message.text).to.match(/^❌ エラー: &lt;!here&gt; – &lt;@U1&gt;x+ … x+$/);
      expect(controlSequences(message)).to.deep.equal([]);
      expectAcceptable(message);
    });

    it('does so by mail', () => {
      const mail = renderer.render(noticeAbout({ ...BARE, status: 2 }, 1), target('email'), tell);
      expect(mail).to.include({ subject: '▶️ 実行中: Get items', text: '▶️ 実行中: Get items\n' });
    });

    it('tells whoever runs it', () => {
      expect(failures.map(({ set, format, message }) => `${set} ${format} ${message}`)).to.deep.equal([
        'ja slack broken',
        'ja email broken',
      ]);
    });
  });

  it('was made for certain formats and says so when asked for another', () => {
    const render = () =>
      testRenderer().render(
        noticeAbout(BARE, 1),
        { format: 'fax', templateSet: undefined, options: {} },
        () => undefined,
      );
    expect(render).to.throw('the renderer was made without the format "fax"');
  });

  it('keeps both ends of megabytes', () => {
    const renderer = testRenderer();
    const message = `begin ${'👨‍👩‍👧‍👦 '.repeat(300_000)}end`;
    const slack = renderer.slack({ ...BARE, status: 1, message });
    expectAcceptable(slack);
    expect(slackFormat.asText(slack)).to.match(/begin [^]*… 2,39\d,\d{3} characters left out …[^]* end/);
    expect(renderer.failures).to.deep.equal([]);
  });

  it('shares nothing between one message and the next', () => {
    const renderer = testRenderer();
    const first = renderer.email(BARE);
    for (let count = 0; count < 50; count += 1)
      renderer.email({ ...BARE, status: 1, message: 'あ'.repeat(30_000) });
    expect(renderer.email(BARE)).to.deep.equal(first);
  });
});
