/** Microsoft Teams by a workflow ("When a Teams webhook request is received") that posts an Adaptive Card. */
import { isJsonObject } from '../../text/json-object.ts';
import { codeAt, GONE, jsonOf, meaning } from '../answers.ts';
import { ACCEPTED_AS } from '../channel.ts';
import { hookChannel } from '../hooks/hook-channel.ts';
import { plainTeams, teamsFormat, teamsMentions, type TeamsMessage } from './compose.ts';

/** Office 365 connectors ended in May 2026, the first hosts of workflows on 30 November 2025. */
const DEAD_HOSTS = /\.webhook\.office\.com$|^outlook\.office(?:365)?\.com$|\.logic\.azure\.com$/;

export const teamsChannel = hookChannel<TeamsMessage>({
  type: 'teams',
  title: { en: 'Teams', ja: 'Teams' },
  // No rate is published for the trigger; its predecessors, the connectors, took four messages a second.
  paceMs: 1000,
  format: teamsFormat,
  options: { mention_on_error: teamsMentions },
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
  },
  codeOf: (answer) => {
    const { error } = jsonOf(answer);
    return isJsonObject(error) ? codeAt(error, 'code') : undefined;
  },
  warningOf: ({ hostname, searchParams }) => {
    if (DEAD_HOSTS.test(hostname))
      return 'Microsoft has switched this host off: open the workflow in Teams, copy its present URL, and put that here';
    return searchParams.get('sig')
      ? undefined
      : 'the URL has no "sig", which is what lets a message in: copy the whole URL of a workflow that anyone can trigger';
  },
  // The trigger answers before the workflow posts the card, and only the workflow knows whether that succeeded.
  receiptOf: ({ status }) => (status >= 200 && status <= 299 ? { [ACCEPTED_AS]: String(status) } : undefined),
  plainOf: plainTeams,
});
