/** `botbell check`: reports all problems of the config and its templates. */
import { errorIn, FaultError } from '../../text/fault.ts';
import { redactor, secretsHidden } from '../../text/hide-secrets.ts';
import { problemLines } from '../../config/problems.ts';
import { type CommandContext, configFileOf, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import type { Words } from '../words.ts';
import { namesIn, readProject } from '../load-config.ts';
import { failureInWords } from '../../channels/failure.ts';
import { channelTypes } from '../../channels/registry.ts';
import type { ChannelConfig, Config } from '../../config/config.ts';
import { poolsThrough } from '../../outbound/exchange.ts';
import type { Proxies } from '../../outbound/proxy.ts';
import { fileOf, inspectStore } from '../../ledger/open-ledger.ts';
import { meetsCondition } from '../../render/condition.ts';

export async function run(context: CommandContext, options: OptionsOf<'check'>) {
  const { withoutSecrets = false } = options;
  const { loaded, problems, missing, language } = await readProject(context, { withoutSecrets });
  context.speaks.language = language ?? context.speaks.language;
  for (const line of problemLines(problems, context.speaks.language)) context.result(line);
  if (missing.length > 0) context.message(context.say('check.missing', { names: namesIn(missing) }));
  const isClean = problems.every(({ severity }) => severity === 'warning' && options.strict !== true);
  const isOnline =
    loaded === undefined || options.online !== true || (await checkOnline(context, loaded.config));
  if (!isClean || !isOnline) return 1;
  context.result(`${configFileOf(context)}: ${styled(context, 'green', 'ok')}`);
  return 0;
}

/** Reports the result of each channel and of the store. @returns whether all can be used */
async function checkOnline(
  context: CommandContext,
  { channels, store, secrets, proxies }: Config,
): Promise<boolean> {
  const { say, speaks } = context;
  const redact = redactor(secretsHidden(secrets));
  const canBeUsed = async (what: string, check: () => Promise<string>) => {
    try {
      context.result(`${what}: ${styled(context, 'green', await check())}`);
      return true;
    } catch (error) {
      const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
      for (const each of errors) {
        const inWords = each instanceof Error && !(each instanceof FaultError) ? failureInWords : errorIn;
        const reason = redact(inWords(each as Error, speaks.language));
        context.result(`${what}: ${styled(context, 'red', say('check.unusable'))}: ${reason}`);
      }
      return false;
    }
  };
  let isFine = true;
  for (const channel of channels.values())
    if (!(await canBeUsed(say('check.channel', { name: channel.name }), () => verify(channel, proxies, say))))
      isFine = false;
  const file = fileOf(store.url) ?? '';
  const isStoreFine = await canBeUsed(say('check.store', { file: file && ` ${file}` }), async () =>
    say(STORE_STATES[await inspectStore(store.url)]),
  );
  return isFine && isStoreFine;
}

const STORE_STATES = {
  none: 'check.new store',
  older: 'check.older store',
  ready: 'check.usable',
} as const;

async function verify({ type, settings }: ChannelConfig, proxies: Proxies, say: Words): Promise<string> {
  const openPool = poolsThrough(proxies);
  const environment = { print: () => undefined, openPool, meetsCondition };
  const channel = await channelTypes.get(type)?.open(settings, environment);
  try {
    await channel?.verify();
    return say('check.usable');
  } finally {
    await channel?.close();
  }
}
