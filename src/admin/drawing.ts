/** What the config in force makes of a callback, for whoever wants to see it: routes, and the message for each destination. */
import type { CheckedCallback } from '../callback/callback.ts';
import type { ComposedMessage } from '../channels/message-document.ts';
import type { MessageFormat } from '../channels/channel.ts';
import type { Config, Destination } from '../config/config.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { TemplateFailure } from '../render/renderer.ts';
import type { RenderTarget } from '../render/catalog.ts';
import { destinationsOf, type RoutedDestination, type Router } from '../route/router.ts';

/** By one config; it sends nothing, and counts nothing. */
export interface Drawing {
  readonly config: Config;
  /** By the name of the channel. */
  readonly formats: ReadonlyMap<string, MessageFormat>;
  readonly templateSets: readonly string[];
  readonly router: Router;
  /**
   * Reads it as the receiver would.
   * @throws {UndecodableBody}
   * @throws {InvalidCallback}
   * @throws {HttpProblem} 413 too large
   */
  read(bytes: Uint8Array): CheckedCallback;
  draw(notice: Notice, target: RenderTarget): Pick<DrawnMessage, 'message' | 'failures'>;
}

/** Where a message goes, and by which route: undefined where none sends it there. */
export type Place = Pick<Destination, 'destination' | 'channel' | 'options'> &
  Pick<Partial<RoutedDestination>, 'route' | 'templateSet'>;

/** Its destination may be the name of a channel. */
export interface DrawnMessage extends ComposedMessage, Pick<Place, 'destination' | 'route' | 'templateSet'> {
  /** Templates that failed over it; another one took their place. */
  readonly failures: readonly TemplateFailure[];
}

/** Whom the routes say, or the one that is asked for, a destination or a channel, whether they do or not. */
export function placesFor(
  notice: Notice,
  to: string | undefined,
  { config, router }: Drawing,
): readonly Place[] {
  const alerted = config.delivery.alerts.map((told) => ({ ...told, route: 'delivery.alerts' }));
  const routed = isAlert(notice) ? alerted : router.route(notice.callback).destinations;
  if (to === undefined) return routed;
  const isIt = ({ destination }: Destination) => destination === to;
  const [channel = ''] = to.split(':', 1);
  return [
    routed.find(isIt) ?? destinationsOf(config).find(isIt) ?? { destination: to, channel, options: {} },
  ];
}

/** As it would be drawn now; undefined: the config has no such channel. */
export function drawAt(place: Place, notice: Notice, drawing: Drawing): DrawnMessage | undefined {
  const { destination, channel, options, route, templateSet } = place;
  const format = drawing.formats.get(channel);
  if (format === undefined) return undefined;
  const target = { format, destination, templateSet, options };
  return { destination, route, templateSet, format, ...drawing.draw(notice, target) };
}
