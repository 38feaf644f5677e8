/** What a mail never loses, however much a BOT puts out: what identifies the run, and links that are whole. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Callback } from '../../src/callback/callback.ts';
import { MOST_BYTES } from '../../src/channels/email/compose.ts';
import { decoded, expectWellFormed, linksIn } from '../render/mail-rules.ts';
import { BARE, LINKS, testRenderer } from '../render/render-fixture.ts';

const RUN = {
  ...BARE,
  code: 4711,
  job_id: '5f0c1f7e-8a37-4a52-9f0e-2f9c5f5a7d01',
  bot_id: 'invoice-import-"a&b"',
  bot_name: '請求書取込BOT',
};

/** Letters that grow when escaped, and what must not be cut through. */
const WORDS = ['a', 'あ', '"', '&', '\n    ', 'https://example.com/x?a=1&b=2 ', '<b>', '👨‍👩‍👧‍👦'];
const KEYS = ['id', '更新', 'note', 'url', 'x'];

/** A value of which a few numbers say how long it is and what of, so that a failure can be read. */
interface Spec {
  readonly kind: 'text' | 'rows' | 'texts' | 'files' | 'mixed' | 'nested';
  readonly words: readonly number[];
  readonly times: number;
  readonly items: number;
}

const word = fc.nat(WORDS.length - 1);
const specs = fc.record<Spec>({
  kind: fc.constantFrom('text', 'rows', 'texts', 'files', 'mixed', 'nested'),
  words: fc.array(word, { minLength: 1, maxLength: 8 }),
  times: fc.constantFrom(1, 3, 30),
  items: fc.constantFrom(1, 2, 40, 80),
});
const runSpecs = fc.record({
  status: fc.constantFrom(0 as const, 1 as const, 2 as const),
  message: specs,
  outputs: fc.array(specs, { maxLength: 12 }),
  copies: fc.constantFrom(1, 1, 9),
});

function textOf({ words, times }: Spec): string {
  return words
    .map((index) => WORDS[index])
    .join('')
    .repeat(times);
}

function rowOf(spec: Spec, index: number): object {
  return Object.fromEntries(
    KEYS.slice(0, 1 + spec.words.length).map((key, at) => [key, at === 0 ? index : textOf(spec)]),
  );
}

function valueOf(spec: Spec): unknown {
  const text = textOf(spec);
  const items = Array.from({ length: spec.items }, (_, index) => index);
  if (spec.kind === 'rows') return items.map((index) => rowOf(spec, index));
  if (spec.kind === 'texts') return items.map((index) => `${index} ${text}`);
  if (spec.kind === 'mixed') return items.map((index) => (index % 2 === 0 ? rowOf(spec, index) : text));
  if (spec.kind === 'files')
    return {
      type: 'files',
      files: items.map((size) => ({ ref: text, meta: { name: `file ${text}`, size } })),
    };
  return spec.kind === 'nested' ? { a: [{ b: text }] } : text.repeat(spec.items);
}

function runOf({
  status,
  message,
  outputs,
  copies,
}: typeof runSpecs extends fc.Arbitrary<infer T> ? T : never): Callback {
  const output = Object.fromEntries(
    Array.from({ length: copies }, (_, copy) =>
      outputs.map((spec, index) => [`${copy}-${index} ${textOf(spec)}`, valueOf(spec)] as const),
    ).flat(),
  );
  return { ...RUN, status, message: textOf(message).repeat(50 * message.items), output };
}

for (const language of ['en', 'ja'] as const) {
  describe(`a mail in ${language} of any length`, () => {
    const renderer = testRenderer({ language, links: LINKS });

    // However slow the machine, no rendering runs out of its time.
    const now = performance.now.bind(performance);
    beforeEach(() => {
      performance.now = () => 0;
    });
    afterEach(() => {
      performance.now = now;
    });

    it('says which BOT and job it is of in both its parts, and is well-formed, with whole links that show their address, the name of a file or job, or how many more there are', () => {
      const names = new Set([RUN.job_id]);
      fc.assert(
        fc.property(runSpecs, (spec) => {
          const { text: plain, html } = renderer.email(runOf(spec));
          const details = decoded(html.slice(html.lastIndexOf('<table')).replace(/<[^<>]*>/g, '\n'));
          for (const part of [plain, details])
            for (const word of [RUN.job_id, RUN.bot_id]) expect(part.split(/[\s：]+/u)).to.include(word);
          expect(decoded(/<h1[^>]*>([^<]*)/.exec(html)?.[1] ?? '')).to.equal(RUN.bot_name);
          expect(plain.slice(0, 40)).to.include(RUN.bot_name);
          expect(html).to.match(/^<!doctype html>/);
          expect(Buffer.byteLength(html)).to.be.at.most(MOST_BYTES);
          expectWellFormed(html);
          for (const { address, words } of linksIn(html)) {
            expect(new URL(address).href).to.equal(address);
            const isNamed = /^(?:file|…)/u.test(words) || names.has(words);
            if (!isNamed) expect(new URL(words).href).to.equal(address);
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}
