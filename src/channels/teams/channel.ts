/**
 * Microsoft Teams by a workflow ("When a Teams webhook request is received") that posts an Adaptive Card 1.4 (adaptivecards.io/explorer).
 * Foreign text is in text runs, which know no Markdown and no mentions.
 */
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { isJsonObject, valueIn } from '../../text/json.ts';
import { faultSaid } from '../../text/fault.ts';
import { codeAt, GONE, isPage, jsonOf, means, RATE_LIMITED } from '../answers.ts';
import type { Tone } from '../card.ts';
import { ACCEPTED_AS } from '../channel.ts';
import { chat } from '../chat/chat.ts';
import { type Drawn, drawnFormat, jsonBytes } from '../chat/draw.ts';
import { hooks } from '../chat/hooks.ts';
import { type CardLine, type Runs, runsOfText, type StyledText, UNMARKED, withBlanks } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';

interface Look {
  readonly weight?: 'Bolder';
  readonly size?: 'Large';
  readonly isSubtle?: true;
  readonly fontType?: 'Monospace';
  readonly selectAction?: ReturnType<typeof openUrl>;
}

type TextRun = ReturnType<typeof run>;
type Line = ReturnType<typeof lineOf>;
type Element = Line | ReturnType<typeof boxOf> | { readonly type: 'TextBlock'; readonly text: string };

type TeamsMessage = ReturnType<typeof messageOf>;

function openUrl(title: string, url: string) {
  return { type: 'Action.OpenUrl', title: broken(title), url };
}

