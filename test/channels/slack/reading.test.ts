import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RenderedParts } from '../../../src/channels/channel.ts';
import { slackMessages } from '../../../src/channels/slack/format.ts';
import { CALM, cardWith } from '../../support/cards.ts';
import { expectMessages } from '../../support/expected-messages.ts';

const FILE = join(import.meta.dirname, 'reading.json');
const CASES = Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Case>);

interface Case {
  readonly message: RenderedParts;
}

describe('a Slack message', () => {
  it('reads on a terminal and in a browser as a person would read it, and runs nothing that it quotes', async () => {
    const shown = CASES.map(([what, { message }]) => {
      const { asText, asHtml } = slackMessages.compose(message, cardWith(), CALM);
      const [, html = ''] = asHtml().split('</style>\n');
      expect(html).not.to.match(/<script|<img|href="javascript/);
      return [what, { message, text: asText().split('\n'), html: html.split('\n') }];
    });
    await expectMessages(FILE, Object.fromEntries(shown) as object);
  });
});
