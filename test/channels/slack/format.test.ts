import { expect } from 'chai';
import fc from 'fast-check';
import type { ComposeContext, RenderedParts, TemplateValue } from '../../../src/channels/channel.ts';
import { slackFormat } from '../../../src/channels/slack/format.ts';
import type { SlackMessage } from '../../../src/channels/slack/message.ts';
import { controlSequences, everyString, expectAcceptable } from '../../render/slack-rules.ts';
import { nameOfMarkup } from '../../support/markups.ts';

const CONTEXT: ComposeContext = { language: 'en', options: {}, isError: false };

const mrkdwn = (text: string): TemplateValue => ({ type: 'mrkdwn', text });
const plain = (text: string): TemplateValue => ({ type: 'plain_text', text });
const section = (text: string): TemplateValue => ({ type: 'section', text: mrkdwn(text) });

function compose(parts: RenderedParts, context: Partial<ComposeContext> = {}): SlackMessage {
  return slackFormat.compose(parts, { ...CONTEXT, ...context });
}

function repeated(count: number, value: TemplateValue): TemplateValue[] {
  return Array.from({ length: count }, () => value);
}

function blocksOf(blocks: readonly TemplateValue[], context: Partial<ComposeContext> = {}): unknown {
  return compose({ text: 'x', blocks }, context).blocks;
}

