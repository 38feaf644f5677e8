/** What only shows when settings are seen together: contradictions as errors, what cannot be meant as warnings. */
import type { AdminConfig, DeliveryConfig, ListenAddress, ReceiverConfig, StoreConfig } from '../config.ts';
import type { Findings } from '../findings.ts';
import { parseSize } from '../../time/duration.ts';
import { isLoopback } from '../listen-address.ts';
import type { Directory } from '../read/read-groups.ts';
import { storeSchema } from '../schema/schema.ts';

/** The service never posts a callback again sooner (callback interface, "Limits"). */
const SERVICE_RETRY_MS = 30_000;

/** About 96 random bits in a URL-safe alphabet. */
const MIN_TOKEN_LENGTH = 16;

/** In SQLite a body is written to the log first, beside what the ledger holds already. */
const BODIES_THAT_FIT = 4;

const DEFAULT_MAX_SIZE_BYTES = parseSize(storeSchema.getDefault().max_size);

/** Sections that are wrong by themselves are undefined. */
export interface Settings {
  readonly receiver: ReceiverConfig | undefined;
  readonly admin: AdminConfig | undefined;
  readonly store: StoreConfig | undefined;
  readonly delivery: DeliveryConfig | undefined;
}

export function checkTogether(settings: Settings, findings: Findings): void {
  const { receiver, admin, store, delivery } = settings;
  if (receiver) warnOfReceiver(receiver, findings);
  if (admin) checkAdmin(admin, receiver, findings);
  if (store) checkStore(store, receiver, findings);
  if (delivery) warnOfDelivery(delivery, receiver, findings);
}

function warnOfReceiver(receiver: ReceiverConfig, findings: Findings): void {
  const { tokens, allowFrom, listen, answerWithinMs } = receiver;
  if (tokens.some((token) => token.length < MIN_TOKEN_LENGTH)) {
    const message = `receiver.token is short: take ${MIN_TOKEN_LENGTH} random characters or more`;
    findings.warning(['receiver', 'token'], message);
  }
  if (!isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0) {
    const message = 'receiver.listen is open to everybody: set receiver.token or receiver.allow_from';
    findings.warning(['receiver', 'listen'], message);
  }
  if (answerWithinMs >= SERVICE_RETRY_MS) {
    const message =
      'receiver.answer_within is so long that the service may post again (after 30s) before it is answered';
    findings.warning(['receiver', 'answer_within'], message);
  }
}

function checkAdmin(admin: AdminConfig, receiver: ReceiverConfig | undefined, findings: Findings): void {
  const path = ['admin', 'listen'];
  if (!isLoopback(admin.listen.host) && admin.password === undefined) {
    findings.error(
      path,
      'admin.listen is open beyond this machine: set admin.password, or listen on 127.0.0.1',
    );
  }
  if (receiver && isSameAddress(admin.listen, receiver.listen)) {
    findings.error(path, 'admin.listen is the address of receiver.listen: take another port');
  }
}

function checkStore(
  { url, maxSizeBytes }: StoreConfig,
  receiver: ReceiverConfig | undefined,
  findings: Findings,
): void {
  if (url === 'sqlite::memory:') {
    const message = 'store.url keeps everything in memory: a restart forgets who has been told';
    findings.warning(['store', 'url'], message);
  }
  const path = ['store', 'max_size'];
  if (!url.startsWith('sqlite:')) {
    if (maxSizeBytes === DEFAULT_MAX_SIZE_BYTES) return;
    const message = 'store.max_size is for SQLite alone: bound the disk of the PostgreSQL server';
    findings.warning(path, message);
  } else if (receiver && maxSizeBytes < BODIES_THAT_FIT * receiver.maxBodyBytes) {
    const message = `store.max_size must be ${BODIES_THAT_FIT} times receiver.max_body or more, for one callback to fit`;
    findings.error(path, message);
  }
}

function isSameAddress(one: ListenAddress, other: ListenAddress): boolean {
  return one.port !== 0 && one.port === other.port && one.host === other.host;
}

function warnOfDelivery(
  delivery: DeliveryConfig,
  receiver: ReceiverConfig | undefined,
  findings: Findings,
): void {
  if (receiver && delivery.timeoutMs > receiver.answerWithinMs) {
    const message = 'delivery.timeout is longer than receiver.answer_within, which ends an attempt before it';
    findings.warning(['delivery', 'timeout'], message);
  }
  if (delivery.giveUpAfterMs <= delivery.takeOverAfterMs) {
    const message =
      'delivery.give_up_after is not longer than delivery.take_over_after: nothing is ever taken over';
    findings.warning(['delivery', 'give_up_after'], message);
  }
}

/** Groups and channels that nothing names. */
export function warnOfUnused(directory: Directory, findings: Findings): void {
  for (const name of directory.groups.keys()) {
    if (!directory.usedGroups.has(name)) {
      findings.warningAtKey(['groups', name], `the group ${name} is never used`);
    }
  }
  for (const name of directory.channels.keys()) {
    if (!directory.usedChannels.has(name)) {
      findings.warningAtKey(['channels', name], `the channel ${name} is never used`);
    }
  }
}
