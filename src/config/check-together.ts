/** Finds what contradicts itself among settings that are right one by one, and what nothing uses. */
import type { RouteConfig, Settings } from './config.ts';
import { isLoopback } from './field-rules.ts';
import type { Problems } from './problems.ts';
import type { Directory } from './read-destinations.ts';

/** The service never posts a callback again sooner (callback interface, "Limits"). */
const SERVICE_RETRY_MS = 30_000;

/** About 96 random bits in a URL-safe alphabet. */
const MIN_TOKEN_LENGTH = 16;

/** In SQLite a body is written to the log first, beside what the ledger holds already. */
const BODIES_THAT_FIT = 4;

type Check = readonly [place: string, message: string, isWrong: (settings: Settings) => boolean | undefined];

const ERRORS: readonly Check[] = [
  [
    'receiver.listen',
    'is open to everybody: set receiver.token or receiver.allow_from, or listen on 127.0.0.1',
    ({ receiver: { listen, tokens, allowFrom } }) =>
      !isLoopback(listen.host) && tokens.length === 0 && allowFrom.length === 0,
  ],
  [
    'admin.listen',
    'is open beyond this machine: set admin.password, or listen on 127.0.0.1',
    ({ admin }) => admin && !isLoopback(admin.listen.host) && admin.password === undefined,
  ],
  [
    'store.max_size',
    `must be ${BODIES_THAT_FIT} times receiver.max_body or more, for one callback to fit`,
    ({ store, receiver }) =>
      store.url.startsWith('sqlite:') && store.maxSizeBytes < BODIES_THAT_FIT * receiver.maxBodyBytes,
  ],
];

const WARNINGS: readonly Check[] = [
  [
    'receiver.token',
    `is short: take ${MIN_TOKEN_LENGTH} random characters or more`,
    ({ receiver }) => receiver.tokens.some((token) => token.length < MIN_TOKEN_LENGTH),
  ],
  [
    'receiver.answer_within',
    'is so long that the service may post again (after 30s) before it is answered',
    ({ receiver }) => receiver.answerWithinMs >= SERVICE_RETRY_MS,
  ],
  [
    'admin.metrics_token',
    'guards nothing: without admin.password, /metrics is open',
    ({ admin }) => admin && admin.metricsToken !== undefined && admin.password === undefined,
  ],
  [
    'delivery.timeout',
    'is longer than receiver.answer_within, which ends an attempt before it',
    ({ delivery, receiver }) => delivery.timeoutMs > receiver.answerWithinMs,
  ],
  [
    'delivery.give_up_after',
    'is not longer than delivery.take_over_after: nothing is ever taken over',
    ({ delivery }) => delivery.giveUpAfterMs <= delivery.takeOverAfterMs,
  ],
];

export function checkTogether(settings: Settings, problems: Problems): void {
  for (const [place, message, isWrong] of ERRORS)
    if (isWrong(settings)) problems.error(place.split('.'), message);
  for (const [place, message, isWrong] of WARNINGS)
    if (isWrong(settings)) problems.warning(place.split('.'), message);
}

/**
 * Groups and channels that nothing names.
 * @param alerts names of groups
 */
export function warnOfUnused(
  { groups, channels }: Directory,
  routes: readonly RouteConfig[],
  alerts: readonly string[],
  problems: Problems,
): void {
  const named = new Set([...alerts, ...routes.flatMap((route) => route.groups)]);
  const told = [...groups.values(), ...routes.map(({ notify }) => notify)].flat();
  const warn = (kind: 'group' | 'channel', all: ReadonlyMap<string, unknown>, used: ReadonlySet<string>) => {
    for (const name of all.keys())
      if (!used.has(name)) problems.warningAtKey([`${kind}s`, name], `the ${kind} ${name} is never used`);
  };
  warn('group', groups, named);
  warn('channel', channels, new Set(told.map(({ channel }) => channel)));
}
