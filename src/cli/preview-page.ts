/** A page that a browser opens from a file: each message as its reader would see it, no script, nothing loaded. */
import { escapeHtml as html } from '../text/clean.ts';
import { type ComposedMessage, frameHeightOf, messageDocument } from '../channels/message-document.ts';

export interface PreviewedMessage extends ComposedMessage {
  readonly destination: string;
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0 auto; max-width: 720px; padding: 24px 16px; font: 15px/1.5 system-ui, sans-serif; }
  h1 { font-size: 22px; margin: 0; }
  h2 { font-size: 15px; margin: 32px 0 8px; overflow-wrap: anywhere; }
  h3 { font-size: 15px; font-weight: 600; margin: 0 0 8px; overflow-wrap: anywhere; }
  iframe { box-sizing: border-box; width: 100%; border: 1px solid GrayText; border-radius: 8px; background: Canvas; resize: vertical; overflow: auto; }`;

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

/** In a frame that runs nothing, so that neither a message's styles nor its markup get out of it. */
function section(previewed: PreviewedMessage): string {
  const title = previewed.format.titleOf?.(previewed.message);
  const above = title === undefined ? '' : `<h3>${html(title)}</h3>`;
  const document = attribute(messageDocument(previewed));
  return `<section><h2>${html(previewed.destination)}</h2>${above}
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" title="message" style="height:${frameHeightOf(previewed)}px" srcdoc="${document}"></iframe></section>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
