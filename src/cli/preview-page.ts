/** A page that a browser opens from a file: each message as its reader would see it, no script, nothing loaded. */
import { escapeFor } from '../text/escape.ts';
import type { MessageFormat } from '../channels/format.ts';

export interface PreviewedMessage {
  readonly destination: string;
  readonly message: unknown;
  readonly format: MessageFormat;
}

const STYLE = `
  body { margin: 0 auto; max-width: 720px; padding: 24px 16px; font: 15px/1.5 system-ui, sans-serif; background: #f4f4f6; color: #1d1c1d; }
  h2 { font-size: 15px; margin: 32px 0 8px; overflow-wrap: anywhere; }
  article { background: #fff; border: 1px solid #d9d9de; border-radius: 8px; padding: 16px; overflow: auto; }
  iframe { width: 100%; height: 640px; border: 1px solid #d9d9de; border-radius: 8px; background: #fff; }`;

const html = escapeFor('html');

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
  return `<section><h2>${html(destination)}</h2>${framed(format.asHtml(message))}</section>`;
}

/** A whole document, as a mail is, keeps its own styles in a frame that may run nothing. */
function framed(content: string): string {
  const isDocument = /^\s*<(!doctype|html)/i.test(content);
  if (!isDocument) return `<article>${content}</article>`;
  return `<iframe sandbox title="message" srcdoc="${content.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
}
