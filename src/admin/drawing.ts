/** Shows what the config in force makes of a callback: its routes, and the message for each destination. Sends nothing. */
import { type CheckedCallback, TooManyValues } from '../callback/callback.ts';
import { readCallback } from '../callback/decode.ts';
import type { ChannelType, Composed } from '../channels/channel.ts';
import { type Config, formatsOf } from '../config/config.ts';
import type { Destination } from '../config/destination.ts';
import { tooLarge } from '../http/problem.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import type { Telling } from '../signal/decide.ts';
import { withRouteOptions } from '../deliver/plan.ts';
import type { Planning } from '../deliver/settings.ts';
import { destinationsOf, type PlannedTarget } from '../route/router.ts';

export type Drawing = ReturnType<typeof drawingOf>;

export function drawingOf(
  { config, router, renderer }: Pick<Planning, 'config' | 'router'> & { readonly renderer: Renderer },
  channelTypes: ReadonlyMap<string, ChannelType>,
) {
  return { config, router, renderer, formats: formatsOf(config, channelTypes) };
}

/**
 * Reads a callback's body as the receiver would.
 * @throws {UndecodableBody} @throws {InvalidCallback} @throws {HttpProblem} 413 too large
 */
export function readPosted(body: Uint8Array, { display, receiver }: Config): CheckedCallback {
  const { maxBodyBytes, maxNodes } = receiver;
  if (body.byteLength > maxBodyBytes) throw tooLarge(`is larger than ${maxBodyBytes} bytes`);
  try {
    return readCallback(body, display.timezone, maxNodes);
  } catch (error) {
    throw error instanceof TooManyValues ? tooLarge(error.message) : error;
  }
}

/** A message's destination and the route that sends it there; `route` is undefined if no route does. */
type DrawnPlace = Pick<Destination, 'destination' | 'channel' | 'options' | 'mentionHours'> &
  Pick<PlannedTarget, 'route' | 'templateSet' | 'asked'>;

/** A rendered message. Its destination may be just a channel's name. */
export interface DrawnMessage extends Pick<DrawnPlace, 'destination' | 'route'> {
  readonly composed: Composed;
  /** Templates that failed for this message and were replaced by another one. */
  readonly failures: readonly TemplateFailure[];
}

/** @param to a destination or a channel, which need not be routed to; undefined for all destinations of the notice's routes */
export function placesFor(
  notice: Notice,
  to: string | undefined,
  { config, router }: Drawing,
): readonly DrawnPlace[] {
  const alerted = config.delivery.alerts.map((told) => ({ ...told, route: 'delivery.alerts' }));
  const routed = isAlert(notice) ? alerted : router.route(notice.callback).destinations;
  if (to === undefined) return routed;
  const isNamed = ({ destination }: Destination) => destination === to;
  const [channel = ''] = to.split(':', 1);
  const elsewhere = { destination: to, channel, options: {} };
  return [routed.find(isNamed) ?? destinationsOf(config).get(to) ?? elsewhere];
}

/** How a message is sent, and when. `now`: milliseconds since 1970. */
interface DrawnFor {
  readonly telling?: Telling | undefined;
  readonly now: number;
}

/** Renders the notice by the current config. @returns undefined if the config does not have the channel */
export function drawAt(
  place: DrawnPlace,
  notice: Notice,
  { formats, config, renderer }: Drawing,
  { telling, now }: DrawnFor,
): DrawnMessage | undefined {
  const format = formats.get(place.channel);
  if (format === undefined) return undefined;
  const { destination, options, route, templateSet } = withRouteOptions(place, telling, { config, now });
  const target = { format, destination, templateSet, options };
  const failures: TemplateFailure[] = [];
  const composed = renderer.render(notice, target, (failure) => failures.push(failure));
  return { destination, route, composed, failures };
}
