/** Draws a card as an embed. Mentions take effect only in `content`, which has no text of the callback. */
import { cutEnd, fitEscaped } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import { markedUp } from '../card-lines.ts';
import type { MessageFormat } from '../channel.ts';
import { chatCard, chatLink, TONE_COLOURS } from '../hooks/chat-html.ts';
import { markdownAsHtml, markdownWith } from '../hooks/markdown.ts';
import { htmlAsText, shownBy } from '../html-text.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { fitted, linesOfCard, showCard } from '../show-card.ts';

export interface DiscordMessage {
  readonly content?: string;
  readonly embeds?: readonly [Embed];
  /** Never left out: without it, Discord takes mentions from any text. */
  readonly allowed_mentions: {
    readonly parse: readonly 'everyone'[];
    readonly roles?: readonly string[];
    readonly users?: readonly string[];
  };
}

interface Embed {
  readonly title: string;
  readonly url?: string;
  readonly description?: string;
  readonly color: number;
}

/** discord.com/developers/docs/resources/message, "Embed limits". */
const MAX = { title: 256, description: 4096, content: 2000 } as const;

/** Characters of text, message and outputs; escaping doubles some. */
const ROOM = 3500;

const MARKUP = markdownWith(/[\\*_~`|>#\-[\]()<:@+]/g);

export const discordFormat: MessageFormat<DiscordMessage> = {
  name: 'discord',
  compose: (card, context) => {
    const called = [...new Set(calledFor(context).map(mentionText))];
    const idsOf = (kind: RegExp) => called.flatMap((one) => kind.exec(one)?.slice(1) ?? []);
    return {
      ...(called.length > 0 && { content: called.join(' ') }),
      embeds: [embedOf(card)],
      allowed_mentions: {
        parse: called.includes('@everyone') ? ['everyone'] : [],
        roles: idsOf(/^<@&(\d+)>$/),
        users: idsOf(/^<@(\d+)>$/),
      },
    };
  },
  ...shownBy(discordAsHtml),
};

function embedOf(card: Card): Embed {
  const { title, link } = showCard(card, 0);
  const draw = (room: number) =>
    markedUp(linesOfCard(showCard(card, room), ['text', 'message', 'outputs', 'facts']), MARKUP);
  const drawn = fitted(ROOM, draw, ({ length }) => length <= MAX.description);
  const description = cutEnd(drawn, MAX.description, '…');
  return {
    title: fitEscaped(title, MAX.title, MARKUP.text, () => ' … '),
    ...(link !== undefined && { url: link.url }),
    ...(description !== '' && { description }),
    color: Number.parseInt(TONE_COLOURS[card.tone].slice(1), 16),
  };
}

/** The text of the embed, to send if Discord refuses it: escaped anew, since a cut would leave markup open. */
export function plainDiscord(message: DiscordMessage): DiscordMessage | undefined {
  if (message.embeds === undefined) return undefined;
  const text = htmlAsText(discordAsHtml({ ...message, content: '' }));
  return {
    content: fitEscaped(text, MAX.content, MARKUP.text, () => '\n… \n'),
    allowed_mentions: { parse: [] },
  };
}

function discordAsHtml({ content, embeds }: DiscordMessage): string {
  const embed = embeds?.[0];
  if (embed === undefined) return chatCard({ body: markdownAsHtml(content ?? '') });
  const { title, url, description = '', color } = embed;
  return chatCard({
    mentions: content,
    title: url === undefined ? markdownAsHtml(title) : chatLink(url, markdownAsHtml(title)),
    body: markdownAsHtml(description),
    colour: `#${color.toString(16).padStart(6, '0')}`,
  });
}

const MENTION = /^(?:@?everyone|<@&?\d{5,25}>)$/;

export const discordMentions = mentionOption('everyone, <@&ID> of a role or <@ID> of a person', MENTION);

function mentionText(entry: string): string {
  return entry.endsWith('everyone') ? '@everyone' : entry;
}
