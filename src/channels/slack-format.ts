/** The shape of a Slack message: a notification line in mrkdwn and Block Kit blocks. */
import { cutMarkupBytes } from '../text/cut.ts';
import { escapeFor } from '../text/escape.ts';
import type { Landing } from '../text/landing.ts';
import { cutMark } from './cut-marks.ts';
import type { ComposeContext, Language, MessageFormat, RenderedParts, TemplateValue } from './format.ts';
import { fitTotal, MAX_TOTAL_LENGTH } from './slack-budget.ts';
import { SLACK_THEMES, slackAsHtml } from './slack-html.ts';
import { inspectSlack } from './slack-inspect.ts';
import { fitBlock } from './slack-limits.ts';
import { mentionsOf } from './slack-mentions.ts';
import { isBlank, isList, isObject, stringAt } from './slack-message.ts';
import type { SlackMessage, SlackObject } from './slack-message.ts';
import { slackAsText, textOfBlock } from './slack-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/** Room that the mentions may take of the notification line. */
const MAX_MENTIONS_LENGTH = 1000;

/** Stands for a message of which nothing is left. */
const NOTHING_TO_SAY: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

const URL_KEYS: ReadonlySet<string | number> = new Set(['url', 'image_url']);
const MARKUP_TYPES: ReadonlySet<string> = new Set(['mrkdwn', 'markdown']);

const escapeMrkdwn = escapeFor('mrkdwn');

export const slackFormat: MessageFormat<SlackMessage> = {
  name: 'slack',
  parts: {
    text: { required: false, kind: 'string' },
    blocks: { required: false, kind: 'blocks', mayBeLeftOut: true },
  },
  landingOf,
  compose,
  inspect: inspectSlack,
  asText: slackAsText,
  asHtml: slackAsHtml,
  themes: SLACK_THEMES,
};

function landingOf(path: readonly (string | number)[], parent: TemplateValue): Landing {
  const key = path.at(-1);
  if (path.length === 1) return 'mrkdwn';
  if (key !== undefined && URL_KEYS.has(key)) return 'url';
  const isMarkup = key === 'text' && isObject(parent) && MARKUP_TYPES.has(stringAt(parent, 'type'));
  return isMarkup ? 'mrkdwn' : 'plain';
}

function compose(parts: RenderedParts, context: ComposeContext): SlackMessage {
  const { language } = context;
  const mentions = context.isError ? joinedMentions(context.options['mention_on_error']) : '';
  const fitted = fitBlocks(parts['blocks'], MAX_TOTAL_LENGTH - mentions.length, language);
  const text = notificationOf(parts['text'], fitted, mentions, language);
  if (fitted.length === 0) return { text };
  return { text, blocks: mentions === '' ? fitted : [mentionBlock(mentions), ...fitted] };
}

function fitBlocks(
  value: TemplateValue | undefined,
  budget: number,
  language: Language,
): readonly SlackObject[] {
  if (!isList(value)) return [];
  const fitted: SlackObject[] = [];
  for (const block of value) {
    const kept = isObject(block) ? fitBlock(block, language) : undefined;
    if (kept !== undefined) fitted.push(kept);
  }
  return fitTotal(withUniqueIds(fitted), budget, language);
}

/** Slack refuses a message in which two blocks bear the same id; it makes one up where there is none. */
function withUniqueIds(blocks: readonly SlackObject[]): readonly SlackObject[] {
  if (!blocks.some((block) => 'block_id' in block)) return blocks;
  const seen = new Set<string>();
  return blocks.map((block) => {
    const id = stringAt(block, 'block_id');
    if (id === '' || !seen.has(id)) {
      seen.add(id);
      return block;
    }
    return Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'block_id'));
  });
}

/** The mentions that the channel's option schema has let through, as many as there is room for. */
function joinedMentions(option: unknown): string {
  let joined = '';
  for (const mention of mentionsOf(option)) {
    if (joined.length + mention.length >= MAX_MENTIONS_LENGTH) continue;
    joined = joined === '' ? mention : `${joined} ${mention}`;
  }
  return joined;
}

function mentionBlock(mentions: string): SlackObject {
  return { type: 'section', text: { type: 'mrkdwn', text: mentions, verbatim: true } };
}

function notificationOf(
  part: TemplateValue | undefined,
  blocks: readonly SlackObject[],
  mentions: string,
  language: Language,
): string {
  const written = typeof part === 'string' ? part.toWellFormed().trim() : '';
  const text = isBlank(written) ? firstWords(blocks, language) : written;
  const room = MAX_TEXT_BYTES - (mentions === '' ? 0 : mentions.length + 1);
  const cut = cutMarkupBytes(text, room, cutMark(language));
  return mentions === '' ? cut : `${mentions} ${cut}`;
}

function firstWords(blocks: readonly SlackObject[], language: Language): string {
  for (const block of blocks) {
    const [line = ''] = textOfBlock(block).trim().split('\n');
    if (!isBlank(line)) return escapeMrkdwn(line);
  }
  return NOTHING_TO_SAY[language];
}
