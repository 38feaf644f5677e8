/** Serves the page's style and script at paths with a hash of their content, so that browsers may cache them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Context } from 'koa';

/** The build puts both files beside the program. When run from the sources, the style is the source file. */
const IS_BUILT = !import.meta.url.endsWith('.ts');
const BUILT = new URL(IS_BUILT ? './assets/' : '../../../dist/assets/', import.meta.url);
const STYLE = IS_BUILT ? new URL('app.css', BUILT) : new URL('style.css', import.meta.url);
const SCRIPT = new URL('app.js', BUILT);

/** Hexadecimal digits of SHA-256. */
const HASH_LENGTH = 10;

/** One year, which caches treat as the maximum. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export type Assets = ReturnType<typeof readAssets>;

export function readAssets() {
  // The page works without the script, which exists only after a build.
  const script = existsSync(SCRIPT) ? readFileSync(SCRIPT) : Buffer.alloc(0);
  return {
    style: asset('css', 'text/css; charset=utf-8', readFileSync(STYLE)),
    script: asset('js', 'text/javascript; charset=utf-8', script),
  };
}

function asset(extension: string, type: string, body: Buffer) {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  return { path: `/assets/app.${hash}.${extension}`, type, body };
}

export function answerAsset(ctx: Context, { type, body }: Assets['style']): void {
  ctx.set('Cache-Control', FOR_EVER);
  ctx.type = type;
  ctx.body = body;
}
