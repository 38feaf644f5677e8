/** A card as lines, for chats whose messages are text. */
import { linesOfOutputs } from '../outputs.ts';
import type { Language } from '../../time/display.ts';
import { type ShownCard } from '../show-card.ts';

/** Everything but title and summary. */
export function linesOfCard(
  { text, outputs, moreOutputs, facts, footer }: ShownCard,
  message: string,
  language: Language,
): readonly string[] {
  const factLines = facts.map(({ name, value, url }) =>
    [`${name}: ${value}`, url].filter((part) => part !== '').join(' '),
  );
  return [
    text.trim(),
    message,
    ...linesOfOutputs(outputs, language),
    moreOutputs,
    ...factLines,
    footer,
  ].filter((line) => line !== '');
}
