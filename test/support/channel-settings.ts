/** Settings of each type of channel. */
export const CHANNEL_SETTINGS: Readonly<Record<string, unknown>> = {
  slack: { token: 'xoxb-1' },
  email: { smtp: 'smtps://mail.example.com', from: 'alerts@example.com' },
  slack_webhook: { hooks: { ops: 'https://hooks.slack.com/services/T1/B1/x' } },
  teams: { hooks: { ops: 'https://example.environment.api.powerplatform.com/x?sig=1' } },
  google_chat: { hooks: { ops: 'https://chat.googleapis.com/v1/spaces/A/messages?key=1&token=2' } },
  chatwork: { token: '0123456789abcdef' },
  lineworks: { hooks: { ops: 'https://webhook.worksmobile.com/message/x' } },
  discord: { hooks: { ops: 'https://discord.com/api/webhooks/1/x' } },
  mattermost: { hooks: { ops: 'https://chat.example.com/hooks/x' } },
  webhook: { hooks: { erp: { url: 'https://erp.example.com/hook' } } },
  outbox: { as: 'slack' },
};
