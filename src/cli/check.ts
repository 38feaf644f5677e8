/** `botbell check`: everything that is wrong with the config and its templates, before anybody relies on it. */
import { formatProblem } from '../config/problems.ts';
import { type CommandContext, configFileOf, styled } from './context.ts';
import { checkProject } from './load-project.ts';
import { channelTypes } from '../channels/registry.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import { redactor } from '../app/settings.ts';
import { inspectStore } from '../ledger/inspect-store.ts';

export interface CheckOptions {
  /** Also asks Slack and the mail server whether they take our credentials, and looks at the store. */
  readonly online?: boolean;
  /** Warnings count as errors. */
  readonly strict?: boolean;
  /** What variables and files would give is taken for granted: for where none are set. */
  readonly withoutSecrets?: boolean;
}

export async function checkCommand(context: CommandContext, options: CheckOptions): Promise<number> {
  const { project, problems, missing } = checkProject(context, options.withoutSecrets);
  for (const problem of problems) context.result(formatProblem(problem));
  if (missing.length > 0) context.message(`not set here, and so not checked: ${missing.join(', ')}`);
  const isClean =
    options.strict === true
      ? problems.length === 0
      : problems.every(({ severity }) => severity === 'warning');
  const isOnline =
    project === undefined || options.online !== true || (await checkOnline(context, project.config));
  if (!isClean || !isOnline) return 1;
  context.result(`${configFileOf(context)}: ${styled(context, 'green', 'ok')}`);
  return 0;
}

/** Each is named with what it answered. @returns whether all is well */
async function checkOnline(context: CommandContext, config: Config): Promise<boolean> {
  const checks: Check[] = [
    ...[...config.channels.values()].map(channelCheck),
    {
      what: 'store',
      run: async () => STORE_STATES[await inspectStore(config.store.url)],
    },
  ];
  const redact = redactor(config.secrets);
  let isFine = true;
  for (const { what, run } of checks) {
    try {
      context.result(`${what}: ${styled(context, 'green', await run())}`);
    } catch (error) {
      isFine = false;
      const reason = redact(error instanceof Error ? error.message : String(error));
      context.result(`${what}: ${styled(context, 'red', 'cannot be used')}: ${reason}`);
    }
  }
  return isFine;
}

interface Check {
  readonly what: string;
  /** @returns what is well. @throws {Error} what is not */
  readonly run: () => Promise<string>;
}

const STORE_STATES = {
  new: 'can be used; `serve` makes a new ledger there',
  ready: 'can be used',
} as const;

function channelCheck({ name, type, settings }: ChannelConfig): Check {
  return {
    what: `channel ${name}`,
    run: async () => {
      const channel = await channelTypes.get(type)?.open(settings, { print: () => undefined });
      try {
        await channel?.verify();
        return 'can be used';
      } finally {
        await channel?.close();
      }
    },
  };
}
