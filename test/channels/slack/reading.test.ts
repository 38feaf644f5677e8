import { expect } from 'chai';
import type { TemplateValue } from '../../../src/channels/channel.ts';
import { slackMessages } from '../../../src/channels/slack/format.ts';
import { cardWith } from '../../support/cards.ts';

const mrkdwn = (text: string): TemplateValue => ({ type: 'mrkdwn', text });
const plain = (text: string): TemplateValue => ({ type: 'plain_text', text });
const section = (text: string): TemplateValue => ({ type: 'section', text: mrkdwn(text) });

function compose(blocks: readonly TemplateValue[]) {
  return slackMessages.compose({ text: 'x', blocks }, cardWith(), { options: {}, isError: false });
}

describe('a Slack message', () => {
  describe('reads', () => {
    const message = compose([
      { type: 'header', text: plain('Title') },
      section(
        '*bold* `code` <https://example.com/?a=1&amp;b=2|site> <!here> <@U1> <#C1|ops>\n```\n&lt;a&gt;\n```',
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

    it('on a terminal with its links and mentions as a person would read them', () => {
      expect(message.asText().split('\n')).to.deep.equal([
        'Title',
        '*bold* `code` site (https://example.com/?a=1&b=2) @here @U1 ops',
        '```',
        '<a>',
        '```',
        '────────────────────────',
        '*A*',
        '1',
        'Go (https://example.com/go)',
        '1. one',
        '@U1:tada:',
        'a picture (https://example.com/i.png)',
      ]);
    });

    it('in a browser with the styles of its blocks', () => {
      const html = message.asHtml();
      for (const piece of [
        'href="https://example.com/?a=1&amp;b=2"',
        '>@here</span>',
        '&lt;a&gt;',
        '1. <b>one</b>',
        'href="https://example.com/go"',
      ]) {
        expect(html).to.include(piece);
      }
      expect(html).not.to.include('<img');
    });

    it('a table, row by row', () => {
      const raw = (text: string) => ({ type: 'raw_text', text });
      const table = compose([
        {
          type: 'table',
          rows: [
            [raw('name'), raw('note')],
            [raw('a'), raw('<b>')],
          ],
        },
      ]);
      expect(table.asText()).to.equal('name | note\na | <b>');
      expect(table.asHtml()).to.match(/<th>name<\/th>.*<td>&lt;b&gt;<\/td>/s);
    });

    it('in a browser without running what it quotes', () => {
      const html = compose([
        section('<javascript:alert(1)|x> "><script>alert(1)</script>'),
        { type: 'header', text: plain('<img src=x>') },
      ]).asHtml();
      expect(html).not.to.match(/<script|<img|href="javascript/);
    });

    it('as its text where it has no blocks', () => {
      const text = slackMessages.compose({ text: 'a &lt; *b*' }, cardWith(), { options: {}, isError: false });
      expect(text.asText()).to.equal('a < *b*');
      expect(text.asHtml()).to.include('a &lt; *b*');
    });
  });
});
