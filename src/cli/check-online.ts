/** `botbell check --online`: whether the channels and the store would let us in, without sending or writing anything. */
import { channelTypes } from '../channels/registry.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import { redactor } from '../deliver/redact.ts';
import { inspectStore } from '../ledger/inspect-store.ts';
import { type CommandContext, styled } from './context.ts';

/** Each is named with what it answered. @returns whether all is well */
export async function checkOnline(context: CommandContext, config: Config): Promise<boolean> {
  const checks: Check[] = [
    ...[...config.channels.values()].map(channelCheck),
    {
      what: 'store',
      trouble: 'cannot be used',
      run: async () => STORE_STATES[await inspectStore(config.store.url)],
    },
  ];
  const redact = redactor(config.secrets);
  let isFine = true;
  for (const { what, trouble, run } of checks) {
    try {
      context.result(`${what}: ${styled(context, 'green', await run())}`);
    } catch (error) {
      isFine = false;
      const reason = redact(error instanceof Error ? error.message : String(error));
      context.result(`${what}: ${styled(context, 'red', trouble)}: ${reason}`);
    }
  }
  return isFine;
}

interface Check {
  readonly what: string;
  readonly trouble: string;
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
    trouble: 'does not let us in',
    run: async () => {
      const channel = await channelTypes.get(type)?.open(settings, { print: () => undefined });
      try {
        await channel?.verify();
        return 'lets us in';
      } finally {
        await channel?.close();
      }
    },
  };
}
