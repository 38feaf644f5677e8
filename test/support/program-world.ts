/** The built program as processes that may be killed, between a Slack and a mail server that keep count. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MailCatcher, startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import { CHANNELS, type SlackFault, type SlackStandIn, startSlackStandIn } from './faulty-slack.ts';
import type { ReceivedCall } from '../../src/stand-ins/slack-stand-in.ts';
import { serve, type ServeOptions, type ServeProcess } from './process.ts';
import { toldBy } from './proof-tally.ts';
import { tempFolder } from './temp-folder.ts';

export const TOKEN = 'xoxb-PROGRAM-SECRET';

/** The destination of every callback, unless a test routes it elsewhere. */
export const SLACK_OPS = 'slack:#ops';
const MAIL_OPS = 'email:ops@example.com';
export const DESTINATIONS = [SLACK_OPS, MAIL_OPS];
const EVERYBODY = `{ slack: '#ops' }, { email: [ops@example.com] }`;

interface ProgramSettings {
  /** `sqlite:` or `postgres://`; by default a SQLite file in the world's folder. */
  readonly store?: string | undefined;
  /** Further keys of `store`, e.g. `max_size: 32mb`. */
  readonly ledger?: string | undefined;
  readonly receiver?: string;
  readonly delivery?: string;
  readonly routes?: string;
  /** The destinations of the default route, as YAML list items; default: `DESTINATIONS`. */
  readonly notify?: string;
  readonly faultOf?: ((call: ReceivedCall) => SlackFault | undefined) | undefined;
}

export type ProgramWorld = Awaited<ReturnType<typeof createProgramWorld>>;

export async function createProgramWorld(settings: ProgramSettings = {}) {
  const folder = tempFolder();
  const tokens = [TOKEN];
  const { faultOf } = settings;
  const slack = await startSlackStandIn({ tokens, channels: CHANNELS, faultOf });
  const mail = await startMailCatcher();
  const config = join(folder, 'botbell.yaml');
  const file = join(folder, 'botbell.db');
  const store = settings.store ?? `sqlite:${file}`;
  writeFileSync(config, configOf(settings, { store, slack, mail }));
  const running: ServeProcess[] = [];
  return {
    folder,
    /** The SQLite file, if there is one. */
    file,
    store,
    slack,
    mail,
    tokens,
    /** Changes the config's text; a running program still has the config that it has loaded. */
    rewrite: (mend: (yaml: string) => string) => writeFileSync(config, mend(readFileSync(config, 'utf8'))),
    /** Starts the program; it is killed at the end if it still runs. */
    async start(options?: ServeOptions, variables?: Record<string, string>) {
      const started = await serve(config, variables, options);
      running.push(started);
      return started;
    },
    told: () => toldBy(slack, mail),
    async close() {
      for (const each of running) each.kill('SIGKILL');
      await Promise.all(running.map((each) => each.exited()));
      await Promise.all([slack.close(), mail.close()]);
    },
  };
}

function configOf(
  { ledger = '', receiver = '', delivery = '', routes = '', notify = EVERYBODY }: ProgramSettings,
  { store, slack, mail }: { store: string; slack: SlackStandIn; mail: MailCatcher },
): string {
  return `
receiver: { listen: '127.0.0.1:0', ${receiver} }
admin: { listen: '127.0.0.1:0' }
store: { url: '${store}', ${ledger} }
delivery: { ${delivery} }
channels:
  slack: { type: slack, token: '${TOKEN}', api_url: '${slack.apiUrl}' }
  email: { type: email, smtp: 'smtp://${mail.host}/?ignoreTLS=true', from: alerts@example.com }
groups:
  operators: [{ email: [operators@example.com] }]
${routes}
default_route: { notify: [${notify}] }
`;
}
