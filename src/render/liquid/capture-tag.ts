/** `{% capture %}`: what is captured is escaped already and must not be escaped again where it is printed. */
import { CaptureTag } from 'liquidjs';
import type { Context } from 'liquidjs';
import type { Markup } from '../../channels/markup.ts';
import { Captured } from './captured.ts';

export abstract class EscapedCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = yield this.liquid.renderer.renderTemplates(this.templates, context);
    context.bottom()[this.variable] = this.captured(text);
  }

  abstract captured(text: string): Captured;
}

/** The tag in templates of that markup. */
export function captureTagOf({ readableText }: Markup) {
  return class extends EscapedCaptureTag {
    override captured(text: string): Captured {
      return new Captured(text, readableText);
    }
  };
}
