/** How much of Slack's limits a message takes: for whoever writes a template and wonders what will be cut. */
import type { LimitUse, TemplateValue } from '../channel.ts';
import { MAX_BLOCKS, textLimitAt } from './limits.ts';
import { isList, isObject, lengthOf, type SlackMessage, stringAt, typeOf } from './message.ts';

/** Blocks that a message may have beside its own: its mentions, and how much is missing. */
const KEPT_FREE = 2;

interface TextUse {
  readonly used: number;
  readonly most: number;
}

/** @param most of the notification line, and of all blocks together */
export function slackLimitsOf(
  { text, blocks = [] }: SlackMessage,
  { textBytes, total }: { readonly textBytes: number; readonly total: number },
): readonly LimitUse[] {
  const line: LimitUse = {
    name: { en: 'Notification line', ja: '通知の1行' },
    used: Buffer.byteLength(text),
    most: textBytes,
    unit: 'bytes',
  };
  if (blocks.length === 0) return [line];
  const fullest = fullestText(blocks);
  return [
    line,
    {
      name: { en: 'Blocks', ja: 'ブロック' },
      used: blocks.length,
      most: MAX_BLOCKS + KEPT_FREE,
      unit: 'items',
    },
    {
      name: { en: 'All blocks together', ja: 'ブロックの合計' },
      used: lengthOf(blocks),
      most: total,
      unit: 'characters',
    },
    ...(fullest === undefined
      ? []
      : [
          {
            name: { en: 'Fullest text', ja: '上限に最も近い文' },
            ...fullest,
            unit: 'characters',
          } as const,
        ]),
  ];
}

/** The text object that is nearest to its own limit. */
function fullestText(blocks: readonly TemplateValue[]): TextUse | undefined {
  return blocks
    .flatMap((block) => textsIn(block, '', 'blocks'))
    .toSorted((a, b) => b.used / b.most - a.used / a.most)[0];
}

function textsIn(value: TemplateValue | undefined, holder: string, key: string): readonly TextUse[] {
  if (isList(value)) return value.flatMap((item) => textsIn(item, holder, key));
  if (!isObject(value)) return [];
  const type = typeOf(value);
  if (type === 'mrkdwn' || type === 'plain_text')
    return [{ used: stringAt(value, 'text').length, most: textLimitAt(holder, key) }];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, type || key, name));
}
