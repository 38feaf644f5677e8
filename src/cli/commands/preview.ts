/** `botbell preview`: shows a callback as each destination would get it, as text, JSON or HTML, and sends nothing. */
import { drawAt, type DrawnMessage, drawingOf, placesFor } from '../../admin/drawing.ts';
import { planningOf } from '../../app/settings.ts';
import { frameHeightOf, messageDocument } from '../../channels/preview.ts';
import { channelTypes } from '../../channels/registry.ts';
import { noticeOf } from '../../notice/notice.ts';
import { destinationTyped } from '../../people/destinations.ts';
import { systemClock } from '../../time/clock.ts';
import type { Language } from '../../time/display.ts';
import { escapeHtml as html, visibleAndIndented, visibleOnOneLine } from '../../text/clean.ts';
import { type CommandContext, printJson, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadProject } from '../load-config.ts';
import { readCallback } from '../read-callback.ts';

type PreviewedMessage = Pick<DrawnMessage, 'destination' | 'composed'>;

export async function run(context: CommandContext, file: string, options: OptionsOf<'preview'>) {
  const project = await loadProject(context, { withoutSecrets: true });
  const { config, renderer } = project;
  const notice = noticeOf(await readCallback(context, file, config), 1);
  const to =
    options.to === undefined ? undefined : destinationTyped(options.to, config, channelTypes).destination;
  const drawing = drawingOf({ ...planningOf(project), renderer }, channelTypes);
  const now = systemClock.now();
  const say = (message: string) => context.message(visibleOnOneLine(message));
  const previews = placesFor(notice, to, drawing).flatMap((place) => {
    if (place.route === undefined) say(context.say('preview.not there', { destination: place.destination }));
    return drawAt(place, notice, drawing, { now }) ?? [];
  });
  for (const { message } of previews.flatMap(({ failures }) => failures)) say(message);
  if (previews.length === 0) say(context.say('preview.nobody'));
  const { hide } = context.secrets;
  const result = (text: string) => context.result(hide(text));
  if (options.format === 'html') context.result(previewPage(previews, context));
  else if (options.format === 'json') printJson({ result }, previews.map(shapeOf));
  else result(previews.map((each) => inLines(context, each)).join('\n'));
  return 0;
}

function shapeOf({ destination, composed }: PreviewedMessage) {
  const [channel] = destination.split(':', 1);
  return { destination, channel, message: composed.message };
}

function inLines(context: CommandContext, { destination, composed }: PreviewedMessage): string {
  return `${styled(context, 'bold', destination)}\n${visibleAndIndented(composed.asText())}\n`;
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0 auto; max-width: 720px; padding: 24px 16px; font: 15px/1.5 system-ui, sans-serif; }
  h1 { font-size: 22px; margin: 0; }
  h2 { font-size: 15px; margin: 32px 0 8px; overflow-wrap: anywhere; }
  h3 { font-size: 15px; font-weight: 600; margin: 0 0 8px; overflow-wrap: anywhere; }
  iframe { box-sizing: border-box; width: 100%; border: 1px solid GrayText; border-radius: 8px; background: Canvas; resize: vertical; overflow: auto; }
  pre { overflow-x: auto; }
  textarea { box-sizing: border-box; width: 100%; font: 13px/1.5 ui-monospace, monospace; }`;

/** Without any secret, which a hook's own body may have. */
function previewPage(
  previews: readonly PreviewedMessage[],
  { say, speaks: { language }, secrets: { hide } }: Pick<CommandContext, 'say' | 'speaks' | 'secrets'>,
): string {
  const sections = previews.map(
    (each) => `<section><h2>${html(each.destination)}</h2>${framed(each, hide)}</section>`,
  );
  const title = say('preview.title');
  return pageOf(title, `<h1>${title}</h1>\n${sections.join('\n')}`, language);
}

/** A self-contained HTML page, without scripts or external resources, to be opened from a file. @param body HTML */
export function pageOf(title: string, body: string, language: Language): string {
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'">
<title>${html(title)}</title>
<style>${STYLE}
</style>
${body}
</html>`;
}

/** The message is in a sandboxed frame, so that its styles and markup cannot affect the page. */
function framed({ destination, composed }: PreviewedMessage, hide: (text: string) => string): string {
  const { title } = composed;
  const above = title === undefined ? '' : `<h3>${html(hide(title))}</h3>`;
  const document = html(hide(messageDocument(composed)));
  return `${above}
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" title="${html(destination)}" style="height:${frameHeightOf(composed)}px" srcdoc="${document}"></iframe>`;
}
