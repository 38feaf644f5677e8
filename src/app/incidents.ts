/** Ends incidents that are over without a sign of their own, and keeps the one of a refused config. */
import type { ChannelType } from '../channels/channel.ts';
import type { Problem } from '../config/config.ts';
import { CONFIG_REFUSED, reloadAlert } from '../deliver/alerts.ts';
import type { Chore } from '../deliver/chores.ts';
import type { Delivering } from '../deliver/delivering.ts';
import { toldOfTroublesAlone } from '../people/incidents.ts';

const INTERVAL_MS = 5000;

interface Parts extends Pick<Delivering, 'ledger' | 'settings'> {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
}

export function incidentChore({ ledger, settings, channelTypes }: Parts): Chore {
  return {
    everyMs: INTERVAL_MS,
    async work() {
      const { config, destinations } = settings.current;
      const troubled = await ledger.troubledDestinations();
      const unrouted = troubled.filter((destination) => !destinations.has(destination));
      const noNews = toldOfTroublesAlone(settings.current, channelTypes);
      await ledger.careForIncidents({ unrouted, keepMs: config.store.keepMs, noNews });
    },
  };
}

/** The config on the disk was refused: the operators are told unless it is mended soon. */
export function configRefused(
  { ledger, settings }: Pick<Parts, 'ledger' | 'settings'>,
  problems: readonly Problem[],
): Promise<void> {
  const { file, delivery } = settings.current.config;
  const first = problems.find(({ severity }) => severity === 'error');
  const gist = first === undefined ? '' : `${first.place.file}:${first.place.line}: ${first.message}`;
  const noticed = { key: CONFIG_REFUSED, sign: 'reload', gist } as const;
  return ledger.noticeOwn(noticed, reloadAlert(file, problems, delivery));
}

/** The config on the disk is the one in force. */
export function configMended({ ledger, settings, channelTypes }: Parts): Promise<void> {
  return ledger.endOwn(CONFIG_REFUSED, toldOfTroublesAlone(settings.current, channelTypes));
}