describe('a Slack message', () => {
  describe('escapes a value in the markup of where it stands:', () => {
    const block: TemplateValue = {
      type: 'section',
      text: mrkdwn('x'),
      accessory: { type: 'button', url: 'x' },
    };
    const cases: readonly (readonly [readonly (string | number)[], TemplateValue, string])[] = [
      [['text'], 'x', 'mrkdwn'],
      [['blocks', 0, 'text', 'text'], mrkdwn('x'), 'mrkdwn'],
      [['blocks', 0, 'text'], { type: 'markdown', text: 'x' }, 'markdown'],
      [['blocks', 0, 'text'], { type: 'rich_text', text: 'x' }, 'rich'],
      [['blocks', 0, 'text', 'text'], plain('x'), 'plain'],
      [['blocks', 0, 'elements', 0, 'elements', 0, 'text'], { type: 'text', text: 'x' }, 'literal'],
      [['blocks', 0, 'rows', 0, 0, 'text'], { type: 'raw_text', text: 'x' }, 'literal'],
      [['blocks', 0, 'accessory', 'url'], block, 'url'],
      [['blocks', 0, 'image_url'], { type: 'image' }, 'url'],
      [['blocks', 0, 'alt_text'], { type: 'image' }, 'plain'],
      [['blocks', 0, 'block_id'], block, 'plain'],
    ];
    for (const [path, parent, markup] of cases) {
      it(`${path.join('.')} is ${markup}`, () => {
        expect(nameOfMarkup(slackFormat.markupOf(path, parent))).to.equal(markup);
      });
    }
  });

  describe('drops what is empty:', () => {
    const empty: Readonly<Record<string, TemplateValue>> = {
      'a section whose text is empty': section(' \n '),
      'a section whose fields all are': { type: 'section', fields: [mrkdwn(''), mrkdwn(' ')] },
      'a section that shows nothing': section('\u0000\u200b'),
      'a header': { type: 'header', text: plain('') },
      'a context': { type: 'context', elements: [mrkdwn('')] },
      'actions whose only button leads nowhere': {
        type: 'actions',
        elements: [{ type: 'button', text: plain('Open'), url: '' }],
      },
      'a button with a script for an address': {
        type: 'actions',
        elements: [{ type: 'button', text: plain('Open'), url: 'javascript:alert(1)' }],
      },
      'an image without an address': { type: 'image', image_url: '', alt_text: 'x' },
      'rich text': {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }],
      },
    };
    for (const [what, block] of Object.entries(empty)) {
      it(what, () => {
        expect(blocksOf([block, section('kept')])).to.have.lengthOf(1);
        expect(compose({ text: 'x', blocks: [block] })).to.deep.equal({ text: 'x' });
      });
    }

    it('only the accessory of a section, only the empty one of its fields', () => {
      const accessory = {
        type: 'button',
        text: plain('Open'),
        url: `https://example.com/${'x'.repeat(3000)}`,
      };
      const block = { type: 'section', text: mrkdwn('a'), fields: [mrkdwn(''), mrkdwn('b')], accessory };
      expect(blocksOf([block])).to.deep.equal([
        {
          type: 'section',
          text: { type: 'mrkdwn', text: 'a', verbatim: true },
          fields: [{ type: 'mrkdwn', text: 'b', verbatim: true }],
        },
      ]);
    });

    it('the address of a link, keeping its words', () => {
      const link = { type: 'link', text: 'words', url: 'ftp://x' };
      const rich = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [link] }] };
      expect(JSON.stringify(blocksOf([rich]))).to.include('{"type":"text","text":"words"}');
    });

    it('but never an empty cell of a table, whose neighbours would move', () => {
      const rows = [
        [
          { type: 'raw_text', text: '' },
          { type: 'raw_text', text: 'b' },
        ],
      ];
      expect(blocksOf([{ type: 'table', rows }])).to.deep.equal([
        {
          type: 'table',
          rows: [
            [
              { type: 'raw_text', text: '–' },
              { type: 'raw_text', text: 'b' },
            ],
          ],
        },
      ]);
    });
  });

  describe('is cut to what Slack takes:', () => {
    it('a header at 150 characters, a field at 2,000, a section at 3,000, and it shows', () => {
      const long = 'x'.repeat(9000);
      const message = compose({
        text: 'x',
        blocks: [
          { type: 'header', text: plain(long) },
          { type: 'section', fields: [mrkdwn(long)] },
          section(long),
        ],
      });
      expectAcceptable(message);
      expect(
        everyString(message)
          .filter((text) => text.length > 100)
          .map((text) => text.length),
      ).to.deep.equal([150, 2000, 3000]);
      expect(everyString(message).join())
        .to.match(/x…,/)
        .and.to.match(/… \(cut short\)/);
    });

    it('ten fields, and how many more there are', () => {
      const fields = Array.from({ length: 14 }, (_, index) => mrkdwn(`f${index}`));
      const [block] =
        compose({ text: 'x', blocks: [{ type: 'section', fields }] }, { language: 'ja' }).blocks ?? [];
      const shown = block?.['fields'] as readonly { readonly text: string }[];
      expect(shown).to.have.lengthOf(10);
      expect(shown.at(-1)?.text).to.equal('…ほか5件');
    });

    it('38 blocks, and how many more there are', () => {
      const blocks = Array.from({ length: 60 }, (_, index) => section(`s${index}`));
      const message = compose({ text: 'x', blocks });
      expectAcceptable(message);
      expect(JSON.stringify(message.blocks?.at(-1))).to.include('… 22 more');
    });

    it('8,000 characters in all, the longest text first', () => {
      const message = compose({
        text: 'x',
        blocks: [section('a'.repeat(900)), ...repeated(4, section('b'.repeat(2900)))],
      });
      expectAcceptable(message);
      expect(everyString(message)).to.include('a'.repeat(900));
    });

    it('a notification line of 3,000 bytes', () => {
      const { text } = compose({ text: 'あ'.repeat(2000) }, { language: 'ja' });
      expect(Buffer.byteLength(text)).to.be.within(2900, 3000);
      expect(text).to.match(/…（以下省略）$/);
    });

    it('block ids that are unique and short', () => {
      const blocks = ['a', 'a', 'b'.repeat(300)].map((id) => ({ type: 'divider', block_id: id }));
      expect(blocksOf(blocks)).to.deep.equal([
        { type: 'divider', block_id: 'a' },
        { type: 'divider' },
        { type: 'divider' },
      ]);
    });
  });

  it('lets Slack find no names by itself, and turns no `:name:` into a picture unless the template says so', () => {
    expect(blocksOf([section('a'), { type: 'header', text: plain('b') }])).to.deep.equal([
      { type: 'section', text: { type: 'mrkdwn', text: 'a', verbatim: true } },
      { type: 'header', text: { type: 'plain_text', text: 'b', emoji: false } },
    ]);
    const header = { type: 'header', text: { type: 'plain_text', text: ':tada:', emoji: true } };
    expect(blocksOf([header])).to.deep.equal([header]);
  });

  it('leaves in a text object only what Slack takes there, which refuses the message for anything else', () => {
    const text = { type: 'mrkdwn', text: 'a', emoji: true, verbatim: false, extra: 1 };
    expect(blocksOf([{ type: 'section', text }])).to.deep.equal([
      { type: 'section', text: { type: 'mrkdwn', text: 'a', verbatim: true } },
    ]);
  });

  it('passes on blocks of types it does not know, their strings cleaned', () => {
    expect(blocksOf([{ type: 'card', body: 'a\ud83d', size: 3, extra: null }])).to.deep.equal([
      { type: 'card', body: 'a\ufffd', size: 3, extra: null },
    ]);
  });

  it('says what its first block says where the notification line is empty', () => {
    expect(compose({ text: ' ', blocks: [{ type: 'header', text: plain('a & b') }] }).text).to.equal(
      'a &amp; b',
    );
    expect(compose({ text: '' }, { language: 'ja' }).text).to.equal('通知');
  });

  describe('mentions', () => {
    const options = { mention_on_error: ['<!here>', '<@U012AB3CD>'] };

    it('in a block of its own and in the notification line, of an error', () => {
      const message = compose({ text: 'failed', blocks: [section('a')] }, { options, isError: true });
      expect(message.text).to.equal('<!here> <@U012AB3CD> failed');
      expect(message.blocks?.[0]).to.deep.equal({
        type: 'section',
        text: { type: 'mrkdwn', text: '<!here> <@U012AB3CD>', verbatim: true },
      });
      expectAcceptable(message);
    });

    it('nobody otherwise', () => {
      expect(controlSequences(compose({ text: 'fine', blocks: [section('a')] }, { options }))).to.deep.equal(
        [],
      );
    });

    it('as many as there is room for, never half a one', () => {
      const many = Array.from({ length: 500 }, (_, index) => `<@U${String(index).padStart(8, '0')}>`);
      const message = compose(
        { text: 'x'.repeat(5000), blocks: repeated(9, section('y'.repeat(2000))) },
        { options: { mention_on_error: many }, isError: true },
      );
      expectAcceptable(message);
      for (const sequence of controlSequences(message)) expect(many).to.include(sequence);
    });
  });

  it('is acceptable whatever the template holds', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 }).map((each) => each.replace(/[&<>`]/g, ''));
    const value = fc.letrec<{ value: TemplateValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.record({ type: fc.constantFrom('mrkdwn', 'plain_text', 'text', 'link', 'image', 'button'), text }),
        fc.array(tie('value'), { maxLength: 12 }),
        fc.record({ type: text, elements: fc.array(tie('value')), block_id: text, url: text }),
      ),
    })).value;
    const block = fc.oneof(
      fc.record({
        type: fc.constantFrom('section', 'header'),
        text: fc.record({ type: fc.constant('plain_text'), text }),
      }),
      fc.record({
        type: fc.constantFrom('context', 'actions', 'rich_text', 'card'),
        elements: fc.array(value),
      }),
      value,
    );
    fc.assert(
      fc.property(text, fc.array(block, { maxLength: 60 }), (line, blocks) => {
        const message = compose({ text: line, blocks });
        expect(message.text.trim()).not.to.equal('');
        for (const each of everyString(message)) expect(each.isWellFormed()).to.equal(true);
        expect(message.blocks?.length ?? 1).to.be.within(1, 50);
        expect(slackFormat.asHtml(message)).not.to.match(/<(?:script|img)/);
        slackFormat.asText(message);
      }),
    );
  });
});
