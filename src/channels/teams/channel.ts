/** Microsoft Teams by a workflow ("When a Teams webhook request is received") that posts an Adaptive Card. */
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { isJsonObject, valueIn } from '../../text/json-object.ts';
import { codeAt, GONE, isPage, jsonOf, meaning, RATE_LIMITED } from '../answers.ts';
import { ACCEPTED_AS } from '../channel.ts';
import { chat } from '../chat/chat.ts';
import { hooks } from '../chat/hooks.ts';
import { teamsFormat, type TeamsMessage } from './compose.ts';

/** Office 365 connectors ended in May 2026. The first hosts of workflows did, too, but Azure Logic Apps have theirs there. */
const DEAD_HOSTS = /\.webhook\.office\.com$|^outlook\.office(?:365)?\.com$/;

const FAILED = meaning(
  'config',
  'this is not how a workflow answers, which takes a message with 202 and no text; open its run history, and copy its present URL',
  'ワークフローの応答ではありません（成功は本文なしの202）。実行履歴を確認し、現在のURLを設定してください',
  { mayHaveArrived: true },
);

/** What tells of a failure in a text that comes with 200: `…returned HTTP error 429`. */
const TELLS_OF_FAILURE =
  /(?<!\b(?:no|0|without) )\b(?:fail|error|denied|unauthori[sz]ed|invalid|exception|throttl|HTTP [45]\d\d)/i;

/** How deep JSON is looked through. */
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
    warningOf: ({ hostname, searchParams }) => {
      if (DEAD_HOSTS.test(hostname))
        return 'Microsoft has switched this host off: open the workflow in Teams, copy its present URL, and put that here';
      return searchParams.get('sig')
        ? undefined
        : 'the URL has no "sig", which is what lets a message in: copy the whole URL of a workflow that anyone can trigger';
    },
  }),
  /** The trigger's answers (learn.microsoft.com/azure/logic-apps, "Workflow triggers"), by `error.code`. */
  meanings: {
    WorkflowTriggerIsNotEnabled: GONE,
    WorkflowNotFound: GONE,
    DirectApiAuthorizationRequired: meaning(
      'config',
      'the workflow lets only people of the tenant start it, or its URL is cut short; set "Who can trigger the flow" to "Anyone" and copy the whole new URL',
      'ワークフローを開始できるのがテナント内のユーザーだけになっているか、URLが途中で切れています。「フローをトリガーできるユーザー」を「すべてのユーザー」にし、新しいURL全体を設定してください',
    ),
    TriggerInputSchemaMismatch: meaning(
      'config',
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

/** Whether a member of JSON tells of a failure by its value; a workflow may name its `error` and say that there is none. */
function isToldBy([name, value]: readonly [name: string, value: unknown], depth: number): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (SUCCESS.test(name)) return /^false$/i.test(text);
  if (ERROR.test(name)) return !NO_ERROR.test(text);
  if (STATUS.test(name) && Number(text) >= 400) return true;
  if (value instanceof Object)
    return depth < DEEPEST && Object.entries(value).some((one) => isToldBy(one, depth + 1));
  // Further down it may be the message, which is sent back.
  return depth === 1 && TELLS_OF_FAILURE.test(text);
}