/** Clients replace these functions by a date even in a text run, so a zero-width space breaks them up. */
const FUNCTION = /\{(?=\{(?:DATE|TIME)\()/g;

function broken(text: string): string {
  return text.replace(FUNCTION, '{\u200b');
}

function run(text: string, look?: Look) {
  return { type: 'TextRun', text: broken(text), ...look };
}

const NO_SPACE = { spacing: 'None' } as const;
const MONOSPACE = { fontType: 'Monospace' } as const;

function lineOf(inlines: readonly TextRun[], look?: typeof NO_SPACE) {
  return { type: 'RichTextBlock', inlines, ...look };
}

function boxOf(style: string, items: readonly Line[]) {
  return { type: 'Container', style, bleed: style !== 'emphasis', items };
}

/** Teams takes about 28 KB, everything included (learn.microsoft.com/connectors/teams); the workflow's additions count. */
const MAX_BYTES = 24_000;

const STYLES: Readonly<Record<Tone, string>> = {
  succeeded: 'good',
  error: 'attention',
  executing: 'accent',
  alert: 'warning',
  test: 'default',
};

/** A user principal name, or the ID of a user in Entra. */
const USER = /^(?:[^\s<>"@]+@[^\s<>"@]+\.[^\s<>"@]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

const teamsMentions = mentionsOf(
  [
    'the sign-in name of a user (user@example.com) or an Entra object ID',
    'ユーザーのサインイン名（user@example.com）か、EntraのオブジェクトID',
  ],
  USER,
  (id) => `<at>${id}</at>`,
);

const teamsFormat = drawnFormat<TeamsMessage>({
  name: 'teams',
  mentions: teamsMentions,
  markup: UNMARKED,
  parts: ['text', 'message', 'outputs', 'facts'],
  opensTitle: true,
  limit: { most: MAX_BYTES, of: jsonBytes },
  message: (drawn) => {
    const { tone, title, link } = drawn;
    const look = { weight: 'Bolder', size: 'Large' } as const;
    const opens = link === undefined ? look : { selectAction: openUrl(link.text, link.url), ...look };
    const head = boxOf(STYLES[tone], linesOf([run(title, opens)]));
    return messageOf(drawn, [head, ...drawn.lines.flatMap(elementsOf)]);
  },
  // A card that holds one text, since a workflow posts only cards.
  plain: (drawn) => messageOf(drawn, linesOf([run(drawn.text())])),
});

function messageOf({ called, mentions, summary, link }: Drawn, elements: readonly Element[]) {
  const entities = called.map((id) => ({
    type: 'mention',
    text: `<at>${id}</at>`,
    mentioned: { id, name: id },
  }));
  // A text block supports Markdown and mentions, so it must contain no foreign text.
  const calling = { type: 'TextBlock', text: mentions.join(' '), wrap: true } as const;
  const content = {
    fallbackText: withoutMarkdown(summary),
    body: [...(mentions.length > 0 ? [calling] : []), ...elements],
    msteams: { width: 'Full', ...(entities.length > 0 && { entities }) },
    ...(link !== undefined && { actions: [openUrl(link.text, link.url)] }),
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] as const };
}

/** Clients that cannot draw the card show `fallbackText`, and may take Markdown in it. */
function withoutMarkdown(text: string): string {
  return broken(text.replace(/[*_~`#[\]]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)));
}

function elementsOf(line: CardLine): readonly Element[] {
  if ('code' in line) {
    return [boxOf('emphasis', linesOf(runsOfText(line.code).map((one) => runOf(one, MONOSPACE))))];
  }
  if ('items' in line) return line.items.flatMap((item) => linesOf([run('• '), ...onOneLine(item)]));
  if ('facts' in line) return [factLine(line.facts)];
  const gap = line.runs.length > 0 ? '  ' : '';
  const label = 'label' in line ? [run(line.label + gap, { weight: 'Bolder' })] : [];
  return linesOf([...label, ...line.runs.map((one) => runOf(one))]);
}

function factLine(facts: readonly Runs[]): Line {
  const look = { isSubtle: true } as const;
  const between = run(' · ', look);
  return lineOf(facts.flatMap((fact) => [between, ...onOneLine(fact, look)]).slice(1));
}

/** A block for each line, since it is not documented whether Teams shows line ends in a run. */
function linesOf(runs: readonly TextRun[]): readonly Line[] {
  let line: TextRun[] = [];
  const lines = [line];
  for (const one of runs)
    for (const [index, text] of withBlanks(one.text).split('\n').entries()) {
      if (index > 0) lines.push((line = []));
      if (text !== '') line.push(text === one.text ? one : { ...one, text });
    }
  return lines
    .filter((line) => line.some(({ text }) => text.trim() !== ''))
    .map((line, index) => lineOf(line, index === 0 ? undefined : NO_SPACE));
}

function onOneLine(runs: Runs, look?: Look): readonly TextRun[] {
  return runs.map((one) => runOf({ ...one, text: one.text.replaceAll('\n', ' ') }, look));
}

function runOf({ text, style, url = '' }: StyledText, look?: Look): TextRun {
  const made = style === 'code' ? run(text, MONOSPACE) : run(text, look);
  return url === '' ? made : { ...made, selectAction: openUrl(text.trim(), url) };
}

/** Office 365 connectors ended in May 2026. So did the first hosts of workflows; these are not listed, since Azure Logic Apps use them. */
const DEAD_HOSTS = /\.webhook\.office\.com$|^outlook\.office(?:365)?\.com$/;

const SWITCHED_OFF = faultSaid(
  'Microsoft has switched this host off: open the workflow in Teams, copy its present URL, and put that here',
  'このホストはMicrosoftが停止しました。Teamsでワークフローを開き、今のURLをコピーして書いてください',
);

const FAILED = means.config(
  'this is not how a workflow answers, which takes a message with 202 and no text; open its run history, and copy its present URL',
  'ワークフローの応答ではありません（成功は本文なしの202）。実行履歴を確認し、現在のURLを設定してください',
  { mayHaveArrived: true },
);

/** Words that report a failure in the text of a 200 answer: `…returned HTTP error 429`. */
const TELLS_OF_FAILURE =
  /(?<!\b(?:no|0|without) )\b(?:fail|error|denied|unauthori[sz]ed|invalid|exception|throttl|HTTP [45]\d\d)/i;

/** How many levels of JSON are searched. */
const DEEPEST = 5;

export const teamsChannel = chat({
  type: 'teams',
  title: { en: 'Teams', ja: 'Teams' },
  about: {
    name: 'Microsoft Teams',
    en: { from: "a Workflow's URL", mentions: 'a sign-in name, or an object ID' },
    ja: { from: 'ワークフローのURL', mentions: 'サインイン名、またはオブジェクトID' },
  },
  // No rate is published for the trigger; its predecessors, the connectors, took four messages a second.
  pace: { addressMs: 1000, channelMs: 0 },
  format: teamsFormat,
  address: hooks<TeamsMessage>({
    whole: {
      is: ({ hostname, searchParams }) => DEAD_HOSTS.test(hostname) || Boolean(searchParams.get('sig')),
      like: '….environment.api.powerplatform.com/…/invoke?…&sig=…',
    },
    warningOf: ({ hostname }) => (DEAD_HOSTS.test(hostname) ? SWITCHED_OFF : undefined),
  }),
  /** The trigger's answers (learn.microsoft.com/azure/logic-apps, "Workflow triggers"), by `error.code`. */
  meanings: {
    WorkflowTriggerIsNotEnabled: GONE,
    WorkflowNotFound: GONE,
    DirectApiAuthorizationRequired: means.config(
      'the workflow lets only people of the tenant start it, or its URL is cut short; set "Who can trigger the flow" to "Anyone" and copy the whole new URL',
      'ワークフローを開始できるのがテナント内のユーザーだけになっているか、URLが途中で切れています。「フローをトリガーできるユーザー」を「すべてのユーザー」にし、新しいURL全体を設定してください',
    ),
    TriggerInputSchemaMismatch: means.config(
      'the trigger of the workflow has a JSON schema that the message does not meet; leave that field empty',
      'ワークフローのトリガーにJSONスキーマが設定されています。スキーマ欄を空にしてください',
    ),
    told_of_failure: FAILED,
    told_429: RATE_LIMITED,
  },
  codeOf: (answer) => {
    const { error } = jsonOf(answer);
    return isJsonObject(error) ? codeAt(error, 'code') : undefined;
  },
  kindOf: (answer) => (answer.status <= 299 ? toldIn(answer) : undefined),
  // The trigger answers before the workflow posts the card, and only the workflow knows whether that succeeded.
  receiptOf: (answer) =>
    answer.status <= 299 && toldIn(answer) === undefined
      ? { [ACCEPTED_AS]: String(answer.status) }
      : undefined,
});

function toldIn(answer: HttpAnswer): string | undefined {
  const { body } = answer;
  const said = valueIn(body);
  const isFailure =
    said instanceof Object
      ? Object.entries(said).some((one) => isToldBy(one, 1))
      : TELLS_OF_FAILURE.test(body) || isPage(answer);
  if (!isFailure) return undefined;
  return /\b429\b/.test(body) ? 'told_429' : 'told_of_failure';
}

const SUCCESS = /^(?:ok|success|succeeded)$/i;
const ERROR = /^errors?$/i;
const NO_ERROR = /^(?:|null|false|0|none|\[\]|\{\})$/i;
const STATUS = /^(?:status|status_?code|code)$/i;

/** Whether a member of a JSON answer reports a failure. Its value decides: a workflow may have an `error` that says there is none. */
function isToldBy([name, value]: readonly [name: string, value: unknown], depth: number): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (SUCCESS.test(name)) return /^false$/i.test(text);
  if (ERROR.test(name)) return !NO_ERROR.test(text);
  if (STATUS.test(name) && Number(text) >= 400) return true;
  if (value instanceof Object)
    return depth < DEEPEST && Object.entries(value).some((one) => isToldBy(one, depth + 1));
  // A deeper text may be the message itself, sent back.
  return depth === 1 && TELLS_OF_FAILURE.test(text);
}
