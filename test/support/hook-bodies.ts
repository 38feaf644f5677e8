/** The bodies that the hooks of a config send in place of a message. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/app/settings.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { webhookChannel } from '../../src/channels/webhook/channel.ts';
import { problemLines } from '../../src/config/problems.ts';
import { callbackWith, noticeAbout } from './callbacks.ts';
import { tempFolder } from './temp-folder.ts';

type Settings = Parameters<typeof webhookChannel.open>[0];

export async function hooksOf(config: string, variables: Readonly<Record<string, string>> = {}) {
  const file = join(tempFolder(), 'botbell.yaml');
  writeFileSync(file, config);
  const { loaded, problems } = await readConfig({ file, variables, channelTypes });
  if (loaded === undefined) {
    const errors = problemLines(problems.filter(({ severity }) => severity === 'error'));
    throw new Error(errors.join('\n').replaceAll(file, 'botbell.yaml'));
  }
  const settingsOf = (channel: string) => loaded.config.channels.get(channel)?.settings as Settings;
  return {
    settingsOf,
    /** @param failed gets the format and template of what fails */
    by: (channel: string, hook: string, callback: Partial<Callback>, failed: string[] = []) => {
      const format = webhookChannel.formatOf(settingsOf(channel));
      const target = { templateSet: undefined, options: {}, destination: `${channel}:${hook}`, format };
      const notice = noticeAbout(callbackWith(callback));
      return loaded.renderer.render(notice, target, ({ format: of, template }) =>
        failed.push(`${of}/${template}`),
      );
    },
  };
}
