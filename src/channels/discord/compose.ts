/** Draws a card as an embed. Mentions act in `content` alone, where nothing of a callback stands. */
import { cutEnd, fitEscaped } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { TONE_COLOURS } from '../hooks/chat-html.ts';
import { leftOutMark } from '../marks.ts';
import { escapeMarkdown, markdownFence, markdownLink } from '../hooks/markdown.ts';
import { labelOf, linesOf, type ShownOutput } from '../outputs.ts';
import { fitted, type ShownCard, showCard } from '../show-card.ts';
import type { Language } from '../../time/display.ts';

export interface DiscordMessage {
  readonly content?: string;
  readonly embeds?: readonly [Embed];
  /** Always: without it, Discord reads mentions out of whatever text. */
  readonly allowed_mentions: AllowedMentions;
}

export interface Embed {
  readonly title: string;
  readonly url?: string;
  readonly description?: string;
  readonly color: number;
  readonly fields: readonly EmbedField[];
  readonly footer?: { readonly text: string };
}

export interface EmbedField {
  readonly name: string;
  readonly value: string;
  readonly inline: boolean;
}

interface AllowedMentions {
  readonly parse: readonly 'everyone'[];
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
}

/** discord.com/developers/docs/resources/message, "Embed limits"; `total` of all texts of an embed. */
const MAX = { title: 256, description: 4096, name: 256, value: 1024, total: 6000, content: 2000 } as const;

/** Characters of what may be long; escaping doubles some. */
const ROOM = 5000;

export function composeDiscord(card: Card, context: ComposeContext): DiscordMessage {
  const called = calledFor(context);
  const compose = (room: number) => embedOf(showCard(card, room), card);
  const embed = fitted(ROOM, compose, fits);
  return {
    ...(called.length > 0 && { content: called.map(mentionText).join(' ') }),
    embeds: [embed],
    allowed_mentions: allowedOf(called),
  };
}

/** Title and description as one text, for where the embed is refused. */
export function plainDiscord({ embeds }: DiscordMessage): DiscordMessage | undefined {
  if (embeds === undefined) return undefined;
  const [{ title, description = '' }] = embeds;
  return {
    content: cutEnd(`${title}\n${description}`.trim(), MAX.content, '…'),
    allowed_mentions: { parse: [] },
  };
}

function fits({ title, description = '', fields, footer }: Embed): boolean {
  const texts = [
    title,
    description,
    footer?.text ?? '',
    ...fields.flatMap(({ name, value }) => [name, value]),
  ];
  return description.length <= MAX.description && texts.join('').length <= MAX.total;
}

function embedOf(shown: ShownCard, { tone, language }: Card): Embed {
  const { link, footer, moreOutputs, facts } = shown;
  const message = shown.isVerbatim ? markdownFence(shown.message) : escape(shown.message);
  const description = [escape(shown.text.trim()), message].filter((part) => part !== '').join('\n');
  return {
    title: escaped(shown.title, MAX.title, language),
    ...(link !== undefined && { url: link.url }),
    ...(description !== '' && { description }),
    color: Number.parseInt(TONE_COLOURS[tone].slice(1), 16),
    fields: [
      ...shown.outputs.map((output) => outputField(output, language)),
      ...(moreOutputs === '' ? [] : [{ name: '…', value: escape(moreOutputs), inline: false }]),
      ...facts.map(({ name, value, url }) => {
        const text = escaped(value, MAX.value / 2, language);
        const linked = url === '' ? text : markdownLink(text, url);
        return fieldOf(escaped(name, MAX.name, language), linked.length > MAX.value ? text : linked, true);
      }),
    ],
    ...(footer !== '' && { footer: { text: footer } }),
  };
}

const SIGNS = /[\\*_~`|>#\-[\]()<:@+]/g;

function escape(text: string): string {
  return escapeMarkdown(text, SIGNS);
}

function escaped(text: string, most: number, language: Language): string {
  return fitEscaped(text, most, escape, most < 300 ? () => ' … ' : leftOutMark(language));
}

function outputField(output: ShownOutput, language: Language): EmbedField {
  const { files } = output;
  const isLinked = files.some(({ url }) => url !== '');
  const label = escaped(labelOf(output, language), MAX.name, language);
  if (isLinked) {
    const lines = files.map((file) =>
      `• ${file.url === '' ? escape(file.name) : markdownLink(escape(file.name), file.url)} ${file.size}`.trim(),
    );
    return fieldOf(label, linesWithin(lines), false);
  }
  return fieldOf(label, escaped(linesOf(output, language).join('\n'), MAX.value, language), false);
}

function linesWithin(lines: readonly string[]): string {
  let text = '';
  for (const line of lines) {
    if (text.length + line.length + 3 > MAX.value) return `${text}…`;
    text += `${line}\n`;
  }
  return text.trimEnd();
}

/** Discord refuses what is empty or blank. */
function fieldOf(name: string, value: string, inline: boolean): EmbedField {
  return { name: name.trim() || '–', value: value.trim() || '–', inline };
}

const MENTION = /^(?:@?everyone|<@(&?)(\d{5,25})>)$/;

export const discordMentions = mentionOption('everyone, <@&ID> of a role or <@ID> of a person', MENTION);

function mentionText(entry: string): string {
  return entry.endsWith('everyone') ? '@everyone' : entry;
}

function allowedOf(called: readonly string[]): AllowedMentions {
  const idsOf = (sign: string) =>
    called.flatMap((entry) => (MENTION.exec(entry)?.[1] === sign ? [MENTION.exec(entry)?.[2] ?? ''] : []));
  const [roles, users] = [idsOf('&'), idsOf('')];
  return {
    parse: called.some((entry) => entry.endsWith('everyone')) ? ['everyone'] : [],
    ...(roles.length > 0 && { roles }),
    ...(users.length > 0 && { users }),
  };
}
