/** What a reader of the built-in Slack messages sees and copies of a callback's values. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Callback } from '../../src/callback/callback.ts';
import type { Language } from '../../src/time/display.ts';
import type { SlackMessage, SlackObject } from '../../src/channels/slack/message.ts';
import { isObject } from '../../src/channels/slack/message.ts';
import { cleanLine, cleanText, isBlank } from '../../src/text/clean.ts';
import { BARE, LINKS, testRenderer } from '../render/render-fixture.ts';
import { expectAcceptable, richRuns } from '../render/slack-rules.ts';

const WORDS = {
  en: { icon: ['✅ ', '❌ ', '▶️ '], job: 'Job' },
  ja: { icon: ['✅ ', '❌ ', '▶️ '], job: 'ジョブ' },
} as const;

const MARKUP = fc.constantFrom(
  ...'* _ ~ ` ``` < > & | \n ・ • - # @here @channel <!channel> <@U012AB3CD> <#C012AB3CD> &lt; &amp; :tada: ‹a› {{ {%'.split(
    ' ',
  ),
  ' ',
  '<https://evil.example|Click>',
  '[text](https://evil.example)',
  '\ufdd0',
  '\ufdd1',
  '\u202e',
  'あ',
  '👨‍👩‍👧‍👦',
);
/** Markup, control characters and whatever else there is, up to about 40 characters. */
const SHORT = fc.oneof(
  fc.array(MARKUP, { maxLength: 6 }).map((parts) => parts.join('').slice(0, 40)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 40 }),
);
const LONG = fc.tuple(SHORT, fc.integer({ min: 1, max: 400 })).map(([text, count]) => text.repeat(count));

const shownBy = (value: unknown): string =>
  richRuns(value)
    .map(({ text, url }) => (typeof text === 'string' ? text : typeof url === 'string' ? url : ''))
    .join('');
const containersOf = (message: SlackMessage, type: string): readonly SlackObject[] =>
  (message.blocks ?? [])
    .flatMap((block) => block['elements'])
    .filter(isObject)
    .filter((element) => element['type'] === type);

const CUT_MARK = /\n?(?:…+ [\d,]+ characters left out …|……（[\d,]+文字省略）……)\n?| … /u;

/** A value whole, or its beginning and its end around a mark. */
function expectShown(shown: string, value: string): void {
  const cleaned = cleanText(value);
  if (shown === cleaned) return;
  const [begin = '', end = ''] = shown.split(CUT_MARK);
  expect(shown).to.match(CUT_MARK);
  expect(cleaned.slice(0, begin.length)).to.equal(begin);
  expect(cleaned.slice(cleaned.length - end.length)).to.equal(end);
}

for (const language of ['en', 'ja'] as const satisfies readonly Language[]) {
  describe(`a callback’s values on Slack, in ${language},`, () => {
    const renderer = testRenderer({ language });
    const linking = testRenderer({ language, links: LINKS });

    const callbacks = fc.record({
      job_id: SHORT,
      bot_id: SHORT,
      bot_name: SHORT,
      message: SHORT,
      status: fc.constantFrom(0 as const, 1 as const, 2 as const),
      output: fc.dictionary(SHORT, fc.oneof(SHORT, fc.array(SHORT, { maxLength: 5 })), { maxKeys: 4 }),
    });

    it('are read and copied exactly as they were sent, once cleaned, but for blanks around an id', () => {
      fc.assert(
        fc.property(callbacks, (fields) => {
          const callback: Callback = { ...BARE, ...fields };
          const message = renderer.slack(callback);
          expectAcceptable(message);
          const [first, ...blocks] = message.blocks ?? [];
          const named = [fields.bot_name, fields.bot_id].find((text) => cleanLine(text) !== '');
          expect(richRuns(first)[0]).to.deep.equal({
            type: 'text',
            text: WORDS[language].icon[fields.status] + cleanLine(named ?? '–'),
            style: { bold: true },
          });
          const id = shownBy(blocks.at(-1) ?? first);
          if (!isBlank(fields.bot_id)) expect(id).to.include(`BOT ${cleanText(fields.bot_id).trim()}`);
          if (!isBlank(fields.job_id))
            expect(id).to.include(`${WORDS[language].job} ${cleanText(fields.job_id).trim()}`);
          if (!isBlank(cleanText(fields.message))) {
            const place =
              fields.status === 1 ? containersOf(message, 'rich_text_preformatted') : message.blocks;
            expect(shownBy(place)).to.include(cleanText(fields.message));
          }
          const shown = shownBy(message.blocks);
          for (const value of Object.values(fields.output).flat())
            if (!isBlank(cleanText(value))) expect(shown).to.include(cleanText(value));
        }),
        { numRuns: 300 },
      );
    });

    it('are cut so that it shows where they are too long, and never push out what identifies the run', () => {
      const long = fc.record({ bot_name: LONG, job_id: LONG, message: LONG });
      const outputs = fc.dictionary(
        LONG,
        fc.oneof(
          LONG,
          fc.array(LONG, { maxLength: 30 }),
          fc.array(fc.dictionary(SHORT, LONG), { maxLength: 30 }),
        ),
        { maxKeys: 30 },
      );
      fc.assert(
        fc.property(long, outputs, (fields, output) => {
          const message = linking.slack({ ...BARE, ...fields, output, bot_id: 'the-bot', status: 1 });
          expectAcceptable(message);
          const id = shownBy(message.blocks?.at(-1));
          expect(id).to.include('BOT the-bot').and.to.match(/200$/);
          if (isBlank(cleanText(fields.message))) return;
          const [fence] = containersOf(message, 'rich_text_preformatted');
          expectShown(shownBy(fence), fields.message);
        }),
        // Making values of this size smaller would take minutes; the seed gives the same ones again.
        { numRuns: 150, endOnFailure: true },
      );
    });

    it('leave what identifies the run its room beside as many mentions as there may be', () => {
      const mentions = Array.from({ length: 200 }, (_, index) => `<@U${String(index).padStart(8, '0')}>`);
      const items = Array.from({ length: 30 }, (_, index) => `a ${index}`);
      const output = Object.fromEntries(items.map((name) => [name.padEnd(60, 'n'), [...items]]));
      const callback: Callback = { ...BARE, status: 1, message: 'm', output };
      const message = linking.slack(callback, { mentions });
      expectAcceptable(message);
      expect(shownBy(message.blocks?.at(-1)))
        .to.include('BOT get_items')
        .and.to.match(/200$/);
    });
  });
}
