/** Wherever a document lists the chats there are, the list is made of what they say of themselves; `UPDATE_MESSAGES=1` writes it anew. */
import { join } from 'node:path';
import { expect } from 'chai';
import { format, resolveConfig } from 'prettier';
import { exampleOf } from '../../src/channels/about.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Language } from '../../src/time/display.ts';
import { readDocument, ROOT } from '../support/documents.ts';
import { expectText } from '../support/expected-messages.ts';

const CHATS = [...channelTypes.values()].flatMap(({ type, about }) => (about ? [{ type, about }] : []));
const NAMES = CHATS.flatMap(({ about: { name = [] } }) => name);

const HEADS: Readonly<Record<Language, readonly string[]>> = {
  en: ['`type`', 'get from the chat', 'an address is', '`mention_on_error`'],
  ja: ['`type`', 'チャット側で用意するもの', '宛先', '`mention_on_error`'],
};

function tableIn(language: Language): string {
  const rows = CHATS.map(({ type, about }) => {
    const { from, address, mentions } = exampleOf(type, about, language).words;
    return [`\`${type}\``, from, address, mentions];
  });
  const head = HEADS[language];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n\n${lines.join('\n')}\n\n`;
}

function examples(): string {
  const lines = CHATS.map(({ type, about }) => {
    const { channel, words } = exampleOf(type, about, 'en');
    return `  # ${channel} # address: ${words.address}; mention_on_error: ${words.mentions}`.replaceAll(
      '`',
      '',
    );
  });
  return `\n${lines.join('\n')}\n  `;
}

const LISTS: Readonly<Record<string, string>> = {
  'README.md': `, ${NAMES.join(', ')}`,
  'README.ja.md': `、${NAMES.join('、')}`,
  'docs/chats.md': tableIn('en'),
  'docs/chats.ja.md': tableIn('ja'),
  'config/botbell.example.yaml': examples(),
};

/** What stands between the marks of a list. */
const LISTED = /(?<=<!-- chats -->|# <chats>)[^]*?(?=<!-- \/chats -->|# <\/chats>)/;

describe('Each list of chats', () => {
  for (const [path, list] of Object.entries(LISTS))
    it(`names those there are, as they describe themselves: ${path}`, async () => {
      const filepath = join(ROOT, path);
      const text = readDocument(path).replace(LISTED, () => list);
      expectText(filepath, await format(text, { ...(await resolveConfig(filepath)), filepath }));
    });

  for (const page of ['docs/chats.md', 'docs/chats.ja.md'])
    it(`is followed by where each was seen, and where to click in it: ${page}`, () => {
      const [, seen = ''] = readDocument(page).split(/^## .*$/m);
      for (const { type } of CHATS) {
        const row = new RegExp(`^\\| [^|]+\\| [^|]*\`${type}\`[^|]*\\| [^|]+\\| \\S`, 'm');
        expect(seen, `where ${type} was seen is a row of the table`).to.match(row);
        expect(readDocument(page), `${type} has a section`).to.contain(`\n\`type: ${type}\``);
      }
    });
});
