/** Settings of each type of channel, as each chat gives an example. */
import { parse } from 'yaml';
import { exampleOf } from '../../src/channels/about.ts';
import { channelTypes } from '../../src/channels/registry.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** @param host of each hook @param key what is secret of it, and each token */
export function settingsOfChats(host: string, key: string, hook = 'ops'): Readonly<Record<string, Settings>> {
  const all = [...channelTypes.values()].flatMap(({ type, about }) => {
    if (about === undefined) return [];
    const { channel } = exampleOf(type, about, 'en');
    const filled = channel
      .replace(/\$\{\w+_URL\}/, `https://${host}/${key}`)
      .replace(/\$\{\w+_SECRET\}/, `whsec_${'A'.repeat(32)}`)
      .replace(/\$\{\w+\}/, key)
      .replace('hooks: { ops', `hooks: { ${hook}`);
    const { type: _type, ...settings } = (parse(filled) as Record<string, Settings>)[type] ?? {};
    return [[type, settings] as const];
  });
  return Object.fromEntries(all);
}

export const CHANNEL_SETTINGS: Readonly<Record<string, Settings>> = {
  slack: { token: 'xoxb-1' },
  email: { smtp: 'smtps://mail.example.com', from: 'alerts@example.com' },
  outbox: { as: 'slack' },
  ...settingsOfChats('chat.example', 'key-of-the-remote'),
};
