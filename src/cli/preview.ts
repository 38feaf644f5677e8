/** `botbell preview`: shows a callback as each destination would get it, as text, JSON or HTML, and sends nothing. */
import type { Callback } from '../callback/callback.ts';
import type { Composed } from '../channels/channel.ts';
import { frameHeightOf, messageDocument } from '../channels/preview.ts';
import { channelTypes } from '../channels/registry.ts';
import { formatsOf, type Config, type Destination, optionsAt } from '../config/config.ts';
import { noticeOf } from '../notice/notice.ts';
import { destinationTyped } from '../people/destinations.ts';
import { createRouter, type PlannedTarget } from '../route/router.ts';
import { systemClock } from '../time/clock.ts';
import { escapeHtml as html, visibleAndIndented, visibleOnOneLine } from '../text/clean.ts';
import { type CommandContext, printJson, styled } from './context.ts';
import { loadProject } from './load-config.ts';
import { readCallback } from './read-callback.ts';

interface Options {
  readonly to?: string;
  readonly format: 'text' | 'json' | 'html';
}

interface PreviewedMessage {
  readonly destination: string;
  readonly composed: Composed;
}

export async function run(context: CommandContext, file: string, options: Options): Promise<number> {
  const { config, renderer } = await loadProject(context, { withoutSecrets: true });
  const checked = await readCallback(context, file, config);
  const formats = formatsOf(config, channelTypes);
  const previews = chosen(context, config, checked.callback, options.to).flatMap((routed) => {
    const { destination, channel } = routed;
    const format = formats.get(channel);
    if (format === undefined) return [];
    const options = optionsAt(routed, systemClock.now(), config.display.timezone);
    const composed = renderer.render(
      noticeOf(checked, 1),
      { templateSet: undefined, ...routed, options, format },
      (failure) => context.message(visibleOnOneLine(failure.message)),
    );
    return [{ destination, channel, composed }];
  });
  if (previews.length === 0) context.message('no route sends this callback to anybody');
  if (options.format === 'html') context.result(previewPage(previews));
  else if (options.format === 'json') printJson(context, previews.map(shapeOf));
  else context.result(previews.map((each) => inLines(context, each)).join('\n'));
  return 0;
}

function shapeOf({ destination, channel, composed }: PreviewedMessage & { readonly channel: string }) {
  return { destination, channel, message: composed.message };
}

function inLines(context: CommandContext, { destination, composed }: PreviewedMessage): string {
  return `${styled(context, 'bold', destination)}\n${visibleAndIndented(composed.asText())}\n`;
}

type Routed = Destination & Pick<PlannedTarget, 'templateSet'>;

/** The destinations that the callback is routed to, or only `to`, even if no route sends the callback there. */
function chosen(
  context: CommandContext,
  config: Config,
  callback: Callback,
  to: string | undefined,
): readonly Routed[] {
  const { destinations } = createRouter(config.routes, config.defaultRoute).route(callback);
  if (to === undefined) return destinations;
  const wanted = destinationTyped(to, config);
  const routed = destinations.find(({ destination }) => destination === wanted.destination);
  if (routed === undefined)
    context.message(visibleOnOneLine(`${wanted.destination}: no route sends this callback there`));
  return [routed ?? wanted];
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0 auto; max-width: 720px; padding: 24px 16px; font: 15px/1.5 system-ui, sans-serif; }
  h1 { font-size: 22px; margin: 0; }
  h2 { font-size: 15px; margin: 32px 0 8px; overflow-wrap: anywhere; }
  h3 { font-size: 15px; font-weight: 600; margin: 0 0 8px; overflow-wrap: anywhere; }
  iframe { box-sizing: border-box; width: 100%; border: 1px solid GrayText; border-radius: 8px; background: Canvas; resize: vertical; overflow: auto; }`;

/** A self-contained HTML page of the messages, without scripts or external resources, to be opened from a file. */
export function previewPage(previews: readonly PreviewedMessage[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'">
<title>Botbell preview</title>
<style>${STYLE}
</style>
<h1>Preview</h1>
${previews.map(section).join('\n')}
</html>`;
}

/** The message is in a sandboxed frame, so that its styles and markup cannot affect the page. */
function section({ composed, destination }: PreviewedMessage): string {
  const { title } = composed;
  const above = title === undefined ? '' : `<h3>${html(title)}</h3>`;
  const document = attribute(messageDocument(composed));
  return `<section><h2>${html(destination)}</h2>${above}
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" title="message" style="height:${frameHeightOf(composed)}px" srcdoc="${document}"></iframe></section>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
