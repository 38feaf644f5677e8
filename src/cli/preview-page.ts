/** A page that a browser opens from a file: each message as its reader would see it, no script, nothing loaded. */
import { escapeHtml as html } from '../text/clean.ts';
import type { MessageFormat, MessageTheme } from '../channels/channel.ts';
import { type ComposedMessage, frameHeightOf, messageDocument } from '../channels/message-document.ts';

export interface PreviewedMessage {
  readonly destination: string;
  readonly message: unknown;
  readonly format: MessageFormat;
}

const STYLE = `
  :root { color-scheme: light dark; --page: #f4f4f6; --text: #1d1c1d; --quiet: #5c5c66; --line: #d9d9de; }
  @media (prefers-color-scheme: dark) { :root { --page: #121316; --text: #e8e8ea; --quiet: #a2a2ad; --line: #3a3b40; } }
  body { margin: 0 auto; max-width: 1080px; padding: 24px 16px; font: 15px/1.5 system-ui, sans-serif; background: var(--page); color: var(--text); }
  h1 { font-size: 22px; margin: 0; }
  h2 { font-size: 15px; margin: 32px 0 8px; overflow-wrap: anywhere; }
  h3 { font-size: 15px; font-weight: 600; margin: 0 0 8px; overflow-wrap: anywhere; }
  .looks { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 12px; }
  figure { margin: 0; }
  figcaption { font-size: 13px; color: var(--quiet); }
  iframe { box-sizing: border-box; width: 100%; border: 1px solid var(--line); border-radius: 8px; background: Canvas; resize: vertical; overflow: auto; }`;

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

function section({ destination, message, format }: PreviewedMessage): string {
  const composed = { format, message };
  const title = format.titleOf?.(message);
  const looks = (format.themes ?? [undefined]).map((theme) => figure(composed, theme));
  const above = title === undefined ? '' : `<h3>${html(title)}</h3>`;
  return `<section><h2>${html(destination)}</h2>${above}<div class="looks">${looks.join('')}</div></section>`;
}

/** A frame that runs nothing, so that neither a message's styles nor its markup get out of it. */
function figure(composed: ComposedMessage, theme: MessageTheme | undefined): string {
  const caption = theme === undefined ? '' : `<figcaption>${theme.name}</figcaption>`;
  const label = theme === undefined ? 'message' : `message, ${theme.name}`;
  const sandbox = 'allow-popups allow-popups-to-escape-sandbox';
  const document = attribute(messageDocument(composed, theme));
  const frame = `<iframe sandbox="${sandbox}" title="${label}" style="height:${frameHeightOf(composed)}px" srcdoc="${document}"></iframe>`;
  return `<figure>${frame}${caption}</figure>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
