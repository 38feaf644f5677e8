/** The config of a small office, as its operator would write it. */
import type { Remotes } from './remotes.ts';
import { SLACK_TOKEN } from './remotes.ts';

export interface OfficeConfig {
  /** Of the SQLite ledger. */
  readonly file: string;
  readonly remotes: Pick<Remotes, 'slack' | 'mail'>;
  /** Further keys of `admin`, e.g. `password: 'x'`. */
  readonly admin?: string;
  /** Further routes, as YAML list items indented by two. */
  readonly routes?: string;
  /** Further keys of `delivery`. */
  readonly delivery?: string;
}

export function officeConfig({
  file,
  remotes,
  admin = '',
  routes = '',
  delivery = '',
}: OfficeConfig): string {
  return `receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0', ${admin} }
store: { url: 'sqlite:${file}' }
delivery: { alerts: [operators], give_up_after: 3h, ${delivery} }
display:
  timezone: Asia/Tokyo
  language: en
  links:
    job: https://bots.example.com/jobs/{{ job_id }}
    file: https://bots.example.com/{{ ref }}
channels:
  slack: { type: slack, token: '${SLACK_TOKEN}', api_url: '${remotes.slack.apiUrl}' }
  email: { type: email, smtp: 'smtp://${remotes.mail.host}/?ignoreTLS=true', from: 'BOT alerts <alerts@example.com>' }
groups:
  operators:
    - slack: '#bot-alerts'
      mention_on_error: '@here'
    - email: [ops@example.com]
  accounting:
    - slack: '#keiri'
    - email: [accounting@example.com]
routes:
  - bot_id: get_items
    notify: [{ slack: '#shop' }, { email: owner@example.com }]
  - bot_id: 'invoice-*'
    notify: [operators]
  - bot_id: payroll
    on: [error]
    notify: [accounting]
  - bot_id: price-watch
    notify: [{ slack: '#old-prices' }, { email: owner@example.com }]
  - bot_id: newsletter
    notify: [{ email: readers@example.com }, { slack: '#bot-log' }]
  - bot_id: 'nightly-*'
    notify: [{ slack: '#bot-log' }]
  - bot_id: playground
    notify: []
${routes}default_route:
  on: [error]
  notify: [operators]
`;
}
