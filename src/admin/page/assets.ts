/** The page's style and script, each under an address that changes with what is in it, so that browsers may keep it. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Context } from 'koa';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** The build puts them beside the program; run from the sources, the style is its source. */
const IS_BUILT = !import.meta.url.endsWith('.ts');
const BUILT = new URL(IS_BUILT ? './assets/' : '../../../dist/assets/', import.meta.url);
const STYLE = IS_BUILT ? new URL('app.css', BUILT) : new URL('style.css', import.meta.url);
const SCRIPT = new URL('app.js', BUILT);

/** Of SHA-256, in hex. */
const HASH_LENGTH = 10;

/** A year, as long as any cache keeps anything. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export type Assets = ReturnType<typeof readAssets>;

export function readAssets() {
  // Everything can be read without the script.
  const script = existsSync(SCRIPT) ? readFileSync(SCRIPT) : Buffer.alloc(0);
  return {
    style: asset('css', 'text/css; charset=utf-8', readFileSync(STYLE)),
    script: asset('js', 'text/javascript; charset=utf-8', script),
  };
}

function asset(extension: string, type: string, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  return { path: `/assets/app.${hash}.${extension}`, type, body };
}

export function answerAsset(ctx: Context, { type, body }: Asset): void {
  ctx.set('Cache-Control', FOR_EVER);
  ctx.type = type;
  ctx.body = body;
}
