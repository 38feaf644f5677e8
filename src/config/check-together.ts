/** Finds what contradicts itself among settings that are right one by one, and what nothing uses. */
import { parseSize } from '../time/display.ts';
import type { AdminConfig, Config, DeliveryConfig, ReceiverConfig, StoreConfig } from './config.ts';
import { isLoopback } from './field-rules.ts';
import { storeSchema } from './schema.ts';
import type { Problems } from './problems.ts';
import type { Directory } from './read-destinations.ts';

/** The service never posts a callback again sooner (callback interface, "Limits"). */
const SERVICE_RETRY_MS = 30_000;

/** About 96 random bits in a URL-safe alphabet. */
const MIN_TOKEN_LENGTH = 16;

/** In SQLite a body is written to the log first, beside what the ledger holds already. */
const BODIES_THAT_FIT = 4;

/** Sections that are wrong by themselves are left out. */
type Settings = Partial<Pick<Config, 'receiver' | 'admin' | 'store' | 'delivery'>>;

export function checkTogether(settings: Settings, problems: Problems): void {
  const { receiver, admin, store, delivery } = settings;
  if (receiver) warnOfReceiver(receiver, problems);
  if (admin) checkAdmin(admin, receiver, problems);
  if (store) checkStore(store, receiver, problems);
  if (delivery) warnOfDelivery(delivery, receiver, problems);
}

function warnOfReceiver(receiver: ReceiverConfig, problems: Problems): void {
  const { tokens, allowFrom, listen, answerWithinMs } = receiver;
  const warn = (key: string, what: string) => problems.warning(['receiver', key], what);
  if (tokens.some((token) => token.length < MIN_TOKEN_LENGTH))
    warn('token', `is short: take ${MIN_TOKEN_LENGTH} random characters or more`);
  if (!isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0)
    problems.error(
      ['receiver', 'listen'],
      'is open to everybody: set receiver.token or receiver.allow_from, or listen on 127.0.0.1',
    );
  if (answerWithinMs >= SERVICE_RETRY_MS)
    warn('answer_within', 'is so long that the service may post again (after 30s) before it is answered');
}

function checkAdmin(admin: AdminConfig, receiver: ReceiverConfig | undefined, problems: Problems): void {
  const path = ['admin', 'listen'];
  if (!isLoopback(admin.listen.host) && admin.password === undefined)
    problems.error(path, 'is open beyond this machine: set admin.password, or listen on 127.0.0.1');
  if (admin.metricsToken !== undefined && admin.password === undefined)
    problems.warning(['admin', 'metrics_token'], 'guards nothing: without admin.password, /metrics is open');
  const { port, host } = admin.listen;
  if (port !== 0 && port === receiver?.listen.port && isSameHost(host, receiver.listen.host))
    problems.error(path, 'is the address of receiver.listen: take another port');
}

/** Whether nobody could listen on both with the same port. */
function isSameHost(one: string, other: string): boolean {
  const [a = '', b = ''] = [one, other].map((host) => (/^localhost$/i.test(host) ? '127.0.0.1' : host));
  const isAny = (host: string) => host === '0.0.0.0' || host === '::';
  return a === b || isAny(a) || isAny(b);
}

function checkStore(
  { url, maxSizeBytes }: StoreConfig,
  receiver: ReceiverConfig | undefined,
  problems: Problems,
): void {
  if (url === 'sqlite::memory:')
    problems.warning(['store', 'url'], 'keeps everything in memory: a restart forgets who has been told');
  const path = ['store', 'max_size'];
  if (!url.startsWith('sqlite:')) {
    if (maxSizeBytes !== parseSize(storeSchema.getDefault().max_size))
      problems.warning(path, 'is for SQLite alone: bound the disk of the PostgreSQL server');
  } else if (receiver && maxSizeBytes < BODIES_THAT_FIT * receiver.maxBodyBytes) {
    const rule = `must be ${BODIES_THAT_FIT} times receiver.max_body or more, for one callback to fit`;
    problems.error(path, rule);
  }
}

function warnOfDelivery(
  { timeoutMs, giveUpAfterMs, takeOverAfterMs }: DeliveryConfig,
  receiver: ReceiverConfig | undefined,
  problems: Problems,
): void {
  const warn = (key: string, what: string) => problems.warning(['delivery', key], what);
  if (receiver && timeoutMs > receiver.answerWithinMs)
    warn('timeout', 'is longer than receiver.answer_within, which ends an attempt before it');
  if (giveUpAfterMs <= takeOverAfterMs)
    warn('give_up_after', 'is not longer than delivery.take_over_after: nothing is ever taken over');
}

/** Groups and channels that nothing names. */
export function warnOfUnused(directory: Directory, problems: Problems): void {
  const warn = (kind: 'group' | 'channel', all: ReadonlyMap<string, unknown>, used: ReadonlySet<string>) => {
    for (const name of all.keys())
      if (!used.has(name)) problems.warningAtKey([`${kind}s`, name], `the ${kind} ${name} is never used`);
  };
  warn('group', directory.groups, directory.usedGroups);
  warn('channel', directory.channels, directory.usedChannels);
}
