/** Microsoft Teams by a Workflow ("When a Teams webhook request is received"), which posts an Adaptive Card. */
import { isJsonObject } from '../../text/json-object.ts';
import { codeAt, jsonOf, meaning, type Meanings } from '../answers.ts';
import { ACCEPTED_AS } from '../channel.ts';
import { type HookChat, hookChannel, URL_ALONE } from '../hooks/hook-channel.ts';
import { plainTeams, teamsFormat, teamsMentions, type TeamsMessage } from './compose.ts';

/** Answers of the trigger (learn.microsoft.com/azure/logic-apps, "Workflow triggers"), by the code in `error.code`. */
const MEANINGS: Meanings = {
  WorkflowTriggerIsNotEnabled: meaning(
    'config',
    'the workflow is switched off or was deleted; switch it on, or make a new one and put its URL into the config',
    'ワークフローが無効か、削除されています。有効にするか、新しく作成したワークフローのURLを設定してください',
  ),
  WorkflowNotFound: meaning(
    'config',
    'there is no such workflow any more; make a new one and put its URL into the config',
    'ワークフローが存在しません。新しく作成し、そのURLを設定してください',
  ),
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
};

/** Connectors of Office 365 ended in May 2026, the first hosts of workflows on 30 November 2025. */
const DEAD_HOSTS = /\.webhook\.office\.com$|\.logic\.azure\.com$/;

const teams: HookChat<TeamsMessage> = {
  type: 'teams',
  title: { en: 'Teams', ja: 'Teams' },
  // None is published for the trigger; the connectors before it took four a second.
  paceMs: 1000,
  format: teamsFormat,
  options: { mention_on_error: teamsMentions },
  hook: URL_ALONE,
  meanings: MEANINGS,
  limits: 'address',
  codeOf: (answer) => {
    const { error } = jsonOf(answer);
    return isJsonObject(error) ? codeAt(error, 'code') : undefined;
  },
  warningOf: ({ hostname, searchParams }) => {
    if (DEAD_HOSTS.test(hostname))
      return 'Microsoft has switched this host off: open the workflow in Teams, copy its present URL, and put that here';
    return searchParams.has('sig')
      ? undefined
      : 'the URL has no "sig", which is what lets a message in: copy the whole URL of a workflow that anyone can trigger';
  },
  // The trigger answers before the card is posted: whether it was, nobody outside of the workflow can see.
  receiptOf: ({ status }) => (status >= 200 && status <= 299 ? { [ACCEPTED_AS]: String(status) } : undefined),
  plainOf: plainTeams,
};

export const teamsChannel = hookChannel(teams);
