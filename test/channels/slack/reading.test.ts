import { expect } from 'chai';
import type { TemplateValue } from '../../../src/channels/channel.ts';
import { slackFormat } from '../../../src/channels/slack/format.ts';
import type { SlackMessage } from '../../../src/channels/slack/message.ts';

const mrkdwn = (text: string): TemplateValue => ({ type: 'mrkdwn', text });
const plain = (text: string): TemplateValue => ({ type: 'plain_text', text });
const section = (text: string): TemplateValue => ({ type: 'section', text: mrkdwn(text) });

function repeated(count: number, value: TemplateValue): TemplateValue[] {
  return Array.from({ length: count }, () => value);
}

function compose(blocks: readonly TemplateValue[]): SlackMessage {
  return slackFormat.compose({ text: 'x', blocks }, { language: 'en', options: {}, isError: false });
}

describe('a Slack message', () => {
  describe('is found at fault', () => {
    const faults: readonly (readonly [TemplateValue, string])[] = [
      ['text', 'blocks.0: must be an object with a "type"'],
      [{ text: 'x' }, 'blocks.0: "type" is missing'],
      [{ type: 'contxt' }, 'blocks.0.type: "contxt" cannot stand here; did you mean "context"?'],
      [{ type: 'section' }, 'blocks.0: a "section" needs "text" or "fields"'],
      [
        { type: 'section', text: 'x' },
        'blocks.0.text: must be an object with a "type": one of mrkdwn, plain_text',
      ],
      [{ type: 'section', text: { type: 'mrkdwn', text: 5 } }, 'blocks.0.text.text: must be a string'],
      [
        { type: 'section', fields: repeated(11, mrkdwn('x')) },
        'blocks.0.fields: 11 of them: Slack takes no more than 10',
      ],
      [
        { type: 'context', elements: [{ type: 'button' }] },
        'blocks.0.elements.0.type: "button" cannot stand here',
      ],
      [
        { type: 'section', text: mrkdwn('x'), accessory: { type: 'button' } },
        'blocks.0.accessory: a "button" needs "text"',
      ],
      [{ type: 'rich_text', elements: 'x' }, 'blocks.0.elements: must be a list'],
    ];
    for (const [block, expected] of faults) {
      it(`where ${JSON.stringify(block).slice(0, 70)}`, () => {
        const [finding] = slackFormat.inspect({ text: 'x', blocks: [block] } as unknown as SlackMessage);
        expect(`${finding?.path.join('.')}: ${finding?.message}`).to.satisfy((text: string) =>
          text.startsWith(expected),
        );
      });
    }

    it('with more blocks than Slack takes', () => {
      const blocks = Array.from({ length: 39 }, () => ({ type: 'divider' }));
      expect(slackFormat.inspect({ text: 'x', blocks })[0]?.message).to.match(/^39 blocks/);
    });
  });

  describe('reads', () => {
    const message = compose([
      { type: 'header', text: plain('Title') },
      section(
        '*bold* _it_ ~no~ 2*3*4 `code` <https://example.com/?a=1&amp;b=2|site> <!here> <@U1> <#C1|ops>\n```\n&lt;a&gt;\n```',
      ),
      { type: 'divider' },
      {
        type: 'section',
        fields: [mrkdwn('*A*\n1')],
        accessory: { type: 'button', text: plain('Go'), url: 'https://example.com/go' },
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_list',
            style: 'ordered',
            elements: [
              {
                type: 'rich_text_section',
                elements: [{ type: 'text', text: 'one', style: { bold: true } }],
              },
            ],
          },
          {
            type: 'rich_text_quote',
            elements: [
              { type: 'user', user_id: 'U1' },
              { type: 'emoji', name: 'tada' },
            ],
          },
        ],
      },
      { type: 'image', image_url: 'https://example.com/i.png', alt_text: 'a picture' },
    ]);

    it('on a terminal as a person would read it', () => {
      expect(slackFormat.asText(message).split('\n')).to.deep.equal([
        'Title',
        'bold it no 2*3*4 `code` site (https://example.com/?a=1&b=2) @here @U1 #ops',
        '',
        '    <a>',
        '',
        '────────────────────────',
        'A: 1',
        '[Go] (https://example.com/go)',
        '• one',
        '> @U1:tada:',
        '[a picture] (https://example.com/i.png)',
      ]);
    });

    it('in a browser as in Slack', () => {
      const html = slackFormat.asHtml(message);
      for (const piece of [
        '<b>bold</b> <i>it</i> <s>no</s> 2*3*4',
        'href="https://example.com/?a=1&amp;b=2"',
        '>@here</span>',
        '&lt;a&gt;</pre>',
        '<ol ',
        '<li><div><b>one</b></div></li>',
        'href="https://example.com/go"',
      ]) {
        expect(html).to.include(piece);
      }
      expect(html).not.to.include('<img');
    });

    it('a table, row by row', () => {
      const table = compose([
        { type: 'rich_text', text: '| name | note |\n| a | *<b>* https://example.com |' },
      ]);
      expect(slackFormat.asText(table)).to.equal('name | note\na | <b> https://example.com');
      const html = slackFormat.asHtml(table);
      expect(html).to.match(/<th [^>]*><div [^>]*>name<\/div><\/th>/);
      expect(html).to.match(/<td [^>]*><div><b>&lt;b&gt;<\/b> https:\/\/example.com<\/div><\/td>/);
    });

    it('in a browser without running what it quotes', () => {
      const html = slackFormat.asHtml({
        text: 'x',
        blocks: [
          section('<javascript:alert(1)|x> "><script>alert(1)</script>'),
          { type: 'header', text: plain('<img src=x>') },
        ] as NonNullable<SlackMessage['blocks']>,
      });
      expect(html).not.to.match(/<script|<img|href="javascript/);
    });

    it('as its text where it has no blocks', () => {
      expect(slackFormat.asText({ text: 'a &lt; *b*' })).to.equal('a < b');
      expect(slackFormat.asHtml({ text: 'a &lt; *b*' })).to.include('a &lt; <b>b</b>');
    });
  });
});
