/** `{% capture %}`: what is captured is escaped already and must not be escaped again where it is printed. */
import { CaptureTag } from 'liquidjs';
import type { Context } from 'liquidjs';
import { Captured } from './captured.ts';

export class EscapedCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = yield this.liquid.renderer.renderTemplates(this.templates, context);
    context.bottom()[this.variable] = new Captured(text);
  }
}
